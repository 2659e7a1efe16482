// The README's walk-through with openapi-fetch, with the types that openapi-typescript generates from the
// document.
import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { components, paths } from './generated/document.ts';
import { cursorOf, need, sent, type Surroundings } from './surroundings.ts';

export async function walk({ baseUrl, fetch, admin }: Surroundings): Promise<void> {
  const client = createClient<paths, 'application/json' | 'application/problem+json'>({ baseUrl, fetch });

  async function signIn(
    body: components['schemas']['NewSession'],
  ): Promise<{ headers: { Authorization: string } }> {
    const { id, refreshToken } = need(await client.POST('/api/sessions', { body }));
    assert.ok(refreshToken !== null);
    const tokens = need(
      await client.POST('/api/sessions/{id}/tokens', { params: { path: { id } }, body: { refreshToken } }),
    );
    return { headers: { Authorization: `Bearer ${tokens.accessToken}` } };
  }

  const user = need(await client.POST('/api/users', { body: sent.ada }));
  assert.equal(user.role, 'user');
  const ada = await signIn({ email: sent.ada.email, password: sent.ada.password });
  const customer = need(await client.POST('/customers', { body: sent.customer, ...ada }));
  const order = need(
    await client.POST('/orders', {
      body: { customerId: customer.id, ...sent.order },
      params: { header: { 'Idempotency-Key': 'my-first-order' } },
      ...ada,
    }),
  );
  assert.equal(order.total, sent.total);
  assert.equal(order.shippingAddress?.postalCode, '26129');

  const sort: components['schemas']['OrderSort'] = '-createdAt';
  const open: components['schemas']['OrderPage'] = need(
    await client.GET('/orders', {
      params: { query: { status: ['open'], sort, limit: 1, total: true } },
      ...ada,
    }),
  );
  assert.deepEqual([open.data[0]?.id, open.next, open.total], [order.id, null, 1]);
  const status: components['schemas']['OrderStatus'] | undefined = open.data[0]?.status;
  assert.equal(status, 'open');

  const scopes: components['schemas']['Scope'][] = ['orders:read'];
  const { key } = need(await client.POST('/api/keys', { body: { name: 'shelf', scopes }, ...ada }));
  const seen = need(await client.GET('/orders', { headers: { 'X-API-Key': key } }));
  assert.equal(seen.data[0]?.id, order.id);

  const administrator = await signIn(admin);
  need(await client.POST('/api/users', { body: sent.till, ...administrator }));
  const till = await signIn({ email: sent.till.email, password: sent.till.password });
  const paid = need(
    await client.PATCH('/orders/{id}', {
      params: { path: { id: order.id } },
      body: { status: 'paid' },
      ...till,
    }),
  );
  assert.equal(paid.status, 'paid');

  const second = need(
    await client.POST('/orders', { body: { customerId: customer.id, ...sent.sugar }, ...ada }),
  );
  const page = need(await client.GET('/orders', { params: { query: { limit: 1 } }, ...ada }));
  const nextPage = need(
    await client.GET('/orders', { params: { query: { limit: 1, cursor: cursorOf(page.next) } }, ...ada }),
  );
  assert.deepEqual([page.data[0]?.id, nextPage.data[0]?.id, nextPage.next], [second.id, order.id, null]);

  const include: 'customer'[] = ['customer'];
  const withNames = need(await client.GET('/orders', { params: { query: { include, limit: 1 } }, ...ada }));
  assert.deepEqual(withNames.data[0]?.customer, { id: customer.id, name: customer.name });
  const type: components['schemas']['EventType'][] = ['order.paid'];
  const events: components['schemas']['EventPage'] = need(
    await client.GET('/events', { params: { query: { type } }, ...till }),
  );
  const event: components['schemas']['Event'] | undefined = events.data[0];
  assert.deepEqual([event?.type, event?.subject], ['order.paid', `/orders/${order.id}`]);

  const { error, response } = await client.POST('/orders', { body: sent.wrong, ...ada });
  assert.equal(response.status, 422);
  assert.deepEqual(error?.errors?.map(({ pointer }) => pointer).sort(), sent.violations);
}
