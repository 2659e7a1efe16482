// The way to the service and back: TLS, proxies, CORS, and the fields that every response has.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { connect as connectTls, type ConnectionOptions, type SecureVersion, type TLSSocket } from 'node:tls';
import { newCertificate } from '../new-certificate.ts';
import { newCustomer, newKey } from '../resources/resource-support.ts';
import { serviceFor, type TestResponse, type Person, type TestService } from '../service.ts';
import { until } from '../storage/storage-support.ts';
import { assertProblem, sharedService } from './http-support.ts';
import { askRaw, openRaw, rawOver } from './raw-connection.ts';

type Headers = Readonly<Record<string, string>>;
type Reply = Pick<TestResponse, 'status' | 'headers' | 'text' | 'body'>;
type Asked = {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Headers;
  readonly host?: string;
} & Pick<ConnectionOptions, 'ca' | 'minVersion' | 'maxVersion' | 'ciphers'>;

/**
 * One request on a connection of its own: over TLS where there is an authority to check the service's
 * certificate with.
 */
function ask(
  port: number,
  { path = '/health/live', method = 'GET', host = 'localhost', headers = {}, ...tls }: Asked,
): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const options = {
    port,
    host,
    path,
    method,
    headers,
    agent: false as const,
    family: host === 'localhost' ? 4 : undefined,
  };
  const request = tls.ca === undefined ? plainRequest(options) : tlsRequest({ ...options, ...tls });
  request.on('error', reject).on('response', (response) => {
    let text = '';
    response
      .setEncoding('utf8')
      .on('data', (part: string) => {
        text += part;
      })
      .on('error', reject)
      .on('end', () => {
        const isJson = /[/+]json/.test(response.headers['content-type'] ?? '') && text !== '';
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          body: isJson ? JSON.parse(text) : undefined,
        });
      });
  });
  request.end();
  return promise;
}

function openTls(port: number, options: ConnectionOptions): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  const socket = connectTls({ port, host: 'localhost', family: 4, ...options } as ConnectionOptions, () =>
    resolve(socket),
  ); // family is passed on to net.connect
  socket.on('error', reject);
  return promise;
}

async function suiteSpoken(port: number, ca: string, ciphers: string): Promise<string> {
  const socket = await openTls(port, { ca, ciphers, maxVersion: 'TLSv1.2' });
  const { name } = socket.getCipher();
  socket.destroy();
  return name;
}

const hsts = 'max-age=31536000';
const certificateOf = ({ folder }: TestService): string =>
  readFileSync(join(folder, 'tls', 'cert.pem'), 'utf8');

describe('TLS with the certificate the service makes', () => {
  const service = sharedService({ settings: { tls: 'self-signed', 'rate-anonymous': '1000/60' } });

  test('is trusted by who is given that certificate, under each of its names', async () => {
    const ca = certificateOf(service());
    for (const host of ['localhost', '127.0.0.1'])
      assert.equal((await ask(service().port, { ca, host })).status, 200);
  });

  test('is trusted by nobody else', async () => {
    const { certPem } = newCertificate();
    await assert.rejects(ask(service().port, { ca: certPem }), { code: /SELF_SIGNED|UNABLE_TO_VERIFY|CERT/ });
  });

  test('lasts: a restart keeps it', async (t) => {
    const own = await serviceFor(t, { settings: { tls: 'self-signed' } });
    const ca = certificateOf(own);
    await own.restart();
    assert.equal(certificateOf(own), ca);
    assert.equal((await ask(own.port, { ca })).status, 200);
  });

  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    test(`${version} is spoken`, async () => {
      const socket = await openTls(service().port, {
        ca: certificateOf(service()),
        minVersion: version,
        maxVersion: version,
      });
      assert.equal(socket.getProtocol(), version);
      socket.destroy();
    });
  }

  for (const version of ['TLSv1', 'TLSv1.1'] satisfies SecureVersion[]) {
    test(`${version} is rejected by the service`, async () => {
      const options = {
        ca: certificateOf(service()),
        minVersion: version,
        maxVersion: version,
        ciphers: 'DEFAULT:@SECLEVEL=0',
      };
      await assert.rejects(openTls(service().port, options), {
        code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
      });
    });
  }

  const allowed = ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305'];
  test('TLS 1.2 is spoken with the suites of RFC 9325 section 4.2', async () => {
    for (const suite of allowed.map((name) => `ECDHE-ECDSA-${name}`))
      assert.equal(await suiteSpoken(service().port, certificateOf(service()), suite), suite);
  });

  test('and with the same for certificates with an RSA key', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'orderly-rsa-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const made = spawnSync('openssl', [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert],
      ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'],
    ]);
    if (made.error !== undefined) return t.skip('there is no openssl');
    const settings = { tls: 'files', 'tls-cert': cert, 'tls-key': key };
    const { port } = await serviceFor(t, { settings });
    for (const suite of allowed.map((name) => `ECDHE-RSA-${name}`))
      assert.equal(await suiteSpoken(port, readFileSync(cert, 'utf8'), suite), suite);
  });

  for (const name of ['AES128-SHA', 'AES256-SHA', 'AES128-SHA256', 'AES256-SHA384']) {
    const suite = `ECDHE-ECDSA-${name}`;
    test(`TLS 1.2 with ${suite} is rejected (RFC 9325 section 4.2)`, async () => {
      const options = { ca: certificateOf(service()), maxVersion: 'TLSv1.2', ciphers: suite } as const;
      await assert.rejects(openTls(service().port, options), { code: /HANDSHAKE_FAILURE/ });
    });
  }

  test('Strict-Transport-Security is on every response, whatever its status', async () => {
    const ca = certificateOf(service());
    const etag = String((await ask(service().port, { ca, path: '/problems' })).headers.etag);
    const asks: readonly (readonly [status: number, Asked])[] = [
      [200, {}],
      [200, { method: 'HEAD' }],
      [204, { method: 'OPTIONS', path: '/orders' }],
      [304, { path: '/problems', headers: { 'if-none-match': etag } }],
      [401, { path: '/orders' }],
      [404, { path: '/nowhere' }],
      [405, { method: 'DELETE', path: '/orders' }],
      [406, { headers: { accept: 'image/png' } }],
      [412, { path: '/problems', headers: { 'if-match': '"x"' } }],
      [417, { headers: { expect: 'more' } }],
    ];
    for (const [status, asked] of asks) {
      const response = await ask(service().port, { ca, ...asked });
      assert.deepEqual([response.status, response.headers['strict-transport-security']], [status, hsts]);
    }
    const connection = rawOver(await openTls(service().port, { ca }));
    connection.write('nonsense\r\n\r\n');
    const rejected = await connection.response();
    assertProblem(rejected, 'bad-request');
    assert.equal(rejected.headers['strict-transport-security'], hsts);
    assert.equal(await connection.closed, '');
    connection.socket.destroy();
  });

  test('several requests on one connection are answered', async () => {
    const connection = rawOver(await openTls(service().port, { ca: certificateOf(service()) }));
    for (let index = 0; index < 3; index += 1) {
      connection.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
      assert.equal((await connection.response()).status, 200);
    }
    connection.socket.destroy();
  });

  test('proxies are not believed that aren’t trusted: their fields change nothing', async () => {
    const ca = certificateOf(service());
    for (const headers of [
      { 'x-forwarded-proto': 'http' },
      { 'x-forwarded-for': '203.0.113.1' },
      { forwarded: 'for=203.0.113.1;proto=http' },
    ])
      assert.equal((await ask(service().port, { ca, headers })).status, 200);
  });

  test('neither TLS nor HTTP, or a handshake broken off, gets nothing; no socket is left', async () => {
    const hello = Buffer.from([0x16, 0x03, 0x01, 0x00, 0x05, 0x01, 0x00, 0x00, 0x01, 0x03]);
    for (const bytes of [
      Buffer.alloc(300, 7),
      hello,
      Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x28]),
    ]) {
      const connection = await openRaw(service().port);
      connection.write(bytes);
      if (bytes === hello) connection.socket.end();
      assert.doesNotMatch(await connection.closed, /HTTP/);
      connection.socket.destroy();
    }
    for (let index = 0; index < 50; index += 1) (await openRaw(service().port)).socket.destroy();
    assert.equal((await ask(service().port, { ca: certificateOf(service()) })).status, 200);
    const ca = certificateOf(service());
    const left = async (): Promise<number> =>
      Number(
        /^orderly_connections (\d+)$/m.exec((await ask(service().port, { ca, path: '/metrics' })).text)?.[1],
      );
    const giveUp = performance.now() + 5000;
    while ((await left()) > 2) assert(performance.now() < giveUp, 'connections are left');
  });
});

describe('TLS with certificates from files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-tls-'));
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  function renew(): string {
    const { certPem, keyPem } = newCertificate();
    writeFileSync(cert, certPem);
    writeFileSync(key, keyPem);
    return certPem;
  }

  test('takes up new ones on a signal, without losing a connection; bad ones change nothing', async (t) => {
    t.after(() => rmSync(folder, { recursive: true }));
    const first = renew();
    const service = await serviceFor(t, { settings: { tls: 'files', 'tls-cert': cert, 'tls-key': key } });
    if (service.inside === undefined) return t.skip('needs to tell it');
    const open = await openTls(service.port, { ca: first });
    const seen = async (ca: string): Promise<string> => {
      const socket = await openTls(service.port, { ca });
      const { fingerprint256 } = socket.getPeerCertificate();
      socket.destroy();
      return fingerprint256;
    };
    const printOf = (pem: string): string => new X509Certificate(pem).fingerprint256;
    assert.equal(await seen(first), printOf(first));
    const second = renew();
    assert.equal(await seen(first), printOf(first));
    service.inside.reload();
    assert.equal(await seen(second), printOf(second));
    await assert.rejects(seen(first));
    writeFileSync(cert, 'no certificate');
    service.inside.reload();
    assert.equal(await seen(second), printOf(second));
    writeFileSync(cert, first);
    service.inside.reload();
    assert.equal(await seen(second), printOf(second), 'a certificate without its key');
    await until(() => service.logged.filter((line) => line.includes('could not be reloaded')).length === 2);
    const connection = rawOver(open);
    connection.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
    assert.equal((await connection.response()).status, 200);
    open.destroy();
    const old = {
      ca: second,
      minVersion: 'TLSv1.1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT:@SECLEVEL=0',
    } as const;
    await assert.rejects(openTls(service.port, old), { code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' });
  });
});

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
    ['both, which disagree', { forwarded: 'proto=https', 'x-forwarded-proto': 'http' }, 403, 403],
    [
      'both, which disagree the other way',
      { forwarded: 'proto=http', 'x-forwarded-proto': 'https' },
      403,
      403,
    ],
  ];
  for (const [what, headers, fromTrusted, fromStranger] of cases) {
    test(`with ${what} is ${fromTrusted} from a trusted proxy, else ${fromStranger}`, async () => {
      for (const [service, status] of [
        [trusting(), fromTrusted],
        [strict(), fromStranger],
      ] as const) {
        for (const path of ['/health/live', '/problems', '/nowhere']) {
          const response = await service.get(path, { headers, isUndescribed: true });
          if (status === 403) assertProblem(response, 'tls-required');
          else assert.equal(response.status, path === '/nowhere' ? 404 : 200);
        }
      }
    });
  }

  test('from another machine is rejected, but from a trusted proxy that was reached by HTTPS', async (t) => {
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
        ].map(async (headers) => (await ask(port, { host: own, headers })).status),
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

  test('over IPv6 loopback is taken as over IPv4’s', async (t) => {
    if (
      !Object.values(networkInterfaces())
        .flat()
        .some((each) => each?.address === '::1')
    )
      return t.skip('this machine has no IPv6');
    const { port } = await serviceFor(t, { settings: { host: '::1' } });
    assert.equal((await ask(port, { host: '::1' })).status, 200);
    assertProblem(
      await ask(port, { host: '::1', headers: { 'x-forwarded-proto': 'https' } }),
      'tls-required',
    );
  });

  test('has no Strict-Transport-Security: that is the proxy’s to say', async () => {
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
  const isAllowed = ({ headers }: Reply): string | string[] | undefined =>
    headers['access-control-allow-origin'];

  test('lets pages of the configured origins read responses, problems included', async () => {
    for (const origin of [shop, tool]) {
      const responses = [
        await service().get('/orders', { token: ada.token, headers: { origin } }),
        await service().get('/orders', { headers: { origin } }),
        await service().get('/orders/999', { token: ada.token, headers: { origin } }),
        await service().get('/orders?x=1', { token: ada.token, headers: { origin } }),
        await service().post('/customers', { token: ada.token, headers: { origin }, body: { name: 'Ada' } }),
      ];
      assert.deepEqual(
        responses.map(({ status }) => status),
        [200, 401, 404, 422, 201],
      );
      for (const response of responses) {
        assert.equal(isAllowed(response), origin);
        const exposed = String(response.headers['access-control-expose-headers']).split(', ');
        for (const name of [
          'ETag',
          'Link',
          'Location',
          'RateLimit',
          'RateLimit-Policy',
          'Retry-After',
          'WWW-Authenticate',
          'X-Request-Id',
          'Idempotency-Replayed',
        ])
          assert.ok(exposed.includes(name), name);
        assert.equal(response.headers['access-control-allow-credentials'], undefined);
      }
    }
  });

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
    test(`lets a page of "${origin}" read nothing`, async () => {
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

  test('responses that depend on the origin say so to caches, also to who sends none', async () => {
    for (const headers of [{}, { origin: shop }, { origin: 'https://evil.example' }] as Headers[]) {
      const response = await service().get('/orders', { token: ada.token, headers });
      assert.equal(response.headers.vary, 'Accept, Authorization, X-API-Key, Origin');
      assert.equal(String((await service().call('OPTIONS', '/orders', { headers })).headers.vary), 'Origin');
    }
  });

  test('a preflight lists what the service accepts', async () => {
    const headers = {
      origin: shop,
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization,content-type,if-match,idempotency-key',
    };
    const response = await service().call('OPTIONS', '/orders/1', { headers });
    assert.deepEqual(
      [response.status, isAllowed(response), response.headers['access-control-allow-methods']],
      [204, shop, 'GET, HEAD, POST, PUT, PATCH, DELETE'],
    );
    const allowed = String(response.headers['access-control-allow-headers']).toLowerCase().split(', ');
    for (const name of [
      'authorization',
      'x-api-key',
      'content-type',
      'accept',
      'if-match',
      'if-none-match',
      'idempotency-key',
      'x-request-id',
    ])
      assert.ok(allowed.includes(name), name);
    assert.match(String(response.headers['access-control-max-age']), /^\d+$/);
  });

  test('is off unless configured', async (t) => {
    const closed = await serviceFor(t);
    for (const method of ['GET', 'OPTIONS']) {
      const { headers } = await closed.call(method, '/problems', {
        headers: { origin: shop, 'access-control-request-method': 'GET' },
      });
      assert.deepEqual(
        Object.keys(headers).filter((name) => name.startsWith('access-control')),
        [],
      );
      assert.doesNotMatch(String(headers.vary), /Origin/);
    }
  });
});

describe('every response', () => {
  let ada: Person, root: Person;
  const service = sharedService({}, async (started) => {
    [ada, root] = [await started.person(), await started.person('admin')];
  });
  const bodiless = ['content-security-policy', 'x-content-type-options', 'referrer-policy', 'content-type'];

  test('with JSON has nosniff and the strictest policy; with HTML a strict one, no referrer', async () => {
    const { paths } = (await service().get('/openapi.json')).body as {
      paths: Record<string, Record<string, object>>;
    };
    const targets = Object.entries(paths)
      .filter(([, operations]) => 'get' in operations)
      .map(([path]) => path.replace(/\{name\}/, 'not-found').replace(/\{\w+\}/g, '1'));
    for (const target of targets) {
      for (const accept of ['application/json', 'text/html', '*/*']) {
        const { status, headers } = await service().get(target, { token: root.token, headers: { accept } });
        assert.ok([200, 404, 406].includes(status), `${target} ${status}`);
        assert.equal(headers['x-content-type-options'], 'nosniff');
        const policy = String(headers['content-security-policy']);
        if (!String(headers['content-type']).startsWith('text/html')) {
          assert.equal(policy, "default-src 'none'; frame-ancestors 'none'", target);
          continue;
        }
        assert.match(policy, /default-src 'none'/);
        assert.match(policy, /frame-ancestors 'none'/);
        assert.doesNotMatch(policy, /unsafe-|\*|https?:|blob:|(?<!img-src )data:/);
        assert.equal(headers['referrer-policy'], 'no-referrer');
      }
    }
  });

  test('without a body has none of the fields of one', async () => {
    const { id } = await newCustomer(service(), ada.token);
    const { headers: read } = await service().get(`/customers/${id}`, { token: ada.token });
    const responses = [
      await service().get(`/customers/${id}`, {
        token: ada.token,
        headers: { 'if-none-match': String(read.etag) },
      }),
      await service().call('OPTIONS', '/customers'),
      await service().delete(`/customers/${id}`, { token: ada.token }),
    ];
    assert.deepEqual(
      responses.map(({ status }) => status),
      [304, 204, 204],
    );
    for (const { headers } of responses)
      assert.deepEqual(
        bodiless.filter((name) => name in headers),
        [],
      );
  });

  test('says nothing of what it is made with', async () => {
    for (const path of ['/problems', '/orders', '/nowhere', '/orders?x=1', '/docs']) {
      const { headers } = await service().get(path, { token: ada.token, isUndescribed: true });
      assert.deepEqual(
        Object.keys(headers).filter((name) => ['server', 'x-powered-by', 'via', 'x-runtime'].includes(name)),
        [],
      );
    }
  });

  test('with tokens or keys is never stored', async () => {
    const signedIn = await service().post('/api/sessions', {
      body: { email: ada.email, password: ada.password },
    });
    const renewed = await service().post(`/api/sessions/${signedIn.body.id}/tokens`, {
      body: { refreshToken: signedIn.body.refreshToken },
    });
    const key = await service().post('/api/keys', {
      token: ada.token,
      body: { name: 'k', scopes: ['orders:read'] },
    });
    for (const { status, headers } of [signedIn, renewed, key])
      assert.deepEqual([status, headers['cache-control']], [201, 'no-store']);
  });

  const ids: readonly (readonly [sent: string | string[], isKept: boolean])[] = [
    ['a', true],
    ['A-Z_0.9', true],
    ['x'.repeat(64), true],
    ['4bf92f35-77b3-4da6-a3ce-929d0e0e4736', true],
    ['...', true],
    ['x'.repeat(65), false],
    ['', false],
    ['a b', false],
    ['a"b', false],
    ['a/b', false],
    ['ü', false],
    ['a,b', false],
    ['<script>', false],
    ['${jndi:ldap}', false],
    [['a', 'b c'], false],
  ];
  for (const [sent, isKept] of ids) {
    test(`has an X-Request-Id: ${JSON.stringify(sent)} is ${isKept ? 'kept' : 'replaced'}`, async () => {
      for (const path of ['/problems', '/orders', '/nowhere']) {
        const { headers, body } = await service().get(path, {
          headers: { 'x-request-id': sent, accept: 'application/json' },
          isUndescribed: true,
        });
        const id = String(headers['x-request-id']);
        if (isKept) assert.equal(id, sent);
        else assert.ok(id !== sent && /^[A-Za-z0-9._-]{8,64}$/.test(id), id);
        if (path !== '/problems') assert.equal(body.requestId, id);
      }
    });
  }

  test('has an X-Request-Id of its own', async () => {
    const seen = new Set<unknown>();
    for (let index = 0; index < 200; index += 1)
      seen.add((await service().get('/health/live')).headers['x-request-id']);
    assert.equal(seen.size, 200);
  });

  async function logLineOf(requestId: string): Promise<Record<string, unknown>> {
    const find = (): string | undefined =>
      service().logged.find((line) => line.includes(`"requestId":"${requestId}"`));
    await until(() => find() !== undefined);
    return JSON.parse(find() ?? '');
  }

  test('is logged: one JSON object a line, with the trace it belongs to', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await service().get('/orders?limit=5&status=open', {
      token: ada.token,
      headers: { traceparent, 'x-request-id': 'trace-1' },
    });
    const line = await logLineOf('trace-1');
    const { time, level, method, path, status, principal, durationMs } = line;
    assert.deepEqual(
      { level, method, path, status, principal, traceparent: line['traceparent'] },
      {
        level: 'info',
        method: 'GET',
        path: '/orders',
        status: 200,
        principal: `user:${ada.id}`,
        traceparent,
      },
    );
    assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(Number(durationMs) >= 0);
    await service().get('/orders', { headers: { 'x-request-id': 'trace-2' } });
    const other = await logLineOf('trace-2');
    assert.deepEqual([other['principal'], other['status'], 'traceparent' in other], [null, 401, false]);
  });

  test('is logged without a secret: tokens, keys and passwords, good or bad, and queries', async () => {
    const { key } = await newKey(service(), ada.token);
    const secret = 'Xyzzy-hunter2-plugh';
    await service().get(`/orders?api_key=${key}`);
    await service().get(`/orders?api_key=${secret}`);
    await service().get(`/nowhere?token=${secret}`, { key, isUndescribed: true });
    await service().get(`/orders?name=${secret}`, { token: ada.token });
    await service().get('/orders', { token: secret });
    await service().post('/api/sessions', { body: { email: ada.email, password: secret } });
    await service().post('/api/sessions', { body: `{"password":"${secret}"` });
    await service().post('/api/users', { body: { name: 'Bob', email: 'bob@example.com', password: secret } });
    await service().get('/health/live', { headers: { 'x-request-id': 'the-last' } });
    await logLineOf('the-last');
    const text = service().logged.join('\n');
    for (const hidden of [
      secret,
      key,
      key.slice(-43),
      ada.token,
      ada.refreshToken,
      ada.password,
      'api_key',
      '?',
    ])
      assert.ok(!text.includes(hidden), hidden);
  });

  test('is logged with what could be taken for control characters escaped', async () => {
    const { status } = await askRaw(
      service().port,
      Buffer.from(
        'GET /a%0d%0a\u2028\u0085"\\<x> HTTP/1.1\r\nHost: a\r\nX-Request-Id: odd\r\ntraceparent: ' +
          '\u009b"\r\n\r\n',
        'utf8',
      ),
    );
    if (status === 404) await logLineOf('odd');
    else assert.equal(status, 400);
    for (const line of service().logged)
      assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
  });
});
