// Webhooks of a restored backup: where they continue, and the ids of their events.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { newFolder, orderly } from '../../support/command-support.ts';
import { insideOnly } from '../../support/service.ts';
import { hooked } from './delivery-support.ts';

test('a restored database continues its deliveries, under other ids', insideOnly, async (t) => {
  const [folder, copy] = [newFolder(t), join(newFolder(t), 'copy.db')];
  const hook = await hooked(t, { folder });
  const received = async (by = hook): Promise<{ readonly subject: string; readonly id: string }> => {
    await by.placeOrders(1);
    const { event, headers, answer } = await hook.receiver.next();
    answer(204);
    await by.settled();
    return { subject: event.subject, id: String(headers['webhook-id']) };
  };
  const first = await received();
  assert.equal((await orderly(['backup', copy, `--data=${folder}`])).status, 0);
  const lost = await received();
  await hook.service.stop();
  const { stdout } = await orderly(['restore', copy, '--force', `--data=${folder}`]);
  assert.match(stdout, /^These webhooks deliver again, from where they were at the backup:$/m);
  assert.match(stdout, new RegExp(`^  ${hook.id} to http://127\\.0\\.0\\.1:${hook.receiver.port}$`, 'm'));
  const next = await received(await hooked(t, { folder }, {}, hook));
  assert.equal(next.subject, lost.subject); // the id of the order that was lost
  assert.equal(new Set([first.id, lost.id, next.id]).size, 3);
});
