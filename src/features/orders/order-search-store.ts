// The search of orders: by id, by customer and by amount, and by the items and the city of the newest orders.
import { barcodeKey, codesIn } from '../../schema/codes.ts';
import { currencyDigits } from '../../schema/decimal.ts';
import { currencies, withdrawnCurrencies } from '../../schema/iso-codes.ts';
import { parseSearch, wordPhrases, type SearchQuery } from '../../schema/search-text.ts';
import type { Row } from '../../storage/connection.ts';
import {
  type KeysetPosition,
  type SearchDatabase,
  type SearchScope,
  type SearchSelection,
} from '../../storage/keyset.ts';
import type { RowSearch } from '../../storage/sql-worker.ts';
import {
  findCustomerById,
  findMatchingCustomers,
  inResultOrder,
} from '../customers/customer-search-store.ts';
import { unlessErasedSql } from './customer-erasure-store.ts';
import { statuses } from './order-status.ts';

/** The number of newest matching customers whose orders a search includes. */
export const searchedCustomersMax = 10_000;
/** The number of newest orders whose items are searched, so that few searches reach `searchMillisecondsMax`. */
export const searchedOrdersMax = 40_000;

type SearchScopes = {
  readonly orders: SearchScope;
  /** The customers that the caller may see; undefined if orders aren't found by their customer. */
  readonly customers: SearchScope | undefined;
  /** Whether orders are found by the barcode of a product. */
  readonly mayReadProducts: boolean;
  /** The shop's, in whose national form phone numbers may be. */
  readonly country: string | undefined;
};
type OrderSearch = SearchScopes & { readonly search: SearchQuery };

/**
 * Selects the matching orders: first the one with the query's id, then those found by beginnings of words,
 * then all others.
 */
export function matchingOrders(q: string, searched: SearchScopes): SearchSelection {
  const { orders, mayReadProducts } = searched;
  const search = parseSearch(q, searched.country);
  const request = { ...searched, search };
  return {
    owners: orders.owners,
    async search(database, rowsMax) {
      if (search.phrases.length === 0) return [];
      const found = await Promise.all([
        findOfCustomers(database, request, rowsMax),
        findOfAmount(database, { orders, q }, rowsMax),
        findWithItem(database, { orders, phrases: search.phrases }, rowsMax),
        mayReadProducts ? findWithBarcode(database, { orders, q }, rowsMax) : [],
      ]);
      return inResultOrder(found.flat(), idIfAlone(search), rowsMax);
    },
  };
}

/** Finds the orders of matching customers, and the order with the query's id. */
async function findOfCustomers(
  database: SearchDatabase,
  { orders, search, customers }: OrderSearch,
  rowsMax: number,
): Promise<KeysetPosition[]> {
  const matching = customers === undefined ? [] : await findCustomers(database, customers, search);
  const { sql, params } = orders.where;
  const byId = `SELECT 0, id FROM orders WHERE id = ? AND ${sql}`;
  const ofCustomers =
    'SELECT place, id FROM (SELECT value ->> 0 AS place, value ->> 1 AS matchingId FROM json_each(?)) ' +
    `CROSS JOIN orders ON customerId = matchingId WHERE ${sql} ORDER BY place, id DESC LIMIT +?`;
  return database.readInWorker<Row & KeysetPosition>(`${byId} UNION ALL SELECT * FROM (${ofCustomers})`, [
    idIfAlone(search),
    ...params,
    JSON.stringify(matching),
    ...params,
    rowsMax,
  ]);
}

/** Returns the id if the query has no other words. Together with words, an id is a customer's. */
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

type TextSearch = { readonly orders: SearchScope; readonly q: string };

/** Finds orders by their total, with the index of totals by status. */
async function findOfAmount(
  database: SearchDatabase,
  { orders, q }: TextSearch,
  rowsMax: number,
): Promise<KeysetPosition[]> {
  const amount = searchedAmountIn(q);
  if (amount === undefined) return [];
  const { sql, params } = orders.where;
  const ofAmount =
    'SELECT 0, id FROM (SELECT value AS anyStatus FROM json_each(?)) CROSS JOIN orders ' +
    'ON status = anyStatus AND total = ? AND instr(?, currency) ' +
    `WHERE ${sql} ORDER BY id DESC LIMIT +?`;
  const values = [JSON.stringify(statuses), amount.total, amount.currencies, ...params, rowsMax];
  return database.readInWorker<Row & KeysetPosition>(ofAmount, values);
}

/** `1.234,50`, `1,234.50`, `53,98 €`, `EUR 53.98`, `¥500`: groups of thousands, then all decimals of the currency. */
const writtenAmount =
  /^(?:[A-Z]{3}|\p{Sc})?\s*(\d{1,3}(?:[.,’' ]\d{3})+|\d{1,13})(?:[.,](\d{1,4}))?\s*(?:[A-Z]{3}|\p{Sc})?$/iu;

/** Returns the total that the text may be, in minor units, and the currencies that have as many decimals. */
function searchedAmountIn(text: string): { readonly total: number; readonly currencies: string } | undefined {
  const [, whole, fraction = ''] = writtenAmount.exec(text.trim()) ?? [];
  const total = Number((whole ?? '').replace(/\D/g, '') + fraction);
  if (whole === undefined || !Number.isSafeInteger(total)) return undefined;
  const able = [...currencies, ...withdrawnCurrencies].filter(
    (currency) => currencyDigits(currency) === fraction.length,
  );
  return { total, currencies: able.join(' ') };
}

/** Finds orders with an item, or sent to a city, that has all words. */
function findWithItem(
  database: SearchDatabase,
  { orders, phrases }: { readonly orders: SearchScope; readonly phrases: SearchQuery['phrases'] },
  rowsMax: number,
): Promise<(Row & KeysetPosition)[]> {
  const { sql, params } = orders.where;
  const newest = `SELECT id, items, ${city} FROM orders WHERE ${sql} ORDER BY id DESC LIMIT ${searchedOrdersMax}`;
  const items: RowSearch = { phrases, columns: 'JSON', rowsMax };
  return database.readInWorker(newest, params, { search: items });
}

/** The city of an order as JSON, since the search reads the items as JSON. */
const city = `${unlessErasedSql('shippingAddress')} -> 'city'`;

/** Finds orders with an item that has the SKU of the product with this barcode. */
async function findWithBarcode(
  database: SearchDatabase,
  { orders, q }: TextSearch,
  rowsMax: number,
): Promise<KeysetPosition[]> {
  const barcodes = codesIn(q).map(barcodeKey);
  if (barcodes.length === 0) return [];
  const skus = await database.readInWorker<[string]>(
    `SELECT sku FROM products WHERE barcodeKey IN (${barcodes.map(() => '?').join(', ')})`,
    barcodes,
  );
  const found = skus.map(([sku]) => findWithItem(database, { orders, phrases: wordPhrases(sku) }, rowsMax));
  return (await Promise.all(found)).flat();
}
