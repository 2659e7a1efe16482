// Lists of orders: which rows they have, and the indexes that find them.
import type { RowAccess } from '../../auth/access.ts';
import { timeAtOrAfter } from '../../schema/rfc3339.ts';
import { searchOf } from '../../schema/search-text.ts';
import { atLeast, below, equals, type Selection } from '../../storage/keyset.ts';
import {
  ascending,
  descending,
  searchRows,
  selectRows,
  type Indexes,
  type ListDefinition,
} from '../flows/listing.ts';
import { customersWithin } from '../customers/customer-store.ts';
import { ownedBy } from '../users/user-store.ts';
import { statuses, type OrderFilter } from './order.ts';
import { searchedOrders } from './order-search-store.ts';

/** A user's or a customer's orders are few: in the index's order by `createdAt`, else sorted in memory. */
const few: Indexes = { ordered: ['createdAt'], otherwise: 'sorted' };

const orderList: ListDefinition<OrderFilter> = {
  table: 'orders',
  defaultSort: '-createdAt',
  orderBy: {
    createdAt: ascending('createdAt'),
    '-createdAt': descending('createdAt'),
    id: ascending('id'),
    '-id': descending('id'),
    updatedAt: ascending('updatedAt'),
    '-updatedAt': descending('updatedAt'),
    status: ascending('status'),
    '-status': descending('status'),
    total: ascending('total'),
    '-total': descending('total'),
  },
  filters: {
    customerId: { column: 'customerId', matches: equals, indexes: few },
    userId: { column: 'userId', matches: ownedBy, indexes: few },
    currency: {
      column: 'currency',
      matches: equals,
      indexes: { ordered: ['createdAt'], otherwise: 'scanned' },
    },
    createdFrom: { column: 'createdAt', matches: atLeast, keyOf: timeAtOrAfter },
    createdBefore: { column: 'createdAt', matches: below, keyOf: timeAtOrAfter },
    updatedFrom: { column: 'updatedAt', matches: atLeast, keyOf: timeAtOrAfter },
    updatedBefore: { column: 'updatedAt', matches: below, keyOf: timeAtOrAfter },
  },
  indexPrefix: { column: 'status', values: statuses, requested: ({ status }) => status },
};

export function orderSelection(
  access: RowAccess,
  query: OrderFilter,
  pathValues: { readonly customerId?: number } = {},
): Selection {
  return selectRows(orderList, { access, query, pathValues });
}

type SearchOptions = { readonly query: OrderFilter; readonly q: string; readonly hasCustomers: boolean };

/** Without `hasCustomers` nothing shows what customers are called. */
export function orderSearch(access: RowAccess, { query, q, hasCustomers }: SearchOptions): Selection {
  const customers = hasCustomers ? customersWithin(access) : undefined;
  return searchedOrders({ rows: searchRows(orderList, { access, query }), search: searchOf(q), customers });
}
