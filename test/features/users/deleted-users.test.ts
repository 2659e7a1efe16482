// A deleted user, and what remains.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { password, type TestService } from '../../support/service.ts';
import { idsIn, newCustomer, newKey, newOrder, rootToken } from '../../support/resource-support.ts';

describe('deleting a user', () => {
  const running = sharedService();

  async function withEverything(service: TestService) {
    const person = await service.person();
    const customer = await newCustomer(service, person.token);
    const order = await newOrder(service, person.token, { customerId: customer.id });
    const { key } = await newKey(service, person.token, { scopes: ['customers:read', 'orders:read'] });
    return { person, customer, order, key };
  }

  test('deleting a user ends the user’s sessions and keys with the very next request', async () => {
    const service = running();
    const { person, order, key } = await withEverything(service);
    const second = await service.signIn(person.email, password);
    for (const call of [{ token: second.token }, { key }])
      assert.equal((await service.get(`/orders/${order.id}`, call)).status, 200);
    assert.equal((await service.delete(`/api/users/${person.id}`, { token: person.token })).status, 204);
    for (const call of [{ token: person.token }, { token: second.token }, { key }]) {
      assertProblem(await service.get(`/orders/${order.id}`, call), 'invalid-token');
    }
    assertProblem(await service.renew(second), 'invalid-credentials');
    assertProblem(
      await service.post('/api/sessions', { body: { email: person.email, password } }),
      'invalid-credentials',
    );
    assertProblem(
      await service.get(`/api/users/${person.id}`, { token: await rootToken(service) }),
      'not-found',
    );
  });

  test('deleting a user leaves their customers and orders, without an owner', async () => {
    const service = running();
    const { person, customer, order } = await withEverything(service);
    const token = await rootToken(service);
    for (const path of [`/orders/${order.id}`, `/customers/${customer.id}`])
      await service.get(path, { token }); // may be cached
    await service.delete(`/api/users/${person.id}`, { token });
    assert.deepEqual((await service.get(`/orders/${order.id}`, { token })).body, { ...order, userId: null });
    assert.deepEqual((await service.get(`/customers/${customer.id}`, { token })).body, {
      ...customer,
      userId: null,
    });
    assert.deepEqual(idsIn(await service.get(`/customers/${customer.id}/orders`, { token })), [order.id]);
    assertProblem(await service.get(`/api/users/${person.id}/orders`, { token }), 'not-found');
    const paid = { token, body: { status: 'paid', userId: null } };
    assert.equal((await service.patch(`/orders/${order.id}`, paid)).status, 200);
    const other = await service.person();
    for (const path of [`/orders/${order.id}`, `/customers/${customer.id}`])
      assertProblem(await service.get(path, { token: other.token }), 'forbidden');
  });

  test('deleting a user never reuses their id', async () => {
    const service = running();
    const { id, token } = await service.person();
    await service.delete(`/api/users/${id}`, { token });
    assert.ok((await service.person()).id > id);
  });
});
