// Orders, and a webhook that sends them, in a service that is a process of its own.
import assert from 'node:assert/strict';
import type { ChildService } from '../../support/child-service.ts';

/** Creates a webhook with this URL, and then so many orders. */
export async function placeOrders(
  { port }: ChildService,
  { url, token, orders }: { readonly url: string; readonly token: string; readonly orders: number },
): Promise<void> {
  const post = async (path: string, body: object): Promise<{ id: number }> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    assert.equal(response.status, 201);
    return (await response.json()) as { id: number }; // of these routes
  };
  await post('/webhooks', { url, types: ['order.created'] });
  const { id: customerId } = await post('/customers', { name: 'Grace Hopper' });
  const items = [{ name: 'Green tea', quantity: 1, unitPrice: 749 }];
  for (let index = 0; index < orders; index += 1)
    await post('/orders', { customerId, currency: 'EUR', items });
}
