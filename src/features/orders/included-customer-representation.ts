// Embeds customers in orders, if `include=customer` asks for it.
import { checkScope, rowAccessOf, type Caller } from '../../auth/access.ts';
import { withMember, type Representation } from '../../http/responses/representation.ts';
import type { Connection } from '../../storage/connection.ts';
import { findCustomersOf } from './included-customer-store.ts';
import type { Order } from './order-members.ts';

type IncludeQuery = { readonly include?: readonly 'customer'[] };
type ReadingCall = { readonly query: IncludeQuery; readonly caller: Caller; readonly read: Connection };
type CustomerEmbedder = (order: Representation<Order>) => Representation<Order>;

/** Returns the order, with its customer if the query asks for it. Throws like `customerEmbedderFor`. */
export function withIncludedCustomer(
  order: Representation<Order>,
  { query, caller, read: db }: ReadingCall,
): Representation<Order> {
  if (query.include === undefined) return order;
  return customerEmbedderFor(query, { caller, db, ids: [order.id] })?.(order) ?? order;
}

/**
 * Returns a function that embeds the customers in these orders, or undefined if the query doesn't ask for
 * customers. Reads all customers together, with the caller's present rights. Throws if an API key may not
 * read customers.
 */
export function customerEmbedderFor(
  query: IncludeQuery,
  { caller, db, ids }: { readonly caller: Caller; readonly db: Connection; readonly ids: readonly number[] },
): CustomerEmbedder | undefined {
  if (query.include === undefined) return undefined;
  checkScope(caller, 'customers:read');
  const customers = findCustomersOf(db, ids, rowAccessOf(caller));
  return (order) => withMember(order, 'customer', customers.get(order.id) ?? null);
}
