// Deliveries of services that are processes of their own: one that is killed, and one whose environment names proxies.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { startChild, type ChildService } from '../../support/child-service.ts';
import { newFolder } from '../../support/command-support.ts';
import { settings as sameUrl, signedInFolder } from '../../torture/signed-in-folder.ts';
import { Receiver } from './receiver.ts';

test('after kill -9 events go on after the saved position, in order', async (t) => {
  const orders = 20;
  const receiver = await Receiver.start(t);
  const { start, call } = await folderOf(t);
  const first = await start();
  await placeOrders(call(first), receiver.url(), orders);
  const before: Taken[] = [];
  while (before.length < orders / 2) before.push(await take(receiver));
  await receiver.next(); // being sent when the service ends
  while ((await call(first)('/webhooks/1')).position !== before.at(-1)?.event) continue; // it is saved each second
  await first.kill('SIGKILL');
  await start();
  const after: Taken[] = [];
  while (after.at(-1)?.order !== orders) after.push(await take(receiver));
  assert.deepEqual(
    [...before, ...after].map(({ order }) => order),
    Array.from({ length: orders }, (_, index) => index + 1),
  );
});

test('proxies that the environment names get nothing', async (t) => {
  const [receiver, proxy] = [await Receiver.start(t), await Receiver.start(t)];
  const { origin } = new URL(proxy.url());
  const { start, call } = await folderOf(t);
  // Node reads them only when a process starts
  const service = await start({ NODE_USE_ENV_PROXY: '1', HTTP_PROXY: origin, HTTPS_PROXY: origin });
  await placeOrders(call(service), receiver.url(), 1);
  const { path, answer } = await Promise.race([receiver.next(), proxy.next()]);
  answer(204);
  assert.equal(path, '/hook'); // a proxy would get the whole URL
  assert.equal(proxy.connections, 0);
});

type Call = (path: string, body?: object) => Promise<{ readonly id: number; readonly position: number }>;

/** A folder, the start of services on it, and calls of its administrator. */
async function folderOf(t: TestContext) {
  const folder = newFolder(t);
  const { token } = await signedInFolder(folder);
  const settings = { ...sameUrl, 'webhook-allow': '127.0.0.1' };
  return {
    async start(environment: Readonly<Record<string, string>> = {}): Promise<ChildService> {
      const service = await startChild({ folder, settings, environment });
      t.after(() => service.kill('SIGTERM'));
      return service;
    },
    call:
      ({ port }: ChildService): Call =>
      async (path, body) => {
        const response = await fetch(`http://127.0.0.1:${port}${path}`, {
          method: body === undefined ? 'GET' : 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
          body: body === undefined ? null : JSON.stringify(body),
        });
        assert.ok(response.ok);
        return (await response.json()) as { id: number; position: number }; // of these routes
      },
  };
}

/** Creates a webhook with this URL, and then so many orders. */
async function placeOrders(call: Call, url: string, orders: number): Promise<void> {
  await call('/webhooks', { url, types: ['order.created'] });
  const { id: customerId } = await call('/customers', { name: 'Grace Hopper' });
  const items = [{ name: 'Green tea', quantity: 1, unitPrice: 749 }];
  for (let index = 0; index < orders; index += 1)
    await call('/orders', { customerId, currency: 'EUR', items });
}

type Taken = { readonly order: number; readonly event: number };

/** The next request: the id of its event, and of the order that it is about. */
async function take(receiver: Receiver): Promise<Taken> {
  const { event, answer } = await receiver.next();
  answer(204);
  return { order: Number(event.subject.replace('/orders/', '')), event: event.id };
}
