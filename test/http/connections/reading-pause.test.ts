// The order in which connections are read again, after parsing took too long in a turn of the event loop.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { ReadingPause } from '../../../src/http/connections/reading-pause.ts';
import { until } from '../../support/storage-support.ts';

/** A connection from an address, with the turn in which it was last resumed. */
type Connection = { readonly client: Socket; readonly served: Socket; resumedIn: number };

/** Counts the turns of the event loop until the test ends. */
function countTurns(t: TestContext): () => number {
  let turns = 0;
  let immediate = setImmediate(function count() {
    turns += 1;
    immediate = setImmediate(count);
  });
  t.after(() => clearImmediate(immediate));
  return () => turns;
}

async function connectFrom(t: TestContext, addresses: readonly string[]): Promise<Connection[]> {
  const turns = countTurns(t);
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const connections: Connection[] = [];
  for (const localAddress of addresses) {
    const client = connect({ port, host: '127.0.0.1', localAddress });
    const [served]: Socket[] = await once(server, 'connection');
    assert(served !== undefined);
    const connection = { client, served, resumedIn: 0 };
    served.resume().on('resume', () => (connection.resumedIn = turns()));
    connections.push(connection);
  }
  t.after(() => {
    for (const { client } of connections) client.destroy();
    server.close();
  });
  return connections;
}

/**
 * Makes some of them send a byte each, pauses all, and returns the turn in which each was resumed, from 0.
 */
async function pauseAfter(
  pause: ReadingPause,
  all: readonly Connection[],
  senders: readonly (Connection | undefined)[],
): Promise<number[]> {
  for (const sender of senders) {
    const before = sender?.served.bytesRead ?? 0;
    sender?.client.write('x');
    await until(() => sender?.served.bytesRead === before + 1);
  }
  for (const connection of all) connection.resumedIn = 0;
  pause.begin();
  await until(() => all.every(({ resumedIn }) => resumedIn > 0));
  const turns = all.map(({ resumedIn }) => resumedIn);
  return turns.map((turn) => turn - Math.min(...turns));
}

test('one connection of each network is resumed in the first turn, then two, then four', async (t) => {
  const [one, other] = ['127.0.0.1', '127.0.0.2'];
  const all = await connectFrom(t, [one, one, one, one, one, one, one, other, other]);
  const pause = new ReadingPause(new Set(all.map(({ served }) => served)));
  assert.deepEqual(await pauseAfter(pause, all, []), [0, 1, 1, 2, 2, 2, 2, 0, 1]);
  assert.deepEqual(await pauseAfter(pause, all, []), [0, 1, 1, 2, 2, 2, 2, 0, 1]);
});

test('what was read before a pause is resumed a turn after what was not', async (t) => {
  const all = await connectFrom(t, ['127.0.0.1', '127.0.0.2', '127.0.0.3']);
  const [first, second, third] = all;
  const pause = new ReadingPause(new Set(all.map(({ served }) => served)));
  assert.deepEqual(await pauseAfter(pause, all, []), [0, 0, 0]);
  assert.deepEqual(await pauseAfter(pause, all, [first]), [1, 0, 0]);
  assert.deepEqual(await pauseAfter(pause, all, [second, third]), [0, 1, 1]);
  assert.deepEqual(await pauseAfter(pause, all, [first, second, third]), [0, 0, 0]);
});

test('connections that were not read come before those of their network that were', async (t) => {
  const all = await connectFrom(t, ['127.0.0.1', '127.0.0.1', '127.0.0.1', '127.0.0.1']);
  const pause = new ReadingPause(new Set(all.map(({ served }) => served)));
  const [first, second] = all;
  const order: number[] = [];
  await pauseAfter(pause, all, []);
  all.forEach(({ served }, index) => served.on('resume', () => order.push(index)));
  await pauseAfter(pause, all, [first, second]);
  assert.deepEqual(order, [2, 3, 0, 1]);
});

test('the network with the fewest connections is resumed first', async (t) => {
  const all = await connectFrom(t, [
    '127.0.0.1',
    '127.0.0.1',
    '127.0.0.1',
    '127.0.0.2',
    '127.0.0.2',
    '127.0.0.3',
  ]);
  const pause = new ReadingPause(new Set(all.map(({ served }) => served)));
  const order: number[] = [];
  await pauseAfter(pause, all, []);
  all.forEach(({ served }, index) => served.on('resume', () => order.push(index)));
  await pauseAfter(pause, all, []);
  assert.deepEqual(order, [5, 3, 0, 4, 1, 2]);
});
