// A reader of the event stream who stalls while the next events are removed for their age.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from '../../support/http-support.ts';
import { insideOnly } from '../../support/service.ts';
import { newCustomer, newKey, rootService, rootToken } from '../../support/resource-support.ts';
import { addEvents, openStream, sse } from './stream-support.ts';

test('the stream of a reader who stalls while events are removed ends, then 410', insideOnly, async (t) => {
  const { service, token } = await rootService(t, { settings: { 'events-days': '1' } });
  const { key } = await newKey(service, token, { scopes: ['events:read'] });
  const { app } = service.inside ?? assert.fail('it is inside');
  // more bytes than both ends of a connection buffer, so that a reader who stalls stays behind
  await addEvents(service, 16_000, 1_000);
  const stalled = await openStream(service, { key }, '/events?from=oldest');
  stalled.message.pause();

  service.clock.advance(2 * 86_400_000);
  const { id: customerId } = await newCustomer(service, await rootToken(service));
  await app.cleanup.run();
  stalled.message.resume();

  const ids: number[] = [];
  let position = '';
  for (;;) {
    const next = await stalled.event().catch(() => undefined); // rejects once the stream is over
    if (next === undefined) break;
    assert.notEqual(next.data.subject, `/customers/${customerId}`, 'the stream went on after a gap');
    ids.push(next.data.id);
    position = next.id;
  }
  assert.deepEqual(
    ids,
    ids.map((_, index) => index + 1),
  );
  const gone = await service.as({ key }).get('/events', { ...sse, 'last-event-id': position });
  assertProblem(gone, 'events-gone');
  assert.match(app.metricsText(), /^orderly_streams_ended_total\{reason="gone"\} 1$/m);
});
