// Orders with their customer embedded, where `include=customer` asks for it.
import { checkScope, rowAccessOf, type Caller } from '../../auth/access.ts';
import { etagOf, toWireLatin1, type Representation } from '../../http/representation.ts';
import type { Connection } from '../../storage/connection.ts';
import { findCustomersOf } from './included-customer-store.ts';
import type { IncludedCustomer } from './included-customer.ts';
import type { Order } from './order.ts';

type Query = { readonly include?: readonly 'customer'[] };
type Completion = (order: Representation<Order>) => Representation<Order>;

/**
 * What completes these orders as the query asks, undefined if it asks for nothing. One look-up for all of
 * them, with the caller's rights of this moment. Throws if an API key may not read customers.
 */
export function completionOf(
  query: Query,
  { caller, db, ids }: { readonly caller: Caller; readonly db: Connection; readonly ids: readonly number[] },
): Completion | undefined {
  if (query.include === undefined) return undefined;
  checkScope(caller, 'customers:read');
  const customers = findCustomersOf(db, ids, rowAccessOf(caller));
  return (order) => withCustomer(order, customers.get(order.id) ?? null);
}

/** Another representation than the order's own, so with an ETag of its own. */
function withCustomer(
  order: Representation<Order>,
  customer: IncludedCustomer | null,
): Representation<Order> {
  const member = toWireLatin1(JSON.stringify(customer));
  const text = `${order.text.slice(0, -1)},"customer":${member}}`;
  return { ...order, text, etag: etagOf(text) };
}
