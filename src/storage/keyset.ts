// Pages of a list by keyset: a page begins after the last row of the previous one, so later pages cost no more.
// If an index has the order of the list, a page is read from it at once. Otherwise the read worker finds all rows and
// sorts them, by whichever index SQLite chooses; `npm run bench:lists` shows what that takes. A search finds its rows
// itself, for a single page.
import type { Row, SqlValue } from './connection.ts';
import type { DatabaseReads } from './database.ts';

/** The position where a page begins: after the row with this sort key and id. */
export type KeysetPosition = readonly [key: string | number, id: number];

type SqlText = { readonly sql: string; readonly params: readonly SqlValue[] };

/** A condition of a WHERE clause. */
export type Condition = SqlText;

/** Rows that an index has in order. `keyValue` is their common sort key, if they have one. */
export type IndexRange = Condition & { readonly keyValue?: string };

/** The rows of a list, and their order. */
export type Selection = RowSelection | SearchSelection;

/** The rows of a list that is read page by page, sorted by `key` and then by id. */
export type RowSelection = {
  /** Each row belongs to all of these. Checked again as rows are loaded, since the read worker found them earlier. */
  readonly owners: 'any' | readonly number[];
  readonly table: string;
  readonly key: string;
  readonly isDescending: boolean;
  readonly where: Condition;
  /**
   * The same rows as ranges. For each, an index begins with the columns of its condition and continues with
   * the key and the id. Undefined if no index does: then the read worker finds and sorts the rows.
   */
  readonly ranges: readonly IndexRange[] | undefined;
};

/** The rows that a search examines, after filters and row access. */
export type SearchScope = Pick<RowSelection, 'owners' | 'where'>;

/** The rows that a search finds: a single page. */
export type SearchSelection = Pick<RowSelection, 'owners'> & {
  readonly search: (database: SearchDatabase, rowsMax: number) => Promise<KeysetPosition[]>;
};

/** The positions of a page's rows, in order. */
export type PagePositions = {
  readonly positions: readonly KeysetPosition[];
  /** The position after which the list continues; undefined at its end. */
  readonly next: KeysetPosition | undefined;
};

export type SearchDatabase = Pick<DatabaseReads, 'readInWorker'>;

/** Finds a page of any list: at once if an index has its order, otherwise in the read worker. */
export function findPage(
  database: DatabaseReads,
  selection: Selection,
  { after, rowsMax }: { readonly after: KeysetPosition | undefined; readonly rowsMax: number },
): PagePositions | Promise<PagePositions> {
  if ('search' in selection)
    return selection.search(database, rowsMax).then((positions) => ({ positions, next: undefined }));
  const { ranges } = selection;
  if (ranges === undefined) {
    const { sql, params } = sortingStatement(selection, after);
    return database
      .readInWorker<Row & KeysetPosition>(sql, [...params, rowsMax + 1])
      .then((positions) => toPage(positions, rowsMax));
  }
  const rest = ranges.flatMap((range) => rangesAfter(selection, range, after));
  if (rest.length === 0) return toPage([], rowsMax);
  const { sql, params } = mergingStatement(selection, rest);
  return toPage(database.read.all<Row & KeysetPosition>(sql, ...params, rowsMax + 1), rowsMax);
}

/** `positions` has one more than the page, if the list continues. */
function toPage(positions: readonly KeysetPosition[], rowsMax: number): PagePositions {
  if (positions.length <= rowsMax) return { positions, next: undefined };
  return { positions: positions.slice(0, rowsMax), next: positions[rowsMax - 1] };
}

/** Reads the ranges from their indexes; SQLite merges them. The parameter of the LIMIT follows. */
function mergingStatement(selection: RowSelection, ranges: readonly Condition[]): SqlText {
  const { table, key } = selection;
  const selects = ranges.map(({ sql }) => `SELECT ${key} AS key, id FROM ${table} WHERE ${sql}`);
  const direction = directionOf(selection);
  return {
    sql: `${selects.join(' UNION ALL ')} ORDER BY key ${direction}, id ${direction} LIMIT +?`,
    params: ranges.flatMap(({ params }) => params),
  };
}

/**
 * Returns the part of a range after the page's beginning. Rows with the same key are a separate range: for
 * `(key, id) < (?, ?)` SQLite would use the index only up to the key, and walk past all rows with it.
 */
function rangesAfter(
  { key, isDescending }: RowSelection,
  range: IndexRange,
  after: KeysetPosition | undefined,
): IndexRange[] {
  if (after === undefined) return [range];
  const [afterKey, afterId] = after;
  const sign = isDescending ? '<' : '>';
  const afterThisId = narrow(range, `id ${sign} ?`, afterId);
  const { keyValue } = range;
  if (key === 'id' || keyValue === afterKey) return [afterThisId];
  if (keyValue === undefined)
    return [narrow(afterThisId, `${key} = ?`, afterKey), narrow(range, `${key} ${sign} ?`, afterKey)];
  const isLater = isDescending ? keyValue < afterKey : keyValue > afterKey;
  return isLater ? [range] : [];
}

/** Puts the narrower condition first, since SQLite uses the index for the first of two bounds on a column. */
function narrow(range: IndexRange, narrower: string, param: SqlValue): IndexRange {
  return { ...range, sql: `${narrower} AND ${range.sql}`, params: [param, ...range.params] };
}

/**
 * Finds all rows and sorts them, by whichever index SQLite chooses. The `+` before a column keeps SQLite from
 * walking the index of the sort past all rows of others. The parameter of the LIMIT follows.
 */
function sortingStatement(selection: RowSelection, after: KeysetPosition | undefined): SqlText {
  const { table, key, where } = selection;
  const direction = directionOf(selection);
  const isLater = `(+${key}, +id) ${selection.isDescending ? '<' : '>'} (?, ?)`;
  const { sql, params } = after === undefined ? where : and([where, { sql: isLater, params: after }]);
  const order = `+${key} ${direction}, +id ${direction}`;
  return { sql: `SELECT ${key}, id FROM ${table} WHERE ${sql} ORDER BY ${order} LIMIT +?`, params };
}

function directionOf({ isDescending }: RowSelection): string {
  return isDescending ? 'DESC' : 'ASC';
}

/** Counts all rows of a list, in the read worker. */
export async function countRows(database: SearchDatabase, { table, where }: RowSelection): Promise<number> {
  const sql = `SELECT count(*) FROM ${table} WHERE ${where.sql}`;
  const [[count] = [0]] = await database.readInWorker<[number]>(sql, where.params);
  return count;
}

/** Selects the rows for which the condition holds, newest first; an index has them in this order. */
export function newestFirst(table: string, where: Condition): RowSelection {
  return { table, key: 'id', isDescending: true, where, ranges: [where], owners: 'any' };
}

/** Selects the rows of a user that meet the condition, newest first. */
export function newestOf(
  table: string,
  { userId }: { readonly userId: number },
  condition = matchAll,
): RowSelection {
  const where = and([equals('userId', userId), condition]);
  return { ...newestFirst(table, where), owners: [userId] };
}

/** Joins conditions with AND. */
export function and(conditions: readonly Condition[]): Condition {
  if (conditions.length === 0) return matchAll;
  return {
    sql: conditions.map(({ sql }) => sql).join(' AND '),
    params: conditions.flatMap(({ params }) => params),
  };
}

export function not({ sql, params }: Condition): Condition {
  return { sql: `NOT (${sql})`, params };
}

export const matchNone: Condition = { sql: 'FALSE', params: [] };

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

export const matchAll: Condition = { sql: 'TRUE', params: [] };
