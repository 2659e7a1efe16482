// Pages of a list by keyset: where a page ends the next one begins, and no page costs more than another.
import type { Connection, Row, SqlValue } from './connection.ts';
import type { Database } from './database.ts';

/** Where a page begins: after the row with this sort key and id. */
export type Position = readonly [key: string | number, id: number];

export type Condition = { readonly sql: string; readonly params: readonly SqlValue[] };

/**
 * One list's page. Every stream has an index that begins with the columns of its condition and goes on with `key`, so it
 * comes sorted; several are merged. `rest` is what no index answers: it is tested row by row.
 */
export type Listing = {
  readonly table: string;
  readonly key: string;
  readonly isDescending: boolean;
  /** `at`: the key's one value in that stream, where `key` is what tells streams apart. */
  readonly streams: readonly (Condition & { readonly at?: string })[];
  readonly rest: Condition | undefined;
  readonly after: Position | undefined;
  readonly rows: number;
  /** How many rows may be tested against `rest` before the slow thread takes over. */
  readonly rowsLookedAtMax: number;
};

type Db = Pick<Database, 'read' | 'readSlowly'>;

/** Keys and ids of the page's rows in order, and one more when there are more. */
export function positionsOf(db: Db, listing: Listing): Position[] | Promise<Position[]> {
  const { rest, rows, rowsLookedAtMax } = listing;
  const streams = listing.streams.flatMap((stream) => streamsAfter(listing, stream));
  if (streams.length === 0) return [];
  if (rest === undefined) return read(db.read, merged(listing, streams, rows + 1));
  const near = merged(listing, streams, rowsLookedAtMax);
  const isLeft = `EXISTS (SELECT 1 FROM ${listing.table} WHERE ${listing.table}.id = near.id AND ${rest.sql})`;
  const found = read(db.read, { sql: `SELECT key, id FROM (${near.sql}) AS near WHERE ${isLeft} LIMIT ?`, params: [...near.params, ...rest.params, rows + 1] });
  return found.length > rows ? found : readAll(db, listing, streams, rest);
}

function read(connection: Connection, { sql, params }: Condition): Position[] {
  return connection.all<Row & Position>(sql, ...params);
}

/** Few rows pass `rest`: then finding them all and sorting them is less work than walking past the others. `+` keeps SQLite from walking all the same. */
function readAll(db: Db, listing: Listing, streams: readonly Condition[], { sql: rest, params }: Condition): Promise<Position[]> {
  const parts = streams.map((stream) => `SELECT ${listing.key} AS key, id FROM ${listing.table} WHERE ${stream.sql} AND ${rest}`);
  const sql = `SELECT key, id FROM (${parts.join(' UNION ALL ')}) ORDER BY +key ${direction(listing)}, +id ${direction(listing)} LIMIT ?`;
  return db.readSlowly<Row & Position>(sql, [...streams.flatMap((stream) => [...stream.params, ...params]), listing.rows + 1]);
}

/**
 * What of a stream comes after the page's beginning. Rows alike in the key are a stream of their own: SQLite uses an index
 * for `(key, id) < (?, ?)` only up to the key, and would walk past all that are alike.
 */
function streamsAfter({ key, isDescending, after }: Listing, stream: Condition & { readonly at?: string }): Condition[] {
  if (after === undefined) return [stream];
  const sign = isDescending ? '<' : '>';
  const [afterKey, afterId] = after;
  if (key === 'id') return [both(stream, `id ${sign} ?`, afterId)];
  if (stream.at !== undefined && stream.at !== afterKey) return (isDescending ? stream.at < afterKey : stream.at > afterKey) ? [stream] : [];
  const alike = both(stream, `id ${sign} ?`, afterId);
  return stream.at !== undefined ? [alike] : [both(alike, `${key} = ?`, afterKey), both(stream, `${key} ${sign} ?`, afterKey)];
}

/** The narrower condition first: of two bounds on a column SQLite takes the first to the index. */
function both({ sql, params }: Condition, narrower: string, param: SqlValue): Condition {
  return { sql: `${narrower} AND ${sql}`, params: [param, ...params] };
}

function merged(listing: Listing, streams: readonly Condition[], limit: number): Condition {
  const parts = streams.map(({ sql }) => `SELECT ${listing.key} AS key, id FROM ${listing.table} WHERE ${sql}`);
  const order = `ORDER BY key ${direction(listing)}, id ${direction(listing)}`;
  return { sql: `${parts.join(' UNION ALL ')} ${order} LIMIT ?`, params: [...streams.flatMap(({ params }) => params), limit] };
}

function direction({ isDescending }: Listing): string {
  return isDescending ? 'DESC' : 'ASC';
}

/** How many rows a list has in all, counted aside. */
export async function countOf(db: Db, { table, streams, rest }: Listing): Promise<number> {
  const counts = streams.map(({ sql }) => `(SELECT count(*) FROM ${table} WHERE ${sql}${rest === undefined ? '' : ` AND ${rest.sql}`})`);
  const params = streams.flatMap((stream) => [...stream.params, ...(rest?.params ?? [])]);
  const [row] = await db.readSlowly<Row>(`SELECT ${counts.join(' + ')}`, params);
  return Number(row?.[0]);
}

/** Conditions that hold together; undefined for none. */
export function all(conditions: readonly Condition[]): Condition | undefined {
  if (conditions.length === 0) return undefined;
  return { sql: conditions.map(({ sql }) => sql).join(' AND '), params: conditions.flatMap(({ params }) => params) };
}

export function equals(column: string, value: SqlValue): Condition {
  return { sql: `${column} = ?`, params: [value] };
}

/** The same where another condition is to choose the index. */
export function alsoEquals(column: string, value: SqlValue): Condition {
  return { sql: `+${column} = ?`, params: [value] };
}

/** No condition, as SQLite takes it to the table's own index. */
export const everything: Condition = { sql: 'id > 0', params: [] };

export function beginsWith(column: string, prefix: string): Condition {
  return { sql: `${column} >= ? AND ${column} < ?`, params: [prefix, `${prefix}\u{10ffff}`] };
}
