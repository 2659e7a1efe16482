// TLS handshakes that arrive together run in slices: no turn takes a second.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, Socket, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { executable, serviceFor } from '../../support/service.ts';
import { simultaneousClients } from './simultaneous-clients.ts';
import { assertShort, floodMillisecondsMax, TurnWatch } from '../../support/turn-watch.ts';

/** How many handshakes take far longer than a turn may, by the groups that the clients offer. */
const clientsOf = { auto: 400, 'P-384': 150, 'P-521': 400, ffdhe3072: 400 };

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

for (const [groups, clients] of Object.entries(clientsOf)) {
  const name = `${clients} TLS handshakes that begin at once take no turn of a second, with the groups ${groups}`;
  test(name, { skip: executable !== undefined }, async (t) => {
    const service = await serviceFor(t, { settings: { tls: 'self-signed' } });
    const bytes = await clientHello(groups);
    const { send } = await simultaneousClients(t, { port: service.port, bytes, clients });
    const watch = new TurnWatch();
    await send();
    assertShort(watch, floodMillisecondsMax);
  });
}
