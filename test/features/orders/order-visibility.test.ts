// Who sees an order.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { serviceFor } from '../../support/service.ts';
import { newOrder } from '../../support/resource-support.ts';

describe('who sees an order', () => {
  const running = sharedService();

  test('an order is in the lists of its owner, staff and administrators, and of nobody else', async (t) => {
    const service = await serviceFor(t);
    const [ada, bob, staff, root] = await Promise.all([
      service.person(),
      service.person(),
      service.person('staff'),
      service.person('admin'),
    ]);
    const order = await newOrder(service, ada.token);
    for (const { token } of [ada, staff, root])
      assert.deepEqual((await service.get('/orders', { token })).body.data, [order]);
    assert.deepEqual((await service.get('/orders', { token: bob.token })).body.data, []);
  });

  test('an order of one user isn’t found among another’s', async () => {
    const service = running();
    const [ada, bob, staff] = await Promise.all([
      service.person(),
      service.person(),
      service.person('staff'),
    ]);
    const order = await newOrder(service, ada.token);
    assertProblem(
      await service.get(`/api/users/${bob.id}/orders/${order.id}`, { token: staff.token }),
      'not-found',
    );
    assertProblem(
      await service.get(`/api/users/${ada.id}/orders/999999`, { token: staff.token }),
      'not-found',
    );
    assertProblem(await service.get('/api/users/999999/orders', { token: staff.token }), 'not-found');
  });

  for (const id of [
    '0',
    '-1',
    '01',
    '1.0',
    '1e3',
    'abc',
    '9007199254740992',
    '99999999999999999999',
    '%20',
    '1%20',
    '',
  ]) {
    test(`an order’s id spelled "${id}" is 404`, async () => {
      const service = running();
      const { token } = await service.person('staff');
      assertProblem(await service.get(`/orders/${id}`, { token, isUndescribed: true }), 'not-found');
    });
  }

  test('an order outlives its owner, without one', async () => {
    const service = running();
    const [ada, staff] = await Promise.all([service.person(), service.person('staff')]);
    const order = await newOrder(service, ada.token);
    assert.equal((await service.delete(`/api/users/${ada.id}`, { token: ada.token })).status, 204);
    const read = await service.get(`/orders/${order.id}`, { token: staff.token });
    assert.deepEqual(read.body, { ...order, userId: null });
    assert.equal(
      (
        await service.patch(`/orders/${order.id}`, {
          token: staff.token,
          body: { status: 'paid', userId: null },
        })
      ).status,
      200,
    );
  });
});
