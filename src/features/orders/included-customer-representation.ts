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

/** Returns the order, with its customer if the query asks for it. Throws like `includedCustomers`. */
export function withIncludedCustomer(
  order: Representation<Order>,
  { query, caller, read: db }: ReadingCall,
): Representation<Order> {
  if (query.include === undefined) return order;
  const included = includedCustomers(query, { caller, db, ids: [order.id] });
  return included === undefined ? order : withIncluded(order, included);
}

/**
 * Returns the customers of these orders, as far as the caller may see them now; undefined if the query doesn't ask
 * for customers. Throws if an API key may not read customers.
 */
export function includedCustomers(
  query: IncludeQuery,
  { caller, db, ids }: { readonly caller: Caller; readonly db: Connection; readonly ids: readonly number[] },
): Included | undefined {
  if (query.include === undefined) return undefined;
  checkScope(caller, 'customers:read');
  return { member: 'customer', values: findCustomersOf(db, ids, rowAccessOf(caller)) };
}
