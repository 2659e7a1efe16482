// Webhooks of a restored backup: where they continue, and the ids of their events.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { orderly } from '../../support/command-support.ts';
import { insideOnly, serviceFor } from '../../support/service.ts';
import { Hooked } from './delivery-support.ts';

test('a restored database continues its deliveries, under other ids', insideOnly, async (t) => {
  const { folder } = await serviceFor(t); // its folder outlives the services below
  const hook = await Hooked.start(t, { folder: join(folder, 'shop') });
  const copy = join(folder, 'copy.db');
  const received = async (): Promise<{ readonly subject: string; readonly id: string }> => {
    const { event, headers, answer } = await hook.receiver.next();
    answer(204);
    return { subject: event.subject, id: String(headers['webhook-id']) };
  };
  await hook.placeOrders(1);
  const [first] = [await received()];
  await hook.settled();
  assert.equal((await orderly(['backup', copy, `--data=${hook.service.folder}`])).status, 0);
  await hook.placeOrders(1);
  const lost = await received();
  await hook.service.stop();
  const { stdout } = await orderly(['restore', copy, '--force', `--data=${hook.service.folder}`]);
  assert.match(stdout, /^These webhooks deliver again, from where they were at the backup:$/m);
  assert.match(stdout, new RegExp(`^  ${hook.id} to http://127\\.0\\.0\\.1:${hook.receiver.port}$`, 'm'));
  const again = await Hooked.again(t, hook, { folder: hook.service.folder });
  await again.placeOrders(1);
  const next = await received();
  assert.equal(next.subject, lost.subject); // the id of the order that was lost
  assert.equal(new Set([first.id, lost.id, next.id]).size, 3);
});
