// TLS handshakes that arrive together run in slices: no turn of the event loop takes long.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, Socket, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { connect } from 'node:tls';
import { TlsHandshakes } from '../../src/http/tls-handshakes.ts';
import { turnMillisecondsMax } from '../../src/limits.ts';
import { executable, serviceFor } from '../service.ts';
import { until } from '../storage/storage-support.ts';
import { simultaneousClients } from './simultaneous-clients.ts';
import { assertShort, TurnWatch } from './turn-watch.ts';

const clients = 400;

/** The first bytes of a TLS client that offers only these groups for the key exchange. */
async function clientHello(groups: string): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const client = connect({ port, host: '127.0.0.1', ecdhCurve: groups }).on('error', () => {});
  const [socket]: Socket[] = await once(server, 'connection');
  assert(socket !== undefined);
  const [bytes] = await once(socket, 'data');
  client.destroy();
  socket.destroy();
  server.close();
  return bytes;
}

for (const groups of ['auto', 'P-384', 'P-521', 'ffdhe3072']) {
  const name = `${clients} that begin at once take no long turn, with the groups ${groups}`;
  test(name, { skip: executable !== undefined }, async (t) => {
    const service = await serviceFor(t, { settings: { tls: 'self-signed' } });
    const bytes = await clientHello(groups);
    const { send } = await simultaneousClients(t, { port: service.port, bytes, clients });
    const watch = new TurnWatch();
    await send();
    assertShort(watch);
  });
}

type Counted = { readonly bucket?: string; readonly milliseconds?: number };

/**
 * Handshakes without connections, counted when they begin, each of which takes some time in the next tick, as
 * Node's do. The gate counts only those with a bucket.
 */
function countedHandshakes(count: number, { bucket, milliseconds = 0 }: Counted = {}) {
  const gate = { perAddressMax: 256, bucketOf: () => bucket };
  const handshakes = new TlsHandshakes({ timers: { after: () => () => {} }, milliseconds: 1, gate });
  const sockets = Array.from({ length: count }, () => new Socket());
  const counts = { begun: 0 };
  const begin = (): void => {
    counts.begun += 1;
    process.nextTick(block, milliseconds);
  };
  for (const socket of sockets) handshakes.run(handshakes.begin(socket), begin);
  return { handshakes, sockets, counts };
}

function block(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test('while connections are accepted, one handshake begins in eight turns, then all', async () => {
  const { handshakes, counts } = countedHandshakes(20);
  const begun: number[] = [];
  for (let turns = 1; turns <= 16; turns += 1) {
    handshakes.begin(new Socket());
    await turn();
    begun.push(counts.begun);
  }
  assert.deepEqual(begun, [0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2]);
  await until(() => counts.begun === 20);
});

test('a handshake that takes the time of a turn is the only one that begins in it', async () => {
  const { counts } = countedHandshakes(4, { milliseconds: turnMillisecondsMax });
  const begun: number[] = [];
  await turn(); // since they are accepted
  for (let turns = 1; turns <= 3; turns += 1) {
    await turn();
    begun.push(counts.begun);
  }
  assert.deepEqual(begun, [1, 2, 3]);
});

test('of one address 32 handshakes run at the same time; the next begins when one of them ends', async () => {
  const { sockets, counts } = countedHandshakes(40, { bucket: '192.0.2.1' });
  const afterTurns = async (): Promise<number> => {
    for (let turns = 0; turns < 6; turns += 1) await turn();
    return counts.begun;
  };
  assert.equal(await afterTurns(), 32);
  sockets[39]?.destroy(); // has not begun
  assert.equal(await afterTurns(), 32);
  for (const socket of sockets.slice(0, 3)) socket.destroy();
  assert.equal(await afterTurns(), 35);
  for (const socket of sockets) socket.destroy();
  assert.equal(await afterTurns(), 35);
});

test('of the machine itself and trusted proxies any number run at the same time', async () => {
  const { counts } = countedHandshakes(40);
  for (let turns = 0; turns < 6; turns += 1) await turn();
  assert.equal(counts.begun, 40);
});
