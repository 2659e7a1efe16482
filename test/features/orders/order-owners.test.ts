// The owner of an order: which customers and users it may name, and who sees it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import type { TestResponse, Person } from '../../support/service.ts';
import { assertIssues, idsIn, items, newCustomer, newOrder } from '../../support/resource-support.ts';

describe('the owner of an order', () => {
  let ada: Person, bob: Person, staff: Person, own: number;
  const service = sharedService({}, async (started) => {
    [ada, bob, staff] = [await started.person(), await started.person(), await started.person('staff')];
    own = (await newCustomer(started, ada.token)).id;
  });
  const place = (members: object, by = ada): Promise<TestResponse> =>
    by.post('/orders', { customerId: own, currency: 'EUR', items, ...members });

  test('another user’s customer is as unknown as one that doesn’t exist', async () => {
    const { id: foreign } = await newCustomer(service(), bob.token);
    const [response, unknown] = [await place({ customerId: foreign }), await place({ customerId: 999_999 })];
    assertIssues(response, 422, ['#/customerId unknown']);
    assert.equal(response.body.detail.replace(String(foreign), '999999'), unknown.body.detail);
  });

  test('only staff may place an order for another user, and learn whether there is one', async () => {
    for (const userId of [bob.id, 999_999]) assertProblem(await place({ userId }), 'forbidden');
    assertIssues(await place({ userId: 999_999 }, staff), 422, ['#/userId unknown']);
    const { body } = await place({ userId: bob.id }, staff);
    assert.deepEqual([body.userId, body.customerId], [bob.id, own]);
    assert.equal((await bob.get(`/orders/${body.id}`)).status, 200);
    assertProblem(await ada.get(`/orders/${body.id}`), 'forbidden');
  });

  test('the orders of a customer are listed to the customer’s owner only if they own the orders', async () => {
    const { id: customerId } = await newCustomer(service(), bob.token);
    await newOrder(service(), bob.token, { customerId });
    await staff.patch(`/customers/${customerId}`, { userId: ada.id });
    const { id } = await newOrder(service(), ada.token, { customerId });
    for (const sort of ['id', '-createdAt', 'total', 'updatedAt', 'status']) {
      const path = `/customers/${customerId}/orders?total=true&sort=${sort}`;
      const list = await ada.get(path);
      assert.deepEqual([idsIn(list), list.body.total], [[id], 1]);
      assert.equal((await staff.get(path)).body.total, 2);
    }
  });

  test('an order of one user isn’t found among another’s', async () => {
    const { id } = await newOrder(service(), ada.token);
    for (const path of [`${bob.id}/orders/${id}`, `${ada.id}/orders/999999`, '999999/orders'])
      assertProblem(await staff.get(`/api/users/${path}`), 'not-found');
  });
});
