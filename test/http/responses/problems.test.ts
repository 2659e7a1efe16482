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
import { assertProblem, assertStatus, sharedService } from '../../support/http-support.ts';
import { askRaw } from '../../support/raw-connection.ts';
import { executable, serviceFor, type Person, type TestResponse } from '../../support/service.ts';
import { texts } from '../../support/source-text.ts';
import { loggedLine } from '../../support/storage-support.ts';

const Word = object({ word: string({ maxLength: 10, pattern: '^.*$' }) });
const secret = 'the cause is /etc/passwd, line 7';
const about = { tag: 'Test', summary: 'Of a test', access: anyone } as const;

/** What no handler should do, with what the log then has of the cause. */
const failures: Readonly<
  Record<
    string,
    readonly [cause: string, handle: (call: { readonly read: Connection }) => never | Promise<never>]
  >
> = {
  throws: [
    secret,
    () => {
      throw new Error(secret);
    },
  ],
  rejects: [secret, () => Promise.reject(new TypeError(secret))],
  'throws-text': [
    secret,
    () => {
      throw secret;
    },
  ],
  'throws-nothing': [
    '',
    () => {
      throw undefined;
    },
  ],
  'rejects-null': ['', () => Promise.reject(null)],
  'returns-nothing': ['', () => undefined as never],
  'bad-sql': ['nowhere', ({ read }) => read.get(`SELECT '${secret}' FROM nowhere`) as never],
};

const failing: readonly (readonly [route: Route, cause: string])[] = [
  ...Object.entries(failures).map(
    ([name, [cause, handle]]) =>
      [
        route({ ...about, method: 'GET', path: `/test/${name}`, reply: { kind: 'document' }, handle }),
        cause,
      ] as const,
  ),
  [
    route({
      ...about,
      method: 'GET',
      path: '/test/bad-field',
      reply: { kind: 'shared document', cacheControl: 'no-store' },
      handle: () => sharedText('{}', { fields: ['X-Broken', `a\r\n${secret}`] }),
    }),
    '',
  ],
  [
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
    '',
  ],
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
  const service = sharedService({ settings, extraRoutes: failing.map(([each]) => each) }, async (started) => {
    ada = await started.person();
  });
  const pageOf = (path: string, accept: string): Promise<TestResponse> =>
    service().get(path, { headers: { accept }, isUndescribed: true });

  test('each type of problem has one of these names, and there are no others', async () => {
    assert.deepEqual([...problemCodes].sort(), [...documentedNames, 'quota-exceeded'].sort());
    const { body } = await pageOf('/problems', 'application/json');
    const types: string[] = body.data.map(({ type }: { type: string }) => type);
    const urls = documentedNames.map((name) => `${publicUrl}/problems/${name}`);
    assert.deepEqual(types.sort(), [...urls, quotaExceededType].sort());
    const { text } = await pageOf('/problems', 'text/html');
    for (const code of problemCodes) assert.ok(text.includes(code), code);
  });

  test('each type of problem is provoked by a test, which compares it with its type', () => {
    const tests = [...texts].filter(([path]) => path.endsWith('.test.ts')).map(([, text]) => text);
    const asserted = tests.join('').matchAll(/assertProblem\((?:(?!;\n)[^])*?;\n/g);
    const calls = Array.from(asserted, ([call]) => call).join('');
    assert.deepEqual(
      problemCodes.filter((code) => !calls.includes(`'${code}'`)),
      [],
    );
  });

  test('each type of problem has a page for people and JSON for programs', async () => {
    for (const code of problemCodes) {
      const path = `/problems/${code}`;
      const [html, json] = [await pageOf(path, 'text/html'), await pageOf(path, 'application/json')];
      assert.deepEqual(
        [html.headers['content-type'], json.headers['content-type']],
        ['text/html; charset=utf-8', 'application/json'],
      );
      const { title, status, about } = problemTypes[code];
      const type = code === 'quota-exceeded' ? quotaExceededType : publicUrl + path;
      assert.deepEqual(json.body, { type, code, title, status, about });
      assert.ok(about.length > 20);
      assert.match(html.text, /^<!doctype html>/i);
      for (const text of [title, String(status)]) assert.ok(html.text.includes(text), text);
    }
    for (const name of ['about:blank', 'nonsense', 'NOT-FOUND', '<b>', "'", '%00'])
      assertProblem(await pageOf(`/problems/${name}`, '*/*'), 'not-found');
  });

  test('no type of problem is named after the Host of a request or the fields of a proxy', async () => {
    for (const headers of [
      { host: 'evil.example' },
      { host: 'evil.example:443' },
      { 'x-forwarded-host': 'evil.example' },
      { forwarded: 'host=evil.example' },
    ])
      for (const path of ['/orders', '/nowhere', '/problems/not-found', '/problems', '/openapi.json']) {
        const all = { accept: 'application/json', ...headers };
        const response = await service().get(path, { headers: all, isUndescribed: true });
        assert.ok(!response.text.includes('evil') && !response.rawHeaders.join().includes('evil'), path);
      }
    const head = 'GET http://evil.example/nowhere HTTP/1.1\r\nHost: evil.example\r\n\r\n';
    const { text } = await askRaw(service().port, head);
    assert.match(text, new RegExp(`"type":"${publicUrl}/problems/not-found"`));
    assert.doesNotMatch(text, /evil/);
  });

  test('each type of problem without a configured URL is named after localhost and the port', async (t) => {
    const own = await serviceFor(t);
    const { body } = await own.get('/orders', { headers: { host: 'evil.example' } });
    assert.equal(body.type, `https://localhost:${own.port}/problems/unauthenticated`);
  });

  test('a problem of invalid data locates each issue by exactly one of pointer, parameter and header', async () => {
    const response = await service().post('/orders?a=1&a=2', {
      token: ada.token,
      headers: { 'idempotency-key': 'ü' },
      body: { items: [{ 'a/b~"#%': 1 }], ü: 1 },
    });
    assertProblem(response, 'validation-failed');
    const { errors, detail } = response.body;
    assert.ok(errors.length >= 7);
    for (const issue of errors) {
      assert.equal(['pointer', 'parameter', 'header'].filter((name) => name in issue).length, 1);
      assert.match(issue.code, /^[a-z]+(-[a-z]+)*$/);
    }
    const pointers: string[] = errors.map(({ pointer }: { pointer: string }) => pointer);
    for (const encoded of ['#/items/0/a~1b~0%22%23%25', '#/%C3%BC'])
      assert.ok(pointers.includes(encoded), pointers.join());
    assert.match(detail, /\d+ errors/);
  });

  for (const [members, detail] of [
    [97, 'The request has 100 errors; see `errors`.'],
    [98, 'The request has more than 100 errors; `errors` has the first 100.'],
  ] as const)
    test(`a problem of ${members + 3} issues says whether there are more than those named`, async () => {
      const surplus = Array.from({ length: members }, (_, index) => [`m${index}`, 1]);
      const body = Object.fromEntries(surplus); // three of its members are missing
      const { body: problem } = await service().post('/orders', { token: ada.token, body });
      assert.deepEqual([problem.errors.length, problem.detail], [100, detail]);
    });

  for (const [{ method, path }, known] of executable === undefined ? failing : [])
    test(`a problem of a handler that fails, ${path}, discloses only where the log has the cause`, async () => {
      const sent = method === 'POST' ? { token: ada.token, body: { word: 'a' } } : {};
      const response = await service().call(method, path, sent);
      assertProblem(response, 'internal-error');
      const { requestId, detail } = response.body;
      assert.ok(detail.includes(requestId));
      assert.ok(![response.text, ...response.rawHeaders].join('\n').includes(secret));
      const { level, cause } = await loggedLine(service(), requestId, '"cause"');
      assert.equal(level, 'error');
      assert.ok(String(cause).includes(known), String(cause));
      await assertStatus(service().get('/health/ready'), 200);
    });
});

describe('a problem fits its schema, however many issues it has', () => {
  const service = sharedService();
  const hundred = (item: object): object[] => Array.from({ length: 100 }, () => item);
  const parameters = Array.from({ length: 150 }, (_, index) => `p${index}=1`);
  const order = { customerId: 1, currency: 'EUR', total: 7 };
  const requests: Readonly<Record<string, readonly [path: string, body?: object]>> = {
    'a hundred and fifty unknown parameters': [`/orders?${parameters.join('&')}`],
    'a parameter with a name of several lines': ['/orders?a%0Ab=1'],
    'a parameter with a long name': [`/orders?${encodeURIComponent('ü'.repeat(1_300))}=1`],
    'a path with a long name': [`/problems/${'x'.repeat(8_000)}`],
    'a member with a long name': ['/orders', { [' '.repeat(60_000)]: 1 }],
    'a hundred items with nothing right': [
      '/orders',
      { items: hundred({ sku: 7, name: '', quantity: 0, unitPrice: -1 }) },
    ],
    'a hundred wrong sums, and the sum of them': [
      '/orders',
      { ...order, items: hundred({ name: 'Tea', quantity: 1, unitPrice: 1, total: 2 }) },
    ],
  };
  for (const [what, [path, body]] of Object.entries(requests))
    test(`a problem of ${what} fits its schema`, async () => {
      // conformance.ts compares it with the document
      const { token } = await service().person();
      const { status } = await service().call(body === undefined ? 'GET' : 'POST', path, { token, body });
      assert.equal(status, path.startsWith('/problems') ? 404 : 422);
    });
});
