// Builds the selection of a list from its declaration: the rows, their order, and the index that finds them.
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

/** The column by which a list is sorted; ties are sorted by id. */
type SortKey = { readonly column: string; readonly isDescending: boolean };

type ColumnFilter = {
  readonly column: string;
  readonly matches: (column: string, value: SqlValue) => Condition;
  /** Converts a parameter's text to the column's value. */
  readonly columnValueOf?: (text: string) => SqlValue;
};
type EqualityFilter = ColumnFilter & {
  readonly kind: 'equality';
  /** The sort columns for which an index begins with this column, and continues with the sort column and the id. */
  readonly ordered: readonly string[];
};
/** A range condition. An index serves it if the list is sorted by the filter's column. */
type RangeFilter = ColumnFilter & { readonly kind: 'range' };
type Filter = EqualityFilter | RangeFilter;

type SortedQuery = { readonly sort?: string };

/** All parameters that filter, except `status`: `indexPrefix` reads that one. */
type FilterName<Q> = Exclude<keyof Q & string, 'sort' | 'status' | 'q'>;

export type ListDefinition<Q extends SortedQuery> = {
  readonly table: string;
  readonly orderBy: Readonly<Record<NonNullable<Q['sort']>, SortKey>>;
  readonly defaultSort: NonNullable<Q['sort']>;
  /**
   * Those that leave the fewest rows come first. Row access filters `userId`; null means that rows have no
   * owner, and every caller sees all of them.
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
};

/**
 * Returns which rows a list has for a request, and in which order. Row access is a filter like any other, so that
 * no list can be without it. If an index has the order, and begins with what is filtered, its ranges are read:
 * of `/orders?customerId=7&createdFrom=…&status=open,paid`, newest first,
 *
 *     SELECT createdAt AS key, id FROM orders WHERE customerId = ? AND createdAt >= ? AND status = ?
 *     UNION ALL … (the same for the other status) … ORDER BY key DESC, id DESC LIMIT +?
 */
export function selectionOf<Q extends SortedQuery>(
  list: ListDefinition<Q>,
  request: ListRequest<Q>,
): RowSelection {
  const sort: NonNullable<Q['sort']> = request.query.sort ?? list.defaultSort;
  const { column: key, isDescending } = list.orderBy[sort];
  const given = givenFilters(list, request);
  const isOrdered =
    given.filter(isEquality).length <= 1 &&
    given.every(({ filter }) =>
      filter.kind === 'equality' ? filter.ordered.includes(key) : filter.column === key,
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
export function searchScopeOf<Q extends SortedQuery>(
  list: ListDefinition<Q>,
  request: ListRequest<Q>,
): SearchScope {
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

type GivenFilter = { readonly filter: Filter; readonly value: SqlValue };

/** The filters that the request gives, in the order of their declaration. */
function givenFilters<Q extends SortedQuery>(
  { filters }: ListDefinition<Q>,
  request: ListRequest<Q>,
): GivenFilter[] {
  return Object.entries<Filter | null>(filters).flatMap(([name, filter]) => {
    if (filter === null) return [];
    return valuesOf(request, name).map((value) => ({ filter, value }));
  });
}

function ownersOf<Q extends SortedQuery>(request: ListRequest<Q>): number[] {
  return valuesOf(request, 'userId').map(Number);
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

function isEquality({ filter }: GivenFilter): boolean {
  return filter.kind === 'equality';
}

/** With `+` before the column, SQLite uses no index for the condition. */
function conditionOf({ filter, value }: GivenFilter, plus: '+' | '' = ''): Condition {
  const { column, matches, columnValueOf } = filter;
  const isText = columnValueOf !== undefined && typeof value === 'string';
  return matches(plus + column, isText ? columnValueOf(value) : value);
}

/** Leaves the first equality to indexes, and nothing else: SQLite can't know which filter leaves the fewest rows. */
function whereOf<Q extends SortedQuery>(
  { indexPrefix }: ListDefinition<Q>,
  { query }: ListRequest<Q>,
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

function rangesOf<Q extends SortedQuery>(
  { indexPrefix }: ListDefinition<Q>,
  query: Q,
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

/** The orders of a list by these columns: each by its name, and descending with `-` before it. */
export function sortedBy<N extends string>(
  columns: Readonly<Record<N, string>>,
): Readonly<Record<N | `-${N}`, SortKey>> {
  const keys: Record<string, SortKey> = {};
  for (const [name, column] of Object.entries<string>(columns)) {
    keys[name] = { column, isDescending: false };
    keys[`-${name}`] = { column, isDescending: true };
  }
  return keys as Record<N | `-${N}`, SortKey>; // both of each name
}
