// Lists of orders: which rows they have, and the indexes that find them.
import type { RowAccess } from '../../auth/access.ts';
import type { DatabaseReads } from '../../storage/database.ts';
import { timeAtOrAfter } from '../../schema/rfc3339.ts';
import { barcodeKey, codesIn } from '../../schema/codes.ts';
import { parseSearch } from '../../schema/search-text.ts';
import { atLeast, below, equals, type RowSelection, type SearchSelection } from '../../storage/keyset.ts';
import { searchScopeOf, selectionOf, sortedBy, type ListDefinition } from '../../storage/listing.ts';
import { metadataFilter } from '../../storage/metadata.ts';
import { customers } from '../customers/customers.ts';
import { ownedBy } from '../users/user-store.ts';
import { isNotErasedSql } from './customer-erasure-store.ts';
import { statuses } from './order-status.ts';
import type { OrderCounts, OrderListQuery } from './order.ts';
import { amountsOf } from './order-amounts.ts';
import { matchingOrders } from './order-search-store.ts';

const orderList: ListDefinition<OrderListQuery> = {
  table: 'orders',
  defaultSort: '-createdAt',
  orderBy: sortedBy({
    createdAt: 'createdAt',
    id: 'id',
    updatedAt: 'updatedAt',
    status: 'status',
    total: 'total',
  }),
  filters: {
    customerId: { kind: 'equality', column: 'customerId', matches: equals, ordered: ['createdAt'] },
    userId: { kind: 'equality', column: 'userId', matches: ownedBy, ordered: ['createdAt'] },
    metadata: metadataFilter('orders', ` AND ${isNotErasedSql}`),
    payment: { kind: 'equality', column: 'payment', matches: equals, ordered: [] },
    currency: { kind: 'equality', column: 'currency', matches: equals, ordered: ['createdAt'] },
    createdFrom: { kind: 'range', column: 'createdAt', matches: atLeast, columnValueOf: timeAtOrAfter },
    createdBefore: { kind: 'range', column: 'createdAt', matches: below, columnValueOf: timeAtOrAfter },
    updatedFrom: { kind: 'range', column: 'updatedAt', matches: atLeast, columnValueOf: timeAtOrAfter },
    updatedBefore: { kind: 'range', column: 'updatedAt', matches: below, columnValueOf: timeAtOrAfter },
  },
  indexPrefix: { column: 'status', values: statuses, requested: ({ status }) => status },
};

export function orderSelection(
  access: RowAccess,
  query: OrderListQuery,
  pathValues: { readonly customerId?: number } = {},
): RowSelection {
  return selectionOf(orderList, { access, query, pathValues });
}

/** Counts the orders that pass the filters, by status. */
export async function countOrders(
  database: DatabaseReads,
  access: RowAccess,
  filters: OrderListQuery,
): Promise<OrderCounts> {
  const { sql, params } = orderSelection(access, filters).where;
  const counted = `SELECT status, count(*) FROM orders WHERE ${sql} GROUP BY status`;
  const counts = new Map(await database.readInWorker<[status: string, count: number]>(counted, params));
  return Object.fromEntries(statuses.map((status) => [status, counts.get(status) ?? 0])) as OrderCounts;
}

type SearchOptions = {
  readonly query: OrderListQuery;
  readonly q: string;
  readonly hasCustomers: boolean;
  readonly hasProducts: boolean;
};

/**
 * Returns the search. Without `hasCustomers` it finds no order by its customer, which would disclose
 * customers' names; without `hasProducts` it finds none by the barcode of a product.
 */
export function orderSearch(access: RowAccess, options: SearchOptions): SearchSelection {
  const { query, q, hasCustomers, hasProducts } = options;
  return matchingOrders({
    orders: searchScopeOf(orderList, { access, query }),
    search: parseSearch(q),
    customers: hasCustomers ? customers.searchScope(access, {}) : undefined,
    amounts: amountsOf(q),
    barcodes: hasProducts ? codesIn(q).map(barcodeKey) : [],
  });
}
