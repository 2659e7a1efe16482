// A reader of the event stream who stalls while the next events are removed for their age.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from '../../support/http-support.ts';
import { insideOnly, serviceFor, type TestService } from '../../support/service.ts';
import { newCustomer, newKey, rootToken } from '../../support/resource-support.ts';
import { openStream } from './stream-support.ts';

/** More bytes than both ends of a connection buffer, so that a reader who stalls stays behind. */
const events = 16_000;
const bytesOfEach = 1_000;

test(
  'a reader who stalls while the next events are removed sees no gap: the stream ends, then 410',
  insideOnly,
  async (t) => {
    const service = await serviceFor(t, { settings: { 'events-days': '1' } });
    const root = await rootToken(service);
    const { key } = await newKey(service, root, { scopes: ['events:read'] });
    await addLongEvents(service);
    const stalled = await openStream(service, { key }, '/events?from=oldest');
    stalled.message.pause();

    service.clock.advance(2 * 86_400_000);
    const { id: customerId } = await newCustomer(service, await rootToken(service));
    await service.inside?.app.cleanup.run();
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
    const headers = { accept: 'text/event-stream', 'last-event-id': position };
    assertProblem(await service.get('/events', { key, headers }), 'events-gone');
    assert.match(
      service.inside?.app.metricsText() ?? '',
      /^orderly_streams_ended_total\{reason="gone"\} 1$/m,
    );
  },
);

async function addLongEvents({ inside, clock }: TestService): Promise<void> {
  const sql =
    'WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?) ' +
    'INSERT INTO events (createdAt, type, topic, topicId, subjectId, changes) ' +
    `SELECT ?, 'order.changed', 'order', 1, 1, json_object('note', hex(zeroblob(?))) FROM numbers`;
  await inside?.database.write((writer) => void writer.run(sql, events, clock.now, bytesOfEach / 2));
}
