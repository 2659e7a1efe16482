// Problem details (RFC 9457): every type can be provoked, is declared and resolves; no cause is shown.
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { anyone, signedIn } from '../../src/auth/access.ts';
import { problemKinds, type ProblemKind } from '../../src/problem.ts';
import { problems, quotaExceededType } from '../../src/http/problem-kinds.ts';
import { represent } from '../../src/http/representation.ts';
import { created, ok, route, type Route } from '../../src/http/route.ts';
import { object, string } from '../../src/schema/schema.ts';
import {
  newCustomer,
  newKey,
  newOrder,
  readRemovedEvents,
  rootToken,
} from '../resources/resource-support.ts';
import { signInWithoutCode } from '../resources/totp-support.ts';
import { password, serviceFor, type TestResponse, type Person, type TestService } from '../service.ts';
import { until } from '../storage/storage-support.ts';
import { assertProblem, sharedService } from './http-support.ts';
import { askRaw, askTooSlowly, type RawAnswer } from './raw-connection.ts';

const publicUrl = 'https://orders.example.com';
const settings = { 'public-url': publicUrl };
const documentedNames = (
  'malformed-json validation-failed unauthenticated invalid-token invalid-credentials code-required ' +
  'step-up-required multiple-credentials forbidden insufficient-scope not-found method-not-allowed ' +
  'not-acceptable unsupported-media-type content-too-large uri-too-long headers-too-large ' +
  'request-timeout bad-request email-taken last-admin customer-has-orders invalid-transition ' +
  'order-not-open precondition-failed idempotency-key-reused idempotency-key-in-progress ' +
  'invalid-cursor events-gone tls-required unavailable internal-error'
).split(' ');

type Scene = {
  readonly t: TestContext;
  readonly service: TestService;
  readonly ada: Person;
  readonly root: string;
};
type Provoked = TestResponse | RawAnswer;

const Word = object({ word: string({ maxLength: 10, pattern: '^.*$' }) });
const about = { tag: 'Test', summary: 'Of a test', access: anyone, reply: ok(Word) } as const;
const secret = 'the cause is /etc/passwd, line 7';

/** Ways to fail that no handler should have. */
const failing: readonly Route[] = [
  route({
    ...about,
    method: 'GET',
    path: '/test/throws',
    handle: () => {
      throw new Error(secret);
    },
  }),
  route({
    ...about,
    method: 'GET',
    path: '/test/rejects',
    handle: () => Promise.reject(new TypeError(secret)),
  }),
  route({
    ...about,
    method: 'GET',
    path: '/test/throws-text',
    handle: () => {
      throw secret;
    },
  }),
  route({
    ...about,
    method: 'GET',
    path: '/test/throws-nothing',
    handle: () => {
      throw undefined;
    },
  }),
  route({ ...about, method: 'GET', path: '/test/rejects-null', handle: () => Promise.reject(null) }),
  route({ ...about, method: 'GET', path: '/test/returns-nothing', handle: () => undefined as never }),
  route({
    ...about,
    method: 'GET',
    path: '/test/bad-field',
    handle: () => ({ ...represent({ word: 'a' }), fields: ['X-Broken', `a\r\n${secret}`] }),
  }),
  route({
    ...about,
    method: 'GET',
    path: '/test/bad-sql',
    handle: ({ db }) => {
      db.read.get(`SELECT '${secret}' FROM nowhere`);
      return represent({ word: 'a' });
    },
  }),
  route({
    ...about,
    method: 'POST',
    path: '/test/bad-write',
    access: signedIn,
    body: Word,
    reply: created(Word, () => '/test'),
    handle: ({ db }) =>
      db.write((writer) => {
        writer.run('INSERT INTO customers (name) VALUES (?)', secret);
        return represent({ word: 'a' });
      }),
  }),
];

/** How each kind comes about, over HTTP. */
const provocations: Readonly<Record<ProblemKind, (scene: Scene) => Promise<Provoked | undefined>>> = {
  'malformed-json': ({ service, ada }) => service.post('/customers', { token: ada.token, body: '{' }),
  'validation-failed': ({ service, ada }) => service.post('/customers', { token: ada.token, body: {} }),
  unauthenticated: ({ service }) => service.get('/orders'),
  'invalid-token': ({ service }) => service.get('/orders', { token: 'x.y.z' }),
  'invalid-credentials': ({ service, ada }) =>
    service.post('/api/sessions', { body: { email: ada.email, password: 'not the password' } }),
  'code-required': ({ service }) => signInWithoutCode(service),
  async 'step-up-required'({ service }) {
    if (service.inside === undefined) return undefined;
    const { id, token } = await service.person();
    service.clock.advance(601_000);
    const body = { email: 'new@example.com' };
    const response = await service.patch(`/api/users/${id}`, { token, body });
    service.clock.advance(-601_000);
    return response;
  },
  'multiple-credentials': async ({ service, ada }) =>
    service.get('/orders', { token: ada.token, key: (await newKey(service, ada.token)).key }),
  forbidden: ({ service, ada }) => service.get('/api/users', { token: ada.token }),
  'insufficient-scope': async ({ service, ada }) =>
    service.get('/customers', { key: (await newKey(service, ada.token)).key }),
  'not-found': ({ service, ada }) => service.get('/orders/999999', { token: ada.token }),
  'method-not-allowed': ({ service, ada }) => service.delete('/orders', { token: ada.token }),
  'not-acceptable': ({ service, ada }) =>
    service.get('/orders', { token: ada.token, headers: { accept: 'image/png' } }),
  'unsupported-media-type': ({ service, ada }) =>
    service.post('/customers', { token: ada.token, body: '{}', headers: { 'content-type': 'text/plain' } }),
  'content-too-large': ({ service, ada }) =>
    service.post('/customers', { token: ada.token, body: ' '.repeat(70_000) }),
  'uri-too-long': ({ service }) => service.get(`/orders?${'x'.repeat(9000)}`),
  'headers-too-large': ({ service }) =>
    askRaw(service.port, `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
  'request-timeout': async ({ service: { inside } }) =>
    inside === undefined ? undefined : askTooSlowly(inside),
  'bad-request': ({ service }) => askRaw(service.port, 'nonsense\r\n\r\n'),
  'email-taken': ({ service, ada }) =>
    service.post('/api/users', { body: { name: 'Ada', email: ada.email.toUpperCase(), password } }),
  'last-admin': ({ service, root }) => service.delete('/api/users/1', { token: root }),
  'customer-has-orders': async ({ service, ada }) =>
    service.delete(`/customers/${(await newOrder(service, ada.token)).customerId}`, { token: ada.token }),
  'invalid-transition': async ({ service, ada, root }) =>
    service.patch(`/orders/${(await newOrder(service, ada.token)).id}`, {
      token: root,
      body: { status: 'shipped' },
    }),
  async 'order-not-open'({ service, ada }) {
    const path = `/orders/${(await newOrder(service, ada.token)).id}`;
    await service.patch(path, { token: ada.token, body: { status: 'cancelled' } });
    return service.patch(path, { token: ada.token, body: { currency: 'USD' } });
  },
  'precondition-failed': async ({ service, ada }) =>
    service.delete(`/customers/${(await newCustomer(service, ada.token)).id}`, {
      token: ada.token,
      headers: { 'if-match': '"stale"' },
    }),
  async 'idempotency-key-reused'({ service, ada }) {
    const send = (name: string): Promise<TestResponse> =>
      service.post('/customers', {
        token: ada.token,
        headers: { 'idempotency-key': 'reused' },
        body: { name },
      });
    await send('Ada');
    return send('Bob');
  },
  async 'idempotency-key-in-progress'({ service, ada }) {
    const send = (): Promise<TestResponse> =>
      service.post('/customers', {
        token: ada.token,
        headers: { 'idempotency-key': 'twice' },
        body: { name: 'Ada' },
      });
    return (await Promise.all(Array.from({ length: 20 }, send))).find(({ status }) => status === 409);
  },
  'invalid-cursor': ({ service, ada }) => service.get('/orders?cursor=foreign', { token: ada.token }),
  'events-gone': ({ t }) => readRemovedEvents(t, settings),
  'tls-required': ({ service }) => service.get('/orders', { headers: { 'x-forwarded-proto': 'https' } }),
  async unavailable({ t }) {
    let isBroken = false;
    const fdatasync = (_descriptor: number, done: (error: Error | null) => void): void =>
      void setImmediate(done, isBroken ? new Error('the disk has failed') : null);
    const service = await serviceFor(t, { settings, fdatasync, onFatal: () => {} });
    if (service.inside === undefined) return undefined;
    const { token } = await service.person();
    isBroken = true;
    return service.post('/customers', { token, body: { name: 'Ada' } });
  },
  'internal-error': ({ service }) =>
    service.inside === undefined ? Promise.resolve(undefined) : service.get('/test/throws'),
  async 'quota-exceeded'({ t }) {
    const service = await serviceFor(t, { settings: { ...settings, 'rate-anonymous': '1/60' } });
    await service.get('/problems');
    return service.get('/problems');
  },
};

describe('each type of problem', () => {
  let ada: Person;
  let root = '';
  const service = sharedService({ settings, extraRoutes: failing }, async (started) => {
    [ada, root] = [await started.person(), await rootToken(started)];
  });
  const challenges: Partial<Record<ProblemKind, string>> = {
    unauthenticated: 'Bearer realm="orderly"',
    'invalid-credentials': 'Bearer realm="orderly"',
    'code-required': 'Bearer realm="orderly"',
    'invalid-token': 'Bearer realm="orderly", error="invalid_token"',
    'step-up-required': 'Bearer realm="orderly", error="insufficient_user_authentication", max_age="600"',
    'insufficient-scope': 'Bearer realm="orderly", error="insufficient_scope", scope="customers:read"',
  };

  test('has one of these names, and those are all', async () => {
    assert.deepEqual([...problemKinds].sort(), [...documentedNames, 'quota-exceeded'].sort());
    const { body } = await service().get('/problems', { headers: { accept: 'application/json' } });
    assert.deepEqual(
      body.data.map(({ type }: { type: string }) => type).sort(),
      [...documentedNames.map((name) => `${publicUrl}/problems/${name}`), quotaExceededType].sort(),
    );
  });

  for (const kind of problemKinds) {
    test(`${kind} can be provoked, and says what it is`, async (t) => {
      const response = await provocations[kind]({ t, service: service(), ada, root });
      if (response === undefined) return t.skip('needs the clock or the inside');
      const { status } = problems[kind];
      assertProblem(response, kind, status);
      const { type, title, detail, instance } = response.body;
      assert.equal(type, kind === 'quota-exceeded' ? quotaExceededType : `${publicUrl}/problems/${kind}`);
      assert.equal(title, problems[kind].title);
      assert.match(detail, /^\S.*[.)]$/);
      assert.match(instance, /^\/[^?]*$/);
      assert.equal(response.headers['www-authenticate'], challenges[kind]);
      if (['quota-exceeded', 'unavailable', 'idempotency-key-in-progress'].includes(kind))
        assert.match(String(response.headers['retry-after']), /^[1-9]\d*$/);
      assert.equal('errors' in response.body, kind === 'validation-failed');
      assert.equal('from' in response.body, kind === 'invalid-transition');
      assert.equal('violated-policies' in response.body, kind === 'quota-exceeded');
    });

    test(`${kind} resolves, for people and for programs`, async () => {
      const path = `/problems/${kind}`;
      const [html, json] = [
        await service().get(path, { headers: { accept: 'text/html' } }),
        await service().get(path, { headers: { accept: 'application/json' } }),
      ];
      assert.deepEqual(
        [html.status, html.headers['content-type'], json.status, json.headers['content-type']],
        [200, 'text/html; charset=utf-8', 200, 'application/json'],
      );
      const { type, ...shown } = json.body;
      const { title, status, about } = problems[kind];
      assert.equal(type, kind === 'quota-exceeded' ? quotaExceededType : publicUrl + path);
      assert.deepEqual(shown, { code: kind, title, status, about });
      assert.ok(about.length > 20);
      assert.match(html.text, /^<!doctype html>/i);
      for (const text of [title, String(status)]) assert.ok(html.text.includes(text), text);
    });
  }

  test('is in the page that lists them all', async () => {
    const { text } = await service().get('/problems', { headers: { accept: 'text/html' } });
    for (const kind of problemKinds) assert.ok(text.includes(kind), kind);
  });

  test('that there isn’t is 404, as a problem', async () => {
    for (const name of ['about:blank', 'nonsense', 'NOT-FOUND', '<b>', "'", '%00'])
      assertProblem(await service().get(`/problems/${name}`, { isUndescribed: true }), 'not-found');
  });

  test('is never named after the Host that a request claims, nor after a proxy’s word', async () => {
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

  test('without a configured URL is named after localhost and the port', async (t) => {
    const own = await serviceFor(t);
    assert.equal(
      (await own.get('/orders', { headers: { host: 'evil.example' } })).body.type,
      `https://localhost:${own.port}/problems/unauthenticated`,
    );
  });

  test('of invalid data says where each issue is: exactly one of pointer, parameter and header', async () => {
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

  test('of invalid data names no more than a hundred issues', async () => {
    const response = await service().post('/orders', {
      token: ada.token,
      body: { items: Array.from({ length: 100 }, () => ({ a: 1, b: 2, c: 3 })) },
    });
    assertProblem(response, 'validation-failed');
    assert.equal(response.body.errors.length, 100);
  });

  for (const { method, path } of failing) {
    test(`of a handler that fails, ${path}, says no more than where the log has it`, async (t) => {
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
