// The list of a resource from its declaration: its parameters, and the rows that they select.
import type { RowAccess } from '../auth/access.ts';
import { named, oneOf, optional, type Infer } from '../schema/schema.ts';
import type { RowSelection } from '../storage/keyset.ts';
import {
  searchScopeOf,
  selectionOf,
  type ColumnFilter,
  type ListDefinition,
  type SearchScope,
  type SortedQuery,
} from '../storage/listing.ts';
import type { ListFilter } from './resource-members.ts';

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

export function listOf<F extends ListFilters, S extends string>({
  name,
  table,
  sorts,
  defaultSort,
  access,
  filters,
}: ListOptions<F, S>) {
  const names = Object.keys(sorts) as S[]; // its own keys
  const sortNames = names.flatMap((each): SortOf<S>[] => [each, `-${each}`]);
  const usual: string = defaultSort ?? sortNames[0] ?? 'id';
  const description = `A leading \`-\` means descending; \`${usual}\` by default.`;
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}Sort`;
  const schemas = Object.entries(filters).map(([each, { schema }]) => [each, schema] as const);
  const query = {
    ...(Object.fromEntries(schemas) as { readonly [N in keyof F]: F[N]['schema'] }), // the schema of each
    sort: optional(named(title, oneOf(sortNames, { description }))),
  };
  const list: ListDefinition = {
    table,
    sorts,
    defaultSort: usual,
    filters: byRows(filters, access),
    ...prefixIn(filters),
  };

  function selection(
    access: RowAccess,
    query: NoInfer<ListQuery<F, S>>,
    /** The values of filters that come from the path. */
    pathValues: Readonly<Record<string, number>> = {},
  ): RowSelection {
    return selectionOf(list, { access, query, pathValues });
  }

  /** The rows that a search with its own statement looks at. */
  function searchScope(access: RowAccess, query: NoInfer<ListQuery<F, S>>): SearchScope {
    return searchScopeOf(list, { access, query });
  }
  return { sortNames, query, selection, searchScope };
}

/** Those that leave the fewest rows come first: what has an index, then whose rows they are, then the others. */
function byRows(filters: ListFilters, access: ColumnFilter | null): ListDefinition['filters'] {
  const { userId: _, metadata, ...others } = columnFilters(filters);
  const indexed = Object.entries(others).filter(([, { ordered }]) => ordered !== undefined);
  return {
    ...Object.fromEntries(indexed),
    userId: access,
    ...(metadata === undefined ? {} : { metadata }),
    ...others, // those that have an index stay first
  };
}

function columnFilters(filters: ListFilters): Readonly<Record<string, ColumnFilter>> {
  return Object.fromEntries(
    Object.entries(filters).flatMap(([name, filter]) => ('matches' in filter ? [[name, filter]] : [])),
  );
}

/** The column that precedes the sort's column in all indexes, if a parameter has its values. */
function prefixIn(filters: ListFilters): Pick<ListDefinition, 'indexPrefix'> {
  for (const [name, filter] of Object.entries(filters))
    if ('values' in filter) {
      const { column, values } = filter;
      return { indexPrefix: { column, values, requested: (query) => textsIn(query, name) } };
    }
  return {};
}

function textsIn(query: SortedQuery, name: string): readonly string[] | undefined {
  const { [name]: value }: Readonly<Record<string, unknown>> = query;
  return Array.isArray(value) ? value.map(String) : undefined;
}
