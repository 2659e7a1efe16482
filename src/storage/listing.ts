// Builds the selection of a list from its declaration: the rows, their order, and the index that finds them.
import type { RowAccess } from '../auth/access.ts';
import type { SqlValue } from './connection.ts';
import {
  and,
  andOrNone,
  equals,
  isOneOf,
  matchAll,
  withoutIndex,
  type Condition,
  type KeysetPosition,
  type IndexedSelection,
  type SearchSelection,
  type IndexRange,
} from './keyset.ts';

/** The column by which a list is sorted; ties are sorted by id. */
type SortKey = { readonly column: string; readonly isDescending: boolean };

/**
 * The use of indexes that begin with a filter's column. `ordered` names the sort columns for which an index
 * has the rows in order. For other sorts the rows are few and sorted in memory, or another index is scanned
 * and filtered. `unique`: at most one row has the value.
 */
export type Indexes =
  | 'for every sort'
  | 'unique'
  | { readonly ordered: readonly string[]; readonly otherwise: 'in memory' | 'by scan' };

type ColumnFilter = {
  readonly column: string;
  readonly matches: (column: string, value: SqlValue) => Condition;
  /** Converts a parameter's text to the column's value. */
  readonly columnValueOf?: (text: string) => SqlValue;
};
type EqualityFilter = ColumnFilter & { readonly kind: 'equality'; readonly indexes: Indexes };
/** A range condition. An index serves it if the list is sorted by the filter's column. */
type RangeFilter = ColumnFilter & { readonly kind: 'range' };
type Filter = EqualityFilter | RangeFilter;

type SortedQuery = { readonly sort?: string };
/** The query of a list that has no filters and one order. */
export type NewestFirst = { readonly sort?: '-id' };

/** All parameters that filter, except `status`: `indexPrefix` reads that one. */
type FilterName<Q> = Exclude<keyof Q & string, 'sort' | 'status' | 'q'>;

export type ListDefinition<Q extends SortedQuery> = {
  readonly table: string;
  readonly orderBy: Readonly<Record<NonNullable<Q['sort']>, SortKey>>;
  readonly defaultSort: NonNullable<Q['sort']>;
  /**
   * The first filter of the query with an index for the sort decides which index is used. Row access filters
   * `userId`; null means that rows have no owner, and every caller sees all of them.
   */
  readonly filters: Readonly<Record<FilterName<Q>, Filter>> & { readonly userId: Filter | null };
  /**
   * A column that precedes the sort's column in all indexes. Each of its values is a range, and ranges are
   * merged.
   */
  readonly indexPrefix?: {
    readonly column: string;
    readonly values: readonly string[];
    readonly requested: (query: Q) => readonly string[] | undefined;
  };
};

type ListRequest<Q> = {
  readonly access: RowAccess;
  readonly query: Q;
  /** The values of filters that come from the path. */
  readonly pathValues?: Readonly<Record<string, number>>;
  /** A condition that every row of the list meets. */
  readonly always?: Condition;
};

/**
 * Returns which rows a list has for a request, in which order, and by which index they are found. Row access
 * is a filter like any other, so that no list can be without it.
 *
 * An example: `/orders?customerId=7&currency=EUR&createdFrom=…&status=open,paid`, newest first. The filter
 * `customerId` is chosen, since an index has a customer's orders by status and `createdAt`. `createdFrom`
 * narrows that index, as the list is sorted by its column. Each status is a range. What remains is tested row
 * by row:
 *
 *     SELECT createdAt AS key, id, +currency = ? AS fits FROM orders
 *       WHERE customerId = ? AND createdAt >= ? AND status = ?
 *     UNION ALL … (the same for the other status) … ORDER BY key DESC, id DESC LIMIT +?
 */
export function selectionOf<Q extends SortedQuery>(
  list: ListDefinition<Q>,
  request: ListRequest<Q>,
): IndexedSelection {
  const sort: NonNullable<Q['sort']> = request.query.sort ?? list.defaultSort;
  const { column: key, isDescending } = list.orderBy[sort];
  const given = givenFilters(list, request);
  const chosen = given.filter(isEquality).find(({ filter }) => indexUse(filter, key) !== 'by scan');
  const sortsInMemory = chosen !== undefined && indexUse(chosen.filter, key) === 'in memory';
  const indexed: Condition[] = [];
  const residual: Condition[] = [];
  for (const each of given) {
    const { filter, condition } = each;
    const isSortRange = filter.kind === 'range' && filter.column === key && !sortsInMemory;
    const isIndexed = each === chosen || chosen?.filter.indexes === 'unique' || isSortRange;
    if (isIndexed) indexed.push(condition);
    else if (chosen === undefined || continues(chosen.filter, filter)) residual.push(condition);
    else residual.push(withoutIndex(condition)); // of two indexes SQLite might take the other
  }
  if (request.always !== undefined) indexed.push(request.always);
  return {
    table: list.table,
    key,
    isDescending,
    owners: valuesOf(request, 'userId').map(Number),
    ranges: rangesOf(list, request.query, { key, indexed, isFiltered: given.length > 0 }),
    sortsInMemory,
    residual: andOrNone(residual),
  };
}

/** The rows that filters and row access leave, for a search of the list with its own statement. */
export function searchScopeOf<Q extends SortedQuery>(
  list: ListDefinition<Q>,
  request: ListRequest<Q>,
): SearchScope {
  const conditions = givenFilters(list, request).map(({ condition }) => condition);
  const values = list.indexPrefix?.requested(request.query);
  if (list.indexPrefix !== undefined && values !== undefined)
    conditions.push(isOneOf(list.indexPrefix.column, values));
  return { owners: valuesOf(request, 'userId').map(Number), condition: andOrNone(conditions) ?? matchAll };
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

type GivenFilter = { readonly filter: Filter; readonly condition: Condition };

function givenFilters<Q extends SortedQuery>(
  { filters }: ListDefinition<Q>,
  request: ListRequest<Q>,
): GivenFilter[] {
  return Object.entries<Filter | null>(filters).flatMap(([name, filter]) => {
    if (filter === null) return [];
    return valuesOf(request, name).map((value) => ({ filter, condition: conditionOf(filter, value) }));
  });
}

/** The values of one filter: from access, query and path. Two different values select nothing. */
function valuesOf<Q extends SortedQuery>(
  { access, query, pathValues = {} }: ListRequest<Q>,
  name: string,
): SqlValue[] {
  const parameters: Readonly<Record<string, unknown>> = query;
  const values: unknown[] = [pathValues[name], parameters[name]];
  if (name === 'userId' && access !== 'all') values.push(access.userId);
  return [...new Set(values)]
    .map((value) => (typeof value === 'boolean' ? Number(value) : value)) // as `flag` columns have it
    .filter((value) => typeof value === 'number' || typeof value === 'string');
}

function conditionOf({ column, matches, columnValueOf }: Filter, value: SqlValue): Condition {
  const isText = columnValueOf !== undefined && typeof value === 'string';
  return matches(column, isText ? columnValueOf(value) : value);
}

function isEquality(given: GivenFilter): given is GivenFilter & { readonly filter: EqualityFilter } {
  return given.filter.kind === 'equality';
}

/** Whether the filter is a range condition on a column that may follow the chosen filter's in an index. */
function continues({ indexes }: EqualityFilter, filter: Filter): boolean {
  if (filter.kind !== 'range') return false;
  return typeof indexes !== 'object' || indexes.ordered.includes(filter.column);
}

function indexUse({ indexes }: EqualityFilter, key: string): 'by index' | 'in memory' | 'by scan' {
  if (typeof indexes === 'string' || indexes.ordered.includes(key)) return 'by index';
  return indexes.otherwise;
}

type RangeOptions = {
  readonly key: string;
  readonly indexed: readonly Condition[];
  readonly isFiltered: boolean;
};

function rangesOf<Q extends SortedQuery>(
  { indexPrefix }: ListDefinition<Q>,
  query: Q,
  { key, indexed, isFiltered }: RangeOptions,
): IndexRange[] {
  const requested = indexPrefix?.requested(query);
  const isWholeTable = requested === undefined && !isFiltered && key === 'id';
  if (indexPrefix === undefined || isWholeTable) return [andOrNone(indexed) ?? matchAll];
  return [...new Set(requested ?? indexPrefix.values)].map((value): IndexRange => {
    const condition = and([...indexed, equals(indexPrefix.column, value)]);
    return indexPrefix.column === key ? { ...condition, keyValue: value } : condition;
  });
}

export function ascending(column: string): SortKey {
  return { column, isDescending: false };
}

export function descending(column: string): SortKey {
  return { column, isDescending: true };
}
