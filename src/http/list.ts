// The answer of a list endpoint: a page's elements, where the next page is, and how many there are in all.
import { boolean, integer, optional, string } from '../schema/schema.ts';
import { pageRowsDefault, pageRowsLookedAtMax, pageRowsMax } from '../limits.ts';
import type { Connection } from '../storage/connection.ts';
import { countOf, positionsOf, type Listing, type Position } from '../storage/keyset.ts';
import type { Cursors, ListQuery } from './cursor.ts';
import { etagOf, type Representation } from './representation.ts';
import type { Context } from './route.ts';

/** Parameters that every list takes. */
export const listParameters = {
  limit: optional(
    integer({
      minimum: 1,
      maximum: pageRowsMax,
      description: `Elements a page, ${pageRowsDefault} if left out.`,
      examples: [20],
    }),
  ),
  cursor: optional(
    string({
      minLength: 1,
      maxLength: 4_000,
      pattern: '^[^]*$',
      description: 'Where the page begins, from `next`; bound to the filters and the sort.',
    }),
  ),
  total: optional(boolean({ description: 'Whether to count all elements of the list, too.' })),
};

/** What a resource's list is: everything of a Listing but the page. */
export type Selection = Omit<Listing, 'after' | 'rows' | 'rowsLookedAtMax'>;

type ListContext<Query> = Pick<Context<object, Query, unknown, unknown>, 'db' | 'path' | 'query'>;

/** `load` gives an element's representation, or undefined for one just deleted. */
export function listPage<T, Query extends object>(
  context: ListContext<Query>,
  cursors: Cursors,
  selection: Selection,
  load: (db: Connection, id: number) => Representation<T> | undefined,
): Representation<readonly T[]> | Promise<Representation<readonly T[]>> {
  const { db, path } = context;
  const query: ListQuery = context.query as ListQuery; // every list's query has listParameters
  const rows = query.limit ?? pageRowsDefault;
  const listing: Listing = {
    ...selection,
    after: cursors.open(path, query),
    rows,
    rowsLookedAtMax: pageRowsLookedAtMax,
  };
  const positions = positionsOf(db, listing);
  const total = query.total === true ? countOf(db, listing) : undefined;
  const finish = (found: readonly Position[], count: number | undefined): Representation<readonly T[]> => {
    const last = found.length > rows ? found[rows - 1] : undefined;
    const next = last === undefined ? null : cursors.next(path, query, last);
    return listText(
      found.slice(0, rows).map(([, id]) => load(db.read, id)),
      next,
      count,
    );
  };
  if (!(positions instanceof Promise) && total === undefined) return finish(positions, undefined);
  return Promise.all([positions, total]).then(([found, count]) => finish(found, count));
}

/**
 * Joins texts that are made already. Its ETag is that of theirs, which stand for the bytes and are far fewer.
 */
export function listText<T>(
  elements: readonly (Representation<T> | undefined)[],
  next: string | null,
  total?: number,
): Representation<readonly T[]> {
  let data = '';
  let etags = '';
  for (const element of elements) {
    if (element === undefined) continue;
    data += data === '' ? element.text : `,${element.text}`;
    etags += element.etag;
  }
  const rest = `"next":${next === null ? 'null' : `"${next}"`}${total === undefined ? '' : `,"total":${total}`}`;
  return {
    id: 0,
    ownerId: null,
    text: `{"data":[${data}],${rest}}`,
    etag: etagOf(etags + rest),
    mediaType: 'application/json',
    next,
  };
}
