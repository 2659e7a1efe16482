// Problem details (RFC 9457): every type is provoked, is declared and resolves; no cause is shown.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anyone, signedIn } from '../../../src/auth/access.ts';
import { problemCodes } from '../../../src/problem.ts';
import { problemTypes, quotaExceededType } from '../../../src/http/responses/problem-types.ts';
import { represent } from '../../../src/http/responses/representation.ts';
import { sharedText } from '../../../src/http/responses/shared-document.ts';
import { route, type Route } from '../../../src/http/routing/route.ts';
import { object, string } from '../../../src/schema/schema.ts';
import type { Connection } from '../../../src/storage/connection.ts';
import { executable, serviceFor, type Person } from '../../support/service.ts';
import { until } from '../../support/storage-support.ts';
import { assertProblem, assertStatus, sharedService } from '../../support/http-support.ts';
import { askRaw } from '../../support/raw-connection.ts';
import { texts } from '../../support/source-text.ts';

const Word = object({ word: string({ maxLength: 10, pattern: '^.*$' }) });
const secret = 'the cause is /etc/passwd, line 7';
const about = {
  method: 'GET',
  tag: 'Test',
  summary: 'Of a test',
  access: anyone,
  reply: { kind: 'document' },
} as const;

/** What no handler should do, by its path. */
const failures: Readonly<Record<string, (call: { readonly read: Connection }) => never | Promise<never>>> = {
  '/test/throws': () => {
    throw new Error(secret);
  },
  '/test/rejects': () => Promise.reject(new TypeError(secret)),
  '/test/throws-text': () => {
    throw secret;
  },
  '/test/throws-nothing': () => {
    throw undefined;
  },
  '/test/rejects-null': () => Promise.reject(null),
  '/test/returns-nothing': () => undefined as never,
  '/test/bad-sql': ({ read }) => read.get(`SELECT '${secret}' FROM nowhere`) as never,
};

const failing: readonly Route[] = [
  ...Object.entries(failures).map(([path, handle]) => route({ ...about, path, handle })),
  route({
    ...about,
    path: '/test/bad-field',
    reply: { kind: 'shared document', cacheControl: 'no-store' },
    handle: () => sharedText('{}', { fields: ['X-Broken', `a\r\n${secret}`] }),
  }),
  route({
    ...about,
    method: 'POST',
    path: '/test/bad-write',
    access: signedIn,
    body: Word,
    reply: { kind: 'object', schema: Word, location: () => '/test' },
    handle: (call) =>
      call.write(({ writer }) => {
        writer.run('INSERT INTO customers (name) VALUES (?)', secret);
        return represent({ word: 'a' }, { id: 1, ownerId: null });
      }),
  }),
];

const publicUrl = 'https://orders.example.com';
const settings = { 'public-url': publicUrl };
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
  const service = sharedService({ settings, extraRoutes: failing }, async (started) => {
    ada = await started.person();
  });
  test('each type of problem has one of these names, and there are no others', async () => {
    assert.deepEqual([...problemCodes].sort(), [...documentedNames, 'quota-exceeded'].sort());
    const { body } = await service().get('/problems', { headers: { accept: 'application/json' } });
    assert.deepEqual(
      body.data.map(({ type }: { type: string }) => type).sort(),
      [...documentedNames.map((name) => `${publicUrl}/problems/${name}`), quotaExceededType].sort(),
    );
  });

  for (const code of problemCodes) {
    test(`the problem ${code} is provoked by a test, which compares it with its type`, () => {
      const asserted = new RegExp(`assertProblem\\((?:(?!;\\n)[^])*?'${code}'`);
      const tests = [...texts].filter(([path]) => path.endsWith('.test.ts'));
      assert.ok(tests.some(([, text]) => asserted.test(text)));
    });

    test(`the problem ${code} has a page for people and JSON for programs`, async () => {
      const path = `/problems/${code}`;
      const html = await service().get(path, { headers: { accept: 'text/html' } });
      const json = await service().get(path, { headers: { accept: 'application/json' } });
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
    const head = 'GET http://evil.example/nowhere HTTP/1.1\r\nHost: evil.example\r\n\r\n';
    const { text } = await askRaw(service().port, head);
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

  for (const { method, path } of executable === undefined ? failing : []) {
    test(`a problem of a handler that fails, ${path}, discloses only where the log has the cause`, async () => {
      const { logged } = service();
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
      await assertStatus(service().get('/health/ready'), 200);
    });
  }
});

describe('a problem fits its schema, however many issues it has', () => {
  const service = sharedService();
  const hundred = (item: object): object[] => Array.from({ length: 100 }, () => item);
  const parameters = Array.from({ length: 150 }, (_, index) => `p${index}=1`);
  const longName = encodeURIComponent('ü'.repeat(1_300));
  const requests: readonly (readonly [what: string, path: string, body?: object])[] = [
    ['a hundred and fifty unknown parameters', `/orders?${parameters.join('&')}`],
    ['a parameter with a name of several lines', '/orders?a%0Ab=1'],
    ['a parameter with a long name', `/orders?${longName}=1`],
    ['a path with a long name', `/problems/${'x'.repeat(8_000)}`],
    ['a member with a long name', '/orders', { [' '.repeat(60_000)]: 1 }],
    [
      'a hundred items with nothing right',
      '/orders',
      { items: hundred({ sku: 7, name: '', quantity: 0, unitPrice: -1 }) },
    ],
    [
      'a hundred wrong sums, and the sum of them',
      '/orders',
      {
        ...{ customerId: 1, currency: 'EUR', total: 7 },
        items: hundred({ name: 'Tea', quantity: 1, unitPrice: 1, total: 2 }),
      },
    ],
  ];
  for (const [what, path, body] of requests) {
    test(`a problem of ${what} fits its schema`, async () => {
      // conformance.ts compares it with the document
      const { token } = await service().person();
      const { status } = await service().call(body === undefined ? 'GET' : 'POST', path, { token, body });
      assert.ok(status === 422 || status === 404, String(status));
    });
  }
});
