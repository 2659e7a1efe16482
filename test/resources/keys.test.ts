// API keys: making, sending and ending them, and what they may do.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { scopes } from '../../src/auth/access.ts';
import { assertProblem, sharedService } from '../http/http-support.ts';
import { executable, password, serviceFor, type TestResponse, type Call } from '../service.ts';
import { assertIssues, items, newCustomer, newKey, newOrder, rootToken } from './resource-support.ts';

const yearMilliseconds = 365 * 86_400_000;
const needsClock = executable === undefined ? {} : { skip: 'needs the clock' };
const invalidToken = 'Bearer realm="orderly", error="invalid_token"';

describe('making an API key', () => {
  const running = sharedService();

  test('shows the key this once, at its location, and for how long it is good', async () => {
    const service = running();
    const { token } = await service.person();
    const made = await service.post('/api/keys', {
      token,
      body: { name: 'till 3', scopes: ['orders:read', 'customers:read'] },
    });
    assert.equal(made.status, 201);
    const { key, ...rest } = made.body;
    assert.deepEqual(Object.keys(rest), [
      'id',
      'name',
      'scopes',
      'createdAt',
      'expiresAt',
      'lastUsedAt',
      'prefix',
    ]);
    assert.match(key, new RegExp(`^ord_${rest.id}_[A-Za-z0-9_-]{43}$`));
    assert.ok(key.startsWith(rest.prefix) && rest.prefix.length < key.length - 32, rest.prefix);
    assert.equal(Date.parse(rest.expiresAt) - Date.parse(rest.createdAt), yearMilliseconds);
    assert.deepEqual([rest.lastUsedAt, rest.scopes], [null, ['orders:read', 'customers:read']]);
    assert.equal(made.headers['cache-control'], 'no-store');
    const read = await service.get(made.headers.location ?? '', { token });
    assert.deepEqual(read.body, rest);
    assert.equal(read.headers.etag, made.headers.etag);
    assert.deepEqual((await service.get('/api/keys', { token })).body.data, [rest]);
  });

  test('takes null for no expiry, and any time to come', async () => {
    const service = running();
    const { token } = await service.person();
    for (const expiresAt of [null, '2999-12-31T23:59:59.999Z'])
      assert.equal((await newKey(service, token, { expiresAt })).expiresAt, expiresAt);
  });

  const wrong: readonly (readonly [change: object, issues: readonly string[]])[] = [
    [{ name: undefined, scopes: undefined }, ['#/name required', '#/scopes required']],
    [{ name: null, scopes: null }, ['#/name type', '#/scopes type']],
    [{ name: '' }, ['#/name min-length']],
    [{ name: 'x'.repeat(101) }, ['#/name max-length']],
    [{ scopes: [] }, ['#/scopes min-items']],
    [{ scopes: 'orders:read' }, ['#/scopes type']],
    [{ scopes: ['orders:read', 'orders:read'] }, ['#/scopes unique-items']],
    [{ scopes: ['orders:read', 'everything', 7] }, ['#/scopes/1 enum', '#/scopes/2 type']],
    [{ expiresAt: '2020-01-01T00:00:00.000Z' }, ['#/expiresAt minimum']],
    [{ expiresAt: 'tomorrow' }, ['#/expiresAt pattern']],
    [{ expiresAt: '2999-02-30T00:00:00.000Z' }, ['#/expiresAt format']],
    [
      { id: 7, userId: 1, key: 'ord_7_x' },
      ['#/id unknown-member', '#/key unknown-member', '#/userId unknown-member'],
    ],
  ];
  for (const [change, issues] of wrong) {
    test(`with ${shown(change).slice(0, 70)} is rejected, and every issue is named`, async () => {
      const service = running();
      const { token } = await service.person();
      assertIssues(
        await service.post('/api/keys', {
          token,
          body: { name: 'till', scopes: ['orders:read'], ...change },
        }),
        400,
        issues,
      );
    });
  }
});

describe('an API key', () => {
  const running = sharedService();

  test('of another can be neither seen nor deleted, but by an administrator', async () => {
    const service = running();
    const owner = await service.person();
    const { id, key } = await newKey(service, owner.token);
    for (const role of ['user', 'staff'] as const) {
      const { token } = await service.person(role);
      assertProblem(await service.get(`/api/keys/${id}`, { token }), 'forbidden', 403);
      assertProblem(await service.delete(`/api/keys/${id}`, { token }), 'forbidden', 403);
      assertProblem(await service.get(`/api/keys?userId=${owner.id}`, { token }), 'forbidden', 403);
      assert.deepEqual((await service.get('/api/keys', { token })).body.data, []);
      assertProblem(await service.get('/api/keys/4711', { token }), 'not-found', 404);
    }
    assert.equal((await service.get('/orders', { key })).status, 200);
    const { token } = await service.person('admin');
    assert.deepEqual((await service.get('/api/keys', { token })).body.data, []);
    const { data } = (await service.get(`/api/keys?userId=${owner.id}`, { token })).body;
    assert.deepEqual(data, [(await service.get(`/api/keys/${id}`, { token: owner.token })).body]);
    assert.deepEqual((await service.get(`/api/keys/${id}`, { token })).body, data[0]);
    assert.equal((await service.delete(`/api/keys/${id}`, { token })).status, 204);
    assertRefused(await service.get('/orders', { key }));
  });

  test('acts as its user', async () => {
    const service = running();
    const [owner, other] = [await service.person(), await service.person()];
    const { key } = await newKey(service, owner.token, { scopes });
    const made = await newOrder(service, owner.token);
    const foreign = await newOrder(service, other.token);
    assert.deepEqual(
      (await service.get('/orders', { key })).body.data.map(({ id }: { id: number }) => id),
      [made.id],
    );
    assertProblem(await service.get(`/orders/${foreign.id}`, { key }), 'forbidden', 403);
    const own = await service.post('/orders', {
      key,
      body: { customerId: made.customerId, currency: 'EUR', items },
    });
    assert.equal(own.body.userId, owner.id);
    assertProblem(
      await service.patch(`/orders/${made.id}`, { key, body: { status: 'paid' } }),
      'forbidden',
      403,
    );
  });

  test('does what its scopes name and nothing else', async () => {
    const service = running();
    const { id: userId, token } = await service.person();
    const order = await newOrder(service, token);
    const customer = `/customers/${order.customerId}`;
    const byScope: Record<
      (typeof scopes)[number],
      readonly (readonly [method: string, path: string, body?: object])[]
    > = {
      'users:read': [['GET', `/api/users/${userId}`]],
      'users:write': [['PATCH', `/api/users/${userId}`, {}]],
      'customers:read': [
        ['GET', '/customers'],
        ['GET', customer],
      ],
      'customers:write': [
        ['POST', '/customers', { name: 'Grace' }],
        ['PUT', customer, { name: 'Grace' }],
        ['PATCH', customer, {}],
      ],
      'orders:read': [
        ['GET', '/orders'],
        ['GET', `/orders/${order.id}`],
        ['GET', `${customer}/orders`],
        ['GET', `/api/users/${userId}/orders`],
        ['GET', `/api/users/${userId}/orders/${order.id}`],
      ],
      'orders:write': [
        ['POST', '/orders', { customerId: order.customerId, currency: 'EUR', items }],
        ['PATCH', `/orders/${order.id}`, {}],
      ],
      'events:read': [],
    };
    for (const scope of scopes) {
      const { key } = await newKey(service, token, { scopes: [scope] });
      for (const [needed, calls] of Object.entries(byScope)) {
        for (const [method, path, body] of calls) {
          const response = await service.call(method, path, { key, body });
          if (needed === scope) assert.ok(response.status < 300, response.text);
          else assertInsufficient(response, needed);
        }
      }
    }
  });

  test('can’t manage sessions and keys, whatever its scopes and its user', async () => {
    const service = running();
    for (const { token, sessionId } of [await service.person(), await service.person('admin')]) {
      const { id, key } = await newKey(service, token, { scopes });
      for (const [method, path, body] of [
        ['GET', '/api/sessions'],
        ['GET', `/api/sessions/${sessionId}`],
        ['DELETE', `/api/sessions/${sessionId}`],
        ['GET', '/api/keys'],
        ['GET', `/api/keys/${id}`],
        ['DELETE', `/api/keys/${id}`],
        ['POST', '/api/keys', { name: 'more', scopes }],
      ] as const) {
        assertInsufficient(await service.call(method, path, { key, body }), undefined);
      }
    }
  });

  test('can change neither a password nor an e-mail address, its user’s or another’s', async () => {
    const service = running();
    const [admin, other] = [await service.person('admin'), await service.person()];
    const { key } = await newKey(service, admin.token, { scopes });
    for (const { id, email } of [admin, other]) {
      for (const body of [{ password: 'another good password' }, { email: `new.${email}` }]) {
        assertProblem(await service.patch(`/api/users/${id}`, { key, body }), 'insufficient-scope', 403);
        assertProblem(
          await service.put(`/api/users/${id}`, { key, body: { name: 'Ada', email, ...body } }),
          'insufficient-scope',
          403,
        );
      }
      await service.signIn(email, password);
      assert.equal(
        (await service.patch(`/api/users/${id}`, { key, body: { name: 'Renamed' } })).body.name,
        'Renamed',
      );
    }
  });

  test('that is deleted is rejected by the very next request', async () => {
    const service = running();
    const { token } = await service.person();
    const [one, two] = [await newKey(service, token), await newKey(service, token)];
    for (const { key } of [one, two]) assert.equal((await service.get('/orders', { key })).status, 200);
    assert.equal((await service.delete(`/api/keys/${one.id}`, { token })).status, 204);
    assertRefused(await service.get('/orders', { key: one.key }));
    assert.equal((await service.get('/orders', { key: two.key })).status, 200);
    assertProblem(await service.get(`/api/keys/${one.id}`, { token }), 'not-found', 404);
    assertProblem(await service.delete(`/api/keys/${one.id}`, { token }), 'not-found', 404);
  });

  test('can’t be made to expire at this very moment', needsClock, async (t) => {
    const service = await serviceFor(t);
    const { token } = await service.person();
    const expiring = (milliseconds: number): Promise<TestResponse> => {
      const expiresAt = new Date(service.clock.now + milliseconds).toISOString();
      return service.post('/api/keys', {
        token,
        body: { name: 'till 3', scopes: ['orders:read'], expiresAt },
      });
    };
    assertIssues(await expiring(0), 400, ['#/expiresAt minimum']);
    assert.equal((await expiring(1)).status, 201);
  });

  test('is rejected from the moment it expires', needsClock, async (t) => {
    const service = await serviceFor(t);
    const { email, token } = await service.person();
    const soon = await newKey(service, token, {
      expiresAt: new Date(service.clock.now + 60_000).toISOString(),
    });
    const [usual, never] = [await newKey(service, token), await newKey(service, token, { expiresAt: null })];
    service.clock.advance(59_999);
    assert.equal((await service.get('/orders', { key: soon.key })).status, 200);
    service.clock.advance(1);
    assertRefused(await service.get('/orders', { key: soon.key }));
    service.clock.advance(yearMilliseconds - 60_001);
    assert.equal((await service.get('/orders', { key: usual.key })).status, 200);
    service.clock.advance(1);
    assertRefused(await service.get('/orders', { key: usual.key }));
    assert.equal((await service.get('/orders', { key: never.key })).status, 200);
    const again = await service.signIn(email, password);
    // still to be seen, and to be deleted
    assert.equal((await service.get('/api/keys', { token: again.token })).body.data.length, 3);
  });

  test('remembers when it was last used, were it right before the end of the service', async (t) => {
    const service = await serviceFor(t);
    const person = await service.person();
    const { id, key, createdAt } = await newKey(service, person.token);
    const unused = await newKey(service, person.token);
    service.clock.advance(60_000);
    await service.get('/orders', { key });
    // A wrong key is no use of the right one.
    await service.get('/orders', { key: `${unused.key.slice(0, -1)}-` });
    await service.restart();
    const { token } = await service.signIn(person.email, password);
    const { lastUsedAt } = (await service.get(`/api/keys/${id}`, { token })).body;
    if (service.inside === undefined) assert.ok(lastUsedAt >= createdAt);
    else assert.equal(lastUsedAt, new Date(service.clock.now).toISOString());
    assert.equal((await service.get(`/api/keys/${unused.id}`, { token })).body.lastUsedAt, null);
    assert.equal((await service.get('/orders', { key })).status, 200);
  });

  test('is nowhere in the database', async (t) => {
    const service = await serviceFor(t);
    const { token } = await service.person();
    const { key, prefix } = await newKey(service, token);
    await service.get('/orders', { key });
    await service.stop();
    const kept = readdirSync(service.folder)
      .filter((name) => name.startsWith('orderly.db'))
      .map((name) => readFileSync(join(service.folder, name), 'latin1'))
      .join();
    assert.ok(kept.includes(prefix)); // so it is the right place to look
    assert.ok(!kept.includes(key.slice(-43)));
  });
});

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
    test(`(${what}) is rejected`, async () => {
      const service = running();
      const { token } = await service.person();
      const key = change((await newKey(service, token)).key);
      assertRefused(await service.get('/orders', { key }));
      if (key.length < 5_000) assertRefused(await service.get(`/orders?api_key=${encodeURIComponent(key)}`));
    });
  }

  test('is rejected where no credential is needed', async () => {
    assertRefused(
      await running().post('/api/users', {
        key: 'ord_1_x',
        body: { name: 'Ada', email: 'ada@example.com', password },
      }),
    );
  });

  test('is rejected with the secret of another key', async () => {
    const service = running();
    const [one, two] = [await service.person(), await service.person()];
    const [{ key: first }, { key: second }] = [
      await newKey(service, one.token),
      await newKey(service, two.token),
    ];
    assertRefused(await service.get('/orders', { key: first.slice(0, -43) + second.slice(-43) }));
  });
});

function assertRefused(response: TestResponse): void {
  assertProblem(response, 'invalid-token', 401);
  assert.equal(response.headers['www-authenticate'], invalidToken);
}

function assertInsufficient(response: TestResponse, scope: string | undefined): void {
  assertProblem(response, 'insufficient-scope', 403);
  assert.equal(
    response.headers['www-authenticate'],
    `Bearer realm="orderly", error="insufficient_scope"${scope === undefined ? '' : `, scope="${scope}"`}`,
  );
}

describe('an API key in the query', () => {
  test('without a value, or without "=", is a bad credential, and not an unknown parameter', async (t) => {
    const service = await serviceFor(t);
    const { token } = await service.person();
    for (const query of ['api_key', 'api_key=']) {
      assertRefused(await service.get(`/orders?${query}`));
      assertProblem(await service.get(`/orders?${query}`, { token }), 'multiple-credentials', 400);
      assert.equal((await service.get(`/problems?${query}`)).status, 200);
    }
  });

  test('is taken like one in the header, among other parameters', async (t) => {
    const service = await serviceFor(t);
    const { token } = await service.person();
    const order = await newOrder(service, token);
    const { key } = await newKey(service, token, { scopes: ['orders:read', 'customers:write'] });
    assert.equal((await service.get(`/orders/${order.id}?api_key=${key}`)).body.id, order.id);
    assert.deepEqual((await service.get(`/orders?status=open&api_key=${key}&limit=1`)).body.data, [order]);
    assert.equal((await service.post(`/customers?api_key=${key}`, { body: { name: 'Grace' } })).status, 201);
    assertInsufficient(await service.get(`/customers?api_key=${key}`), 'customers:read');
  });

  test('shows in no log, next, Link or instance', async (t) => {
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
      await service.get(`/orders?api_key=${key}&api_key=${key}`),
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
      [200, 200, 401, 400, 422, 404, 404, 405, 403, 401, 400, 400, 204, 201, 414],
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

  test('is a bad credential without a value, with or without =', async (t) => {
    const service = await serviceFor(t);
    for (const query of ['api_key', 'api_key=', 'limit=1&api_key'])
      assertRefused(await service.get(`/customers?${query}`));
  });

  test('can be switched off, and the header goes on', async (t) => {
    const service = await serviceFor(t, { settings: { 'api-key-query': 'off' } });
    const { token } = await service.person();
    const { key } = await newKey(service, token);
    assertRefused(await service.get(`/orders?api_key=${key}`));
    assert.equal((await service.get('/orders', { key })).status, 200);
    assert.ok(!service.logged.join('\n').includes(key));
  });
});

describe('two credentials in one request are rejected:', () => {
  const running = sharedService();
  const pairs: readonly (readonly [
    what: string,
    call: (token: string, key: string) => readonly [path: string, call: Call],
  ])[] = [
    ['a token and a key', (token, key) => ['/orders', { token, key }]],
    ['a token and a key in the query', (token, key) => [`/orders?api_key=${key}`, { token }]],
    ['a key and a key in the query', (_, key) => [`/orders?api_key=${key}`, { key }]],
    ['two keys in the query', (_, key) => [`/orders?api_key=${key}&api_key=${key}`, {}]],
    ['two keys', (_, key) => ['/orders', { headers: { 'x-api-key': [key, key] } }]],
    [
      'two tokens',
      (token) => ['/orders', { headers: { authorization: [`Bearer ${token}`, `Bearer ${token}`] } }],
    ],
    ['a token and an empty key', (token) => ['/orders', { token, key: '' }]],
  ];
  for (const [what, callOf] of pairs) {
    test(what, async () => {
      const service = running();
      const { token } = await service.person();
      const { key } = await newKey(service, token);
      assertProblem(await service.get(...callOf(token, key)), 'multiple-credentials', 400);
    });
  }

  test('also where none is needed', async () => {
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
      400,
    );
  });
});

/** For a test's name: undefined shows as null. */
function shown(change: unknown): string {
  return JSON.stringify(change, (_, value) => value ?? null);
}
