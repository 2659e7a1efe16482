// How many connections are accepted: in total, of the files of the process, and from one address; and how long one
// may take for TLS.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, test, type TestContext } from 'node:test';
import { assertStatus, sampleOf } from '../../support/http-support.ts';
import { newCertificate } from '../../support/new-certificate.ts';
import { connectionsWithin, openFilesMax } from '../../../src/service/listening.ts';
import { live, serverBefore } from '../../support/connection-support.ts';
import { insideOnly, serviceFor } from '../../support/service.ts';
import { until } from '../../support/storage-support.ts';
import { rawOver } from '../../support/raw-connection.ts';
import { openTls } from '../../support/transport-support.ts';

describe('connections past the maximum', insideOnly, () => {
  const { certPem: cert, keyPem: key } = newCertificate();
  const small = { certificate: { cert, key }, connectionsMax: 2, timeouts: { handshakeMilliseconds: 400 } };

  test('connections past the maximum are closed over TLS, before they cost a handshake', async (t) => {
    const { server, port } = await serverBefore(t, await serviceFor(t), small);
    const sockets = [await opened(t, port), await opened(t, port), await opened(t, port)];
    assert.equal(await rawOver(sockets[2] ?? assert.fail()).closed, '');
    assert.deepEqual(server.connections.rejected, { full: 1, address: 0 });
  });

  for (const [what, bytes] of [
    ['without any bytes', ''],
    ['with the beginning of one', '\x16\x03\x01'],
  ] as const) {
    test(`connections past the maximum have a limited time for a TLS handshake: ${what} they end`, async (t) => {
      const { server, port } = await serverBefore(t, await serviceFor(t), small);
      const connection = rawOver(await openTls(port, { ca: cert }));
      const slow = await opened(t, port);
      slow.write(bytes);
      assert.equal(await rawOver(slow).closed, '');
      connection.write(live);
      await assertStatus(connection.response(), 200, 'a complete one has no end');
      connection.socket.destroy();
      await until(() => server.connections.open === 0);
    });
  }

  test('a connection past the maximum doesn’t delay a stop', async (t) => {
    const service = await serviceFor(t, { settings: { tls: 'self-signed' } });
    await opened(t, service.port);
    (await opened(t, service.port)).write('\x16\x03\x01'); // the beginning of a handshake
    await until(() => service.inside?.connections.open === 2);
    const start = performance.now();
    await service.stop();
    assert.ok(performance.now() - start < 3_000);
  });
});

test('past --connections-per-address an address gets no more connections, but the machine itself does', async (t) => {
  const own = Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === 'IPv4' && !each.internal)?.address;
  if (own === undefined) return t.skip('this machine has no address but loopback');
  const service = await serviceFor(t, { settings: { host: '0.0.0.0', 'connections-per-address': '2' } });
  const sockets = [await opened(t, service.port, own), await opened(t, service.port, own)];
  assert.equal(await rawOver(await opened(t, service.port, own)).closed, '');
  assert.equal(await sampleOf(service, 'orderly_connections_rejected_total{reason="address"}'), 1);
  for (const socket of sockets) socket.destroy();
  await until(() => (service.inside?.connections.open ?? 1) === 1); // that of the metrics
  const again = rawOver(await opened(t, service.port, own));
  again.write(live);
  await assertStatus(again.response(), 200);
});

for (const [filesMax, connections] of [
  [undefined, 10_000],
  [1_048_576, 10_000],
  [10_099, 9_999],
  [1_024, 924],
  [100, 0],
] as const)
  test(`of ${filesMax ?? 'any number of'} files, ${connections} may be connections`, () =>
    assert.equal(connectionsWithin(filesMax, 10_000), connections));

test('the number of files that this process may open is found, or is unlimited', () => {
  const most = openFilesMax();
  assert.ok(most === undefined || (Number.isInteger(most) && most > 100), String(most));
});

async function opened(t: TestContext, port: number, host = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host });
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  return socket.on('error', () => {}); // reset is closed, too
}
