// Lists of orders: their parameters, which rows they have, and the indexes that find them.
import { allows, type RowAccess } from '../../auth/access.ts';
import { counted } from '../../base/message-words.ts';
import { ownedBy, ownerSql } from '../../resource/owner-store.ts';
import { listOf, beforeFilter, equalTo, fromFilter } from '../../resource/resource-list.ts';
import { currency, id } from '../../schema/members.ts';
import { array, oneOf, optional } from '../../schema/schema.ts';
import { searchParameter } from '../../schema/search-parameter.ts';
import type { Connection } from '../../storage/connection.ts';
import type { DatabaseReads } from '../../storage/database.ts';
import { equals, type SearchSelection } from '../../storage/keyset.ts';
import { metadataFilter } from '../../storage/metadata.ts';
import { customerResource } from '../customers/customers.ts';
import { isNotErasedSql } from './customer-erasure-store.ts';
import { status, type Order } from './order-members.ts';
import { matchingOrders, searchedCustomersMax, searchedOrdersMax } from './order-search-store.ts';
import { payments, statuses, type OrderCounts } from './order-status.ts';

const ofUser = { schema: optional(id), column: 'userId', matches: ownedBy, ordered: ['createdAt'] };

export const orderList = listOf({
  name: 'order',
  table: 'orders',
  sorts: { createdAt: 'createdAt', id: 'id', updatedAt: 'updatedAt', status: 'status', total: 'total' },
  defaultSort: '-createdAt',
  access: ofUser,
  filters: {
    status: {
      schema: optional(
        array(status, {
          minItems: 1,
          maxItems: statuses.length,
          description: 'One or more, separated by commas.',
          examples: [['open', 'paid']],
        }),
      ),
      column: 'status',
      values: statuses,
    },
    customerId: { schema: optional(id), column: 'customerId', matches: equals, ordered: ['createdAt'] },
    userId: ofUser,
    payment: equalTo('payment', oneOf(payments), 'Only orders that were paid so.'),
    currency: equalTo('currency', currency, 'Only orders in this currency (ISO 4217).'),
    createdFrom: fromFilter('createdAt', 'Only orders created at this time or later.'),
    createdBefore: beforeFilter('createdAt', 'Only orders created before this time.'),
    updatedFrom: fromFilter('updatedAt', 'Only orders changed at this time or later.'),
    updatedBefore: beforeFilter('updatedAt', 'Only orders last changed before this time.'),
    metadata: metadataFilter('orders', ` AND ${isNotErasedSql}`),
  },
});

const { status: _status, sort: _sort, ...filters } = orderList.query;
/** The filters of a list of orders, except their status. */
export const orderFilters = filters;

/** The parameters of a list that can also be searched. */
export const orderQuery = {
  q: searchParameter(
    'An order’s id; its total, with all decimals of its currency; the barcode of a product; or words that ' +
      'are all in its customer’s name, e-mail address, phone number, street, city or reference, in the SKU and name of one ' +
      'item, or in the city it is sent to. Words of one or two characters are beginnings of words. By ' +
      `customer, the orders of the newest ${counted(searchedCustomersMax, 'customer')} that match are ` +
      `found. By item and city, the newest ${counted(searchedOrdersMax, 'order')} that pass the other filters are ` +
      'searched, for a second at most. An API key needs `customers:read` to find orders by customer.',
  ),
  ...orderList.query,
};

type OrderListQuery = Parameters<typeof orderList.selection>[1];

/** Finds the customers that the access covers, by the ids of their orders, in one statement. */
export function findCustomersOf(
  db: Connection,
  orderIds: readonly number[],
  access: RowAccess,
): ReadonlyMap<number, NonNullable<Order['customer']>> {
  const rows = db.all<[orderId: number, id: number, userId: number | null, name: string]>(
    `SELECT orders.id, customers.id, ${ownerSql('customers')}, customers.name ` +
      'FROM json_each(?) AS ids CROSS JOIN orders ON orders.id = ids.value ' +
      'CROSS JOIN customers ON customers.id = orders.customerId',
    JSON.stringify(orderIds),
  );
  const visible = rows.filter(([, , userId]) => allows(access, userId));
  return new Map(visible.map(([orderId, id, , name]) => [orderId, { id, name }]));
}

/** Counts the orders that pass the filters, by status. */
export async function countOrders(
  database: DatabaseReads,
  access: RowAccess,
  filters: OrderListQuery,
): Promise<OrderCounts> {
  const { sql, params } = orderList.selection(access, filters).where;
  const counted = `SELECT status, count(*) FROM orders WHERE ${sql} GROUP BY status`;
  const counts = new Map(await database.readInWorker<[status: string, count: number]>(counted, params));
  return Object.fromEntries(statuses.map((status) => [status, counts.get(status) ?? 0])) as OrderCounts;
}

type SearchOptions = {
  readonly query: OrderListQuery;
  readonly q: string;
  readonly mayReadCustomers: boolean;
  readonly mayReadProducts: boolean;
  /** The shop's, in whose national form phone numbers may be. */
  readonly country: string | undefined;
};

/**
 * Returns the search. Without `mayReadCustomers` it finds no order by its customer, which would disclose
 * customers' names; without `mayReadProducts` it finds no order by the barcode of a product.
 */
export function orderSearch(access: RowAccess, options: SearchOptions): SearchSelection {
  const { query, q, mayReadCustomers, mayReadProducts, country } = options;
  return matchingOrders(q, {
    orders: orderList.selection(access, query),
    customers: mayReadCustomers ? customerResource.selection(access, {}) : undefined,
    mayReadProducts,
    country,
  });
}
