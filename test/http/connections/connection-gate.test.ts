// How many connections are accepted: in total, from one address, and how long one may take for TLS.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, test, type TestContext } from 'node:test';
import { newCertificate } from '../../support/new-certificate.ts';
import { HttpServer } from '../../../src/http/connections/http-server.ts';
import { executable, serviceFor, type TestService } from '../../support/service.ts';
import { until } from '../../support/storage-support.ts';
import { rawOver } from '../../support/raw-connection.ts';
import { openTls } from '../../support/transport-support.ts';

const live = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n';
const inProcess = { skip: executable !== undefined && 'needs bounds of its own' };

describe('connections past the maximum', inProcess, () => {
  async function small(t: TestContext, certificate?: { cert: string; key: string }): Promise<Small> {
    const service = await serviceFor(t);
    const server = new HttpServer({
      certificate,
      connectionsMax: 2,
      timeouts: { handshakeMilliseconds: 400 },
    });
    const { port } = await server.listen('127.0.0.1', 0);
    server.setHandler(service.inside?.app.handler ?? assert.fail('there are none'));
    t.after(() => server.close());
    return { service, server, port };
  }

  test('connections past the maximum are closed over TLS, before they cost a handshake', async (t) => {
    const { certPem: cert, keyPem: key } = newCertificate();
    const { server, port } = await small(t, { cert, key });
    const sockets = [await opened(port), await opened(port), await opened(port)];
    assert.equal(await rawOver(sockets[2] ?? assert.fail()).closed, '');
    assert.deepEqual(server.connections.rejected, { full: 1, address: 0 });
    for (const socket of sockets) socket.destroy();
  });

  for (const [what, bytes] of [
    ['without any bytes', ''],
    ['with the beginning of one', '\x16\x03\x01'],
  ] as const) {
    test(`connections past the maximum have a limited time for a TLS handshake: ${what} they end`, async (t) => {
      const { certPem: cert, keyPem: key } = newCertificate();
      const { server, port } = await small(t, { cert, key });
      const [secured, slow] = [await openTls(port, { ca: cert }), await opened(port)];
      const connection = rawOver(secured);
      slow.write(bytes);
      assert.equal(await rawOver(slow).closed, '');
      connection.write(live);
      assert.equal((await connection.response()).status, 200, 'a complete one has no end');
      secured.destroy();
      await until(() => server.connections.open === 0);
    });
  }

  test('a connection past the maximum doesn’t delay a stop', async (t) => {
    const service = await serviceFor(t, { settings: { tls: 'self-signed' } });
    const sockets = [await opened(service.port), await opened(service.port)];
    sockets[1]?.write('\x16\x03\x01'); // the beginning of a handshake
    await until(() => service.inside?.connections.open === 2);
    const start = performance.now();
    await service.stop();
    assert.ok(performance.now() - start < 3_000);
    for (const socket of sockets) assert.ok(socket.destroy());
  });
});

test('past --connections-per-address an address gets no more connections, but the machine itself does', async (t) => {
  const own = Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === 'IPv4' && !each.internal)?.address;
  if (own === undefined) return t.skip('this machine has no address but loopback');
  const service = await serviceFor(t, { settings: { host: '0.0.0.0', 'connections-per-address': '2' } });
  const sockets = [await opened(service.port, own), await opened(service.port, own)];
  const rejected = await opened(service.port, own);
  assert.equal(await rawOver(rejected).closed, '');
  assert.match(await metricsOf(service), /^orderly_connections_rejected_total\{reason="address"\} 1$/m);
  for (const socket of [...sockets, rejected]) socket.destroy();
  const again = await opened(service.port, own);
  again.destroy();
});

type Small = {
  readonly service: TestService;
  readonly server: HttpServer;
  readonly port: number;
};

async function opened(port: number, host = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host });
  await once(socket, 'connect');
  return socket.on('error', () => {
    /* reset is closed, too */
  });
}

async function metricsOf(service: TestService): Promise<string> {
  return (await service.get('/metrics')).text;
}
