// The requirements, sentence by sentence, over HTTP. Sections 6 and 9 ask for nothing.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { anyone } from '../src/auth/access.ts';
import { noContent, route } from '../src/http/route.ts';
import { sharedService } from './http/http-support.ts';
import { executable, password, serviceFor, type Answer, type Person, type TestService } from './service.ts';

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const items = [{ name: 'Green tea, 250 g', quantity: 2, unitPrice: 749 }];
const address = {
  line1: 'Ammerländer Heerstraße 114',
  city: 'Oldenburg',
  country: 'DE',
  postalCode: '26129',
};

/** Somebody with a customer and two orders, the second one later. */
type World = {
  readonly service: TestService;
  readonly admin: Person;
  readonly staff: Person;
  readonly owner: Person;
  readonly other: Person;
  readonly customerId: number;
  readonly orders: readonly Answer['body'][];
};

async function worldOf(service: TestService): Promise<World> {
  const admin = await service.signIn(service.admin.email, service.admin.password);
  const [staff, owner, other] = [
    await service.person('staff'),
    await service.person(),
    await service.person(),
  ];
  const customerId = (
    await service.post('/customers', { token: owner.token, body: { name: 'Grace Hopper' } })
  ).body.id;
  const orders: Answer['body'][] = [];
  for (let index = 0; index < 2; index += 1) {
    orders.push(
      (await service.post('/orders', { token: owner.token, body: { customerId, currency: 'EUR', items } }))
        .body,
    );
    service.clock.advance(1_000);
  }
  return { service, admin, staff, owner, other, customerId, orders };
}

function worldForSuite(): () => World {
  let world: World | undefined;
  sharedService({}, async (service) => {
    world = await worldOf(service);
  });
  return () => world ?? assert.fail('the world is made before the suite');
}

function idsIn({ body }: Answer): number[] {
  return body.data.map(({ id }: { id: number }) => id);
}

describe('section 1', () => {
  const inWorld = worldForSuite();

  test('JSON over HTTP: bodies are JSON, in both directions', async () => {
    const { service, owner, customerId } = inWorld();
    const answer = await service.post('/orders', {
      token: owner.token,
      body: { customerId, currency: 'EUR', items },
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(answer.headers['content-type'], 'application/json');
    assert.equal(typeof JSON.parse(answer.text), 'object');
  });

  test('resources are at plural nouns, addressed by URIs: what is made is at its location', async () => {
    const { service, admin } = inWorld();
    const bodies = {
      '/api/users': { name: 'Ada', email: 'plural@example.com', password },
      '/customers': { name: 'Grace' },
      '/api/keys': { name: 'till', scopes: ['orders:read'] },
    };
    for (const [path, body] of Object.entries(bodies)) {
      const made = await service.post(path, { token: admin.token, body });
      assert.equal(made.headers.location, `${path}/${made.body.id}`);
      assert.equal(
        (await service.get(made.headers.location ?? '', { token: admin.token })).body.id,
        made.body.id,
      );
    }
  });

  test('interface 1 manages user records at /api/users', async () => {
    const { service, admin, owner } = inWorld();
    assert.ok(idsIn(await service.get('/api/users', { token: admin.token })).includes(owner.id));
  });

  test('interface 2 manages orders at /orders and customers at /customers', async () => {
    const { service, owner, customerId, orders } = inWorld();
    assert.equal(
      (await service.get(`/orders/${orders[0].id}`, { token: owner.token })).body.id,
      orders[0].id,
    );
    assert.equal((await service.get(`/customers/${customerId}`, { token: owner.token })).body.id, customerId);
  });

  test('a customer has many orders', async () => {
    const { service, owner, customerId, orders } = inWorld();
    const ids = idsIn(await service.get(`/customers/${customerId}/orders`, { token: owner.token }));
    for (const { id } of orders) assert.ok(ids.includes(id));
  });

  test('rule 1: POST creates, GET reads, PUT replaces, PATCH updates partly, DELETE removes', async () => {
    const {
      service,
      owner: { token },
    } = inWorld();
    const made = await service.post('/customers', {
      token,
      body: { name: 'Grace', phone: '+4944112345678', address },
    });
    const path = made.headers.location ?? '';
    assert.deepEqual((await service.get(path, { token })).body, made.body);
    const patched = await service.patch(path, { token, body: { name: 'Grace Hopper' } });
    assert.deepEqual([patched.body.name, patched.body.phone], ['Grace Hopper', '+4944112345678']);
    const replaced = await service.put(path, { token, body: { name: 'Grace Murray Hopper' } });
    assert.deepEqual(
      [replaced.body.name, replaced.body.phone, replaced.body.address],
      ['Grace Murray Hopper', null, null],
    );
    assert.equal((await service.delete(path, { token })).status, 204);
    assert.equal((await service.get(path, { token })).status, 404);
  });

  test('rule 2: a request carries all it needs: a restart changes nothing, no cookie is set', async (t) => {
    const service = await serviceFor(t, { settings: { 'public-url': 'https://orders.example.com' } });
    const { owner, orders } = await worldOf(service);
    const before = await service.get(`/orders/${orders[0].id}`, { token: owner.token });
    await service.restart();
    const after = await service.get(`/orders/${orders[0].id}`, { token: owner.token });
    assert.deepEqual([after.status, after.text, after.headers.etag], [200, before.text, before.headers.etag]);
    assert.equal(before.headers['set-cookie'], undefined);
  });

  test('rule 3: GET has no side effects', async () => {
    const { service, admin, owner, customerId, orders } = inWorld();
    const paths = [
      '/api/users',
      `/api/users/${owner.id}`,
      `/api/users/${owner.id}/orders`,
      `/api/users/${owner.id}/orders/${orders[0].id}`,
      '/customers',
      `/customers/${customerId}`,
      `/customers/${customerId}/orders`,
      '/orders',
      `/orders/${orders[0].id}`,
      '/api/sessions',
      `/api/sessions/${owner.sessionId}`,
    ];
    const readAll = (): Promise<string[]> =>
      Promise.all(paths.map(async (path) => (await service.get(path, { token: admin.token })).text));
    assert.deepEqual(await readAll(), await readAll());
  });

  test('rule 4: responses are cacheable in principle', async () => {
    const {
      service,
      owner: { token },
      orders,
    } = inWorld();
    for (const path of [`/orders/${orders[0].id}`, '/orders']) {
      const { headers } = await service.get(path, { token });
      assert.match(headers['cache-control'] ?? '', /no-cache/); // kept, but asked about before each use
      assert.equal(
        (await service.get(path, { token, headers: { 'if-none-match': headers.etag ?? '' } })).status,
        304,
      );
    }
  });

  test('rule 5: the client states the format with Accept, the service with Content-Type', async () => {
    const {
      service,
      owner: { token },
      orders,
    } = inWorld();
    const asking = (accept: string): Promise<Answer> =>
      service.get(`/orders/${orders[0].id}`, { token, headers: { accept } });
    for (const accept of ['application/json', '*/*', 'application/*;q=0.5, text/html'])
      assert.equal((await asking(accept)).headers['content-type'], 'application/json');
    assert.equal((await asking('text/html')).status, 406);
  });

  for (const [method, path] of [
    ['GET', '/api/getUsers'],
    ['POST', '/api/createUser'],
    ['DELETE', '/api/deleteUser/1'],
  ] as const) {
    test(`rule 6: URIs contain no verbs, so ${method} ${path} is nothing`, async () => {
      const {
        service,
        admin: { token },
      } = inWorld();
      assert.equal(
        (await service.call(method, path, { token, body: method === 'POST' ? {} : undefined })).status,
        404,
      );
    });
  }

  test('rule 6: no path of the service has a verb', async () => {
    const { service } = inWorld();
    const paths = Object.keys((await service.get('/openapi.json')).body.paths);
    assert.ok(paths.length > 10);
    const verbs =
      'get|list|read|create|add|make|update|change|set|replace|delete|remove|login|logout|refresh|cancel|pay';
    const verb = new RegExp(`/(${verbs})(?![a-z])`);
    assert.match('/api/getUsers', verb);
    for (const path of paths) assert.doesNotMatch(path, verb);
  });

  test('rule 7: all traffic uses HTTPS', async (t) => {
    const service = await serviceFor(t, { settings: { tls: 'self-signed' } });
    const ca = readFileSync(join(service.folder, 'tls', 'cert.pem'), 'utf8');
    assert.deepEqual(
      await outcomeOf(
        httpsRequest({ host: 'localhost', port: service.port, path: '/health/live', ca, agent: false }),
      ),
      200,
    );
    assert.notEqual(
      await outcomeOf(
        httpRequest({ host: 'localhost', port: service.port, path: '/health/live', agent: false }),
      ),
      200,
    );
  });

  test('rule 7: behind a proxy that says it was reached by plain HTTP nothing is answered', async () => {
    const {
      service,
      owner: { token },
    } = inWorld();
    for (const scheme of ['http', 'https'])
      assert.equal(
        (await service.get('/orders', { token, headers: { 'x-forwarded-proto': scheme } })).status,
        403,
      ); // not a trusted proxy
  });

  /** The status of the answer, or that there was none. */
  function outcomeOf(request: ReturnType<typeof httpRequest>): Promise<number | 'none'> {
    const { promise, resolve } = Promise.withResolvers<number | 'none'>();
    request.on('response', (response) => resolve(response.resume().statusCode ?? 'none'));
    request.on('error', () => resolve('none'));
    request.end();
    return promise;
  }
});

describe('section 2.1, user:', () => {
  const inWorld = worldForSuite();

  async function signUp(email: string, more: object = {}): Promise<Answer> {
    const { service } = inWorld();
    return service.post('/api/users', { body: { name: 'Ada Lovelace', email, password, ...more } });
  }

  test('id is an integer that the service assigns', async () => {
    const [one, two] = [await signUp('id.one@example.com'), await signUp('id.two@example.com')];
    assert.ok(
      Number.isSafeInteger(one.body.id) && Number.isSafeInteger(two.body.id) && one.body.id !== two.body.id,
    );
    assert.equal((await signUp('id.three@example.com', { id: 7 })).status, 400);
  });

  test('name is a string, sent and returned', async () => {
    assert.equal((await signUp('name@example.com')).body.name, 'Ada Lovelace');
    assert.equal((await signUp('name2@example.com', { name: 7 })).status, 400);
  });

  test('email is an e-mail address, sent and returned', async () => {
    assert.equal((await signUp('email@example.com')).body.email, 'email@example.com');
    assert.equal((await signUp('no address')).status, 400);
  });

  test('password is a string, sent and never returned', async () => {
    const { service } = inWorld();
    const made = await signUp('password@example.com');
    const { token } = await service.signIn('password@example.com', password);
    const read = await service.get(`/api/users/${made.body.id}`, { token });
    for (const { body, text } of [made, read]) assert.ok(!('password' in body) && !text.includes(password));
    assert.equal((await signUp('password2@example.com', { password: 12345678 })).status, 400);
  });

  test('role is a string that the service sets when the request doesn’t carry it', async () => {
    const { service, admin } = inWorld();
    assert.equal((await signUp('role@example.com')).body.role, 'user');
    const carried = await service.post('/api/users', {
      token: admin.token,
      body: { name: 'Ada', email: 'role2@example.com', password, role: 'staff' },
    });
    assert.equal(carried.body.role, 'staff');
  });

  test('createdAt is an ISO 8601 UTC timestamp that the service sets', async () => {
    assert.match((await signUp('created@example.com')).body.createdAt, timestamp);
    assert.equal(
      (await signUp('created2@example.com', { createdAt: '2026-03-01T09:30:00.000Z' })).status,
      400,
    );
  });
});

describe('section 2.2, order:', () => {
  const inWorld = worldForSuite();

  test('id is an integer that the service assigns', async () => {
    const {
      service,
      owner: { token },
      customerId,
      orders: [one, two],
    } = inWorld();
    assert.ok(Number.isSafeInteger(one.id) && Number.isSafeInteger(two.id) && one.id !== two.id);
    assert.equal(
      (await service.post('/orders', { token, body: { id: 7, customerId, currency: 'EUR', items } })).status,
      422,
    );
  });

  test('status is a string to filter by', async () => {
    const {
      service,
      owner: { token },
      orders: [one, two],
    } = inWorld();
    assert.equal(typeof one.status, 'string');
    assert.deepEqual(idsIn(await service.get('/orders?status=open', { token })), [two.id, one.id]);
    assert.deepEqual(idsIn(await service.get('/orders?status=shipped', { token })), []);
  });

  test('createdAt is a string to sort by', async () => {
    const {
      service,
      owner: { token },
      orders: [one, two],
    } = inWorld();
    assert.match(one.createdAt, timestamp);
    assert.deepEqual(idsIn(await service.get('/orders?sort=createdAt', { token })), [one.id, two.id]);
  });

  test('a postal code exists in input, and is validated', async () => {
    const {
      service,
      owner: { token },
      customerId,
    } = inWorld();
    const place = (postalCode: string): Promise<Answer> =>
      service.post('/orders', {
        token,
        body: { customerId, currency: 'EUR', items, shippingAddress: { ...address, postalCode } },
      });
    assert.equal((await place('26129')).body.shippingAddress.postalCode, '26129');
    assert.equal((await place('2612')).status, 422);
  });
});

describe('section 2.4, relationships:', () => {
  const inWorld = worldForSuite();

  test('a customer has zero or more orders, at /customers/{id}/orders', async () => {
    const {
      service,
      owner: { token },
      customerId,
      orders,
    } = inWorld();
    const empty = (await service.post('/customers', { token, body: { name: 'New' } })).body;
    assert.deepEqual(idsIn(await service.get(`/customers/${empty.id}/orders`, { token })), []);
    assert.deepEqual(
      idsIn(await service.get(`/customers/${customerId}/orders?sort=id`, { token })),
      orders.map(({ id }) => id),
    );
  });

  test('a user has orders, at /api/users/{id}/orders and /api/users/{id}/orders/{order_id}', async () => {
    const { service, owner, other, orders } = inWorld();
    const path = `/api/users/${owner.id}/orders`;
    assert.deepEqual(
      idsIn(await service.get(`${path}?sort=id`, owner)),
      orders.map(({ id }) => id),
    );
    assert.deepEqual((await service.get(`${path}/${orders[0].id}`, owner)).body, orders[0]);
    assert.deepEqual(idsIn(await service.get(`/api/users/${other.id}/orders`, other)), []);
    assert.equal((await service.get(`/api/users/${other.id}/orders/${orders[0].id}`, other)).status, 404);
  });
});

describe('section 3, states:', () => {
  const inWorld = worldForSuite();

  test('the status of an order is a string, open to begin with', () => {
    for (const { status } of inWorld().orders) assert.equal(status, 'open');
  });
});

describe('section 4.1, users interface:', () => {
  const inWorld = worldForSuite();
  const userOf = ({ id, name, email, role, createdAt }: Answer['body']): object => ({
    id,
    name,
    email,
    role,
    createdAt,
  });

  test('{id} is an integer: anything else is an unknown path', async () => {
    const {
      service,
      admin: { token },
    } = inWorld();
    const strange = ['x', '1.0', '-1', '0', '01', '1e3', '9007199254740992', '99999999999999999999', '%31'];
    for (const id of strange)
      assert.equal((await service.get(`/api/users/${id}`, { token })).status, 404, id);
  });

  test('GET /api/users gives 200 and the collection of all users', async () => {
    const { service, admin, staff, owner, other } = inWorld();
    const answer = await service.get('/api/users?limit=200', { token: admin.token });
    assert.equal(answer.status, 200);
    assert.deepEqual(idsIn(answer), [admin.id, staff.id, owner.id, other.id]);
    for (const each of answer.body.data) assert.deepEqual(each, userOf(each));
  });

  test('GET /api/users/{id} gives 200 and one user, without password', async () => {
    const { service, owner } = inWorld();
    const answer = await service.get(`/api/users/${owner.id}`, owner);
    assert.equal(answer.status, 200);
    assert.deepEqual(Object.keys(answer.body).sort(), ['createdAt', 'email', 'id', 'name', 'role']);
    assert.deepEqual([answer.body.id, answer.body.email], [owner.id, owner.email]);
  });

  test('POST /api/users takes name, email and password and gives 201 and the created user', async (t) => {
    const service = await serviceFor(t);
    const body = { name: 'Ada Lovelace', email: 'ada@example.com', password };
    const answer = await service.post('/api/users', {
      body,
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(answer.status, 201);
    const { id, createdAt, ...rest } = answer.body;
    assert.deepEqual(rest, { name: 'Ada Lovelace', email: 'ada@example.com', role: 'user' });
    assert.deepEqual([typeof id, typeof createdAt], ['number', 'string']);
  });

  test('PUT /api/users/{id} replaces the user and gives 200 and the user as it is now', async () => {
    const { service } = inWorld();
    const person = await service.person();
    const answer = await service.put(`/api/users/${person.id}`, {
      token: person.token,
      body: {
        name: 'Ada King',
        email: 'king@example.com',
        password: 'another good password',
        currentPassword: password,
      },
    });
    assert.equal(answer.status, 200);
    assert.deepEqual(
      [answer.body.id, answer.body.name, answer.body.email, answer.body.role],
      [person.id, 'Ada King', 'king@example.com', 'user'],
    );
    assert.equal((await service.signIn('king@example.com', 'another good password')).id, person.id);
    assert.equal(
      (await service.put(`/api/users/${person.id}`, { token: person.token, body: { name: 'Ada King' } }))
        .status,
      400,
    ); // the full record
  });

  test('PATCH /api/users/{id} changes a part of the user and gives 200 and the changed user', async () => {
    const { service } = inWorld();
    const person = await service.person();
    const before = await service.get(`/api/users/${person.id}`, person);
    const answer = await service.patch(`/api/users/${person.id}`, {
      token: person.token,
      body: { name: 'Ada King' },
    });
    assert.deepEqual([answer.status, answer.body], [200, { ...before.body, name: 'Ada King' }]);
  });

  test('DELETE /api/users/{id} gives 204 and no content', async () => {
    const { service, admin } = inWorld();
    const person = await service.person();
    const answer = await service.delete(`/api/users/${person.id}`, { token: person.token });
    assert.deepEqual([answer.status, answer.text], [204, '']);
    assert.equal((await service.get(`/api/users/${person.id}`, { token: admin.token })).status, 404);
  });

  test('GET /api/users/{id}/orders gives 200 and the orders of that user', async () => {
    const { service, owner, orders } = inWorld();
    const answer = await service.get(`/api/users/${owner.id}/orders?sort=id`, owner);
    assert.deepEqual([answer.status, answer.body.data], [200, orders]);
  });

  test('GET /api/users/{id}/orders/{order_id} gives 200 and one order of that user', async () => {
    const { service, owner, orders } = inWorld();
    const answer = await service.get(`/api/users/${owner.id}/orders/${orders[1].id}`, owner);
    assert.deepEqual([answer.status, answer.body], [200, orders[1]]);
  });
});

describe('section 4.2, orders interface:', () => {
  const inWorld = worldForSuite();

  test('GET /orders gives 200 and a list of orders', async () => {
    const {
      service,
      owner: { token },
      orders,
    } = inWorld();
    const answer = await service.get('/orders?sort=id', { token });
    assert.deepEqual([answer.status, answer.body.data], [200, orders]);
  });

  test('POST /orders takes an order and gives 201 and the created order', async () => {
    const {
      service,
      other: { token, id: userId },
    } = inWorld();
    const customerId = (await service.post('/customers', { token, body: { name: 'Grace' } })).body.id;
    const answer = await service.post('/orders', {
      token,
      body: { customerId, currency: 'EUR', items, shippingAddress: address, note: 'Please ring twice.' },
    });
    assert.equal(answer.status, 201);
    const { status, note, total } = answer.body;
    assert.deepEqual([status, note, total], ['open', 'Please ring twice.', 1498]);
    assert.deepEqual([answer.body.customerId, answer.body.userId], [customerId, userId]);
  });

  test('GET /orders/{id} with Accept: application/json gives 200 and one order as that', async () => {
    const {
      service,
      owner: { token },
      orders,
    } = inWorld();
    const answer = await service.get(`/orders/${orders[0].id}`, {
      token,
      headers: { accept: 'application/json' },
    });
    assert.deepEqual(
      [answer.status, answer.headers['content-type'], answer.body],
      [200, 'application/json', orders[0]],
    );
  });

  test('GET /customers/{id}/orders gives 200 and the orders of one customer', async () => {
    const {
      service,
      owner: { token },
      customerId,
      orders,
    } = inWorld();
    const other = (await service.post('/customers', { token, body: { name: 'Other' } })).body.id;
    const answer = await service.get(`/customers/${customerId}/orders?sort=id`, { token });
    assert.deepEqual([answer.status, answer.body.data], [200, orders]);
    assert.deepEqual(idsIn(await service.get(`/customers/${other}/orders`, { token })), []);
  });

  test('the parameter status keeps only orders with this status', async (t) => {
    const {
      service,
      owner: { token },
      staff,
      orders: [one, two],
    } = await worldOf(await serviceFor(t));
    await service.patch(`/orders/${one.id}`, { token: staff.token, body: { status: 'paid' } });
    assert.deepEqual(idsIn(await service.get('/orders?status=open', { token })), [two.id]);
    assert.deepEqual(idsIn(await service.get('/orders?status=paid', { token })), [one.id]);
    assert.equal((await service.get('/orders?status=lost', { token })).status, 422);
  });

  test('sort names a field to sort by, with a leading minus sign for descending order', async () => {
    const {
      service,
      owner: { token },
      orders: [one, two],
    } = inWorld();
    assert.deepEqual(idsIn(await service.get('/orders?sort=createdAt', { token })), [one.id, two.id]);
    assert.deepEqual(idsIn(await service.get('/orders?sort=-createdAt', { token })), [two.id, one.id]);
    assert.equal((await service.get('/orders?sort=colour', { token })).status, 422);
  });

  for (const name of ['customerId', 'currency', 'items'] as const) {
    test(`note 3: POST /orders without the required ${name} is rejected`, async () => {
      const {
        service,
        owner: { token },
        customerId,
      } = inWorld();
      const answer = await service.post('/orders', {
        token,
        body: { customerId, currency: 'EUR', items, [name]: undefined },
      });
      assert.equal(answer.status, 422);
      assert.equal(answer.body.errors[0].pointer, `#/${name}`);
    });
  }
});

describe('section 5, authentication:', () => {
  const inWorld = worldForSuite();

  test('a bearer token, a JSON Web Token, goes in the Authorization header of every request', async () => {
    const {
      service,
      owner: { token },
    } = inWorld();
    assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
    assert.equal(
      (await service.get('/orders', { headers: { authorization: `Bearer ${token}` } })).status,
      200,
    );
    assert.equal((await service.get('/orders')).status, 401); // on the same connection
  });

  test('an API key goes in X-API-Key, or in the query parameter api_key', async () => {
    const {
      service,
      owner: { token },
    } = inWorld();
    const { key } = (
      await service.post('/api/keys', { token, body: { name: 'till', scopes: ['orders:read'] } })
    ).body;
    assert.equal((await service.get('/orders', { headers: { 'x-api-key': key } })).status, 200);
    assert.equal((await service.get(`/orders?api_key=${key}`)).status, 200);
  });

  test('rule 1: a client obtains a token after a successful login', async () => {
    const {
      service,
      owner: { email },
    } = inWorld();
    const { status, body } = await service.post('/api/sessions', { body: { email, password } });
    assert.equal(status, 201);
    assert.equal((await service.get('/orders', { token: body.accessToken })).status, 200);
    const refused = await service.post('/api/sessions', { body: { email, password: 'not that password' } });
    assert.deepEqual([refused.status, refused.body.accessToken], [401, undefined]);
  });

  test('rule 2: a missing or invalid token gives 401', async () => {
    const {
      service,
      owner: { token },
    } = inWorld();
    for (const authorization of [undefined, '', 'Bearer', 'Bearer x', `Bearer ${token}x`, `Basic ${token}`]) {
      for (const path of ['/orders', '/customers', '/api/users']) {
        assert.equal(
          (await service.get(path, { headers: authorization === undefined ? {} : { authorization } })).status,
          401,
          `${authorization}`,
        );
      }
    }
    assert.equal((await service.get('/orders', { key: 'ord_1_nothing' })).status, 401);
  });

  test('rule 3: a caller lacking permission gives 403', async () => {
    const {
      service,
      owner: { token },
      orders,
    } = inWorld();
    assert.equal((await service.get('/api/users', { token })).status, 403);
    assert.equal(
      (await service.patch(`/orders/${orders[0].id}`, { token, body: { status: 'paid' } })).status,
      403,
    );
  });

  test('rule 4: a user may access only their own data', async () => {
    const {
      service,
      owner,
      other: { token },
      customerId,
      orders,
    } = inWorld();
    const paths = [
      `/api/users/${owner.id}`,
      `/api/users/${owner.id}/orders`,
      `/api/users/${owner.id}/orders/${orders[0].id}`,
      `/orders/${orders[0].id}`,
      `/customers/${customerId}`,
      `/customers/${customerId}/orders`,
      `/api/sessions/${owner.sessionId}`,
    ];
    for (const path of paths) {
      assert.equal((await service.get(path, { token })).status, 403, path);
      assert.equal((await service.get(path, { token: owner.token })).status, 200, path);
    }
    for (const path of ['/orders', '/customers'])
      assert.deepEqual(idsIn(await service.get(path, { token })), []);
  });
});

describe('section 7.1, status codes:', () => {
  const inWorld = worldForSuite();

  test('200: GET, PUT and PATCH succeeded', async () => {
    const {
      service,
      owner: { token },
      customerId,
    } = inWorld();
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', { name: 'Grace' }],
      ['PATCH', { name: 'Grace' }],
    ] as const) {
      assert.equal((await service.call(method, `/customers/${customerId}`, { token, body })).status, 200);
    }
  });

  test('201: POST created a resource', async () => {
    const {
      service,
      owner: { token },
    } = inWorld();
    assert.equal((await service.post('/customers', { token, body: { name: 'Grace' } })).status, 201);
  });

  test('204: DELETE succeeded', async () => {
    const {
      service,
      owner: { token },
    } = inWorld();
    const { headers } = await service.post('/customers', { token, body: { name: 'Grace' } });
    assert.equal((await service.delete(headers.location ?? '', { token })).status, 204);
  });

  test('400: invalid data in the request, in the users interface', async () => {
    const {
      service,
      owner: { id, token },
      admin,
    } = inWorld();
    const email = 'valid@example.com';
    assert.equal((await service.post('/api/users', { body: { email, password } })).status, 400);
    assert.equal(
      (await service.post('/api/users', { body: { name: 'Ada', email: 'ada', password } })).status,
      400,
    );
    assert.equal((await service.put(`/api/users/${id}`, { token, body: { email } })).status, 400);
    assert.equal((await service.patch(`/api/users/${id}`, { token, body: { name: '' } })).status, 400);
    assert.equal((await service.get('/api/users?limit=0', { token: admin.token })).status, 400);
    assert.equal((await service.get(`/api/users/${id}/orders?status=lost`, { token })).status, 400);
  });

  test('401: token missing or invalid', async () => {
    const { service } = inWorld();
    for (const token of [undefined, 'x.y.z'])
      assert.equal((await service.get('/orders', { token })).status, 401);
  });

  test('403: access denied', async () => {
    const { service, owner, other } = inWorld();
    assert.equal((await service.get(`/api/users/${owner.id}`, other)).status, 403);
  });

  test('404: unknown id or path', async () => {
    const {
      service,
      admin: { token },
    } = inWorld();
    for (const path of [
      '/api/users/4711',
      '/orders/4711',
      '/customers/4711',
      '/customers/4711/orders',
      '/orders/x',
      '/nothing',
      '/api',
      '/orders/',
    ]) {
      assert.equal((await service.get(path, { token })).status, 404, path);
    }
  });

  test('422: understood but wrong, such as a missing field or a bad postal code, for orders', async () => {
    const {
      service,
      owner: { token },
      customerId,
    } = inWorld();
    assert.equal(
      (await service.post('/orders', { token, body: { customerId, currency: 'EUR' } })).status,
      422,
    );
    assert.equal(
      (
        await service.post('/orders', {
          token,
          body: { customerId, currency: 'EUR', items, shippingAddress: { ...address, postalCode: 'ABC' } },
        })
      ).status,
      422,
    );
    assert.equal(
      (
        await service.post('/customers', {
          token,
          body: { name: 'Grace', address: { ...address, postalCode: '261290' } },
        })
      ).status,
      422,
    );
    assert.equal(
      (await service.patch(`/customers/${customerId}`, { token, body: { email: 'grace' } })).status,
      422,
    );
    assert.equal((await service.get('/orders?limit=0', { token })).status, 422);
    assert.equal((await service.get(`/customers/${customerId}/orders?status=lost`, { token })).status, 422);
  });

  test('500: an unexpected error is told, and the service goes on', async (t) => {
    if (executable !== undefined) return t.skip('needs a route that fails');
    const broken = route({
      method: 'GET',
      path: '/broken',
      tag: 'Test',
      summary: 'Fails',
      access: anyone,
      reply: noContent(),
      handle: (): never => {
        throw new Error('the secret cause');
      },
    });
    const service = await serviceFor(t, { extraRoutes: [broken] });
    const answer = await service.get('/broken');
    assert.equal(answer.status, 500);
    assert.equal(answer.headers['content-type'], 'application/problem+json');
    assert.ok(!answer.text.includes('secret cause'));
    const line =
      service.logged.find((each) => each.includes('secret cause')) ??
      assert.fail('the cause is not in the log');
    assert.ok(line.includes(answer.body.requestId));
    assert.equal((await service.get('/health/ready')).status, 200);
  });
});

describe('section 7.2, the error body:', () => {
  const inWorld = worldForSuite();

  /** One of each: 400, 401, 403, 404, 422. */
  async function refusals(): Promise<
    readonly { readonly status: number; readonly path: string; readonly answer: Answer }[]
  > {
    const { service, owner, other, customerId } = inWorld();
    return [
      { status: 400, path: '/api/users', answer: await service.post('/api/users', { body: {} }) },
      { status: 401, path: '/orders', answer: await service.get('/orders?limit=3') },
      {
        status: 403,
        path: `/customers/${customerId}`,
        answer: await service.get(`/customers/${customerId}`, other),
      },
      { status: 404, path: '/orders/4711', answer: await service.get('/orders/4711', owner) },
      {
        status: 422,
        path: '/orders',
        answer: await service.post('/orders?x=1', { token: owner.token, body: {} }),
      },
    ];
  }

  test('errors are problem details, sent as application/problem+json', async () => {
    for (const { status, answer } of await refusals()) {
      assert.equal(answer.status, status);
      assert.equal(answer.headers['content-type'], 'application/problem+json');
    }
  });

  test('type is a URI that points to the description of the error kind', async () => {
    const { service } = inWorld();
    for (const { answer } of await refusals()) {
      const { origin, pathname } = new URL(answer.body.type);
      assert.equal(origin, `https://localhost:${service.port}`);
      const description = await service.get(pathname, { headers: { accept: 'application/json' } });
      assert.deepEqual([description.status, description.body.title], [200, answer.body.title]);
    }
  });

  test('title is a short readable summary', async () => {
    for (const { answer } of await refusals()) assert.match(answer.body.title, /^[A-Z][\w ]{3,40}$/);
  });

  test('status is the HTTP status code, as an integer', async () => {
    for (const { status, answer } of await refusals()) assert.strictEqual(answer.body.status, status);
  });

  test('detail says more exactly what is wrong', async () => {
    for (const { answer } of await refusals())
      assert.ok(
        answer.body.detail.length > answer.body.title.length && answer.body.detail.endsWith('.'),
        answer.body.detail,
      );
  });

  test('instance is the path of the resource that the error concerns', async () => {
    for (const { path, answer } of await refusals()) assert.equal(answer.body.instance, path);
  });
});

describe('section 8, limits:', () => {
  test('the number of requests per time span is bounded, for each caller apart', async (t) => {
    const service = await serviceFor(t, {
      settings: { 'rate-default': '3/3600', 'rate-anonymous': '30/3600' },
    });
    const [one, two] = [await service.person(), await service.person()];
    const statuses: number[] = [];
    for (let index = 0; index < 5; index += 1) statuses.push((await service.get('/orders', one)).status);
    assert.deepEqual(statuses, [200, 200, 200, 429, 429]);
    assert.equal((await service.get('/orders', two)).status, 200);
    for (let index = 0; index < 30; index += 1) statuses.push((await service.get('/orders')).status);
    assert.equal(statuses.at(-1), 429);
  });

  test('input is validated strictly: nothing unknown is ignored, nothing converted', async (t) => {
    const {
      service,
      owner: { token },
      customerId,
    } = await worldOf(await serviceFor(t));
    const body = { customerId, currency: 'EUR', items };
    for (const change of [
      { colour: 'red' },
      { customerId: String(customerId) },
      { currency: 'eur' },
      { items: items[0] },
      { items: [{ ...items[0], quantity: '2' }] },
    ]) {
      assert.equal(
        (await service.post('/orders', { token, body: { ...body, ...change } })).status,
        422,
        JSON.stringify(change),
      );
    }
    for (const query of ['colour=red', 'status=open&status=paid', 'limit=1.0', 'limit=', 'total=1'])
      assert.equal((await service.get(`/orders?${query}`, { token })).status, 422, query);
    assert.equal((await service.get('/orders?status=open&limit=1&total=true', { token })).status, 200);
  });
});
