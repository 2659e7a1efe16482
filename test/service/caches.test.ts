// What a change makes stale in the caches: a table without its line in `caches.ts` shows old objects.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceFor } from '../support/service.ts';

test('a customer and their order that were read are shown as they are after a change', async (t) => {
  const service = await serviceFor(t);
  const staff = await service.person('staff');
  const { id: customerId } = (await staff.post('/customers', { name: 'Grace' })).body;
  const items = [{ name: 'Tea', quantity: 1, unitPrice: 749 }];
  const { id } = (await staff.post('/orders', { customerId, currency: 'EUR', items })).body;
  const [customer, order] = [`/customers/${customerId}`, `/orders/${id}`];
  for (const path of [customer, order]) assert.equal((await staff.get(path)).status, 200);

  await staff.patch(customer, { name: 'Grace Hopper' });
  await staff.patch(order, { note: 'ring twice' });
  assert.equal((await staff.get(customer)).body.name, 'Grace Hopper');
  assert.equal((await staff.get(order)).body.note, 'ring twice');
  const { name } = (await staff.get(`${order}?include=customer`)).body.customer;
  assert.equal(name, 'Grace Hopper');
});
