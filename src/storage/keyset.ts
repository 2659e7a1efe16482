// Pages of a list by keyset: where a page ends the next one begins, and no page costs more than another.
import type { Connection, Row, SqlValue } from './connection.ts';
import type { Database } from './database.ts';

/** Where a page begins: after the row with this sort key and id. */
export type Position = readonly [key: string | number, id: number];

export type Condition = { readonly sql: string; readonly params: readonly SqlValue[] };

/**
 * Rows that an index gives in order. `at`: the sort key's one value, where that is what tells streams apart.
 */
export type Stream = Condition & { readonly at?: string };

/**
 * One list's page. Every stream has an index that begins with the columns of its condition and goes on with
 * its key, so it comes sorted; several are merged. Not so when `isGathered`: then there are few rows, found
 * by an index and sorted here. `rest` is what no index sorts: it is tested entry by entry, in an index that
 * holds its columns.
 */
export type Listing = {
  readonly table: string;
  readonly key: string;
  readonly isDescending: boolean;
  readonly streams: readonly Stream[];
  readonly sortsInMemory?: boolean;
  readonly residual: Condition | undefined;
  readonly after: Position | undefined;
  readonly rows: number;
  /** How many entries may be gathered, or tested against `rest`, before the slow thread takes over. */
  readonly rowsLookedAtMax: number;
};

type Db = Pick<Database, 'read' | 'readInWorker'>;

/** Keys and ids of the page's rows in order, and one more when there are more. */
export function findPositions(db: Db, listing: Listing): Position[] | Promise<Position[]> {
  const { sortsInMemory: isGathered, residual: rest, rows, rowsLookedAtMax } = listing;
  const streams = listing.streams.flatMap((stream) => streamsAfter(listing, stream, 'indexed'));
  if (streams.length === 0) return [];
  if (isGathered === true)
    return exceedsLimit(db.read, listing, listing.streams)
      ? findInWorker(db, listing)
      : read(db.read, sortedInMemory(listing));
  if (rest === undefined) return read(db.read, merged(listing, streams, rows + 1));
  const near = merged(listing, streams, rowsLookedAtMax);
  const found = read(db.read, {
    sql: `SELECT key, id FROM (${near.sql}) AS near WHERE fits LIMIT ?`,
    params: [...near.params, rows + 1],
  });
  return found.length <= rows && exceedsLimit(db.read, listing, streams) ? findInWorker(db, listing) : found;
}

function findInWorker(db: Db, listing: Listing): Promise<Position[]> {
  const { sql, params } = sortedInMemory(listing);
  return db.readInWorker<Row & Position>(sql, params);
}

/** Whether these are more rows than may be looked at on the event loop. */
function exceedsLimit(
  connection: Connection,
  { table, rowsLookedAtMax }: Listing,
  streams: readonly Stream[],
): boolean {
  const parts = streams.map(({ sql }) => `SELECT 1 FROM ${table} WHERE ${sql}`);
  const params = [...streams.flatMap((stream) => stream.params), rowsLookedAtMax];
  return (
    connection.get(`SELECT 1 FROM (${parts.join(' UNION ALL ')}) LIMIT 1 OFFSET ?`, ...params) !== undefined
  );
}

function read(connection: Connection, { sql, params }: Condition): Position[] {
  return connection.all<Row & Position>(sql, ...params);
}

/**
 * Few rows pass: then finding them all and sorting them is less work than walking past the others. `+` keeps
 * SQLite from walking all the same.
 */
function sortedInMemory(listing: Listing): Condition {
  const { residual: rest, rows } = listing;
  const streams = listing.streams.flatMap((stream) => streamsAfter(listing, stream, 'tested'));
  const parts = streams.map(
    (stream) => `${selectOf(listing, stream)}${rest === undefined ? '' : ` AND ${rest.sql}`}`,
  );
  const params = [...streams.flatMap((stream) => [...stream.params, ...(rest?.params ?? [])]), rows + 1];
  return {
    sql: `SELECT key, id FROM (${parts.join(' UNION ALL ')}) ORDER BY +key ${direction(listing)}, +id ${direction(listing)} LIMIT ?`,
    params,
  };
}

function selectOf({ table, key }: Listing, stream: Stream, more = ''): string {
  return `SELECT ${key} AS key, id${more} FROM ${table} WHERE ${stream.sql}`;
}

/**
 * What of a stream comes after the page's beginning. Rows alike in the key are a stream of their own: SQLite
 * uses an index for `(key, id) < (?, ?)` only up to the key, and would walk past all that are alike.
 */
function streamsAfter(
  { key: column, isDescending, after }: Listing,
  stream: Stream,
  begin: 'indexed' | 'tested',
): Stream[] {
  if (after === undefined) return [stream];
  const sign = isDescending ? '<' : '>';
  const [afterKey, afterId] = after;
  const [key, id] = begin === 'indexed' ? [column, 'id'] : [`+${column}`, '+id'];
  if (column === 'id') return [both(stream, `${id} ${sign} ?`, afterId)];
  if (stream.at !== undefined && stream.at !== afterKey)
    return (isDescending ? stream.at < afterKey : stream.at > afterKey) ? [stream] : [];
  const alike = both(stream, `${id} ${sign} ?`, afterId);
  return stream.at !== undefined
    ? [alike]
    : [both(alike, `${key} = ?`, afterKey), both(stream, `${key} ${sign} ?`, afterKey)];
}

/** The narrower condition first: of two bounds on a column SQLite takes the first to the index. */
function both(stream: Stream, narrower: string, param: SqlValue): Stream {
  return { ...stream, sql: `${narrower} AND ${stream.sql}`, params: [param, ...stream.params] };
}

/**
 * The next rows in order; `fits` tells whether the rest holds, too: asked in here, so that an index with its
 * columns answers it.
 */
function merged(listing: Listing, streams: readonly Stream[], limit: number): Condition {
  const { residual: rest } = listing;
  const parts = streams.map((stream) =>
    selectOf(listing, stream, rest === undefined ? '' : `, ${rest.sql} AS fits`),
  );
  const order = `ORDER BY key ${direction(listing)}, id ${direction(listing)}`;
  return {
    sql: `${parts.join(' UNION ALL ')} ${order} LIMIT ?`,
    params: [...streams.flatMap(({ params }) => [...(rest?.params ?? []), ...params]), limit],
  };
}

function direction({ isDescending }: Listing): string {
  return isDescending ? 'DESC' : 'ASC';
}

/** How many rows a list has in all, counted aside. */
export async function countRows(db: Db, { table, streams, residual: rest }: Listing): Promise<number> {
  const counts = streams.map(
    ({ sql }) =>
      `(SELECT count(*) FROM ${table} WHERE ${sql}${rest === undefined ? '' : ` AND ${rest.sql}`})`,
  );
  const params = streams.flatMap((stream) => [...stream.params, ...(rest?.params ?? [])]);
  const [row] = await db.readInWorker<Row>(`SELECT ${counts.join(' + ')}`, params);
  return Number(row?.[0]);
}

/** Conditions that hold together; undefined for none. */
export function andOrNone(conditions: readonly Condition[]): Condition | undefined {
  return conditions.length === 0 ? undefined : and(conditions);
}

/** The same of one at least. */
export function and(conditions: readonly Condition[]): Condition {
  return {
    sql: conditions.map(({ sql }) => sql).join(' AND '),
    params: conditions.flatMap(({ params }) => params),
  };
}

export function equals(column: string, value: SqlValue): Condition {
  return { sql: `${column} = ?`, params: [value] };
}

/** The same where another condition is to choose the index. */
export function withoutIndex({ sql, params }: Condition): Condition {
  return { sql: `+${sql}`, params };
}

/** No condition, as SQLite takes it to the table's own index. */
export const matchAll: Condition = { sql: 'id > 0', params: [] };

export function beginsWith(column: string, prefix: string): Condition {
  return { sql: `${column} >= ? AND ${column} < ?`, params: [prefix, `${prefix}\u{10ffff}`] };
}
