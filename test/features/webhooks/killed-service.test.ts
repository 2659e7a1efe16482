// A service that is killed while it delivers: the next one continues after the saved position.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startChild } from '../../torture/child-service.ts';
import { settings as sameUrl, signedInFolder } from '../../torture/signed-in-folder.ts';
import { placeOrders } from './child-orders.ts';
import { Receiver } from './receiver.ts';

const orders = 20;

test('after kill -9 every event is delivered, in order, some again', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const receiver = await Receiver.start(t);
  const { token } = await signedInFolder(folder);
  const settings = { ...sameUrl, 'webhook-allow': '127.0.0.1' };
  const first = await startChild({ folder, settings });
  await placeOrders(first, { url: receiver.url(), token, orders });
  const before: number[] = [];
  while (before.length < orders / 2) before.push(await take(receiver));
  await receiver.next(); // being sent when the service ends
  await first.kill('SIGKILL');
  const second = await startChild({ folder, settings });
  t.after(() => second.kill('SIGTERM'));
  const after: number[] = [];
  while (after.at(-1) !== orders) after.push(await take(receiver));
  const [begin = 0] = after;
  assert.deepEqual(before, range(1, orders / 2));
  assert.ok(begin >= 1 && begin <= orders / 2 + 1, String(begin));
  assert.deepEqual(after, range(begin, orders));
});

/** The id of the order in the next request. */
async function take(receiver: Receiver): Promise<number> {
  const { event, answer } = await receiver.next();
  answer(204);
  return Number(event.subject.replace('/orders/', ''));
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
