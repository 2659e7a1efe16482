// The search of orders: by id, by customer, and by the items of the newest orders.
import type { SearchQuery } from '../../schema/search-text.ts';
import type { Row } from '../../storage/connection.ts';
import type { KeysetPosition, SearchDatabase, SearchSelection } from '../../storage/keyset.ts';
import type { RowSearch } from '../../storage/sql-worker.ts';
import { findCustomerById, findMatchingCustomers } from '../customers/customer-search-store.ts';
import { rankPositions, type SearchScope } from '../../storage/listing.ts';
import { searchedCustomersMax, searchedOrdersMax } from './order.ts';

type OrderSearch = {
  readonly orders: SearchScope;
  readonly search: SearchQuery;
  /** The customers that the caller may see; undefined if orders aren't found by their customer. */
  readonly customers: SearchScope | undefined;
};

/**
 * Selects the matching orders: first the one with the query's id, then those found by beginnings of words,
 * then all others.
 */
export function matchingOrders(request: OrderSearch): SearchSelection {
  const { orders, search } = request;
  return {
    owners: orders.owners,
    async search(database, limit) {
      if (search.phrases.length === 0) return [];
      const found = await Promise.all([
        findOfCustomers(database, request, limit),
        findWithItem(database, request, limit),
      ]);
      return rankPositions(found.flat(), idIfAlone(search), limit);
    },
  };
}

/** Finds the orders of matching customers, and the order with the query's id. */
async function findOfCustomers(
  database: SearchDatabase,
  { orders, search, customers }: OrderSearch,
  limit: number,
): Promise<KeysetPosition[]> {
  const matching = customers === undefined ? [] : await findCustomers(database, customers, search);
  const { sql, params } = orders.condition;
  const byId = `SELECT 0, id FROM orders WHERE id = ? AND ${sql}`;
  const ofCustomers =
    'SELECT place, id FROM (SELECT value ->> 0 AS place, value ->> 1 AS matchingId FROM json_each(?)) ' +
    `CROSS JOIN orders ON customerId = matchingId WHERE ${sql} ORDER BY place, id DESC LIMIT +?`;
  return database.readInWorker<Row & KeysetPosition>(`${byId} UNION ALL SELECT * FROM (${ofCustomers})`, [
    idIfAlone(search),
    ...params,
    JSON.stringify(matching),
    ...params,
    limit,
  ]);
}

/** Returns the id if the query has no other words. Beside words, an id is a customer's. */
function idIfAlone({ id, besideId }: SearchQuery): number {
  return besideId.length === 0 ? id : 0;
}

async function findCustomers(
  database: SearchDatabase,
  scope: SearchScope,
  search: SearchQuery,
): Promise<KeysetPosition[]> {
  const [matching, byId] = await Promise.all([
    findMatchingCustomers(database, scope, { search, rowsMax: searchedCustomersMax }),
    search.besideId.length === 0 ? [] : findCustomerById(database, scope, search),
  ]);
  return [...matching, ...byId];
}

/** Finds orders with an item that has all words. */
function findWithItem(
  database: SearchDatabase,
  { orders, search }: OrderSearch,
  limit: number,
): Promise<(Row & KeysetPosition)[]> {
  const { sql, params } = orders.condition;
  const newest = `SELECT id, items FROM orders WHERE ${sql} ORDER BY id DESC LIMIT ${searchedOrdersMax}`;
  const items: RowSearch = { phrases: search.phrases, columns: 'JSON', rowsMax: limit };
  return database.readInWorker(newest, params, { search: items });
}
