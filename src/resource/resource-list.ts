// The list of a resource from its declaration: its parameters (at the end the usual filters), and the rows that they
// select.
//
// Row access is a filter like any other, so that no list of users' rows can be without it. If an index begins with the filtered columns
// and has the order, only its ranges are read. For `/orders?customerId=7&createdFrom=…&status=open,paid`, newest first:
//
//     SELECT createdAt AS key, id FROM orders WHERE customerId = ? AND createdAt >= ? AND status = ?
//     UNION ALL … (the same for the other status) … ORDER BY key DESC, id DESC LIMIT +?
import type { RowAccess } from '../auth/access.ts';
import { sentTimestamp } from '../schema/members.ts';
import { timeAtOrAfter } from '../schema/rfc3339.ts';
import { named, oneOf, optional, type Infer, type JsonSchema } from '../schema/schema.ts';
import type { SqlValue } from '../storage/connection.ts';
import {
  and,
  atLeast,
  below,
  equals,
  isOneOf,
  type Condition,
  type IndexRange,
  type RowSelection,
} from '../storage/keyset.ts';

/** A parameter of a list, and the rows that it keeps. */
type ListFilter = ColumnListFilter | LeadingFilter;
/** A parameter that keeps the rows whose column passes. */
export type ColumnListFilter = {
  readonly schema: JsonSchema;
  readonly column: string;
  readonly matches: (column: string, value: SqlValue) => Condition;
  /** Converts a parameter's text to the column's value. */
  readonly columnValueOf?: (text: string) => SqlValue;
  /** The sort columns for which an index begins with this column, and continues with the sort column and the id. */
  readonly ordered?: readonly string[];
  /** Whether it is a range of the column: an index serves it if the list is sorted by the column. */
  readonly isRange?: true;
};

/**
 * A parameter with one or more values of a column that precedes the sort's column in all indexes: each value is a
 * range of an index, and ranges are merged.
 */
type LeadingFilter = {
  readonly schema: JsonSchema;
  readonly column: string;
  readonly values: readonly string[];
};

type ColumnFilter = Omit<ColumnListFilter, 'schema'>;
type ListFilters = Readonly<Record<string, ListFilter>>;
type SortOf<S extends string> = S | `-${S}`;
/** What a parameter may be; unknown if the type of its schema is. */
type ValueOf<S> = [Infer<S>] extends [never] ? unknown : ReadOnly<Infer<S>>;
type ReadOnly<T> = T extends readonly (infer E)[] ? readonly E[] : T;
type ListQuery<F extends ListFilters, S extends string> = {
  readonly [N in keyof F]?: ValueOf<F[N]['schema']>;
} & { readonly sort?: SortOf<S> };

type ListOptions<F extends ListFilters, S extends string> = {
  /** The noun for one object: its sorts are named after it. */
  readonly name: string;
  readonly table: string;
  /** The columns of the sorts by their names, the usual one first. Each has an index, and so has the id. */
  readonly sorts: Readonly<Record<S, string>>;
  /** The first of `sorts` by default. */
  readonly defaultSort?: SortOf<NoInfer<S>>;
  /** The filter of row access; null if rows have no owner, and every caller sees all of them. */
  readonly access: ColumnFilter | null;
  /** The parameters, in the order of the document. */
  readonly filters: F;
};

type QueryValues = Readonly<Record<string, unknown>>;

export function listOf<F extends ListFilters, S extends string>({
  name,
  table,
  sorts,
  defaultSort,
  access: accessFilter,
  filters,
}: ListOptions<F, S>) {
  const names = Object.keys(sorts) as S[]; // its own keys
  const sortNames = names.flatMap((each): SortOf<S>[] => [each, `-${each}`]);
  const usualSort: string = defaultSort ?? sortNames[0] ?? 'id';
  const description = `A leading \`-\` means descending; \`${usualSort}\` by default.`;
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}Sort`;
  const schemas = Object.entries(filters).map(([each, { schema }]) => [each, schema] as const);
  const query = {
    ...(Object.fromEntries(schemas) as { readonly [N in keyof F]: F[N]['schema'] }), // the schema of each
    sort: optional(named(title, oneOf(sortNames, { description }))),
  };
  const columnFilters = byRows(filters, accessFilter);
  const leading = leadingIn(filters);

  /** The rows of a request, and their order. `pathValues` are the values of filters that come from the path. */
  function selection(
    access: RowAccess,
    query: NoInfer<ListQuery<F, S>>,
    pathValues: QueryValues = {},
  ): RowSelection {
    const asked: { readonly sort?: string } = query;
    const sources: readonly QueryValues[] = [pathValues, asked, access === 'all' ? {} : access];
    const owners = valuesIn(sources, 'userId').map(Number);
    const { sort = usualSort } = asked;
    const isDescending = sort.startsWith('-');
    const key = sorts[(isDescending ? sort.slice(1) : sort) as S]; // the schema has checked it
    const given = columnFilters.flatMap(([each, filter]) =>
      valuesIn(sources, each).map((value) => ({ filter, value })),
    );
    const requested = leading && textsIn(asked, leading.name);
    return {
      table,
      key,
      isDescending,
      owners: access === 'all' && owners.length === 0 ? 'any' : owners,
      where: whereOf(given, leading && requested ? [isOneOf(leading.column, requested)] : []),
      ranges: isOrdered(given, key) ? rangesOf(given, key, leading && { ...leading, requested }) : undefined,
    };
  }
  return { sortNames, query, selection };
}

type NamedFilter = readonly [name: string, ColumnFilter];

/** Puts filters first that leave few rows: filters with an index, then the owner, then the others. */
function byRows(filters: ListFilters, access: ColumnFilter | null): NamedFilter[] {
  const { userId: _, ...others } = filters;
  const named = Object.entries({ ...others, ...(access === null ? {} : { userId: access }) }).flatMap(
    ([name, filter]): NamedFilter[] => ('matches' in filter ? [[name, filter]] : []),
  );
  const rank = ([name, { ordered }]: NamedFilter): number => {
    if (name === 'userId') return 1;
    if (ordered !== undefined) return 0;
    return name === 'metadata' ? 2 : 3;
  };
  return named.sort((a, b) => rank(a) - rank(b));
}

type Leading = { readonly name: string; readonly column: string; readonly values: readonly string[] };

/** The parameter whose column precedes the sort's column in all indexes. */
function leadingIn(filters: ListFilters): Leading | undefined {
  for (const [name, filter] of Object.entries(filters)) if ('values' in filter) return { ...filter, name };
  return undefined;
}

function textsIn(query: QueryValues, name: string): readonly string[] | undefined {
  const { [name]: value } = query;
  return Array.isArray(value) ? value.map(String) : undefined;
}

/** The values of one filter: from path, query and access. Two different values select nothing. */
function valuesIn(sources: readonly QueryValues[], name: string): SqlValue[] {
  const values = new Set<SqlValue>();
  for (const { [name]: value } of sources)
    if (typeof value === 'boolean')
      values.add(Number(value)); // as a `booleanColumn` stores it
    else if (typeof value === 'number' || typeof value === 'string') values.add(value);
  return [...values];
}

type GivenFilter = { readonly filter: ColumnFilter; readonly value: SqlValue };

function isOrdered(given: readonly GivenFilter[], key: string): boolean {
  return (
    given.filter(isEquality).length <= 1 &&
    given.every(({ filter: { isRange, column, ordered } }) =>
      isRange === true ? column === key : ordered?.includes(key) === true,
    )
  );
}

function isEquality({ filter }: GivenFilter): boolean {
  return filter.isRange !== true;
}

/** Lets SQLite use an index for the first equality alone, since it can't know which filter leaves the fewest rows. */
function whereOf(given: readonly GivenFilter[], further: readonly Condition[]): Condition {
  const first = given.find(isEquality);
  const isHidden = (each: GivenFilter): boolean => first !== undefined && each !== first;
  return and([...given.map((each) => conditionOf(each, isHidden(each) ? '+' : '')), ...further]);
}

/** With `+` before the column, SQLite uses no index for the condition. */
function conditionOf({ filter, value }: GivenFilter, plus: '+' | '' = ''): Condition {
  const { column, matches, columnValueOf } = filter;
  const isText = columnValueOf !== undefined && typeof value === 'string';
  return matches(plus + column, isText ? columnValueOf(value) : value);
}

type Requested = Leading & { readonly requested: readonly string[] | undefined };

function rangesOf(given: readonly GivenFilter[], key: string, leading: Requested | undefined): IndexRange[] {
  const conditions = given.map((each) => conditionOf(each));
  const isWholeTable = leading?.requested === undefined && given.length === 0 && key === 'id';
  if (leading === undefined || isWholeTable) return [and(conditions)];
  const { column, values, requested = values } = leading;
  return [...new Set(requested)].map((value): IndexRange => {
    const range = and([...conditions, equals(column, value)]);
    return column === key ? { ...range, keyValue: value } : range;
  });
}

// The usual filters.

/** Keeps the rows whose column has the value. */
export function equalTo<S extends JsonSchema>(name: string, schema: S, description?: string) {
  const { title: _title, ...untitled }: JsonSchema = schema; // its component has the description of the member
  const own = description === undefined ? optional(schema) : optional(untitled, { description });
  const typed = own as ReturnType<typeof optional<S>>; // the title is no part of the type
  return { schema: typed, column: name, matches: equals };
}

/** Keeps the rows whose time is this or later. */
export function fromFilter(name: string, description: string) {
  return rangeOf(name, description, atLeast);
}

/** Keeps the rows whose time is earlier. */
export function beforeFilter(name: string, description: string) {
  return rangeOf(name, description, below);
}

function rangeOf(name: string, description: string, matches: ColumnListFilter['matches']) {
  const schema = optional(sentTimestamp, { description });
  return { schema, column: name, matches, columnValueOf: timeAtOrAfter, isRange: true } as const;
}
