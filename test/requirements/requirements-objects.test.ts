// Requirements sections 2 and 3, sentence by sentence: users, orders, and how they belong together.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertStatus } from '../support/http-support.ts';
import { password, type TestResponse } from '../support/service.ts';
import { items, address, fixtureForSuite } from './requirements-support.ts';
import { idsIn } from '../support/resource-support.ts';

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

describe('section 2.1, user:', () => {
  const fixture = fixtureForSuite();

  async function signUp(email: string, more: object = {}): Promise<TestResponse> {
    const { service } = fixture();
    return service.post('/api/users', { body: { name: 'Ada Lovelace', email, password, ...more } });
  }

  test('id is an integer that the service assigns', async () => {
    const [one, two] = [await signUp('id.one@example.com'), await signUp('id.two@example.com')];
    assert.ok(
      Number.isSafeInteger(one.body.id) && Number.isSafeInteger(two.body.id) && one.body.id !== two.body.id,
    );
    await assertStatus(signUp('id.three@example.com', { id: 7 }), 400);
  });

  test('name is a string, sent and returned', async () => {
    assert.equal((await signUp('name@example.com')).body.name, 'Ada Lovelace');
    await assertStatus(signUp('name2@example.com', { name: 7 }), 400);
  });

  test('email is an e-mail address, sent and returned', async () => {
    assert.equal((await signUp('email@example.com')).body.email, 'email@example.com');
    await assertStatus(signUp('no address'), 400);
  });

  test('password is a string, sent and never returned', async () => {
    const { service } = fixture();
    const made = await signUp('password@example.com');
    const { token } = await service.signIn('password@example.com', password);
    const read = await service.get(`/api/users/${made.body.id}`, { token });
    for (const { body, text } of [made, read]) assert.ok(!('password' in body) && !text.includes(password));
    await assertStatus(signUp('password2@example.com', { password: 12345678 }), 400);
  });

  test('role is a string that the service sets when the request doesn’t carry it', async () => {
    const { service, admin } = fixture();
    assert.equal((await signUp('role@example.com')).body.role, 'user');
    const carried = await service.post('/api/users', {
      token: admin.token,
      body: { name: 'Ada', email: 'role2@example.com', password, role: 'staff' },
    });
    assert.equal(carried.body.role, 'staff');
  });

  test('createdAt is an ISO 8601 UTC timestamp that the service sets', async () => {
    assert.match((await signUp('created@example.com')).body.createdAt, timestamp);
    await assertStatus(signUp('created2@example.com', { createdAt: '2026-03-01T09:30:00.000Z' }), 400);
  });
});

describe('section 2.2, order:', () => {
  const fixture = fixtureForSuite();

  test('the id of an order is an integer that the service assigns', async () => {
    const {
      service,
      token,
      customerId,
      orders: [one, two],
    } = fixture();
    assert.ok(Number.isSafeInteger(one.id) && Number.isSafeInteger(two.id) && one.id !== two.id);
    await assertStatus(
      service.post('/orders', { token, body: { id: 7, customerId, currency: 'EUR', items } }),
      422,
    );
  });

  test('status is a string to filter by', async () => {
    const {
      service,
      token,
      orders: [one, two],
    } = fixture();
    assert.equal(typeof one.status, 'string');
    const open = idsIn(await service.get('/orders?status=open', { token }));
    assert.deepEqual(
      [two.id, one.id].filter((id) => open.includes(id)),
      [two.id, one.id],
    );
    assert.deepEqual(idsIn(await service.get('/orders?status=shipped', { token })), []);
  });

  test('createdAt is a string to sort by', async () => {
    const {
      service,
      token,
      orders: [one, two],
    } = fixture();
    assert.match(one.createdAt, timestamp);
    const ids = idsIn(await service.get('/orders?sort=createdAt', { token }));
    const known = [one.id, two.id];
    assert.deepEqual(
      ids.filter((id) => known.includes(id)),
      known,
    );
  });

  test('a postal code exists in input, and is validated', async () => {
    const { service, token, customerId } = fixture();
    const place = (postalCode: string): Promise<TestResponse> =>
      service.post('/orders', {
        token,
        body: { customerId, currency: 'EUR', items, shippingAddress: { ...address, postalCode } },
      });
    assert.equal((await place('26129')).body.shippingAddress.postalCode, '26129');
    await assertStatus(place('2612'), 422);
  });
});

describe('section 2.4, relationships:', () => {
  const fixture = fixtureForSuite();

  test('a customer has zero or more orders, at /customers/{id}/orders', async () => {
    const { service, token, customerId, orders } = fixture();
    const empty = (await service.post('/customers', { token, body: { name: 'New' } })).body;
    assert.deepEqual(idsIn(await service.get(`/customers/${empty.id}/orders`, { token })), []);
    assert.deepEqual(
      idsIn(await service.get(`/customers/${customerId}/orders?sort=id`, { token })),
      orders.map(({ id }) => id),
    );
  });

  test('a user has orders, at /api/users/{id}/orders and /api/users/{id}/orders/{order_id}', async () => {
    const { service, owner, other, orders } = fixture();
    const path = `/api/users/${owner.id}/orders`;
    assert.deepEqual(
      idsIn(await service.get(`${path}?sort=id`, owner)),
      orders.map(({ id }) => id),
    );
    assert.deepEqual((await service.get(`${path}/${orders[0].id}`, owner)).body, orders[0]);
    assert.deepEqual(idsIn(await service.get(`/api/users/${other.id}/orders`, other)), []);
    await assertStatus(service.get(`/api/users/${other.id}/orders/${orders[0].id}`, other), 404);
  });
});

describe('section 3, states:', () => {
  const fixture = fixtureForSuite();

  test('the status of an order is a string, open to begin with', () => {
    for (const { status } of fixture().orders) assert.equal(status, 'open');
  });
});
