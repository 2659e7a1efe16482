// The search of orders: by id, by customer and by amount, and by the items and the city of the newest orders.
import { type SearchQuery, wordPhrases } from '../../schema/search-text.ts';
import type { Row } from '../../storage/connection.ts';
import type { KeysetPosition, SearchDatabase, SearchSelection } from '../../storage/keyset.ts';
import type { RowSearch } from '../../storage/sql-worker.ts';
import { findCustomerById, findMatchingCustomers } from '../customers/customer-search-store.ts';
import { rankPositions, type SearchScope } from '../../storage/listing.ts';
import { unlessErasedSql } from './customer-erasure-store.ts';
import type { Amount } from './order-amounts.ts';
import { statuses } from './order-status.ts';

/** The number of newest matching customers whose orders a search includes. */
export const searchedCustomersMax = 10_000;
/** The number of newest orders whose items are searched: a tenth of a second allows no more. */
export const searchedOrdersMax = 40_000;

type OrderSearch = {
  readonly orders: SearchScope;
  readonly search: SearchQuery;
  /** The customers that the caller may see; undefined if orders aren't found by their customer. */
  readonly customers: SearchScope | undefined;
  /** Amounts that the query may be, with the currencies that have so many digits. */
  readonly amounts: readonly Amount[];
  /** The keys of the barcodes that the query may be. */
  readonly barcodes: readonly string[];
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
        findOfAmounts(database, request, limit),
        findWithItem(database, request, limit),
        findWithBarcode(database, request, limit),
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

/** Finds orders by their total, with the index of totals by status. */
async function findOfAmounts(
  database: SearchDatabase,
  { orders, amounts }: OrderSearch,
  limit: number,
): Promise<KeysetPosition[]> {
  if (amounts.length === 0) return [];
  const { sql, params } = orders.condition;
  const ofAmounts =
    'SELECT 0, id FROM (SELECT value AS anyStatus FROM json_each(?)) CROSS JOIN ' +
    '(SELECT value ->> 0 AS amount, value ->> 1 AS currencies FROM json_each(?)) CROSS JOIN orders ' +
    'ON status = anyStatus AND total = amount AND instr(currencies, currency) ' +
    `WHERE ${sql} ORDER BY id DESC LIMIT +?`;
  const values = [JSON.stringify(statuses), JSON.stringify(amounts), ...params, limit];
  return database.readInWorker<Row & KeysetPosition>(ofAmounts, values);
}

/** Finds orders with an item, or sent to a city, that has all words. */
function findWithItem(
  database: SearchDatabase,
  { orders, search }: OrderSearch,
  limit: number,
): Promise<(Row & KeysetPosition)[]> {
  const { sql, params } = orders.condition;
  const newest = `SELECT id, items, ${city} FROM orders WHERE ${sql} ORDER BY id DESC LIMIT ${searchedOrdersMax}`;
  const items: RowSearch = { phrases: search.phrases, columns: 'JSON', rowsMax: limit };
  return database.readInWorker(newest, params, { search: items });
}

/** As JSON, like the items. */
const city = `${unlessErasedSql('shippingAddress')} -> 'city'`;

/** Finds orders with an item that has the SKU of the product with this barcode. */
async function findWithBarcode(
  database: SearchDatabase,
  request: OrderSearch,
  limit: number,
): Promise<KeysetPosition[]> {
  const { barcodes, search } = request;
  if (barcodes.length === 0) return [];
  const skus = await database.readInWorker<[string]>(
    `SELECT sku FROM products WHERE barcodeKey IN (${barcodes.map(() => '?').join(', ')})`,
    barcodes,
  );
  const found = skus.map(([sku]) =>
    findWithItem(database, { ...request, search: { ...search, phrases: wordPhrases(sku) } }, limit),
  );
  return (await Promise.all(found)).flat();
}
