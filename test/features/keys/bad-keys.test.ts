// API keys that are wrong, in the query, or not the only credential.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { scopes } from '../../../src/auth/access.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { password, serviceFor, type Call } from '../../support/service.ts';
import { newCustomer, newKey, newOrder, rootToken } from '../../support/resource-support.ts';
import { assertRejected, assertInsufficient } from './key-support.ts';

describe('a bad API key', () => {
  const running = sharedService();
  const bad: readonly (readonly [what: string, change: (key: string) => string])[] = [
    ['empty', () => ''],
    ['without its beginning', (key) => key.slice(4)],
    ['of another form', () => 'secret'],
    ['cut short', (key) => key.slice(0, -1)],
    ['with one character more', (key) => `${key}A`],
    [
      'with one character changed',
      (key) => key.slice(0, -2) + (key.at(-2) === 'A' ? 'B' : 'A') + key.slice(-1),
    ],
    ['with another id', (key) => key.replace(/^ord_\d+/, 'ord_4711')],
    ['with a leading zero', (key) => key.replace('ord_', 'ord_0')],
    ['with a huge id', (key) => key.replace(/^ord_\d+/, `ord_${'9'.repeat(16)}`)],
    ['in capitals', (key) => key.toUpperCase()],
    ['of 10,000 characters', (key) => key.padEnd(10_000, 'A')],
    ['with quotes', (key) => `"${key}"`],
  ];
  for (const [what, change] of bad) {
    test(`a bad API key (${what}) is rejected`, async () => {
      const service = running();
      const { token } = await service.person();
      const key = change((await newKey(service, token)).key);
      assertRejected(await service.get('/orders', { key }));
      if (key.length < 5_000) assertRejected(await service.get(`/orders?api_key=${encodeURIComponent(key)}`));
    });
  }

  test('a bad API key is rejected where no credential is needed', async () => {
    assertRejected(
      await running().post('/api/users', {
        key: 'ord_1_x',
        body: { name: 'Ada', email: 'ada@example.com', password },
      }),
    );
  });

  test('a bad API key is rejected with the secret of another key', async () => {
    const service = running();
    const [one, two] = [await service.person(), await service.person()];
    const [{ key: first }, { key: second }] = [
      await newKey(service, one.token),
      await newKey(service, two.token),
    ];
    assertRejected(await service.get('/orders', { key: first.slice(0, -43) + second.slice(-43) }));
  });
});

test('an api_key without a value, or without "=", is a bad credential, and no unknown parameter', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person();
  for (const query of ['api_key', 'api_key=']) {
    assertRejected(await service.get(`/orders?${query}`));
    assert.equal((await service.get(`/orders?${query}`, { token })).status, 200);
    assert.equal((await service.get(`/problems?${query}`)).status, 200);
  }
});

test('an API key in the query is accepted like one in the header, among other parameters', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person();
  const order = await newOrder(service, token);
  const { key } = await newKey(service, token, { scopes: ['orders:read', 'customers:write'] });
  assert.equal((await service.get(`/orders/${order.id}?api_key=${key}`)).body.id, order.id);
  assert.deepEqual((await service.get(`/orders?status=open&api_key=${key}&limit=1`)).body.data, [order]);
  assert.equal((await service.post(`/customers?api_key=${key}`, { body: { name: 'Grace' } })).status, 201);
  assertInsufficient(await service.get(`/customers?api_key=${key}`), 'customers:read');
});

test('an API key in the query is in no log, next, Link or instance', async (t) => {
  const service = await serviceFor(t, { settings: { log: 'debug' } });
  const { token } = await service.person();
  const customer = await newCustomer(service, token);
  for (let index = 0; index < 3; index += 1) await newOrder(service, token, { customerId: customer.id });
  const { key } = await newKey(service, token, {
    scopes: ['orders:read', 'orders:write', 'customers:write'],
  });
  const secret = key.slice(-43);
  const first = await service.get(`/orders?limit=1&api_key=${key}`);
  const { next } = first.body;
  assert.match(next, /^\/orders\?limit=1&cursor=/);
  assert.ok(String(first.headers.link).includes(next));
  const responses = [
    first,
    await service.get(`${next}&api_key=${key}`),
    await service.get(`${next}&api%5Fkey=${key}`),
    await service.get(`/orders?colour=red&%61%70i%5fkey=${key}`),
    await service.get(`/orders?api_key=${key}&api_key=${key}A`),
    await service.get(`/orders?api_key=${key}&colour=red`),
    await service.get(`/orders/4711?api_key=${key}`),
    await service.get(`/nothing?api_key=${key}`),
    await service.call('DELETE', `/orders?api_key=${key}`),
    await service.get(`/customers?api_key=${key}`),
    await service.get(`/orders?api_key=${secret}`),
    await service.get(`/orders?api_key=${key}&limit=%ff`),
    await service.post(`/orders?api_key=${key}`, { body: '{' }),
    await service.call('OPTIONS', `/orders?api_key=${key}`),
    await service.post(`/customers?api_key=${key}`, {
      body: { name: 'Grace' },
      headers: { 'idempotency-key': 'once' },
    }),
    await service.get(`/orders?api_key=${key}&status=${'open,'.repeat(2_000)}`),
  ];
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 200, 200, 422, 400, 422, 404, 404, 405, 403, 401, 400, 400, 204, 201, 414],
  );
  for (const { text, rawHeaders } of responses)
    assert.ok(!`${text}\n${rawHeaders.join('\n')}`.includes(secret), text);
  for (const { body } of responses)
    if (body?.instance !== undefined) assert.ok(!body.instance.includes('?'), body.instance);
  assert.ok(service.logged.some((line) => line.includes('/orders/4711'))); // so requests are logged
  assert.ok(!service.logged.join('\n').includes(secret));
  await service.get('/orders', { key });
  assert.ok(!service.logged.join('\n').includes(secret));
});

test('an API key in the query can be disabled, and the header still works', async (t) => {
  const service = await serviceFor(t, { settings: { 'api-key-query': 'off' } });
  const { token } = await service.person();
  const { key } = await newKey(service, token);
  assertRejected(await service.get(`/orders?api_key=${key}`));
  assert.equal((await service.get('/orders', { key })).status, 200);
  assert.ok(!service.logged.join('\n').includes(key));
});

describe('two credentials in one request are rejected:', () => {
  const running = sharedService();
  const pairs: readonly (readonly [
    what: string,
    call: (token: string, key: string) => readonly [path: string, call: Call],
  ])[] = [
    ['a token and a key', (token, key) => ['/orders', { token, key }]],
    ['a token and a key in the query', (token, key) => [`/orders?api_key=${key}`, { token }]],
    ['a key and another in the query', (_, key) => [`/orders?api_key=${key}A`, { key }]],
    ['two keys in the query', (_, key) => [`/orders?api_key=${key}&api_key=${key}A`, {}]],
    ['two keys', (_, key) => ['/orders', { headers: { 'x-api-key': [key, `${key}A`] } }]],
    [
      'two tokens',
      (token) => ['/orders', { headers: { authorization: [`Bearer ${token}`, 'Bearer other'] } }],
    ],
    ['a key, and Bearer with a name for nothing', (_, key) => ['/orders', { key, token: 'undefined' }]],
    ['a key, and Bearer with something', (_, key) => ['/orders', { key, token: 'a b' }]],
  ];
  for (const [what, callOf] of pairs) {
    test(`two credentials in one request are rejected: ${what}`, async () => {
      const service = running();
      const { token } = await service.person();
      const { key } = await newKey(service, token);
      assertProblem(await service.get(...callOf(token, key)), 'multiple-credentials');
    });
  }

  test('two credentials in one request are rejected, even if none is needed', async () => {
    const service = running();
    const token = await rootToken(service);
    const { key } = await newKey(service, token, { scopes });
    assertProblem(
      await service.post('/api/users', {
        token,
        key,
        body: { name: 'Ada', email: 'two@example.com', password },
      }),
      'multiple-credentials',
    );
  });
});

describe('beside one credential there may be', () => {
  const running = sharedService();
  const seconds: readonly (readonly [
    what: string,
    call: (token: string, key: string) => readonly [path: string, call: Call],
  ])[] = [
    ['the credential of a proxy', (_, key) => ['/orders', { key, headers: { authorization: 'Basic YTpi' } }]],
    [
      'other schemes',
      (_, key) => ['/orders', { key, headers: { authorization: 'Digest username="a", nc=1' } }],
    ],
    [
      'a scheme for a key in the query',
      (_, key) => [`/orders?api_key=${key}`, { headers: { authorization: 'Negotiate YII' } }],
    ],
    ['an empty Authorization', (_, key) => ['/orders', { key, headers: { authorization: '' } }]],
    ['Bearer without a token', (_, key) => ['/orders', { key, headers: { authorization: 'Bearer' } }]],
    ['bearer with blanks', (_, key) => ['/orders', { key, headers: { authorization: 'bearer  ' } }]],
    ['an empty key', (token) => ['/orders', { token, key: '' }]],
    ['an empty key in the query', (token) => ['/orders?api_key=', { token }]],
    ['the same key again', (_, key) => ['/orders', { headers: { 'x-api-key': [key, key] } }]],
    ['the same key in the query', (_, key) => [`/orders?api_key=${key}`, { key }]],
    ['the same key twice in the query', (_, key) => [`/orders?api_key=${key}&api_key=${key}`, {}]],
    ['the same key as Bearer', (_, key) => ['/orders', { key, token: key }]],
    ['the same key as Bearer and in the query', (_, key) => [`/orders?api_key=${key}`, { token: key }]],
    ['the same token as a key', (token) => ['/orders', { token, key: token }]],
    [
      'the same token again',
      (token) => ['/orders', { headers: { authorization: [`Bearer ${token}`, `Bearer ${token}`] } }],
    ],
    [
      'the field of a proxy before that of the token',
      (token) => ['/orders', { headers: { authorization: ['Basic YTpi', `Bearer ${token}`] } }],
    ],
    [
      'the field of a proxy after that of the token',
      (token) => ['/orders', { headers: { authorization: [`Bearer ${token}`, 'Basic YTpi'] } }],
    ],
  ];
  for (const [what, callOf] of seconds) {
    test(`beside one credential there may be ${what}`, async () => {
      const service = running();
      const { token } = await service.person();
      const { key } = await newKey(service, token);
      const [path, call] = callOf(token, key);
      assert.equal((await service.get(path, call)).status, 200);
      // a write checks the rights again
      const { key: writer } = await newKey(service, token, { scopes: ['customers:write'] });
      const [, sent] = callOf(token, writer);
      const query = path.includes('?') ? path.slice(path.indexOf('?')).replaceAll(key, writer) : '';
      const written = await service.post(`/customers${query}`, { ...sent, body: { name: 'Grace' } });
      assert.equal(written.status, 201, written.text);
    });
  }

  for (const authorization of ['', 'Basic YTpi', 'Bearer', 'Bearer ', 'Digest username="a", nc=1'])
    test(`Authorization ${JSON.stringify(authorization)} alone is 401`, async () => {
      assert.equal((await running().get('/orders', { headers: { authorization } })).status, 401);
    });

  test('the detail about two credentials names where they are, and what is none', async () => {
    const service = running();
    const { token } = await service.person();
    const { key } = await newKey(service, token);
    const detailOf = async (path: string, call: Call): Promise<string> =>
      (await service.get(path, call)).body.detail;
    assert.equal(
      await detailOf('/orders', { key, token: 'undefined' }),
      'The request has "Bearer undefined" in Authorization and an API key in X-API-Key; send one credential.',
    );
    assert.equal(
      await detailOf(`/orders?api_key=${key}A`, { key }),
      'The request has an API key in X-API-Key and an API key in the query; send one credential.',
    );
  });
});
