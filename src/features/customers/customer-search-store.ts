// The full-text index of customers, updated together with their rows, and the searches that use it.
import { beginningOfWord, searchText, type SearchQuery } from '../../schema/search-text.ts';
import { inSnapshot, rowsByKey } from '../../storage/audit.ts';
import type { Connection, Row } from '../../storage/connection.ts';
import {
  type KeysetPosition,
  type SearchDatabase,
  type SearchScope,
  type SearchSelection,
} from '../../storage/keyset.ts';

/** The index has at most this many characters of a customer's search text: three times the usual length. */
const indexedCharsMax = 200;

/** Of the address, city and street are searched. */
type SearchedCustomer = {
  readonly name: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly reference: string | null;
  readonly address: { readonly city: string; readonly line1: string } | null;
};

/** Brings the index up to date with a customer that is added, changed or removed. */
export function changeInSearch(
  db: Connection,
  id: number,
  { before, after }: { readonly before?: SearchedCustomer; readonly after?: SearchedCustomer },
): void {
  const [former, text] = [before, after].map((each) => each && indexedText(each));
  if (former === text) return;
  if (former !== undefined) removeFromSearch(db, id, former);
  if (text !== undefined) addToSearch(db, id, text);
}

function addToSearch(db: Connection, id: number, text: string): void {
  db.run('INSERT INTO customerSearch (rowid, text) VALUES (?, ?)', id, text);
}

/** The index is contentless (FTS5): to remove an entry it needs the entry's text. */
function removeFromSearch(db: Connection, id: number, text: string): void {
  db.run("INSERT INTO customerSearch (customerSearch, rowid, text) VALUES ('delete', ?, ?)", id, text);
}

/**
 * Returns the text in the index, truncated: removing a trigram rewrites its page of the index, and replacing
 * the longest name and e-mail address would hold the event loop for 20 ms. The name comes first; `isFound`
 * relies on this order.
 */
function indexedText({ name, email, phone, reference, address }: SearchedCustomer): string {
  const { city = null, line1 = null } = address ?? {};
  return [...searchText(name, reference, phone, email, city, line1)].slice(0, indexedCharsMax).join('');
}

type SearchedRow = [
  id: number,
  name: string,
  email: string | null,
  phone: string | null,
  reference: string | null,
  city: string | null,
  line1: string | null,
];

/** For a migration: makes the whole index anew. */
export function refillCustomerSearch(db: Connection): void {
  db.run("INSERT INTO customerSearch (customerSearch) VALUES ('delete-all')");
  const sql = `SELECT ${searchedColumns} FROM customers WHERE id > ? ORDER BY id LIMIT +?`;
  for (const [id, name, email, phone, reference, city, line1] of rowsByKey<SearchedRow>(db, sql)) {
    const address = city === null || line1 === null ? null : { city, line1 };
    addToSearch(db, id, indexedText({ name, email, phone, reference, address }));
  }
  // merges its segments now: SQLite would do so in the COMMIT of some later change, and hold the event loop
  db.run("INSERT INTO customerSearch (customerSearch) VALUES ('optimize')");
}

/**
 * Selects the matching customers: first the one with the query's id, then those with words that begin like
 * the query's, then all others.
 */
export function matchingCustomers(scope: SearchScope, search: SearchQuery): SearchSelection {
  return {
    owners: scope.owners,
    async search(database, rowsMax) {
      const [byId, matching] = await Promise.all([
        findCustomerById(database, scope, search),
        findMatchingCustomers(database, scope, { search, rowsMax }),
      ]);
      return inResultOrder([...byId, ...matching], search.id, rowsMax);
    },
  };
}

/** Returns each match once, in the order of search results: the row with `firstId`, then by rank, then the newest. */
export function inResultOrder(
  matches: readonly KeysetPosition[],
  firstId: number,
  rowsMax: number,
): KeysetPosition[] {
  const ranks = new Map<number, number>();
  for (const [rank, id] of matches) ranks.set(id, Math.min(Number(rank), ranks.get(id) ?? 1));
  if (ranks.has(firstId)) ranks.set(firstId, -1);
  const ranked = [...ranks].sort(([a, rankA], [b, rankB]) => rankA - rankB || b - a);
  return ranked.slice(0, rowsMax).map(([id, rank]) => [rank, id]);
}

/** Finds the customer with the query's id, if the customer's text has the other words. */
export function findCustomerById(
  database: SearchDatabase,
  { where: { sql, params } }: SearchScope,
  { id, besideId }: SearchQuery,
): Promise<(Row & KeysetPosition)[]> {
  if (id === 0) return Promise.resolve([]);
  return database.readInWorker(
    `SELECT ${searchedColumns} FROM customers WHERE id = ? AND ${sql}`,
    [id, ...params],
    { search: { phrases: besideId, columns: 'texts', rowsMax: 1 } },
  );
}

const searchedColumns = "id, name, email, phone, reference, address ->> 'city', address ->> 'line1'";

type MatchingOptions = { readonly search: SearchQuery; readonly rowsMax: number };

/**
 * Finds the matching customers: first those in which each word of the query begins a word (key 0), then those
 * in which it is within a word (key 1), each group with the newest first. For one owner, tests all customers
 * of that owner: they are few, whereas the index may find very many customers of others.
 */
export function findMatchingCustomers(
  database: SearchDatabase,
  { owners, where }: SearchScope,
  { search, rowsMax }: MatchingOptions,
): Promise<(Row & KeysetPosition)[]> {
  const { phrases } = search;
  if (phrases.length === 0) return Promise.resolve([]);
  const { sql, params } = where;
  if (owners !== 'any') {
    const newest = `SELECT ${searchedColumns} FROM customers WHERE ${sql} ORDER BY id DESC`;
    return database.readInWorker(newest, params, { search: { phrases, columns: 'texts', rowsMax } });
  }
  const matching = (place: 0 | 1): string =>
    `SELECT * FROM (SELECT ${place}, rowid FROM customerSearch WHERE customerSearch MATCH ? AND EXISTS ` +
    `(SELECT 1 FROM customers WHERE id = customerSearch.rowid AND ${sql}) ORDER BY rowid DESC LIMIT +?)`;
  const begun = matchExpression(phrases.map((each) => each.map(beginningOfWord)));
  const others = `(${matchExpression(phrases)}) NOT (${begun})`;
  return database.readInWorker(`${matching(0)} UNION ALL ${matching(1)} LIMIT +?`, [
    ...[begun, ...params, rowsMax],
    ...[others, ...params, rowsMax],
    rowsMax,
  ]);
}

/** Returns an FTS5 query of strings only: in a string, only the quotation mark is special. */
function matchExpression(phrases: SearchQuery['phrases']): string {
  const anyOf = (each: readonly string[]): string => `(${each.map(quote).join(' OR ')})`;
  return phrases.map(anyOf).join(' AND ');
}

function quote(phrase: string): string {
  return `"${phrase.replaceAll('"', '""')}"`;
}

/**
 * For `check`: reports customers whom the index doesn't find by their name, and entries without a customer.
 */
export function auditCustomerSearch(db: Connection, report: (issue: string) => void): void {
  const sql = 'SELECT id, name FROM customers WHERE id > ? ORDER BY id LIMIT +?';
  for (const [id, name] of rowsByKey<[id: number, name: string]>(db, sql)) {
    if (!isFound(db, id, name) && inSnapshot(db, () => isStillMissed(db, id)))
      report(`customer ${id} is not found by its name.`);
  }
  const gone = 'SELECT rowid FROM customerSearch WHERE rowid NOT IN (SELECT id FROM customers)';
  for (const [id] of db.all<[number]>(gone)) report(`customer ${id} is found, but does not exist.`);
}

/**
 * Whether the index finds a customer by name. A name of accents or invisible characters alone has no search
 * text, and counts as found.
 */
function isFound(db: Connection, id: number, name: string): boolean {
  const text = indexedText({ name, email: null, phone: null, reference: null, address: null });
  if (text === '') return true;
  const sql = 'SELECT 1 FROM customerSearch WHERE customerSearch MATCH ? AND rowid = ?';
  return db.get(sql, quote(text), id) !== undefined;
}

/** Reads the customer again, who may have been renamed or deleted meanwhile. */
function isStillMissed(db: Connection, id: number): boolean {
  const row = db.get<[name: string]>('SELECT name FROM customers WHERE id = ?', id);
  return row !== undefined && !isFound(db, id, row[0]);
}
