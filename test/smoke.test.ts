// The shortest path through the service.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceFor } from './service.ts';

test('an order placed can be read at its location', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person();
  const customer = await service.post('/customers', { token, body: { name: 'Grace Hopper' } });
  assert.equal(customer.status, 201);
  const order = await service.post('/orders', {
    token,
    body: {
      customerId: customer.body.id,
      currency: 'EUR',
      items: [{ name: 'Tea', quantity: 2, unitPrice: 749 }],
    },
  });
  assert.equal(order.status, 201);
  const read = await service.get(order.headers.location ?? '', { token });
  assert.deepEqual(read.body, order.body);
});
