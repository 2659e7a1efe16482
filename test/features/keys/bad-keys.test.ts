// API keys that are wrong, in the query, or not the only credential.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { scopes } from '../../../src/auth/access.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { newCustomer, newKey, newOrder, rootToken } from '../../support/resource-support.ts';
import { password, serviceFor, type Call } from '../../support/service.ts';
import { assertRejected } from './key-support.ts';

const running = sharedService();

/** Makes a person and their key. */
async function keyOf(members = {}): Promise<{ readonly token: string; readonly key: string }> {
  const { token } = await running().person();
  return { token, key: (await newKey(running(), token, members)).key };
}

describe('a bad API key', () => {
  const bad: Readonly<Record<string, (key: string) => string>> = {
    empty: () => '',
    'without its beginning': (key) => key.slice(4),
    'of another form': () => 'secret',
    'cut short': (key) => key.slice(0, -1),
    'with one character more': (key) => `${key}A`,
    'with one character changed': (key) =>
      key.slice(0, -2) + (key.at(-2) === 'A' ? 'B' : 'A') + key.slice(-1),
    'with another id': (key) => key.replace(/^ord_\d+/, 'ord_4711'),
    'with a leading zero': (key) => key.replace('ord_', 'ord_0'),
    'with a huge id': (key) => key.replace(/^ord_\d+/, `ord_${'9'.repeat(16)}`),
    'in capitals': (key) => key.toUpperCase(),
    'of 10,000 characters': (key) => key.padEnd(10_000, 'A'),
    'with quotes': (key) => `"${key}"`,
  };
  for (const [what, change] of Object.entries(bad))
    test(`a bad API key (${what}) is rejected`, async () => {
      const key = change((await keyOf()).key);
      assertRejected(await running().get('/orders', { key }));
      if (key.length < 5_000)
        assertRejected(await running().get(`/orders?api_key=${encodeURIComponent(key)}`));
    });

  test('a bad API key is rejected where no credential is needed', async () => {
    const body = { name: 'Ada', email: 'ada@example.com', password };
    assertRejected(await running().post('/api/users', { key: 'ord_1_x', body }));
  });

  test('a bad API key is rejected with the secret of another key', async () => {
    const [{ key: first }, { key: second }] = [await keyOf(), await keyOf()];
    assertRejected(await running().get('/orders', { key: first.slice(0, -43) + second.slice(-43) }));
  });

  test('an api_key without a value, or without "=", is a bad credential, and no unknown parameter', async () => {
    const { token } = await running().person();
    for (const query of ['api_key', 'api_key=']) {
      assertRejected(await running().get(`/orders?${query}`));
      assert.equal((await running().get(`/orders?${query}`, { token })).status, 200);
      assert.equal((await running().get(`/problems?${query}`)).status, 200);
    }
  });
});

test('an API key in the query is accepted like one in the header, among other parameters', async () => {
  const { token, key } = await keyOf({ scopes: ['orders:read', 'customers:write'] });
  const order = await newOrder(running(), token);
  assert.equal((await running().get(`/orders/${order.id}?api_key=${key}`)).body.id, order.id);
  const { body } = await running().get(`/orders?status=open&api_key=${key}&limit=1`);
  assert.deepEqual(body.data, [order]);
  const created = await running().post(`/customers?api_key=${key}`, { body: { name: 'Grace' } });
  assert.equal(created.status, 201);
  const denied = await running().get(`/customers?api_key=${key}`);
  assertProblem(denied, 'insufficient-scope');
  const challenge = 'Bearer realm="orderly", error="insufficient_scope", scope="customers:read"';
  assert.equal(denied.headers['www-authenticate'], challenge);
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

type Pairs = Readonly<Record<string, (token: string, key: string) => readonly [query: string, call: Call]>>;
const withFields = (...authorization: string[]): readonly [string, Call] => [
  '',
  { headers: { authorization } },
];

describe('two credentials in one request are rejected:', () => {
  const pairs: Pairs = {
    'a token and a key': (token, key) => ['', { token, key }],
    'a token and a key in the query': (token, key) => [`?api_key=${key}`, { token }],
    'a key and another in the query': (_, key) => [`?api_key=${key}A`, { key }],
    'two keys in the query': (_, key) => [`?api_key=${key}&api_key=${key}A`, {}],
    'two keys': (_, key) => ['', { headers: { 'x-api-key': [key, `${key}A`] } }],
    'two tokens': (token) => withFields(`Bearer ${token}`, 'Bearer other'),
    'a key, and Bearer with a name for nothing': (_, key) => ['', { key, token: 'undefined' }],
    'a key, and Bearer with something': (_, key) => ['', { key, token: 'a b' }],
  };
  for (const [what, callOf] of Object.entries(pairs))
    test(`two credentials in one request are rejected: ${what}`, async () => {
      const { token, key } = await keyOf();
      const [query, call] = callOf(token, key);
      assertProblem(await running().get(`/orders${query}`, call), 'multiple-credentials');
    });

  test('two credentials in one request are rejected, even if none is needed', async () => {
    const token = await rootToken(running());
    const { key } = await newKey(running(), token, { scopes });
    const body = { name: 'Ada', email: 'two@example.com', password };
    assertProblem(await running().post('/api/users', { token, key, body }), 'multiple-credentials');
  });

  test('the detail about two credentials names where they are, and what is none', async () => {
    const { key } = await keyOf();
    const rest = 'an API key in X-API-Key';
    for (const [query, call, detail] of [
      ['', { token: 'undefined' }, `"Bearer undefined" in Authorization and ${rest}`],
      [`?api_key=${key}A`, {}, `${rest} and an API key in the query`],
    ] as const) {
      const { body } = await running().get(`/orders${query}`, { key, ...call });
      assert.equal(body.detail, `The request has ${detail}; send one credential.`);
    }
  });
});

describe('beside one credential there may be', () => {
  const beside = (authorization: string) => (_: string, key: string) =>
    ['', { key, headers: { authorization } }] as const;
  const seconds: Pairs = {
    'the credential of a proxy': beside('Basic YTpi'),
    'other schemes': beside('Digest username="a", nc=1'),
    'a scheme for a key in the query': (_, key) => [`?api_key=${key}`, withFields('Negotiate YII')[1]],
    'an empty Authorization': beside(''),
    'Bearer without a token': beside('Bearer'),
    'bearer with blanks': beside('bearer  '),
    'an empty key': (token) => ['', { token, key: '' }],
    'an empty key in the query': (token) => ['?api_key=', { token }],
    'the same key again': (_, key) => ['', { headers: { 'x-api-key': [key, key] } }],
    'the same key in the query': (_, key) => [`?api_key=${key}`, { key }],
    'the same key twice in the query': (_, key) => [`?api_key=${key}&api_key=${key}`, {}],
    'the same key as Bearer': (_, key) => ['', { key, token: key }],
    'the same key as Bearer and in the query': (_, key) => [`?api_key=${key}`, { token: key }],
    'the same token as a key': (token) => ['', { token, key: token }],
    'the same token again': (token) => withFields(`Bearer ${token}`, `Bearer ${token}`),
    'the field of a proxy before that of the token': (token) => withFields('Basic YTpi', `Bearer ${token}`),
    'the field of a proxy after that of the token': (token) => withFields(`Bearer ${token}`, 'Basic YTpi'),
  };
  for (const [what, callOf] of Object.entries(seconds))
    test(`beside one credential there may be ${what}`, async () => {
      const { token, key } = await keyOf();
      const [query, call] = callOf(token, key);
      assert.equal((await running().get(`/orders${query}`, call)).status, 200);
      // a write checks the rights again
      const { key: writer } = await newKey(running(), token, { scopes: ['customers:write'] });
      const [place, sent] = callOf(token, writer);
      const written = await running().post(`/customers${place}`, { ...sent, body: { name: 'Grace' } });
      assert.equal(written.status, 201, written.text);
    });

  for (const authorization of ['', 'Basic YTpi', 'Bearer', 'Bearer ', 'Digest username="a", nc=1'])
    test(`Authorization ${JSON.stringify(authorization)} alone is 401`, async () => {
      assert.equal((await running().get('/orders', { headers: { authorization } })).status, 401);
    });
});
