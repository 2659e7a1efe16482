// Pages of a list by keyset: where a page ends the next one begins, and no page costs more than another.
import type { Connection, Row, SqlValue } from './connection.ts';
import type { Database } from './database.ts';

/** Where a page begins: after the row with this sort key and id. */
export type Position = readonly [key: string | number, id: number];

export type Condition = { readonly sql: string; readonly params: readonly SqlValue[] };

/** Rows that an index has in order. `at`: the sort key's value, where each stream has but one. */
export type Stream = Condition & { readonly at?: string };

/**
 * Which rows a list has, and in what order. Every stream has an index that begins with the columns of its
 * condition and continues with the key, so it is sorted; several are merged. With `sortsInMemory` they are
 * not: then there are few rows, found by an index and sorted here.
 */
export type Selection = {
  readonly table: string;
  readonly key: string;
  readonly isDescending: boolean;
  readonly streams: readonly Stream[];
  readonly sortsInMemory?: boolean;
  /** What no index sorts: it is tested entry by entry, in an index that has its columns. */
  readonly residual: Condition | undefined;
  /** Whose all rows are. To be checked again as they are loaded: the worker has found them earlier. */
  readonly owners: readonly number[];
  /** Instead of all this: finds a single page, in the worker. */
  readonly search?: (db: SearchDatabase, rows: number) => Promise<Position[]>;
};

/** One page of that list. */
export type PageRequest = Selection & {
  readonly after: Position | undefined;
  readonly rows: number;
  /** How many entries may be gathered, or tested against `residual`, before the worker takes over. */
  readonly rowsExaminedMax: number;
};

type Db = Pick<Database, 'read' | 'readInWorker'>;
export type SearchDatabase = Pick<Database, 'readInWorker'>;

/** Keys and ids of the page's rows in order, and one more when there are more. */
export function findPositions(db: Db, page: PageRequest): Position[] | Promise<Position[]> {
  if (page.search !== undefined) return page.search(db, page.rows);
  const streams = page.streams.flatMap((stream) => streamsAfter(page, stream, 'indexed'));
  if (streams.length === 0) return [];
  if (page.sortsInMemory === true) return findGathered(db, page);
  if (page.residual === undefined) return read(db.read, merged(page, streams, page.rows + 1));
  return findTested(db, page, streams);
}

/** A stretch of a list that is read to its end. */
export type Stretch = {
  readonly positions: readonly Position[];
  /** Where the next stretch begins; undefined at the end of the list. */
  readonly end: Position | undefined;
};

/**
 * The next entries of a list, `rowsExaminedMax` at most, and of them the positions of those that pass:
 * however few do, all stretches together cost one walk of the index. What is sorted in memory goes by `rows`.
 */
export function readStretch(db: Db, page: PageRequest): Stretch | Promise<Stretch> {
  const streams = page.streams.flatMap((stream) => streamsAfter(page, stream, 'indexed'));
  if (streams.length === 0) return { positions: [], end: undefined };
  if (page.sortsInMemory !== true) return nextEntries(db.read, page, streams);
  const found = findGathered(db, page);
  return found instanceof Promise
    ? found.then((positions) => firstOf(positions, page))
    : firstOf(found, page);
}

function firstOf(positions: readonly Position[], { rows }: PageRequest): Stretch {
  return {
    positions: positions.slice(0, rows),
    end: positions.length > rows ? positions[rows - 1] : undefined,
  };
}

function nextEntries(connection: Connection, page: PageRequest, streams: readonly Stream[]): Stretch {
  const { residual, rowsExaminedMax } = page;
  const { sql, params } = merged(page, streams, rowsExaminedMax);
  const entries = connection.all<[key: string | number, id: number, fits: number | null]>(sql, ...params);
  const passing = residual === undefined ? entries : entries.filter(([, , fits]) => fits === 1);
  const positions = passing.map(([key, id]): Position => [key, id]);
  const [key, id] = entries.length < rowsExaminedMax ? [] : (entries.at(-1) ?? []);
  return { positions, end: key === undefined || id === undefined ? undefined : [key, id] };
}

/** Counted first: how many rows there are to sort is not known before. */
function findGathered(db: Db, page: PageRequest): Position[] | Promise<Position[]> {
  if (exceedsLimit(db.read, page, page.streams)) return findInWorker(db, page);
  return read(db.read, sortedInMemory(page));
}

/** Of the next entries those that pass the test; where a page needs more entries, the worker looks. */
function findTested(db: Db, page: PageRequest, streams: readonly Stream[]): Position[] | Promise<Position[]> {
  const { rows, rowsExaminedMax } = page;
  const near = merged(page, streams, rowsExaminedMax);
  const positions = read(db.read, {
    sql: `SELECT key, id FROM (${near.sql}) AS near WHERE fits LIMIT +?`,
    params: [...near.params, rows + 1],
  });
  const isComplete = positions.length > rows || !exceedsLimit(db.read, page, streams);
  return isComplete ? positions : findInWorker(db, page);
}

function findInWorker(db: Db, page: PageRequest): Promise<Position[]> {
  const { sql, params } = sortedInMemory(page);
  return db.readInWorker<Row & Position>(sql, params);
}

/** Whether these are more rows than may be examined on the event loop. */
function exceedsLimit(
  connection: Connection,
  { table, rowsExaminedMax }: PageRequest,
  streams: readonly Stream[],
): boolean {
  const parts = streams.map(({ sql }) => `SELECT 1 FROM ${table} WHERE ${sql}`);
  const params = [...streams.flatMap((stream) => stream.params), rowsExaminedMax];
  const sql = `SELECT 1 FROM (${parts.join(' UNION ALL ')}) LIMIT 1 OFFSET ?`;
  return connection.get(sql, ...params) !== undefined;
}

function read(connection: Connection, { sql, params }: Condition): Position[] {
  return connection.all<Row & Position>(sql, ...params);
}

/**
 * Few rows pass: then finding them all and sorting them is less work than walking past the others. `+` keeps
 * SQLite from walking all the same.
 */
function sortedInMemory(page: PageRequest): Condition {
  const streams = page.streams.flatMap((stream) => streamsAfter(page, stream, 'tested'));
  const parts = streams.map((stream) => withResidual(page, stream));
  const selects = parts.map((part) => selectOf(page, part));
  const direction = directionOf(page);
  return {
    sql:
      `SELECT key, id FROM (${selects.join(' UNION ALL ')}) ` +
      `ORDER BY +key ${direction}, +id ${direction} LIMIT +?`,
    params: [...parts.flatMap(({ params }) => params), page.rows + 1],
  };
}

function withResidual({ residual }: Selection, stream: Stream): Condition {
  return residual === undefined ? stream : and([stream, residual]);
}

function selectOf({ table, key }: Selection, { sql }: Condition, more = ''): string {
  return `SELECT ${key} AS key, id${more} FROM ${table} WHERE ${sql}`;
}

/**
 * What of a stream comes after the page's beginning. Rows with the same key are a stream of their own: SQLite
 * uses an index for `(key, id) < (?, ?)` only up to the key, and would walk past all of them.
 */
function streamsAfter(page: PageRequest, stream: Stream, way: 'indexed' | 'tested'): Stream[] {
  const { after, isDescending } = page;
  if (after === undefined) return [stream];
  const [afterKey, afterId] = after;
  const sign = isDescending ? '<' : '>';
  const [key, id] = way === 'indexed' ? [page.key, 'id'] : [`+${page.key}`, '+id'];
  const afterThisId = narrowed(stream, `${id} ${sign} ?`, afterId);
  if (page.key === 'id') return [afterThisId];
  if (stream.at === afterKey) return [afterThisId];
  if (stream.at !== undefined) return isAfter(stream.at, afterKey, isDescending) ? [stream] : [];
  return [narrowed(afterThisId, `${key} = ?`, afterKey), narrowed(stream, `${key} ${sign} ?`, afterKey)];
}

function isAfter(key: string, other: string | number, isDescending: boolean): boolean {
  return isDescending ? key < other : key > other;
}

/** The narrower condition first: of two bounds on a column SQLite takes the first to the index. */
function narrowed(stream: Stream, narrower: string, param: SqlValue): Stream {
  return { ...stream, sql: `${narrower} AND ${stream.sql}`, params: [param, ...stream.params] };
}

/**
 * The next rows in order. `fits` is whether they pass the residual condition: evaluated in here, so that an
 * index with its columns answers it.
 */
function merged(page: PageRequest, streams: readonly Stream[], limit: number): Condition {
  const { residual } = page;
  const fits = residual === undefined ? '' : `, ${residual.sql} AS fits`;
  const selects = streams.map((stream) => selectOf(page, stream, fits));
  const direction = directionOf(page);
  return {
    sql: `${selects.join(' UNION ALL ')} ORDER BY key ${direction}, id ${direction} LIMIT +?`,
    params: [...streams.flatMap(({ params }) => [...(residual?.params ?? []), ...params]), limit],
  };
}

function directionOf({ isDescending }: Selection): string {
  return isDescending ? 'DESC' : 'ASC';
}

/** How many rows a list has in all, counted in the worker. */
export async function countRows(db: Db, selection: Selection): Promise<number> {
  const parts = selection.streams.map((stream) => withResidual(selection, stream));
  const counts = parts.map(({ sql }) => `(SELECT count(*) FROM ${selection.table} WHERE ${sql})`);
  const params = parts.flatMap((part) => part.params);
  const [row] = await db.readInWorker<Row>(`SELECT ${counts.join(' + ')}`, params);
  return Number(row?.[0]);
}

/** Conditions that hold together; undefined for none. */
export function andOrNone(conditions: readonly Condition[]): Condition | undefined {
  return conditions.length === 0 ? undefined : and(conditions);
}

/** The same of at least one. */
export function and(conditions: readonly Condition[]): Condition {
  return {
    sql: conditions.map(({ sql }) => sql).join(' AND '),
    params: conditions.flatMap(({ params }) => params),
  };
}

export function equals(column: string, value: SqlValue): Condition {
  return { sql: `${column} = ?`, params: [value] };
}

export function atLeast(column: string, value: SqlValue): Condition {
  return { sql: `${column} >= ?`, params: [value] };
}

export function below(column: string, value: SqlValue): Condition {
  return { sql: `${column} < ?`, params: [value] };
}

export function beginsWith(column: string, prefix: SqlValue): Condition {
  return { sql: `${column} >= ? AND ${column} < ?`, params: [prefix, `${prefix}\u{10ffff}`] };
}

/** The same where another condition is to choose the index. */
export function withoutIndex({ sql, params }: Condition): Condition {
  return { sql: `+${sql}`, params };
}

/** No condition, as SQLite takes it to the table's own index. */
export const matchAll: Condition = { sql: 'id > 0', params: [] };
