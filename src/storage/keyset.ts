// Pages of a list by keyset: a page begins after the last row of the previous one, so later pages cost no
// more.
import type { Connection, Row, SqlValue } from './connection.ts';
import type { DatabaseReads } from './database.ts';

/** The position where a page begins: after the row with this sort key and id. */
export type KeysetPosition = readonly [key: string | number, id: number];

/** A condition of a WHERE clause. */
export type Condition = { readonly sql: string; readonly params: readonly SqlValue[] };

/** A whole statement, which selects keys and ids of rows. */
type Statement = { readonly sql: string; readonly params: readonly SqlValue[] };

/** Rows that an index has in order. `keyValue` is their common sort key, if they have one. */
export type IndexRange = Condition & { readonly keyValue?: string };

/** The rows of a list, and their order. */
export type Selection = IndexedSelection | SearchSelection;

type HasOwners = {
  /** The owners of all rows. Checked again as rows are loaded, since the read worker found them earlier. */
  readonly owners: readonly number[];
};

/**
 * The rows of a list that is read page by page. Every range has an index that begins with the columns of its
 * condition and continues with the sort key, so its rows are sorted; several ranges are merged. With
 * `sortsInMemory` no index has the order: an index finds the rows, which are few, and they are sorted in
 * memory.
 */
export type IndexedSelection = HasOwners & {
  readonly table: string;
  readonly key: string;
  readonly isDescending: boolean;
  readonly ranges: readonly IndexRange[];
  readonly sortsInMemory?: boolean;
  /**
   * A condition that no index serves: it is tested for each entry of an index that has its columns, or else for
   * the entry's row.
   */
  readonly residual: Condition | undefined;
};

/** The rows that a search finds: a single page. */
export type SearchSelection = HasOwners & { readonly search: Search };
type Search = (database: SearchDatabase, rows: number) => Promise<KeysetPosition[]>;

type PageBounds = {
  readonly after: KeysetPosition | undefined;
  readonly rows: number;
  /** The most entries to sort, or to test against `residual`, on the event loop. */
  readonly rowsExaminedMax: number;
  /**
   * What happens if a page needs more tested entries than `rowsExaminedMax`: the read worker finds the page,
   * or the page ends early. Reading a whole list in pages that end early costs one walk of the index, even if
   * few entries pass.
   */
  readonly whenSparse: 'ask the worker' | 'end early';
};
/** One page of a list. */
type PageRequest = IndexedSelection & PageBounds;

/** The positions of a page's rows, in order. */
export type PagePositions = {
  readonly positions: readonly KeysetPosition[];
  /** The position after which the list continues; undefined at its end. */
  readonly next: KeysetPosition | undefined;
};

export type SearchDatabase = Pick<DatabaseReads, 'readInWorker'>;

/** Finds a page of any list. A search is a single page. */
export function findPage(
  database: DatabaseReads,
  selection: Selection,
  bounds: PageBounds,
): PagePositions | Promise<PagePositions> {
  if ('search' in selection)
    return selection.search(database, bounds.rows).then((positions) => ({ positions, next: undefined }));
  const page = { ...selection, ...bounds };
  const ranges = page.ranges.flatMap((range) => rangesAfter(page, range, 'indexed'));
  if (ranges.length === 0) return { positions: [], next: undefined };
  const isTested = page.sortsInMemory !== true && page.residual !== undefined;
  if (isTested && page.whenSparse === 'end early') return nextEntries(database.read, page, ranges);
  const found = findPositions(database, page, ranges);
  return found instanceof Promise ? found.then((positions) => toPage(positions, page)) : toPage(found, page);
}

/** Returns keys and ids of the page's rows, and of the row after them if there is one. */
function findPositions(
  database: DatabaseReads,
  page: PageRequest,
  ranges: readonly IndexRange[],
): KeysetPosition[] | Promise<KeysetPosition[]> {
  if (page.sortsInMemory === true) return findBySorting(database, page);
  if (page.residual === undefined) return read(database.read, mergeStatement(page, ranges, page.rows + 1));
  return findByTesting(database, page, ranges);
}

function toPage(positions: readonly KeysetPosition[], { rows }: PageRequest): PagePositions {
  if (positions.length <= rows) return { positions, next: undefined };
  return { positions: positions.slice(0, rows), next: positions[rows - 1] };
}

/** Returns those of the next entries that pass the test; the page ends early if too few do. */
function nextEntries(db: Connection, page: PageRequest, ranges: readonly IndexRange[]): PagePositions {
  const { rowsExaminedMax } = page;
  const { sql, params } = mergeStatement(page, ranges, rowsExaminedMax);
  const entries = db.all<[key: string | number, id: number, fits: number | null]>(sql, ...params);
  const passing = entries.filter(([, , fits]) => fits === 1);
  const positions = passing.map(([key, id]): KeysetPosition => [key, id]);
  const [key, id] = entries.length < rowsExaminedMax ? [] : (entries.at(-1) ?? []);
  return { positions, next: key === undefined || id === undefined ? undefined : [key, id] };
}

/** Counts the rows first; if there are too many, the read worker sorts them. */
function findBySorting(
  database: DatabaseReads,
  page: PageRequest,
): KeysetPosition[] | Promise<KeysetPosition[]> {
  if (exceedsLimit(database.read, page, page.ranges)) return findInWorker(database, page);
  return read(database.read, sortStatement(page));
}

/** Tests the next entries; if the page needs more entries, the read worker finds the page. */
function findByTesting(
  database: DatabaseReads,
  page: PageRequest,
  ranges: readonly IndexRange[],
): KeysetPosition[] | Promise<KeysetPosition[]> {
  const { rows, rowsExaminedMax } = page;
  const near = mergeStatement(page, ranges, rowsExaminedMax);
  const positions = read(database.read, {
    sql: `SELECT key, id FROM (${near.sql}) AS near WHERE fits LIMIT +?`,
    params: [...near.params, rows + 1],
  });
  const isComplete = positions.length > rows || !exceedsLimit(database.read, page, ranges);
  return isComplete ? positions : findInWorker(database, page);
}

function findInWorker(database: DatabaseReads, page: PageRequest): Promise<KeysetPosition[]> {
  const { sql, params } = sortStatement(page);
  return database.readInWorker<Row & KeysetPosition>(sql, params);
}

/** Whether these ranges have more rows than may be examined on the event loop. */
function exceedsLimit(
  db: Connection,
  { table, rowsExaminedMax }: PageRequest,
  ranges: readonly IndexRange[],
): boolean {
  const parts = ranges.map(({ sql }) => `SELECT 1 FROM ${table} WHERE ${sql}`);
  const params = [...ranges.flatMap((range) => range.params), rowsExaminedMax];
  const sql = `SELECT 1 FROM (${parts.join(' UNION ALL ')}) LIMIT 1 OFFSET ?`;
  return db.get(sql, ...params) !== undefined;
}

function read(db: Connection, { sql, params }: Statement): KeysetPosition[] {
  return db.all<Row & KeysetPosition>(sql, ...params);
}

/**
 * Finds all rows that pass, and sorts them. For few rows this is less work than walking the sort's index past
 * all other rows. The `+` before a column keeps SQLite from walking that index nevertheless.
 */
function sortStatement(page: PageRequest): Statement {
  const ranges = page.ranges.flatMap((range) => rangesAfter(page, range, 'tested'));
  const parts = ranges.map((range) => withResidual(page, range));
  const selects = parts.map((part) => selectOf(page, part));
  const direction = directionOf(page);
  return {
    sql:
      `SELECT key, id FROM (${selects.join(' UNION ALL ')}) ` +
      `ORDER BY +key ${direction}, +id ${direction} LIMIT +?`,
    params: [...parts.flatMap(({ params }) => params), page.rows + 1],
  };
}

function withResidual({ residual }: IndexedSelection, range: IndexRange): Condition {
  return residual === undefined ? range : and([range, residual]);
}

function selectOf({ table, key }: IndexedSelection, { sql }: Condition, more = ''): string {
  return `SELECT ${key} AS key, id${more} FROM ${table} WHERE ${sql}`;
}

/**
 * Returns the part of a range after the page's beginning. Rows with the same key are a separate range: for
 * `(key, id) < (?, ?)` SQLite would use the index only up to the key, and walk past all rows with it.
 */
function rangesAfter(page: PageRequest, range: IndexRange, way: 'indexed' | 'tested'): IndexRange[] {
  const { after, isDescending } = page;
  if (after === undefined) return [range];
  const [afterKey, afterId] = after;
  const sign = isDescending ? '<' : '>';
  const [key, id] = way === 'indexed' ? [page.key, 'id'] : [`+${page.key}`, '+id'];
  const afterThisId = narrow(range, `${id} ${sign} ?`, afterId);
  if (page.key === 'id') return [afterThisId];
  if (range.keyValue === afterKey) return [afterThisId];
  if (range.keyValue !== undefined) return isAfter(range.keyValue, afterKey, isDescending) ? [range] : [];
  return [narrow(afterThisId, `${key} = ?`, afterKey), narrow(range, `${key} ${sign} ?`, afterKey)];
}

function isAfter(key: string, other: string | number, isDescending: boolean): boolean {
  return isDescending ? key < other : key > other;
}

/** Puts the narrower condition first, since SQLite uses the index for the first of two bounds on a column. */
function narrow(range: IndexRange, narrower: string, param: SqlValue): IndexRange {
  return { ...range, sql: `${narrower} AND ${range.sql}`, params: [param, ...range.params] };
}

/**
 * Selects the next rows in order. `fits` is the residual condition; an index with its columns suffices to
 * evaluate it in this place.
 */
function mergeStatement(page: PageRequest, ranges: readonly IndexRange[], limit: number): Statement {
  const { residual } = page;
  const fits = residual === undefined ? '' : `, ${residual.sql} AS fits`;
  const selects = ranges.map((range) => selectOf(page, range, fits));
  const direction = directionOf(page);
  return {
    sql: `${selects.join(' UNION ALL ')} ORDER BY key ${direction}, id ${direction} LIMIT +?`,
    params: [...ranges.flatMap(({ params }) => [...(residual?.params ?? []), ...params]), limit],
  };
}

function directionOf({ isDescending }: IndexedSelection): string {
  return isDescending ? 'DESC' : 'ASC';
}

/** Counts all rows of a list, in the read worker. */
export async function countRows(database: DatabaseReads, selection: IndexedSelection): Promise<number> {
  const counts = await countRanges(database, selection);
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Counts the rows of each range of a list, in the read worker. */
export async function countRanges(database: DatabaseReads, selection: IndexedSelection): Promise<number[]> {
  const parts = selection.ranges.map((range) => withResidual(selection, range));
  const counts = parts.map(({ sql }) => `(SELECT count(*) FROM ${selection.table} WHERE ${sql})`);
  const params = parts.flatMap((part) => part.params);
  const [row = []] = await database.readInWorker<Row>(`SELECT ${counts.join(', ')}`, params);
  return row.map(Number);
}

/** Joins conditions with AND; undefined if there are none. */
export function andOrNone(conditions: readonly Condition[]): Condition | undefined {
  return conditions.length === 0 ? undefined : and(conditions);
}

/** Joins conditions with AND; there must be at least one. */
export function and(conditions: readonly Condition[]): Condition {
  return {
    sql: conditions.map(({ sql }) => sql).join(' AND '),
    params: conditions.flatMap(({ params }) => params),
  };
}

/** Joins two or more conditions with OR. */
export function or(conditions: readonly Condition[]): Condition {
  return {
    sql: `(${conditions.map(({ sql }) => sql).join(' OR ')})`,
    params: conditions.flatMap(({ params }) => params),
  };
}

export function equals(column: string, value: SqlValue): Condition {
  return { sql: `${column} = ?`, params: [value] };
}

export function isOneOf(column: string, values: readonly string[]): Condition {
  return { sql: `${column} IN (${values.map(() => '?').join(', ')})`, params: values };
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

/** Returns the condition in a form for which SQLite uses no index. */
export function withoutIndex({ sql, params }: Condition): Condition {
  return { sql: `+${sql}`, params };
}

/** A condition on the table's primary key that all rows match. */
export const matchAll: Condition = { sql: 'id > 0', params: [] };
