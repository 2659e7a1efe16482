// The transport: TLS, proxies and CORS.
import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { describe, test } from 'node:test';
import { serviceFor, type Person, type TestService } from '../../support/service.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { openRaw } from '../../support/raw-connection.ts';
import { type Headers, ask } from '../../support/transport-support.ts';

describe('plain HTTP', () => {
  const trusting = sharedService({ settings: { 'trusted-proxy': '127.0.0.1' } });
  const strict = sharedService();
  const cases: readonly (readonly [
    what: string,
    headers: Headers,
    fromTrusted: 200 | 403,
    fromStranger: 200 | 403,
  ])[] = [
    ['no proxy’s field', {}, 200, 200],
    ['X-Forwarded-Proto: https', { 'x-forwarded-proto': 'https' }, 200, 403],
    ['X-Forwarded-Proto: HTTPS', { 'x-forwarded-proto': 'HTTPS' }, 200, 403],
    ['X-Forwarded-Proto: http', { 'x-forwarded-proto': 'http' }, 403, 403],
    ['X-Forwarded-Proto of nothing', { 'x-forwarded-proto': '' }, 403, 403],
    ['X-Forwarded-Proto: httpsx', { 'x-forwarded-proto': 'httpsx' }, 403, 403],
    [
      'X-Forwarded-Proto: https from the client, http from the proxy',
      { 'x-forwarded-proto': 'https, http' },
      403,
      403,
    ],
    [
      'X-Forwarded-Proto: http from the client, https from the proxy',
      { 'x-forwarded-proto': 'http,https' },
      200,
      403,
    ],
    ['X-Forwarded-For alone', { 'x-forwarded-for': '203.0.113.1' }, 403, 403],
    [
      'X-Forwarded-For and X-Forwarded-Proto: https',
      { 'x-forwarded-for': '203.0.113.1', 'x-forwarded-proto': 'https' },
      200,
      403,
    ],
    ['Forwarded with https', { forwarded: 'for=203.0.113.1;proto=https' }, 200, 403],
    [
      'Forwarded with https in quotes, and in capitals',
      { forwarded: 'For=203.0.113.1; Proto="https"' },
      200,
      403,
    ],
    ['Forwarded with http', { forwarded: 'for=203.0.113.1;proto=http' }, 403, 403],
    ['Forwarded without a scheme', { forwarded: 'for=203.0.113.1' }, 403, 403],
    [
      'Forwarded with https from the client, nothing from the proxy',
      { forwarded: 'proto=https, for=203.0.113.1' },
      403,
      403,
    ],
    [
      'Forwarded with http from the client, https from the proxy',
      { forwarded: 'proto=http, for=203.0.113.1;proto=https' },
      200,
      403,
    ],
    ['Forwarded with another parameter that ends in proto', { forwarded: 'xproto=https' }, 403, 403],
    ['Forwarded with https inside the quotes of a name', { forwarded: 'for="a;proto=https"' }, 403, 403],
    ['Forwarded with https after a comma in quotes', { forwarded: 'for="a,proto=https"' }, 403, 403],
    ['Forwarded with https in quotes that don’t end', { forwarded: 'for="a;proto=https' }, 403, 403],
    ['Forwarded with https after an escaped quote', { forwarded: 'for="a\\";proto=https;by="b"' }, 403, 403],
    ['Forwarded with https and a quoted address', { forwarded: 'for="[2001:db8::1]";proto=https' }, 200, 403],
    ['X-Real-IP alone', { 'x-real-ip': '203.0.113.1' }, 403, 403],
    ['Via alone', { via: '1.1 edge' }, 403, 403],
    ['X-Forwarded-Host alone', { 'x-forwarded-host': 'orders.example' }, 403, 403],
    ['X-Forwarded-Port alone', { 'x-forwarded-port': '443' }, 403, 403],
    [
      'X-Real-IP and X-Forwarded-Proto: https',
      { 'x-real-ip': '203.0.113.1', 'x-forwarded-proto': 'https' },
      200,
      403,
    ],
    [
      'both, where only X-Forwarded counts',
      { forwarded: 'proto=https', 'x-forwarded-proto': 'http' },
      403,
      403,
    ],
    [
      'both, where only X-Forwarded counts and is https',
      { forwarded: 'proto=http', 'x-forwarded-proto': 'https' },
      200,
      403,
    ],
    [
      'Forwarded with https beside X-Forwarded-For',
      { forwarded: 'proto=https', 'x-forwarded-for': '203.0.113.1' },
      403,
      403,
    ],
  ];
  for (const [what, headers, fromTrusted, fromStranger] of cases) {
    test(`plain HTTP with ${what} is ${fromTrusted} from a trusted proxy, else ${fromStranger}`, async () => {
      for (const [service, status] of [
        [trusting(), fromTrusted],
        [strict(), fromStranger],
      ] as const) {
        assert.equal((await service.get('/health/live', { headers })).status, 200);
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
    const own = Object.values(networkInterfaces())
      .flat()
      .find((each) => each?.family === 'IPv4' && !each.internal)?.address;
    if (own === undefined) return t.skip('this machine has no address but loopback');
    const [stranger, proxied] = [
      await serviceFor(t, { settings: { host: '0.0.0.0' } }),
      await serviceFor(t, { settings: { host: '0.0.0.0', 'trusted-proxy': `${own}/32` } }),
    ];
    const statuses = async ({ port }: TestService): Promise<number[]> =>
      Promise.all(
        [
          {},
          { 'x-forwarded-proto': 'https' },
          { 'x-forwarded-proto': 'http' },
          { 'x-forwarded-for': '127.0.0.1' },
        ].map(async (headers) => (await ask(port, { host: own, path: '/problems', headers })).status),
      );
    assert.deepEqual(await statuses(stranger), [403, 403, 403, 403]);
    assert.deepEqual(await statuses(proxied), [403, 200, 403, 403]);
    assert.equal((await ask(stranger.port, { host: '127.0.0.1' })).status, 200);
    assertProblem(
      await ask(proxied.port, {
        host: own,
        path: '/metrics',
        headers: { 'x-forwarded-proto': 'https', 'x-forwarded-for': '127.0.0.1' },
      }),
      'unauthenticated',
    );
  });

  test('plain HTTP over the loopback of IPv6 is accepted like that of IPv4', async (t) => {
    if (
      !Object.values(networkInterfaces())
        .flat()
        .some((each) => each?.address === '::1')
    )
      return t.skip('this machine has no IPv6');
    const { port } = await serviceFor(t, { settings: { host: '::1' } });
    assert.equal((await ask(port, { host: '::1' })).status, 200);
    assertProblem(
      await ask(port, { host: '::1', path: '/problems', headers: { 'x-forwarded-proto': 'https' } }),
      'tls-required',
    );
  });

  test('plain HTTP has no Strict-Transport-Security, which the proxy may send', async () => {
    assert.equal((await strict().get('/problems')).headers['strict-transport-security'], undefined);
  });
});

describe('CORS', () => {
  const [shop, tool] = ['https://shop.example', 'https://tool.example:8443'];
  let ada: Person;
  const service = sharedService(
    { settings: { 'cors-origins': `${shop},${tool}`, 'rate-default': '100000/60' } },
    async (started) => {
      ada = await started.person();
    },
  );

  const others = [
    'https://evil.example',
    'http://shop.example',
    'https://shop.example:444',
    'https://shop.example.evil.example',
    'https://xshop.example',
    'https://SHOP.example',
    'https://shop.example/',
    'null',
    '*',
    '',
    `${shop}, ${tool}`,
  ];
  for (const origin of others) {
    test(`CORS lets a page of "${origin}" read nothing`, async () => {
      for (const method of ['GET', 'OPTIONS']) {
        const { headers } = await service().call(method, '/orders', {
          token: ada.token,
          headers: { origin, 'access-control-request-method': 'GET' },
        });
        assert.deepEqual(
          Object.keys(headers).filter((name) => name.startsWith('access-control')),
          [],
        );
      }
    });
  }

  test('responses that depend on the origin have it in Vary, even if the request has none', async () => {
    for (const headers of [{}, { origin: shop }, { origin: 'https://evil.example' }] as Headers[]) {
      const response = await service().get('/orders', { token: ada.token, headers });
      assert.equal(response.headers.vary, 'Accept, Authorization, X-API-Key, Origin');
      assert.equal(String((await service().call('OPTIONS', '/orders', { headers })).headers.vary), 'Origin');
    }
  });
});

test('plain HTTP on the port of TLS gets no response', async (t) => {
  const { port } = await serviceFor(t, { settings: { tls: 'self-signed' } });
  const connection = await openRaw(port);
  connection.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
  assert.equal(await connection.closed, '');
  connection.socket.destroy();
});

test('--keep-alive is announced, and the connection ends after it', async (t) => {
  const { port } = await serviceFor(t, { settings: { 'keep-alive': '5' } });
  const idle = await openRaw(port);
  idle.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
  assert.equal((await idle.response()).headers['keep-alive'], 'timeout=5');
  const begun = performance.now();
  await idle.closed;
  const seconds = (performance.now() - begun) / 1000;
  assert.ok(seconds > 4 && seconds < 20, `${seconds}`);
});
