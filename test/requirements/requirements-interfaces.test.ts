// Requirements section 4, sentence by sentence: the users interface and the orders interface.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertStatus } from '../support/http-support.ts';
import { password, serviceFor, type TestResponse } from '../support/service.ts';
import { items, address, createFixture, fixtureForSuite } from './requirements-support.ts';
import { idsIn } from '../support/resource-support.ts';

describe('section 4.1, users interface:', () => {
  const fixture = fixtureForSuite();
  const userOf = ({ id, name, email, role, createdAt }: TestResponse['body']): object => ({
    id,
    name,
    email,
    role,
    createdAt,
  });

  test('{id} is an integer: anything else is an unknown path', async () => {
    const { service, admin } = fixture();
    const { token } = admin;
    const strange = ['x', '1.0', '-1', '0', '01', '1e3', '9007199254740992', '99999999999999999999', '%20'];
    for (const id of strange) await assertStatus(service.get(`/api/users/${id}`, { token }), 404, id);
  });

  test('GET /api/users gives 200 and the collection of all users', async () => {
    const { service, admin, staff, owner, other } = fixture();
    const response = await service.get('/api/users?limit=200', { token: admin.token });
    assert.equal(response.status, 200);
    const ids = idsIn(response);
    for (const { id } of [admin, staff, owner, other]) assert.ok(ids.includes(id));
    assert.deepEqual(ids, [...new Set(ids)]);
    for (const each of response.body.data) assert.deepEqual(each, userOf(each));
  });

  test('GET /api/users/{id} gives 200 and one user, without password', async () => {
    const { service, owner } = fixture();
    const response = await service.get(`/api/users/${owner.id}`, owner);
    assert.equal(response.status, 200);
    assert.deepEqual(Object.keys(response.body).sort(), ['createdAt', 'email', 'id', 'name', 'role']);
    assert.deepEqual([response.body.id, response.body.email], [owner.id, owner.email]);
  });

  test('POST /api/users takes name, email and password and gives 201 and the created user', async (t) => {
    const service = await serviceFor(t);
    const body = { name: 'Ada Lovelace', email: 'ada@example.com', password };
    const response = await service.post('/api/users', {
      body,
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(response.status, 201);
    const { id, createdAt, ...rest } = response.body;
    assert.deepEqual(rest, { name: 'Ada Lovelace', email: 'ada@example.com', role: 'user' });
    assert.deepEqual([typeof id, typeof createdAt], ['number', 'string']);
  });

  test('PUT /api/users/{id} replaces the user and gives 200 and the user as it is now', async () => {
    const { service } = fixture();
    const person = await service.person();
    const [path, { token }] = [`/api/users/${person.id}`, person];
    const [email, secret] = ['king@example.com', 'another good password'];
    const body = { name: 'Ada King', email, password: secret, currentPassword: password };
    const response = await service.put(path, { token, body });
    assert.equal(response.status, 200);
    assert.deepEqual(
      [response.body.id, response.body.name, response.body.email, response.body.role],
      [person.id, 'Ada King', 'king@example.com', 'user'],
    );
    assert.equal((await service.signIn(email, secret)).id, person.id);
    await assertStatus(
      service.put(`/api/users/${person.id}`, { token: person.token, body: { name: 'Ada King' } }),
      400,
    ); // the complete object
  });

  test('PATCH /api/users/{id} changes a part of the user and gives 200 and the changed user', async () => {
    const { service } = fixture();
    const person = await service.person();
    const before = await service.get(`/api/users/${person.id}`, person);
    const response = await service.patch(`/api/users/${person.id}`, {
      token: person.token,
      body: { name: 'Ada King' },
    });
    assert.deepEqual([response.status, response.body], [200, { ...before.body, name: 'Ada King' }]);
  });

  test('DELETE /api/users/{id} gives 204 and no content', async () => {
    const { service, admin } = fixture();
    const person = await service.person();
    const response = await service.delete(`/api/users/${person.id}`, { token: person.token });
    assert.deepEqual([response.status, response.text], [204, '']);
    await assertStatus(service.get(`/api/users/${person.id}`, { token: admin.token }), 404);
  });

  test('GET /api/users/{id}/orders gives 200 and the orders of that user', async () => {
    const { service, owner, orders } = fixture();
    const response = await service.get(`/api/users/${owner.id}/orders?sort=id`, owner);
    assert.deepEqual([response.status, response.body.data], [200, orders]);
  });

  test('GET /api/users/{id}/orders/{order_id} gives 200 and one order of that user', async () => {
    const { service, owner, orders } = fixture();
    const response = await service.get(`/api/users/${owner.id}/orders/${orders[1].id}`, owner);
    assert.deepEqual([response.status, response.body], [200, orders[1]]);
  });
});

describe('section 4.2, orders interface:', () => {
  const fixture = fixtureForSuite();

  test('GET /orders gives 200 and a list of orders', async () => {
    const { service, token, orders } = fixture();
    const response = await service.get('/orders?sort=id', { token });
    assert.deepEqual([response.status, response.body.data], [200, orders]);
  });

  test('POST /orders takes an order and gives 201 and the created order', async () => {
    const { service, other } = fixture();
    const { token, id: userId } = other;
    const customerId = (await service.post('/customers', { token, body: { name: 'Grace' } })).body.id;
    const response = await service.post('/orders', {
      token,
      body: { customerId, currency: 'EUR', items, shippingAddress: address, note: 'Please ring twice.' },
    });
    assert.equal(response.status, 201);
    const { status, note, total } = response.body;
    assert.deepEqual([status, note, total], ['open', 'Please ring twice.', 1498]);
    assert.deepEqual([response.body.customerId, response.body.userId], [customerId, userId]);
  });

  test('GET /orders/{id} with Accept: application/json gives 200 and one order as JSON', async () => {
    const { service, token, orders } = fixture();
    const response = await service.get(`/orders/${orders[0].id}`, {
      token,
      headers: { accept: 'application/json' },
    });
    assert.deepEqual(
      [response.status, response.headers['content-type'], response.body],
      [200, 'application/json', orders[0]],
    );
  });

  test('GET /customers/{id}/orders gives 200 and the orders of one customer', async () => {
    const { service, token, customerId, orders } = fixture();
    const other = (await service.post('/customers', { token, body: { name: 'Other' } })).body.id;
    const response = await service.get(`/customers/${customerId}/orders?sort=id`, { token });
    assert.deepEqual([response.status, response.body.data], [200, orders]);
    assert.deepEqual(idsIn(await service.get(`/customers/${other}/orders`, { token })), []);
  });

  test('the parameter status keeps only orders with this status', async (t) => {
    const {
      service,
      token,
      staff,
      orders: [one, two],
    } = await createFixture(await serviceFor(t));
    await service.patch(`/orders/${one.id}`, { token: staff.token, body: { status: 'paid' } });
    assert.deepEqual(idsIn(await service.get('/orders?status=open', { token })), [two.id]);
    assert.deepEqual(idsIn(await service.get('/orders?status=paid', { token })), [one.id]);
    await assertStatus(service.get('/orders?status=lost', { token }), 422);
  });

  test('sort names a field to sort by, with a leading minus sign for descending order', async () => {
    const {
      service,
      token,
      orders: [one, two],
    } = fixture();
    assert.deepEqual(idsIn(await service.get('/orders?sort=createdAt', { token })), [one.id, two.id]);
    assert.deepEqual(idsIn(await service.get('/orders?sort=-createdAt', { token })), [two.id, one.id]);
    await assertStatus(service.get('/orders?sort=colour', { token }), 422);
  });

  for (const name of ['customerId', 'currency', 'items'] as const) {
    test(`note 3: POST /orders without the required ${name} is rejected`, async () => {
      const { service, token, customerId } = fixture();
      const response = await service.post('/orders', {
        token,
        body: { customerId, currency: 'EUR', items, [name]: undefined },
      });
      assert.equal(response.status, 422);
      assert.equal(response.body.errors[0].pointer, `#/${name}`);
    });
  }
});
