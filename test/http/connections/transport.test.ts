// The transport: proxies, what other machines may read, and connections that are kept.
import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { describe, test } from 'node:test';
import { serviceFor, type TestService } from '../../support/service.ts';
import { assertProblem, assertStatus, sharedService } from '../../support/http-support.ts';
import { live } from '../../support/connection-support.ts';
import { openRaw } from '../../support/raw-connection.ts';
import { type Headers, ask } from '../../support/transport-support.ts';

const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);

describe('plain HTTP', () => {
  const trusting = sharedService({ settings: { 'trusted-proxy': '127.0.0.1' } });
  const strict = sharedService();
  /** With the status for a trusted proxy; others are rejected, but for a request without a proxy's field. */
  const cases: readonly (readonly [headers: Headers, fromTrusted: 200 | 403])[] = [
    [{}, 200],
    [{ 'x-forwarded-proto': 'https' }, 200],
    [{ 'x-forwarded-proto': 'HTTPS' }, 200],
    [{ 'x-forwarded-proto': 'http' }, 403],
    [{ 'x-forwarded-proto': '' }, 403],
    [{ 'x-forwarded-proto': 'httpsx' }, 403],
    [{ 'x-forwarded-proto': 'https, http' }, 403], // the first is from the client
    [{ 'x-forwarded-proto': 'http,https' }, 200],
    [{ 'x-forwarded-for': '203.0.113.1' }, 403],
    [{ 'x-forwarded-for': '203.0.113.1', 'x-forwarded-proto': 'https' }, 200],
    [{ forwarded: 'for=203.0.113.1;proto=https' }, 200],
    [{ forwarded: 'For=203.0.113.1; Proto="https"' }, 200],
    [{ forwarded: 'for=203.0.113.1;proto=http' }, 403],
    [{ forwarded: 'for=203.0.113.1' }, 403],
    [{ forwarded: 'proto=https, for=203.0.113.1' }, 403], // the first is from the client
    [{ forwarded: 'proto=http, for=203.0.113.1;proto=https' }, 200],
    [{ forwarded: 'xproto=https' }, 403],
    [{ forwarded: 'for="a;proto=https"' }, 403],
    [{ forwarded: 'for="a,proto=https"' }, 403],
    [{ forwarded: 'for="a;proto=https' }, 403],
    [{ forwarded: 'for="a\\";proto=https;by="b"' }, 403],
    [{ forwarded: 'for="[2001:db8::1]";proto=https' }, 200],
    [{ 'x-real-ip': '203.0.113.1' }, 403],
    [{ via: '1.1 edge' }, 403],
    [{ 'x-forwarded-host': 'orders.example' }, 403],
    [{ 'x-forwarded-port': '443' }, 403],
    [{ 'x-real-ip': '203.0.113.1', 'x-forwarded-proto': 'https' }, 200],
    [{ forwarded: 'proto=https', 'x-forwarded-proto': 'http' }, 403], // only X-Forwarded counts
    [{ forwarded: 'proto=http', 'x-forwarded-proto': 'https' }, 200],
    [{ forwarded: 'proto=https', 'x-forwarded-for': '203.0.113.1' }, 403],
  ];
  for (const [headers, fromTrusted] of cases) {
    const fromStranger = Object.keys(headers).length === 0 ? 200 : 403;
    test(`plain HTTP with ${JSON.stringify(headers)} is ${fromTrusted} from a trusted proxy, else ${fromStranger}`, async () => {
      for (const [service, status] of [
        [trusting(), fromTrusted],
        [strict(), fromStranger],
      ] as const) {
        await assertStatus(service.get('/health/live', { headers }), 200);
        for (const path of ['/problems', '/nowhere']) {
          const response = await service.get(path, { headers, isUndescribed: true });
          if (status === 403) {
            assertProblem(response, 'tls-required');
            const detail =
              service === trusting() ? /sends X-Forwarded-Proto: https/ : /--trusted-proxy names/;
            assert.match(response.body.detail, detail);
          } else assert.equal(response.status, path === '/nowhere' ? 404 : 200);
        }
      }
    });
  }

  test('plain HTTP from other machines is rejected, except from a trusted proxy reached by HTTPS', async (t) => {
    const own = addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
    if (own === undefined) return t.skip('this machine has no address but loopback');
    const [stranger, proxied] = [
      await serviceFor(t, { settings: { host: '0.0.0.0' } }),
      await serviceFor(t, { settings: { host: '0.0.0.0', 'trusted-proxy': `${own}/32` } }),
    ];
    const statusOf = async (port: number, headers: Headers): Promise<number> =>
      (await ask(port, { host: own, path: '/problems', headers })).status;
    const sent = [{}, ...['https', 'http'].map((scheme) => ({ 'x-forwarded-proto': scheme }))];
    const statuses = ({ port }: TestService): Promise<number[]> =>
      Promise.all([...sent, { 'x-forwarded-for': '127.0.0.1' }].map((headers) => statusOf(port, headers)));
    assert.deepEqual(await statuses(stranger), [403, 403, 403, 403]);
    assert.deepEqual(await statuses(proxied), [403, 200, 403, 403]);
    await assertStatus(ask(stranger.port, { host: '127.0.0.1' }), 200);
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '127.0.0.1' };
    assertProblem(await ask(proxied.port, { host: own, path: '/metrics', headers }), 'unauthenticated');
  });

  test('plain HTTP over the loopback of IPv6 is accepted like that of IPv4', async (t) => {
    if (!addresses.some(({ address }) => address === '::1')) return t.skip('this machine has no IPv6');
    const { port } = await serviceFor(t, { settings: { host: '::1' } });
    await assertStatus(ask(port, { host: '::1' }), 200);
    const headers = { 'x-forwarded-proto': 'https' };
    assertProblem(await ask(port, { host: '::1', path: '/problems', headers }), 'tls-required');
  });

  test('plain HTTP has no Strict-Transport-Security, which the proxy may send', async () => {
    assert.equal((await strict().get('/problems')).headers['strict-transport-security'], undefined);
  });
});

test('plain HTTP on the port of TLS gets no response', async (t) => {
  const { port } = await serviceFor(t, { settings: { tls: 'self-signed' } });
  using connection = await openRaw(port);
  connection.write(live);
  assert.equal(await connection.closed, '');
});

test('--keep-alive is announced, and the connection ends after it', async (t) => {
  const { port } = await serviceFor(t, { settings: { 'keep-alive': '5' } });
  using idle = await openRaw(port);
  idle.write(live);
  assert.equal((await idle.response()).headers['keep-alive'], 'timeout=5');
  const begun = performance.now();
  await idle.closed;
  const seconds = (performance.now() - begun) / 1000;
  assert.ok(seconds > 4 && seconds < 20, `${seconds}`);
});

describe('from other machines', () => {
  const running = sharedService({ settings: { 'trusted-proxy': '127.0.0.1' } });
  const alone = sharedService();
  const headers = { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https' };

  test('from other machines the metrics are for administrators only', async () => {
    const service = running();
    assertProblem(await service.get('/metrics', { headers }), 'unauthenticated');
    for (const [role, status] of [
      ['user', 403],
      ['staff', 403],
      ['admin', 200],
    ] as const) {
      const { token } = await service.person(role);
      await assertStatus(service.get('/metrics', { headers, token }), status);
    }
  });

  const places: readonly (readonly [headers: Headers, isLocal: boolean])[] = [
    [{ host: 'localhost:8443' }, true],
    [{ host: '127.0.0.1' }, true],
    [{ host: '127.8.9.10:1' }, true],
    [{ host: '[::1]:8443' }, true],
    [{ host: 'evil.example' }, false], // as DNS rebinding has it
    [{ host: 'localhost.evil.example' }, false],
    [{ host: '127.0.0.1.evil.example' }, false],
    [{ forwarded: 'for=127.0.0.1;proto=https' }, false],
    [{ 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'https' }, false],
    [{ 'x-real-ip': '127.0.0.1', 'x-forwarded-proto': 'https' }, false],
    [{ via: '1.1 proxy', 'x-forwarded-proto': 'https' }, false],
  ];
  for (const [sent, isLocal] of places) {
    test(`the metrics asked for with ${JSON.stringify(sent)} are ${isLocal ? 'anyone’s where no proxy is trusted' : 'an administrator’s'}`, async () => {
      const response = await running().get('/metrics', { headers: sent });
      assertProblem(response, 'unauthenticated', 401);
      const { status } = await alone().get('/metrics', { headers: sent });
      assert.equal(status === 200, isLocal);
    });
  }
});
