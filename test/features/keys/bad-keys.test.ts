// API keys that are wrong, in the query, or not the only credential.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { scopes } from '../../../src/auth/access.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { newKey, newOrder } from '../../support/resource-support.ts';
import { password, serviceFor, type Call, type Person } from '../../support/service.ts';

let ada: Person, key: string, writer: string;
const running = sharedService({}, async (service) => {
  ada = await service.person();
  ({ key } = await newKey(service, ada.token));
  writer = (await newKey(service, ada.token, { scopes: ['customers:write'] })).key;
});

describe('a bad API key', () => {
  const bad: Readonly<Record<string, () => string>> = {
    empty: () => '',
    'without its beginning': () => key.slice(4),
    'of another form': () => 'secret',
    'cut short': () => key.slice(0, -1),
    'with one character more': () => `${key}A`,
    'with one character changed': () => key.slice(0, -2) + (key.at(-2) === 'A' ? 'B' : 'A') + key.slice(-1),
    'with the secret of another key': () => key.slice(0, -43) + writer.slice(-43),
    'with another id': () => key.replace(/^ord_\d+/, 'ord_4711'),
    'with a leading zero': () => key.replace('ord_', 'ord_0'),
    'with a huge id': () => key.replace(/^ord_\d+/, `ord_${'9'.repeat(16)}`),
    'in capitals': () => key.toUpperCase(),
    'of 10,000 characters': () => key.padEnd(10_000, 'A'),
    'with quotes': () => `"${key}"`,
  };
  for (const [what, make] of Object.entries(bad))
    test(`a bad API key (${what}) is rejected`, async () => {
      const sent = make();
      assertProblem(await running().get('/orders', { key: sent }), 'invalid-token');
      const target = `/orders?api_key=${encodeURIComponent(sent)}`;
      if (sent.length < 5_000) assertProblem(await running().get(target), 'invalid-token');
    });

  test('a bad API key is rejected where no credential is needed', async () => {
    const body = { name: 'Ada', email: 'ada@example.com', password };
    assertProblem(await running().post('/api/users', { key: 'ord_1_x', body }), 'invalid-token');
  });

  test('an api_key without a value, or without "=", is a bad credential, and no unknown parameter', async () => {
    for (const query of ['api_key', 'api_key=']) {
      assertProblem(await running().get(`/orders?${query}`), 'invalid-token');
      assert.equal((await ada.get(`/orders?${query}`)).status, 200);
      assert.equal((await running().get(`/problems?${query}`)).status, 200);
    }
  });
});

test('an API key in the query is accepted like one in the header, among other parameters', async () => {
  const order = await newOrder(running(), ada.token);
  assert.equal((await running().get(`/orders/${order.id}?api_key=${key}`)).body.id, order.id);
  const { body } = await running().get(`/orders?status=open&api_key=${key}&limit=1`);
  assert.deepEqual(body.data, [order]);
  const created = await running().post(`/customers?api_key=${writer}`, { body: { name: 'Grace' } });
  assert.equal(created.status, 201);
  const denied = await running().get(`/customers?api_key=${key}`);
  assertProblem(denied, 'insufficient-scope');
  const challenge = 'Bearer realm="orderly", error="insufficient_scope", scope="customers:read"';
  assert.equal(denied.headers['www-authenticate'], challenge);
});

test('an API key in the query is in no log, next, Link or instance', async (t) => {
  const service = await serviceFor(t, { settings: { log: 'debug' } });
  const { token } = await service.person();
  const { customerId } = await newOrder(service, token);
  for (let index = 0; index < 2; index += 1) await newOrder(service, token, { customerId });
  const allowed = { scopes: ['orders:read', 'orders:write', 'customers:write'] };
  const { key } = await newKey(service, token, allowed);
  const secret = key.slice(-43);
  const first = await service.get(`/orders?limit=1&api_key=${key}`);
  const { next } = first.body;
  assert.match(next, /^\/orders\?limit=1&cursor=/);
  assert.ok(String(first.headers.link).includes(next));
  const body = { name: 'Grace' };
  for (const [status, method, path, call = {}] of [
    [200, 'GET', `/orders?limit=1&api_key=${key}`],
    [200, 'GET', `${next}&api_key=${key}`],
    [200, 'GET', `${next}&api%5Fkey=${key}`],
    [422, 'GET', `/orders?colour=red&%61%70i%5fkey=${key}`],
    [400, 'GET', `/orders?api_key=${key}&api_key=${key}A`],
    [422, 'GET', `/orders?api_key=${key}&colour=red`],
    [404, 'GET', `/orders/4711?api_key=${key}`],
    [404, 'GET', `/nothing?api_key=${key}`],
    [405, 'DELETE', `/orders?api_key=${key}`],
    [403, 'GET', `/customers?api_key=${key}`],
    [401, 'GET', `/orders?api_key=${secret}`],
    [400, 'GET', `/orders?api_key=${key}&limit=%ff`],
    [400, 'POST', `/orders?api_key=${key}`, { body: '{' }],
    [204, 'OPTIONS', `/orders?api_key=${key}`],
    [201, 'POST', `/customers?api_key=${key}`, { body, headers: { 'idempotency-key': 'once' } }],
    [414, 'GET', `/orders?api_key=${key}&status=${'open,'.repeat(2_000)}`],
  ] as readonly [number, string, string, Call?][]) {
    const response = await service.call(method, path, call);
    assert.equal(response.status, status, path);
    assert.ok(!`${response.text}\n${response.rawHeaders.join('\n')}`.includes(secret), response.text);
    assert.doesNotMatch(String(response.body?.instance), /\?/);
  }
  assert.ok(service.logged.some((line) => line.includes('/orders/4711'))); // so requests are logged
  await service.get('/orders', { key });
  assert.ok(!service.logged.join('\n').includes(secret));
});

test('an API key in the query can be disabled, and the header still works', async (t) => {
  const service = await serviceFor(t, { settings: { 'api-key-query': 'off' } });
  const { key } = await newKey(service, (await service.person()).token);
  assertProblem(await service.get(`/orders?api_key=${key}`), 'invalid-token');
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
      const [query, call] = callOf(ada.token, key);
      assertProblem(await running().get(`/orders${query}`, call), 'multiple-credentials');
    });

  test('two credentials in one request are rejected, even if none is needed', async () => {
    const { token } = await running().root();
    const all = await newKey(running(), token, { scopes });
    const body = { name: 'Ada', email: 'two@example.com', password };
    assertProblem(await running().post('/api/users', { token, key: all.key, body }), 'multiple-credentials');
  });

  test('the detail about two credentials names where they are, and what is none', async () => {
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
      const [query, call] = callOf(ada.token, key);
      assert.equal((await running().get(`/orders${query}`, call)).status, 200);
      // a write checks the rights again
      const [place, sent] = callOf(ada.token, writer);
      const written = await running().post(`/customers${place}`, { ...sent, body: { name: 'Grace' } });
      assert.equal(written.status, 201, written.text);
    });

  for (const authorization of ['', 'Basic YTpi', 'Bearer', 'Bearer ', 'Digest username="a", nc=1'])
    test(`Authorization ${JSON.stringify(authorization)} alone is 401`, async () => {
      assert.equal((await running().get('/orders', { headers: { authorization } })).status, 401);
    });
});
