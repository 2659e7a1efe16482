// How many connections are accepted: in total, from one address, and how long one may take for TLS.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, test, type TestContext } from 'node:test';
import { newCertificate } from '../../support/new-certificate.ts';
import {
  ConnectionGate,
  connectionsMax,
  handshakesMax,
  handshakesPerClientMax,
} from '../../../src/http/connections/connection-gate.ts';
import { HttpServer } from '../../../src/http/connections/http-server.ts';
import { addressesIn } from '../../../src/base/addresses.ts';
import { executable, serviceFor, type TestService } from '../../support/service.ts';
import { until } from '../../support/storage-support.ts';
import { assertProblem } from '../../support/http-support.ts';
import { openRaw, rawOver } from '../../support/raw-connection.ts';
import { openTls } from '../../support/transport-support.ts';

const live = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n';
const inProcess = { skip: executable !== undefined && 'needs bounds of its own' };

describe('the gate', () => {
  const gateFor = (connectionsMax: number, perClientMax: number): ConnectionGate =>
    new ConnectionGate({ connectionsMax, perClientMax, isTrusted: addressesIn(['203.0.113.0/24']) });
  const series: readonly (readonly [
    what: string,
    addresses: readonly string[],
    outcomes: readonly unknown[],
  ])[] = [
    [
      'counts each address by itself',
      ['192.0.2.1', '192.0.2.1', '192.0.2.1', '198.51.100.1'],
      ['entered', 'entered', 'address', 'entered'],
    ],
    [
      'takes an IPv4 address in IPv6 for the same',
      ['192.0.2.1', '::ffff:192.0.2.1', '192.0.2.1'],
      ['entered', 'entered', 'address'],
    ],
    [
      'takes a /48 of IPv6 for one address',
      ['2001:db8::1', '2001:db8::2', '2001:db8:0:ffff::3', '2001:db8:1:1::1'],
      ['entered', 'entered', 'address', 'entered'],
    ],
    ['does not count the machine itself', Array<string>(4).fill('127.0.0.1'), Array(4).fill('entered')],
    ['nor by IPv6', Array<string>(4).fill('::1'), Array(4).fill('entered')],
    ['nor a trusted proxy', Array<string>(4).fill('203.0.113.9'), Array(4).fill('entered')],
    [
      'is full for all of them',
      ['127.0.0.1', '192.0.2.1', '::1', '203.0.113.9', '127.0.0.1', '192.0.2.2'],
      ['entered', 'entered', 'entered', 'entered', 'full', 'full'],
    ],
  ];
  for (const [what, addresses, outcomes] of series) {
    test(`the gate ${what}`, () => {
      const gate = gateFor(4, 2);
      assert.deepEqual(
        addresses.map((address) => gate.enter(address)),
        outcomes,
      );
      const { open, rejected } = gate.counts;
      const taken = addresses.filter((_, index) => outcomes[index] === 'entered');
      assert.deepEqual(
        [open, rejected.full + rejected.address],
        [taken.length, outcomes.length - taken.length],
      );
      for (const address of taken) gate.leave(address);
      assert.deepEqual(
        addresses.slice(0, 2).map((address) => gate.enter(address)),
        ['entered', 'entered'],
      );
    });
  }
});

describe('connections past the maximum', inProcess, () => {
  async function small(t: TestContext, certificate?: { cert: string; key: string }): Promise<Small> {
    const service = await serviceFor(t);
    const gate = new ConnectionGate({ connectionsMax: 2, perClientMax: 2, isTrusted: () => false });
    const server = new HttpServer({
      certificate,
      gate,
      timeouts: { handshakeMilliseconds: 400 },
    });
    const { port } = await server.listen('127.0.0.1', 0);
    server.setHandler(service.inside?.app.handler ?? assert.fail('there are none'));
    t.after(() => server.close());
    return { service, server, port };
  }

  test('connections past the maximum get a 503 over plain HTTP, until another one closes', async (t) => {
    const { service, server, port } = await small(t);
    const [first, second] = [await openRaw(port), await openRaw(port)];
    for (const connection of [first, second]) {
      connection.write(live);
      assert.equal((await connection.response()).status, 200);
    }
    for (const bytes of ['', live, 'x'.repeat(100_000)]) {
      const third = await openRaw(port);
      third.write(bytes);
      const response = await third.response();
      assertProblem(response, 'unavailable');
      assert.equal(response.headers['connection'], 'close');
      assert.equal(await third.closed, '');
      third.socket.destroy();
    }
    assert.deepEqual(server.connections, { open: 2, rejected: { full: 3, address: 0 } });
    first.socket.destroy();
    await until(() => server.connections.open === 1);
    const fourth = await openRaw(port);
    fourth.write(live);
    assert.equal((await fourth.response()).status, 200);
    for (const { socket } of [second, fourth]) socket.destroy();
    assert.equal((await service.get('/health/ready')).status, 200);
  });

  test('connections past the maximum are closed over TLS, before they cost a handshake', async (t) => {
    const { certPem: cert, keyPem: key } = newCertificate();
    const { server, port } = await small(t, { cert, key });
    const sockets = [await opened(port), await opened(port), await opened(port)];
    assert.equal(await rawOver(sockets[2] ?? assert.fail()).closed, '');
    assert.deepEqual(server.connections.rejected, { full: 1, address: 0 });
    for (const socket of sockets) socket.destroy();
  });

  test('connections past the maximum of incomplete handshakes are closed, until one is complete', () => {
    const gate = new ConnectionGate({ connectionsMax, perClientMax: 1_000, isTrusted: () => false });
    const enter = (address: string): string => gate.enter(address);
    for (let client = 0; client < handshakesMax / handshakesPerClientMax; client += 1) {
      const address = `192.0.2.${client}`;
      const outcomes = Array.from({ length: handshakesPerClientMax }, () => enter(address));
      assert.deepEqual(new Set(outcomes), new Set(['entered']));
      if (client === 0) assert.equal(enter(address), 'address');
    }
    for (const address of ['192.0.2.250', '127.0.0.1']) assert.equal(enter(address), 'full');
    gate.beginServing('192.0.2.0');
    assert.equal(enter('192.0.2.1'), 'address');
    assert.equal(enter('192.0.2.0'), 'entered');
    gate.leave('192.0.2.1');
    assert.equal(enter('127.0.0.1'), 'entered');
  });

  test('connections past the maximum of handshakes: a service over TLS counts only incomplete ones', async (t) => {
    const { certPem: cert, keyPem: key } = newCertificate();
    const service = await serviceFor(t);
    const gate = new ConnectionGate({ connectionsMax, perClientMax: Infinity, isTrusted: () => false });
    const server = new HttpServer({ certificate: { cert, key }, gate });
    const { port } = await server.listen('127.0.0.1', 0);
    server.setHandler(service.inside?.app.handler ?? assert.fail('there are none'));
    t.after(() => server.close());
    const before = rawOver(await openTls(port, { ca: cert }));
    before.write(live);
    assert.equal((await before.response()).status, 200);
    before.socket.destroy();
    await until(() => server.connections.open === 0);
    const secured = rawOver(await openTls(port, { ca: cert }));
    const slow = await Promise.all(Array.from({ length: handshakesMax }, () => opened(port)));
    const rejected = await opened(port);
    assert.equal(await rawOver(rejected).closed, '');
    assert.deepEqual(server.connections.rejected, { full: 1, address: 0 });
    secured.write(live);
    assert.equal((await secured.response()).status, 200);
    for (const socket of slow) socket.destroy();
    await until(() => server.connections.open === 1);
    const again = rawOver(await openTls(port, { ca: cert }));
    again.write(live);
    assert.equal((await again.response()).status, 200);
    for (const { socket } of [secured, again]) socket.destroy();
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
