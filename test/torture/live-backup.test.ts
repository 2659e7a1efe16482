// A backup of a live service under load is a copy of one moment, compared row by row with what was answered.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { orderly } from '../support/command-support.ts';
import { admin, serviceFor } from '../support/service.ts';
import { startChild } from './child-service.ts';
import { newFolder } from './fault-support.ts';
import { createLoadClient, type Thing } from './load-client.ts';
import { settings, signedInFolder } from './signed-in-folder.ts';

const clients = 32;

test('a backup under load has all changes answered before it, and the rest as of one moment', async (t) => {
  const folder = newFolder(t);
  const { token } = await signedInFolder(join(folder, 'live'));
  const service = await startChild({ folder: join(folder, 'live'), settings });
  t.after(() => service.kill('SIGKILL'));
  const client = createLoadClient(service.port);
  const right = async (asked: Parameters<typeof client.ask>[0]): Promise<Thing> => {
    const { status, text, thing } = await client.ask(asked);
    assert(status < 300, text);
    return thing;
  };
  /** The states of each order in responses, oldest first. */
  const answered = new Map<unknown, Thing[]>();
  const change = async (method: 'POST' | 'PATCH', path: string, body: object): Promise<Thing> => {
    const order = await right({ method, path, token, body });
    answered.set(order['id'], [...(answered.get(order['id']) ?? []), order]);
    return order;
  };

  let isOver = false;
  const writing = Array.from({ length: clients }, async () => {
    const { id: customerId } = await right({
      method: 'POST',
      path: '/customers',
      token,
      body: { name: 'Grace Hopper' },
    });
    while (!isOver) {
      const { id } = await change('POST', '/orders', {
        customerId,
        currency: 'EUR',
        items: [{ name: 'Green tea', quantity: 2, unitPrice: 749 }],
      });
      for (const status of ['paid', 'shipped', 'delivered'])
        await change('PATCH', `/orders/${id}`, { status });
    }
  });
  while (answered.size < 300) await new Promise((resolve) => setTimeout(resolve, 5));
  const before = new Map([...answered].map(([id, states]) => [id, states.length]));
  const copy = join(folder, 'copy.db');
  assert.equal((await orderly(['backup', copy, `--data=${join(folder, 'live')}`])).status, 0);
  isOver = true;
  await Promise.all(writing);
  assert(answered.size > before.size, 'writes went on during the backup');

  const data = `--data=${join(folder, 'restored')}`;
  assert.equal((await orderly(['restore', copy, data])).status, 0);
  const check = await orderly(['check', data]);
  assert.equal(check.status, 0, check.stdout);
  const restored = await serviceFor(t, { folder: join(folder, 'restored'), settings });
  const later = createLoadClient(restored.port);
  const session = await restored.signIn(admin.email, admin.password);
  const copied = await later.list('/orders?limit=200&sort=id', session.token);
  client.close();
  later.close();

  const texts = new Map(copied.map((order) => [order['id'], JSON.stringify(order)]));
  assert.deepEqual(
    [...before.keys()].filter((id) => !texts.has(id)),
    [],
    'orders that were answered before',
  );
  for (const [id, text] of texts) {
    const states =
      answered
        .get(id)
        ?.slice((before.get(id) ?? 1) - 1)
        .map((order) => JSON.stringify(order)) ?? [];
    assert(
      states.includes(text),
      `order ${id} is ${text}; from the beginning of the backup on it was answered ${states.join(', ')}`,
    );
  }
  assertOneMoment(copied, answered);
});

/**
 * A client's next order is placed once the one before it is delivered, so of each client's orders only the
 * last one may be under way.
 */
function assertOneMoment(copied: readonly Thing[], answered: ReadonlyMap<unknown, readonly Thing[]>): void {
  const lasts = new Map<unknown, unknown>();
  for (const { customerId, id } of copied) lasts.set(customerId, id);
  assert.equal(lasts.size, clients);
  const unfinished = copied.filter(
    ({ id, customerId, status }) => status !== 'delivered' && lasts.get(customerId) !== id,
  );
  assert.deepEqual(unfinished, [], `of ${answered.size} orders`);
}
