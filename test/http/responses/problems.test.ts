// Problem details (RFC 9457): every type can be provoked, is declared and resolves; no cause is shown.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { problemCodes, type ProblemCode } from '../../../src/problem.ts';
import { problemTypes, quotaExceededType } from '../../../src/http/responses/problem-types.ts';
import { rootToken } from '../../support/resource-support.ts';
import { serviceFor, type Person } from '../../support/service.ts';
import { until } from '../../support/storage-support.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { failing, provocations, secret, settings } from './problem-provocations.ts';
import { askRaw } from '../../support/raw-connection.ts';

const publicUrl = settings['public-url'];
const documentedNames = (
  'malformed-json validation-failed unauthenticated invalid-token invalid-credentials code-required ' +
  'step-up-required multiple-credentials forbidden insufficient-scope not-found method-not-allowed ' +
  'not-acceptable unsupported-media-type content-too-large uri-too-long headers-too-large ' +
  'request-timeout bad-request email-taken last-admin customer-has-orders invalid-transition ' +
  'order-not-open in-use precondition-failed idempotency-key-reused idempotency-key-in-progress ' +
  'invalid-cursor events-gone tls-required unavailable internal-error'
).split(' ');

describe('each type of problem', () => {
  let ada: Person;
  let root = '';
  const service = sharedService({ settings, extraRoutes: failing }, async (started) => {
    [ada, root] = [await started.person(), await rootToken(started)];
  });
  const challenges: Partial<Record<ProblemCode, string>> = {
    unauthenticated: 'Bearer realm="orderly"',
    'invalid-credentials': 'Bearer realm="orderly"',
    'code-required': 'Bearer realm="orderly"',
    'invalid-token': 'Bearer realm="orderly", error="invalid_token"',
    'step-up-required': 'Bearer realm="orderly", error="insufficient_user_authentication", max_age="600"',
    'multiple-credentials': 'Bearer realm="orderly", error="invalid_request"',
    'insufficient-scope': 'Bearer realm="orderly", error="insufficient_scope", scope="customers:read"',
  };

  test('each type of problem has one of these names, and there are no others', async () => {
    assert.deepEqual([...problemCodes].sort(), [...documentedNames, 'quota-exceeded'].sort());
    const { body } = await service().get('/problems', { headers: { accept: 'application/json' } });
    assert.deepEqual(
      body.data.map(({ type }: { type: string }) => type).sort(),
      [...documentedNames.map((name) => `${publicUrl}/problems/${name}`), quotaExceededType].sort(),
    );
  });

  for (const code of problemCodes) {
    test(`the problem ${code} can be provoked, and has its type`, async (t) => {
      const response = await provocations[code]({ t, service: service(), ada, root });
      if (response === undefined) return t.skip('needs the clock or the inside');
      const { status } = problemTypes[code];
      assertProblem(response, code, status);
      const { type, title, detail, instance } = response.body;
      assert.equal(type, code === 'quota-exceeded' ? quotaExceededType : `${publicUrl}/problems/${code}`);
      assert.equal(title, problemTypes[code].title);
      assert.match(detail, /^\S.*[.)]$/);
      assert.match(instance, /^\/[^?]*$/);
      assert.equal(response.headers['www-authenticate'], challenges[code]);
      if (['quota-exceeded', 'unavailable', 'idempotency-key-in-progress'].includes(code))
        assert.match(String(response.headers['retry-after']), /^[1-9]\d*$/);
      assert.equal('errors' in response.body, code === 'validation-failed');
      assert.equal('from' in response.body, code === 'invalid-transition');
      assert.equal('violated-policies' in response.body, code === 'quota-exceeded');
    });

    test(`the problem ${code} has a page for people and JSON for programs`, async () => {
      const path = `/problems/${code}`;
      const [html, json] = [
        await service().get(path, { headers: { accept: 'text/html' } }),
        await service().get(path, { headers: { accept: 'application/json' } }),
      ];
      assert.deepEqual(
        [html.status, html.headers['content-type'], json.status, json.headers['content-type']],
        [200, 'text/html; charset=utf-8', 200, 'application/json'],
      );
      const { type, ...shown } = json.body;
      const { title, status, about } = problemTypes[code];
      assert.equal(type, code === 'quota-exceeded' ? quotaExceededType : publicUrl + path);
      assert.deepEqual(shown, { code, title, status, about });
      assert.ok(about.length > 20);
      assert.match(html.text, /^<!doctype html>/i);
      for (const text of [title, String(status)]) assert.ok(html.text.includes(text), text);
    });
  }

  test('each type of problem is in the page that lists them all', async () => {
    const { text } = await service().get('/problems', { headers: { accept: 'text/html' } });
    for (const code of problemCodes) assert.ok(text.includes(code), code);
  });

  test('a type of problem that doesn’t exist is 404, as a problem', async () => {
    for (const name of ['about:blank', 'nonsense', 'NOT-FOUND', '<b>', "'", '%00'])
      assertProblem(await service().get(`/problems/${name}`, { isUndescribed: true }), 'not-found');
  });

  test('no type of problem is named after the Host of a request or the fields of a proxy', async () => {
    const claims = [
      { host: 'evil.example' },
      { host: 'evil.example:443' },
      { 'x-forwarded-host': 'evil.example' },
      { forwarded: 'host=evil.example' },
    ];
    for (const headers of claims) {
      for (const path of ['/orders', '/nowhere', '/problems/not-found', '/problems', '/openapi.json']) {
        const { text, headers: fields } = await service().get(path, {
          headers: { accept: 'application/json', ...headers },
          isUndescribed: true,
        });
        assert.ok(!text.includes('evil') && !JSON.stringify(fields).includes('evil'), path);
      }
    }
    const { text } = await askRaw(
      service().port,
      'GET http://evil.example/nowhere HTTP/1.1\r\nHost: evil.example\r\n\r\n',
    );
    assert.match(text, new RegExp(`"type":"${publicUrl}/problems/not-found"`));
    assert.doesNotMatch(text, /evil/);
  });

  test('each type of problem without a configured URL is named after localhost and the port', async (t) => {
    const own = await serviceFor(t);
    assert.equal(
      (await own.get('/orders', { headers: { host: 'evil.example' } })).body.type,
      `https://localhost:${own.port}/problems/unauthenticated`,
    );
  });

  test('a problem of invalid data locates each issue by exactly one of pointer, parameter and header', async () => {
    const response = await service().post('/orders?a=1&a=2', {
      token: ada.token,
      headers: { 'idempotency-key': 'ü' },
      body: { items: [{ 'a/b~"#%': 1 }], ü: 1 },
    });
    assertProblem(response, 'validation-failed');
    assert.ok(response.body.errors.length >= 7);
    for (const issue of response.body.errors) {
      assert.equal(['pointer', 'parameter', 'header'].filter((name) => name in issue).length, 1);
      assert.match(issue.code, /^[a-z]+(-[a-z]+)*$/);
    }
    const pointers = response.body.errors.map(({ pointer }: { pointer?: string }) => pointer);
    assert.ok(
      pointers.includes('#/items/0/a~1b~0%22%23%25') && pointers.includes('#/%C3%BC'),
      JSON.stringify(pointers),
    );
    assert.match(response.body.detail, /\d+ errors/);
  });

  for (const [members, detail] of [
    [97, 'The request has 100 errors; see `errors`.'],
    [98, 'The request has more than 100 errors; `errors` has the first 100.'],
  ] as const) {
    test(`a problem of ${members + 3} issues says whether there are more than those named`, async () => {
      const surplus = Array.from({ length: members }, (_, index) => [`m${index}`, 1]);
      const response = await service().post('/orders', {
        token: ada.token,
        body: Object.fromEntries(surplus), // three of its members are missing
      });
      assert.deepEqual([response.body.errors.length, response.body.detail], [100, detail]);
    });
  }

  for (const { method, path } of failing) {
    test(`a problem of a handler that fails, ${path}, discloses only where the log has the cause`, async (t) => {
      const { inside, logged } = service();
      if (inside === undefined) return t.skip('needs routes of its own');
      const response = await service().call(method, path, {
        ...(method === 'POST' ? { token: ada.token, body: { word: 'a' } } : {}),
      });
      assertProblem(response, 'internal-error');
      const { requestId, detail } = response.body;
      assert.ok(detail.includes(requestId));
      assert.ok(![response.text, ...response.rawHeaders].join('\n').includes(secret));
      const find = (): string | undefined =>
        logged.find((line) => line.includes(requestId) && line.includes('"cause"'));
      await until(() => find() !== undefined);
      const { level, cause } = JSON.parse(find() ?? '');
      assert.equal(level, 'error');
      const isTold = !/nothing|null/.test(path);
      if (isTold && path !== '/test/bad-field' && method !== 'POST')
        assert.ok(String(cause).includes(path === '/test/bad-sql' ? 'nowhere' : secret), String(cause));
      assert.equal((await service().get('/health/ready')).status, 200);
    });
  }
});
