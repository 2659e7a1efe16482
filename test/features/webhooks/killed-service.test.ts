// A service that is killed while it delivers: the next one continues after the saved position.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startChild, type ChildService } from '../../support/child-service.ts';
import { settings as sameUrl, signedInFolder } from '../../torture/signed-in-folder.ts';
import { placeOrders } from './child-orders.ts';
import { Receiver } from './receiver.ts';

const orders = 20;

test('after kill -9 events go on after the saved position, in order', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const receiver = await Receiver.start(t);
  const { token } = await signedInFolder(folder);
  const settings = { ...sameUrl, 'webhook-allow': '127.0.0.1' };
  const first = await startChild({ folder, settings });
  await placeOrders(first, { url: receiver.url(), token, orders });
  const before: Taken[] = [];
  while (before.length < orders / 2) before.push(await take(receiver));
  await receiver.next(); // being sent when the service ends
  while ((await savedPosition(first, token)) !== before.at(-1)?.event) continue; // it is saved each second
  await first.kill('SIGKILL');
  const second = await startChild({ folder, settings });
  t.after(() => second.kill('SIGTERM'));
  const after: Taken[] = [];
  while (after.at(-1)?.order !== orders) after.push(await take(receiver));
  assert.deepEqual(ordersOf(before), range(1, orders / 2));
  assert.deepEqual(ordersOf(after), range(orders / 2 + 1, orders));
});

type Taken = { readonly order: number; readonly event: number };

/** The next request: the id of its event, and of the order that it is about. */
async function take(receiver: Receiver): Promise<Taken> {
  const { event, answer } = await receiver.next();
  answer(204);
  return { order: Number(event.subject.replace('/orders/', '')), event: event.id };
}

/** The position of the only webhook, as the database has it. */
async function savedPosition({ port }: ChildService, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`http://127.0.0.1:${port}/webhooks/1`, { headers });
  return ((await response.json()) as { position: number }).position; // of this route
}

function ordersOf(taken: readonly Taken[]): number[] {
  return taken.map(({ order }) => order);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
