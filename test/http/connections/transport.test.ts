// The transport: proxies, what other machines may read, and connections that are kept.
import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { describe, test } from 'node:test';
import { live } from '../../support/connection-support.ts';
import { assertProblem, assertStatus, proxiedFrom, sharedService } from '../../support/http-support.ts';
import { openRaw } from '../../support/raw-connection.ts';
import { serviceFor } from '../../support/service.ts';
import { ask, type Headers } from '../../support/transport-support.ts';

const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
const https = { 'x-forwarded-proto': 'https' };

describe('plain HTTP', () => {
  const trusting = sharedService({ settings: { 'trusted-proxy': '127.0.0.1' } });
  const strict = sharedService();

  /** With the status for a trusted proxy; others are rejected, but for a request without a proxy's field. */
  const cases: readonly (readonly [headers: Headers, fromTrusted: 200 | 403])[] = [
    [{}, 200],
    [https, 200],
    [{ 'x-forwarded-proto': 'HTTPS' }, 200],
    [{ 'x-forwarded-proto': 'http' }, 403],
    [{ 'x-forwarded-proto': '' }, 403],
    [{ 'x-forwarded-proto': 'httpsx' }, 403],
    [{ 'x-forwarded-proto': 'https, http' }, 403], // the first is from the client
    [{ 'x-forwarded-proto': 'http,https' }, 200],
    [{ 'x-forwarded-for': '203.0.113.1' }, 403],
    [proxiedFrom('203.0.113.1'), 200],
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
    [{ 'x-real-ip': '203.0.113.1', ...https }, 200],
    [{ forwarded: 'proto=https', 'x-forwarded-proto': 'http' }, 403], // only X-Forwarded counts
    [{ forwarded: 'proto=http', ...https }, 200],
    [{ forwarded: 'proto=https', 'x-forwarded-for': '203.0.113.1' }, 403],
  ];
  for (const [headers, fromTrusted] of cases) {
    const fromStranger = Object.keys(headers).length === 0 ? 200 : 403;
    test(`plain HTTP with ${JSON.stringify(headers)} is ${fromTrusted} from a trusted proxy, else ${fromStranger}`, async () => {
      for (const [service, status, why] of [
        [trusting(), fromTrusted, /sends X-Forwarded-Proto: https/],
        [strict(), fromStranger, /--trusted-proxy names/],
      ] as const) {
        await assertStatus(service.get('/health/live', { headers }), 200);
        for (const path of ['/problems', '/nowhere']) {
          const response = await service.get(path, { headers, isUndescribed: true });
          assert.equal(response.headers['strict-transport-security'], undefined, 'the proxy may send it');
          if (status === 200) assert.equal(response.status, path === '/nowhere' ? 404 : 200);
          else {
            assertProblem(response, 'tls-required');
            assert.match(response.body.detail, why);
          }
        }
      }
    });
  }

  test('plain HTTP from other machines is rejected, except from a trusted proxy reached by HTTPS', async (t) => {
    const own = addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
    if (own === undefined) return t.skip('this machine has no address but loopback');
    const sent = [{}, https, { 'x-forwarded-proto': 'http' }, { 'x-forwarded-for': '127.0.0.1' }];
    for (const [trusted, expected] of [
      ['', [403, 403, 403, 403]],
      [`${own}/32`, [403, 200, 403, 403]],
    ] as const) {
      const { port } = await serviceFor(t, { settings: { host: '0.0.0.0', 'trusted-proxy': trusted } });
      const statuses: number[] = [];
      for (const headers of sent)
        statuses.push((await ask(port, { host: own, path: '/problems', headers })).status);
      assert.deepEqual(statuses, expected);
      if (trusted === '') await assertStatus(ask(port, { host: '127.0.0.1' }), 200);
      else {
        const metrics = { host: own, path: '/metrics', headers: proxiedFrom('127.0.0.1') };
        assertProblem(await ask(port, metrics), 'unauthenticated');
      }
    }
  });

  test('plain HTTP over the loopback of IPv6 is accepted like that of IPv4', async (t) => {
    if (!addresses.some(({ address }) => address === '::1')) return t.skip('this machine has no IPv6');
    const { port } = await serviceFor(t, { settings: { host: '::1' } });
    await assertStatus(ask(port, { host: '::1' }), 200);
    assertProblem(await ask(port, { host: '::1', path: '/problems', headers: https }), 'tls-required');
  });
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

  test('from other machines the metrics are for administrators only', async () => {
    const headers = proxiedFrom('192.0.2.1');
    assertProblem(await running().get('/metrics', { headers }), 'unauthenticated');
    for (const [role, status] of [
      ['user', 403],
      ['staff', 403],
      ['admin', 200],
    ] as const) {
      const { token } = await running().person(role);
      await assertStatus(running().get('/metrics', { headers, token }), status);
    }
  });

  const places: readonly (readonly [headers: Headers, isLocal: boolean])[] = [
    ...['localhost:8443', '127.0.0.1', '127.8.9.10:1', '[::1]:8443'].map((host) => [{ host }, true] as const),
    // as DNS rebinding has it
    ...['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example'].map(
      (host) => [{ host }, false] as const,
    ),
    [{ forwarded: 'for=127.0.0.1;proto=https' }, false],
    [proxiedFrom('127.0.0.1'), false],
    [{ 'x-real-ip': '127.0.0.1', ...https }, false],
    [{ via: '1.1 proxy', ...https }, false],
  ];
  for (const [headers, isLocal] of places)
    test(`the metrics asked for with ${JSON.stringify(headers)} are ${isLocal ? 'anyone’s where no proxy is trusted' : 'an administrator’s'}`, async () => {
      assertProblem(await running().get('/metrics', { headers }), 'unauthenticated');
      const { status } = await alone().get('/metrics', { headers });
      assert.equal(status === 200, isLocal);
    });
});
