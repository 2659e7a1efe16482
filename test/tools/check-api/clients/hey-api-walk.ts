// The README's walk-through with the client that @hey-api/openapi-ts generates from the document.
import assert from 'node:assert/strict';
import { createClient, createConfig, type Client } from './generated/client/index.ts';
import {
  createCustomer,
  createKey,
  createOrder,
  createSession,
  createUser,
  listEvents,
  listOrders,
  refreshSession,
  updateOrder,
} from './generated/sdk.gen.ts';
import type * as sdk from './generated/sdk.gen.ts';
import type {
  Event,
  EventPage,
  EventType,
  NewSessionWritable,
  Order,
  OrderPage,
  OrderSort,
  OrderStatus,
  Scope,
} from './generated/types.gen.ts';
import { cursorOf, need, sent, type Surroundings } from './surroundings.ts';

/** The tag that the generator was told to leave out. */
type Missing<Name extends string> = Name extends keyof typeof sdk ? never : true;
const isLeftOut: Missing<'getMetrics' | 'getDocs'> = true;

export async function walk({ baseUrl, fetch, admin }: Surroundings): Promise<void> {
  assert.ok(isLeftOut);
  const anyone = { client: createClient(createConfig({ baseUrl, fetch })) };

  async function signIn(body: NewSessionWritable): Promise<{ client: Client }> {
    const { id, refreshToken } = need(await createSession({ body, ...anyone }));
    assert.ok(refreshToken !== null);
    const tokens = need(await refreshSession({ path: { id }, body: { refreshToken }, ...anyone }));
    return withCredential(tokens.accessToken);
  }

  /** As in the generator's documentation: an access token or an API key. */
  function withCredential(credential: string): { client: Client } {
    return { client: createClient(createConfig({ baseUrl, fetch, auth: () => credential })) };
  }

  const user = need(await createUser({ body: sent.ada, ...anyone }));
  assert.equal(user.role, 'user');
  const ada = await signIn({ email: sent.ada.email, password: sent.ada.password });
  const customer = need(await createCustomer({ body: sent.customer, ...ada }));
  const order = need(
    await createOrder({
      body: { customerId: customer.id, ...sent.order },
      headers: { 'Idempotency-Key': 'my-first-order' },
      ...ada,
    }),
  );
  assert.equal(order.total, sent.total);
  assert.equal(order.shippingAddress?.postalCode, '26129');

  const sort: OrderSort = '-createdAt';
  const open: OrderPage = need(
    await listOrders({ query: { status: ['open'], sort, limit: 1, total: true }, ...ada }),
  );
  assert.deepEqual([open.data[0]?.id, open.next, open.total], [order.id, null, 1]);
  const status: OrderStatus | undefined = open.data[0]?.status;
  assert.equal(status, 'open');

  const scopes: Scope[] = ['orders:read'];
  const { key } = need(await createKey({ body: { name: 'shelf', scopes }, ...ada }));
  const seen: Order[] = need(await listOrders({ query: { limit: 1 }, ...withCredential(key) })).data;
  assert.equal(seen[0]?.id, order.id);

  const administrator = await signIn(admin);
  need(await createUser({ body: sent.till, ...administrator }));
  const till = await signIn({ email: sent.till.email, password: sent.till.password });
  const paid = need(await updateOrder({ path: { id: order.id }, body: { status: 'paid' }, ...till }));
  assert.equal(paid.status, 'paid');

  const second = need(await createOrder({ body: { customerId: customer.id, ...sent.sugar }, ...ada }));
  const page = need(await listOrders({ query: { limit: 1 }, ...ada }));
  const nextPage = need(await listOrders({ query: { limit: 1, cursor: cursorOf(page.next) }, ...ada }));
  assert.deepEqual([page.data[0]?.id, nextPage.data[0]?.id, nextPage.next], [second.id, order.id, null]);

  const withNames = need(await listOrders({ query: { include: ['customer'], limit: 1 }, ...ada }));
  assert.deepEqual(withNames.data[0]?.customer, { id: customer.id, name: customer.name });
  const types: EventType[] = ['order.paid'];
  const events: EventPage = need(await listEvents({ query: { type: types }, ...till }));
  const event: Event | undefined = events.data[0];
  assert.deepEqual([event?.type, event?.subject], ['order.paid', `/orders/${order.id}`]);

  const { error, response } = await createOrder({ body: sent.wrong, ...ada });
  assert.equal(response?.status, 422);
  assert.deepEqual(error?.errors?.map(({ pointer }) => pointer).sort(), sent.violations);
}
