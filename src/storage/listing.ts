// Builds the selection of a list from its declaration: the rows, their order, and the index that finds them.
import assert from 'node:assert';
import type { RowAccess } from '../auth/access.ts';
import type { SqlValue } from './connection.ts';
import {
  and,
  equals,
  isOneOf,
  type Condition,
  type IndexRange,
  type KeysetPosition,
  type RowSelection,
  type SearchSelection,
} from './keyset.ts';

/** A parameter that keeps the rows whose column passes. */
export type ColumnFilter = {
  readonly column: string;
  readonly matches: (column: string, value: SqlValue) => Condition;
  /** Converts a parameter's text to the column's value. */
  readonly columnValueOf?: (text: string) => SqlValue;
  /** The sort columns for which an index begins with this column, and continues with the sort column and the id. */
  readonly ordered?: readonly string[];
  /** Whether it is a range of the column: an index serves it if the list is sorted by the column. */
  readonly isRange?: true;
};

export type SortedQuery = { readonly sort?: string };

export type ListDefinition = {
  readonly table: string;
  /** The columns of sorts by their names; ties are sorted by id. A leading `-` means descending. */
  readonly sorts: Readonly<Record<string, string>>;
  readonly defaultSort: string;
  /**
   * Those that leave the fewest rows come first. Row access filters `userId`; null means that rows have no
   * owner, and every caller sees all of them.
   */
  readonly filters: Readonly<Record<string, ColumnFilter | null>> & { readonly userId: ColumnFilter | null };
  /**
   * A column that precedes the sort's column in all indexes. Each of its values is a range, and ranges are
   * merged.
   */
  readonly indexPrefix?: {
    readonly column: string;
    readonly values: readonly string[];
    readonly requested: (query: SortedQuery) => readonly string[] | undefined;
  };
};

type ListRequest = {
  readonly access: RowAccess;
  readonly query: SortedQuery;
  /** The values of filters that come from the path. */
  readonly pathValues?: Readonly<Record<string, number>>;
};

/**
 * Returns which rows a list has for a request, and in which order. Row access is a filter like any other, so that
 * no list can be without it. If an index has the order, and begins with what is filtered, its ranges are read:
 * of `/orders?customerId=7&createdFrom=…&status=open,paid`, newest first,
 *
 *     SELECT createdAt AS key, id FROM orders WHERE customerId = ? AND createdAt >= ? AND status = ?
 *     UNION ALL … (the same for the other status) … ORDER BY key DESC, id DESC LIMIT +?
 */
export function selectionOf(list: ListDefinition, request: ListRequest): RowSelection {
  const { sort = list.defaultSort } = request.query;
  const isDescending = sort.startsWith('-');
  const key = list.sorts[isDescending ? sort.slice(1) : sort];
  assert(key !== undefined, `the list has no sort ${sort}`);
  const given = givenFilters(list, request);
  const isOrdered =
    given.filter(isEquality).length <= 1 &&
    given.every(({ filter }) =>
      filter.isRange === true ? filter.column === key : filter.ordered?.includes(key) === true,
    );
  const conditions = given.map((each) => conditionOf(each));
  return {
    table: list.table,
    key,
    isDescending,
    owners: ownersOf(request),
    where: whereOf(list, request, given),
    ranges: isOrdered ? rangesOf(list, request.query, { key, conditions }) : undefined,
  };
}

/** The rows that filters and row access leave, for a search of the list with its own statement. */
export function searchScopeOf(list: ListDefinition, request: ListRequest): SearchScope {
  return { owners: ownersOf(request), condition: whereOf(list, request, givenFilters(list, request)) };
}

export type SearchScope = Pick<SearchSelection, 'owners'> & { readonly condition: Condition };

/**
 * Returns positions in the order of search results: first the row with this id, then by key, then the newest.
 */
export function rankPositions(
  positions: readonly KeysetPosition[],
  id: number,
  rows: number,
): KeysetPosition[] {
  const places = new Map<number, number>();
  for (const [key, each] of positions) places.set(each, Math.min(Number(key), places.get(each) ?? 1));
  const ranked = [...places].map(([each, place]): readonly [number, number] => [
    each === id ? -1 : place,
    each,
  ]);
  return ranked.sort(([a, idOfA], [b, idOfB]) => a - b || idOfB - idOfA).slice(0, rows);
}

type GivenFilter = { readonly filter: ColumnFilter; readonly value: SqlValue };

/** The filters that the request gives, in the order of their declaration. */
function givenFilters({ filters }: ListDefinition, request: ListRequest): GivenFilter[] {
  return Object.entries(filters).flatMap(([name, filter]) => {
    if (filter === null) return [];
    return valuesOf(request, name).map((value) => ({ filter, value }));
  });
}

function ownersOf(request: ListRequest): number[] {
  return valuesOf(request, 'userId').map(Number);
}

/** The values of one filter: from access, query and path. Two different values select nothing. */
function valuesOf({ access, query, pathValues = {} }: ListRequest, name: string): SqlValue[] {
  const parameters: Readonly<Record<string, unknown>> = query;
  const values: unknown[] = [pathValues[name], parameters[name]];
  if (name === 'userId' && access !== 'all') values.push(access.userId);
  return [...new Set(values)]
    .map((value) => (typeof value === 'boolean' ? Number(value) : value)) // as `flag` columns have it
    .filter((value) => typeof value === 'number' || typeof value === 'string');
}

function isEquality({ filter }: GivenFilter): boolean {
  return filter.isRange !== true;
}

/** With `+` before the column, SQLite uses no index for the condition. */
function conditionOf({ filter, value }: GivenFilter, plus: '+' | '' = ''): Condition {
  const { column, matches, columnValueOf } = filter;
  const isText = columnValueOf !== undefined && typeof value === 'string';
  return matches(plus + column, isText ? columnValueOf(value) : value);
}

/** Leaves the first equality to indexes, and nothing else: SQLite can't know which filter leaves the fewest rows. */
function whereOf(
  { indexPrefix }: ListDefinition,
  { query }: ListRequest,
  given: readonly GivenFilter[],
): Condition {
  const first = given.find(isEquality);
  const isHidden = (each: GivenFilter): boolean => first !== undefined && each !== first;
  const conditions = given.map((each) => conditionOf(each, isHidden(each) ? '+' : ''));
  const values = indexPrefix?.requested(query);
  if (indexPrefix !== undefined && values !== undefined) conditions.push(isOneOf(indexPrefix.column, values));
  return and(conditions);
}

type RangeOptions = { readonly key: string; readonly conditions: readonly Condition[] };

function rangesOf(
  { indexPrefix }: ListDefinition,
  query: SortedQuery,
  { key, conditions }: RangeOptions,
): IndexRange[] {
  const requested = indexPrefix?.requested(query);
  const isWholeTable = requested === undefined && conditions.length === 0 && key === 'id';
  if (indexPrefix === undefined || isWholeTable) return [and(conditions)];
  return [...new Set(requested ?? indexPrefix.values)].map((value): IndexRange => {
    const condition = and([...conditions, equals(indexPrefix.column, value)]);
    return indexPrefix.column === key ? { ...condition, keyValue: value } : condition;
  });
}
