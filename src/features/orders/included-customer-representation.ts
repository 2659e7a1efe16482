// Embeds customers in orders, if `include=customer` asks for it.
import { checkScope, rowAccessOf, type Caller } from '../../auth/access.ts';
import { withIncluded, type Included, type Representation } from '../../http/responses/representation.ts';
import { array, oneOf, optional } from '../../schema/schema.ts';
import type { Connection } from '../../storage/connection.ts';
import { findCustomersOf } from './order-list-store.ts';
import type { Order } from './order-members.ts';

/** The parameter of reads and lists of orders. */
export const orderIncludes = {
  include: optional(
    array(oneOf(['customer']), {
      minItems: 1,
      maxItems: 1,
      description:
        '`customer` embeds the customer’s id and name in each order as `customer`. ' +
        'An API key needs the scope `customers:read` for it.',
      examples: [['customer']],
    }),
  ),
};

type IncludeQuery = { readonly include?: readonly 'customer'[] };
type ReadingCall = { readonly query: IncludeQuery; readonly caller: Caller; readonly read: Connection };

/** Returns the order, with its customer if the query asks for it. Throws like `checkIncludes`. */
export function withIncludedCustomer(
  order: Representation<Order>,
  { query, caller, read: db }: ReadingCall,
): Representation<Order> {
  checkIncludes(query, caller);
  const included = includedCustomers(query, { caller, db, ids: [order.id] });
  return included === undefined ? order : withIncluded(order, included);
}

/** Throws if the query asks for customers with an API key that may not read them. */
export function checkIncludes(query: IncludeQuery, caller: Caller): void {
  if (query.include !== undefined) checkScope(caller, 'customers:read');
}

/**
 * Returns the customers of these orders, as far as the caller may see them now; undefined if the query doesn't ask
 * for customers. `checkIncludes` has let the caller in.
 */
export function includedCustomers(
  query: IncludeQuery,
  { caller, db, ids }: { readonly caller: Caller; readonly db: Connection; readonly ids: readonly number[] },
): Included | undefined {
  if (query.include === undefined) return undefined;
  return { member: 'customer', values: findCustomersOf(db, ids, rowAccessOf(caller)) };
}
