// Pages of other origins (the Fetch standard): listed ones can read what went wrong, others nothing.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ProblemCode } from '../../../src/problem.ts';
import { headerForms } from '../../support/conformance.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { serviceFor, type TestResponse } from '../../support/service.ts';

const origin = 'https://shop.example';
const preflightOf = (method: string, from = origin): Record<string, string> => ({
  origin: from,
  'access-control-request-method': method,
});

describe('a page of an allowed origin', () => {
  const service = sharedService({ settings: { 'cors-origins': origin } });

  const mistaken: readonly (readonly [method: string, path: string, code: ProblemCode])[] = [
    ['GET', '/order', 'not-found'],
    ['GET', '/orders/first', 'not-found'],
    ['POST', '/api/user', 'not-found'],
    ['DELETE', '/orders', 'method-not-allowed'],
    ['PUT', '/orders/1', 'method-not-allowed'],
  ];
  for (const [method, path, code] of mistaken)
    test(`a page of an allowed origin can read why ${method} ${path} failed`, async () => {
      const { status, text, headers } = await service().call('OPTIONS', path, {
        headers: preflightOf(method),
      });
      assert.deepEqual([status, text, headers['access-control-allow-origin']], [204, '', origin]);
      const methods = String(headers['access-control-allow-methods']).split(', ');
      assert.ok(methods.includes(method), methods.join());
      const response = await service().call(method, path, { headers: { origin }, isUndescribed: true });
      assertProblem(response, code);
      assert.equal(response.headers['access-control-allow-origin'], origin);
    });

  test('a page of an allowed origin may read all header fields but those that only concern the browser', async () => {
    const { headers } = await service().get('/orders', { headers: { origin } });
    const exposed = String(headers['access-control-expose-headers']).split(', ');
    const browsersOwn =
      'Content-Encoding Content-Security-Policy Cross-Origin-Opener-Policy Referrer-Policy Set-Cookie ' +
      'Strict-Transport-Security Vary X-Accel-Buffering X-Content-Type-Options';
    const readable = ['Cache-Control', ...exposed]; // the Fetch standard lets pages read that one anyway
    assert.deepEqual([...readable, ...browsersOwn.split(' ')].sort(), Object.keys(headerForms).sort());
  });

  const many = Array.from({ length: 200 }, (_, index) => `x-${index}`);
  const asIs = [
    ...['traceparent', 'x-request-id', 'idempotency-key', 'if-match', 'authorization', 'x-requested-with'],
    ...['baggage, sentry-trace', 'tracestate, traceparent', 'cache-control, pragma', 'content-type, prefer'],
    ...['x-datadog-trace-id, x-datadog-parent-id, x-datadog-origin', 'x-b3-traceid', 'newrelic'],
    ...['last-event-id', "x-!#$%&'*+.^_`|~-9"],
  ];
  const fields: readonly (readonly [asked: string, allowed: string | undefined])[] = [
    ...asIs.map((asked) => [asked, asked] as const),
    ['a,b ,,c d,é,"e",*,x:y,f', 'a, b, *, f'],
    ['', undefined],
    [' , ', undefined],
    ['a b', undefined],
    ['"x"', undefined],
    [many.join(','), many.slice(0, 100).join(', ')],
  ];
  for (const [asked, allowed] of fields)
    test(`a preflight of an allowed origin for ${asked.slice(0, 60)} allows the fields with a name`, async () => {
      const headers = { ...preflightOf('POST'), 'access-control-request-headers': asked };
      const response = await service().call('OPTIONS', '/orders', { headers });
      assert.deepEqual([response.status, response.headers['access-control-allow-headers']], [204, allowed]);
    });

  test('a page of an allowed origin does not learn of other paths by an OPTIONS that is not a preflight', async () => {
    const { origin: _, ...others } = preflightOf('GET');
    for (const headers of [{ origin }, others])
      assertProblem(await service().call('OPTIONS', '/order', { headers }), 'not-found');
    const plain = await service().call('OPTIONS', '/orders', { headers: preflightOf('POST') });
    assert.equal(plain.headers['access-control-allow-headers'], undefined);
  });
});

describe('a page of another origin', () => {
  const tool = 'https://tool.example:8443';
  const listing = sharedService({ settings: { 'cors-origins': `${origin},${tool}` } });
  const none = sharedService();
  const words =
    'https://evil.example http://shop.example https://shop.example:444 https://shop.example.evil.example ' +
    'https://xshop.example https://SHOP.example https://shop.example/ null *';
  for (const other of [...words.split(' '), '', `${origin}, ${tool}`])
    test(`CORS lets a page of "${other}" read nothing`, async () => {
      for (const service of [listing(), none()]) {
        const { token } = await service.person();
        const headers = preflightOf('GET', other);
        assertNoneAllowed(await service.call('GET', '/orders', { token, headers }));
        const known = await service.call('OPTIONS', '/orders', { token, headers });
        assert.deepEqual([known.status, known.headers.allow], [204, 'GET, HEAD, POST, OPTIONS']);
        const unknown = await service.call('OPTIONS', '/order', { headers });
        assertProblem(unknown, 'not-found');
        for (const response of [known, unknown]) assertNoneAllowed(response);
      }
    });

  test('responses that depend on the origin have it in Vary, even if the request has none', async () => {
    const { token } = await listing().person();
    for (const from of [undefined, origin, 'https://evil.example']) {
      const headers: Record<string, string> = from === undefined ? {} : { origin: from };
      const { vary } = (await listing().get('/orders', { token, headers })).headers;
      assert.equal(vary, 'Accept, Authorization, X-API-Key, Origin');
      assert.equal((await listing().call('OPTIONS', '/orders', { headers })).headers.vary, 'Origin');
    }
  });

  function assertNoneAllowed({ headers }: TestResponse): void {
    for (const name of Object.keys(headers)) assert.doesNotMatch(name, /^access-control/);
  }
});

test('pages of apps are listed by the origin that they send', async (t) => {
  const apps = [
    ...['capacitor://localhost', 'ionic://localhost', 'tauri://localhost', 'http://tauri.localhost'],
    ...['app://obsidian.md', 'vscode-webview://1abc', 'myapp+dev://shop.local:8080'],
    'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
    'moz-extension://2b9e5b3c-7e0c-4d8b-9f1a-0c5d1f8b7a11',
    'safari-web-extension://2B9E5B3C-7E0C-4D8B-9F1A-0C5D1F8B7A11',
  ];
  const service = await serviceFor(t, { settings: { 'cors-origins': apps.join() } });
  const others = ['null', '*', 'capacitor://localhost:80', 'CAPACITOR://localhost', 'tauri://Localhost'];
  for (const sent of [...apps, ...others]) {
    const { headers } = await service.get('/health/live', { headers: { origin: sent } });
    assert.equal(headers['access-control-allow-origin'], apps.includes(sent) ? sent : undefined, sent);
  }
});
