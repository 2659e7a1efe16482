// The owner of an order: which customers and users it may name, and who sees it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import type { TestResponse, Person } from '../../support/service.ts';
import { assertIssues, newCustomer, newOrder } from '../../support/resource-support.ts';
import { tea } from './order-support.ts';

describe('the owner of an order', () => {
  let ada: Person, bob: Person, staff: Person;
  let own: number, foreign: number;
  const service = sharedService({}, async (started) => {
    [ada, bob, staff] = await Promise.all([started.person(), started.person(), started.person('staff')]);
    [own, foreign] = [(await newCustomer(started, ada.token)).id, (await newCustomer(started, bob.token)).id];
  });
  const place = (body: object, { token } = ada): Promise<TestResponse> =>
    service().post('/orders', { token, body });
  const wanted = (members: object = {}): object => ({
    customerId: own,
    currency: 'EUR',
    items: [tea],
    ...members,
  });

  test('another user’s customer is as unknown as one that doesn’t exist', async () => {
    const [response, unknown] = [
      await place(wanted({ customerId: foreign })),
      await place(wanted({ customerId: 999_999 })),
    ];
    assertIssues(response, 422, ['#/customerId unknown']);
    assert.equal(response.body.detail.replace(String(foreign), '999999'), unknown.body.detail);
  });

  test('a user can’t learn whether a user id exists', async () => {
    for (const userId of [bob.id, 999_999]) assertProblem(await place(wanted({ userId })), 'forbidden', 403);
    assertIssues(await place(wanted({ userId: 999_999 }), staff), 422, ['#/userId unknown']);
  });

  test('the orders of a customer are listed to the customer’s owner only if they own the orders', async () => {
    const { id: customerId } = await newCustomer(service(), bob.token);
    const before = await newOrder(service(), bob.token, { customerId, note: 'of the owner before' });
    await service().patch(`/customers/${customerId}`, { token: staff.token, body: { userId: ada.id } });
    const after = await newOrder(service(), ada.token, { customerId });
    for (const sort of ['id', '-createdAt', 'total', 'updatedAt', 'status']) {
      const path = `/customers/${customerId}/orders?total=true&sort=${sort}`;
      const { body, text } = await service().get(path, { token: ada.token });
      assert.deepEqual([body.data.map(({ id }: { id: number }) => id), body.total], [[after.id], 1], text);
      assert.equal((await service().get(path, { token: staff.token })).body.total, 2);
    }
    assertProblem(await service().get(`/orders/${before.id}`, { token: ada.token }), 'forbidden', 403);
  });

  test('an order of one user isn’t found among another’s', async () => {
    const { id } = await newOrder(service(), ada.token);
    for (const path of [`${bob.id}/orders/${id}`, `${ada.id}/orders/999999`, '999999/orders'])
      assertProblem(await service().get(`/api/users/${path}`, { token: staff.token }), 'not-found');
  });

  test('only staff may place an order for another user', async () => {
    assertProblem(await place(wanted({ userId: bob.id })), 'forbidden');
    const placed = await place(wanted({ userId: bob.id }), staff);
    assert.deepEqual([placed.status, placed.body.userId, placed.body.customerId], [201, bob.id, own]);
    assert.equal((await service().get(`/orders/${placed.body.id}`, { token: bob.token })).status, 200);
    assertProblem(await service().get(`/orders/${placed.body.id}`, { token: ada.token }), 'forbidden');
  });
});
