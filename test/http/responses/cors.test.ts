// Pages of other origins (the Fetch standard): listed ones can read what went wrong, others nothing.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ProblemCode } from '../../../src/problem.ts';
import { headerForms } from '../../support/conformance.ts';
import { serviceFor, type TestResponse } from '../../support/service.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';

const origin = 'https://shop.example';

describe('a page of an allowed origin', () => {
  const service = sharedService({ settings: { 'cors-origins': origin } });
  const mistaken: readonly (readonly [method: string, path: string, code: ProblemCode])[] = [
    ['GET', '/order', 'not-found'],
    ['GET', '/orders/first', 'not-found'],
    ['POST', '/api/user', 'not-found'],
    ['DELETE', '/orders', 'method-not-allowed'],
    ['PUT', '/orders/1', 'method-not-allowed'],
  ];
  for (const [method, path, code] of mistaken) {
    test(`a page of an allowed origin can read why ${method} ${path} failed`, async () => {
      const preflight = await service().call('OPTIONS', path, {
        headers: { origin, 'access-control-request-method': method },
      });
      const methods = String(preflight.headers['access-control-allow-methods']).split(', ');
      assert.deepEqual(
        [preflight.status, preflight.text, preflight.headers['access-control-allow-origin']],
        [204, '', origin],
      );
      assert.ok(methods.includes(method), methods.join());
      const response = await service().call(method, path, { headers: { origin }, isUndescribed: true });
      assertProblem(response, code);
      assert.equal(response.headers['access-control-allow-origin'], origin);
    });
  }

  test('a page of an allowed origin may read all header fields but those that only concern the browser', async () => {
    const { headers } = await service().get('/orders', { headers: { origin } });
    const exposed = String(headers['access-control-expose-headers']).split(', ');
    const browsersOwn =
      'Content-Encoding Content-Security-Policy Cross-Origin-Opener-Policy Referrer-Policy Set-Cookie ' +
      'Strict-Transport-Security Vary X-Accel-Buffering X-Content-Type-Options';
    const readable = ['Cache-Control', ...exposed]; // the Fetch standard lets pages read that one anyway
    assert.deepEqual([...readable, ...browsersOwn.split(' ')].sort(), Object.keys(headerForms).sort());
  });

  async function allowedFields(asked: string | undefined): Promise<string | undefined> {
    const fields = asked === undefined ? {} : { 'access-control-request-headers': asked };
    const headers = { origin, 'access-control-request-method': 'POST', ...fields };
    const response = await service().call('OPTIONS', '/orders', { headers });
    assert.equal(response.status, 204);
    return response.headers['access-control-allow-headers'];
  }

  const fields = [
    ...['traceparent', 'x-request-id', 'idempotency-key', 'if-match', 'authorization', 'x-requested-with'],
    ...['baggage, sentry-trace', 'tracestate, traceparent', 'cache-control, pragma', 'content-type, prefer'],
    ...['x-datadog-trace-id, x-datadog-parent-id, x-datadog-origin', 'x-b3-traceid', 'newrelic'],
    ...['last-event-id', "x-!#$%&'*+.^_`|~-9"],
  ];
  for (const asked of fields) {
    test(`a page of an allowed origin may send ${asked}`, async () => {
      assert.equal(await allowedFields(asked), asked);
    });
  }

  test('a preflight of an allowed origin is told the fields that it asks for, without what is no name', async () => {
    assert.equal(await allowedFields('a,b ,,c d,é,"e",*,x:y,f'), 'a, b, *, f');
    for (const none of [undefined, '', ' , ', 'a b', '"x"'])
      assert.equal(await allowedFields(none), undefined);
    const many = Array.from({ length: 200 }, (_, index) => `x-${index}`);
    assert.equal(await allowedFields(many.join(',')), many.slice(0, 100).join(', '));
  });

  test('a page of an allowed origin does not learn of other paths by an OPTIONS that is not a preflight', async () => {
    assertProblem(await service().call('OPTIONS', '/order', { headers: { origin } }), 'not-found');
    const headers = { 'access-control-request-method': 'GET' };
    assertProblem(await service().call('OPTIONS', '/order', { headers }), 'not-found');
  });
});

describe('a page of another origin', () => {
  const tool = 'https://tool.example:8443';
  const service = sharedService({ settings: { 'cors-origins': `${origin},${tool}` } });
  const words =
    'https://evil.example http://shop.example https://shop.example:444 https://shop.example.evil.example ' +
    'https://xshop.example https://SHOP.example https://shop.example/ null *';
  for (const other of [...words.split(' '), '', `${origin}, ${tool}`]) {
    test(`CORS lets a page of "${other}" read nothing`, async () => {
      const { token } = await service().person();
      for (const method of ['GET', 'OPTIONS']) {
        const headers = { origin: other, 'access-control-request-method': 'GET' };
        const response = await service().call(method, '/orders', { token, headers });
        assertNoneAllowed(response);
      }
    });
  }

  test('responses that depend on the origin have it in Vary, even if the request has none', async () => {
    const { token } = await service().person();
    for (const headers of [{}, { origin }, { origin: 'https://evil.example' }] as Record<string, string>[]) {
      const { vary } = (await service().get('/orders', { token, headers })).headers;
      assert.equal(vary, 'Accept, Authorization, X-API-Key, Origin');
      assert.equal((await service().call('OPTIONS', '/orders', { headers })).headers.vary, 'Origin');
    }
  });
});

function assertNoneAllowed({ headers }: TestResponse): void {
  for (const name of Object.keys(headers)) assert.doesNotMatch(name, /^access-control/);
}

const apps = [
  'capacitor://localhost',
  'ionic://localhost',
  'tauri://localhost',
  'http://tauri.localhost',
  'app://obsidian.md',
  'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
  'moz-extension://2b9e5b3c-7e0c-4d8b-9f1a-0c5d1f8b7a11',
  'safari-web-extension://2B9E5B3C-7E0C-4D8B-9F1A-0C5D1F8B7A11',
  'vscode-webview://1abc',
  'myapp+dev://shop.local:8080',
];

test('pages of apps are listed by the origin that they send', async (t) => {
  const service = await serviceFor(t, { settings: { 'cors-origins': apps.join() } });
  const allowedOrigin = async (sent: string): Promise<string | undefined> =>
    (await service.get('/health/live', { headers: { origin: sent } })).headers['access-control-allow-origin'];
  for (const app of apps) assert.equal(await allowedOrigin(app), app);
  for (const other of ['null', '*', 'capacitor://localhost:80', 'CAPACITOR://localhost', 'tauri://Localhost'])
    assert.equal(await allowedOrigin(other), undefined, other);
});

describe('a preflight of another origin', () => {
  const headers = { origin: 'https://evil.example', 'access-control-request-method': 'GET' };
  for (const [what, settings] of [
    ['where an origin is listed', { 'cors-origins': origin }],
    ['where none is', {}],
  ] as const) {
    test(`a preflight of another origin gets the response of any other OPTIONS, ${what}`, async (t) => {
      const service = await serviceFor(t, { settings });
      const known = await service.call('OPTIONS', '/orders', { headers });
      assert.deepEqual([known.status, known.headers.allow], [204, 'GET, HEAD, POST, OPTIONS']);
      const unknown = await service.call('OPTIONS', '/order', { headers });
      assertProblem(unknown, 'not-found');
      for (const response of [known, unknown]) assertNoneAllowed(response);
    });
  }
});
