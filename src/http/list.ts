// The answer of a list endpoint: a page's elements, where the next page is, and how many there are in all.
import { boolean, integer, optional, string } from '../schema/schema.ts';
import { pageBytesMax, pageRowsDefault, pageRowsLookedAtMax, pageRowsMax } from '../limits.ts';
import type { Connection } from '../storage/connection.ts';
import { countRows, findPositions, type Listing, type Position } from '../storage/keyset.ts';
import type { Cursors, ListQuery } from './cursor.ts';
import { etagOf, type Representation } from './representation.ts';
import type { Context } from './route.ts';

/** Parameters that every list takes. */
export const listParameters = {
  limit: optional(
    integer({
      minimum: 1,
      maximum: pageRowsMax,
      description: `Elements per page, ${pageRowsDefault} by default. A page of more than 1 MiB ends early, with \`next\`.`,
      examples: [20],
    }),
  ),
  cursor: optional(
    string({
      minLength: 1,
      maxLength: 4_000,
      pattern: '^[\\s\\S]*$',
      description: 'Where the page begins, taken from `next`; bound to the filters and the sort.',
    }),
  ),
  total: optional(boolean({ description: 'Whether to count all elements of the list.' })),
};

/** What a resource's list is: everything of a Listing but the page. */
export type Selection = Omit<Listing, 'after' | 'rows' | 'rowsLookedAtMax'> & {
  /** Whose all elements are. Checked again as they are loaded: the slow thread has found them earlier. */
  readonly owners: readonly number[];
};

type ListContext<Query> = Pick<Context<object, Query, unknown, unknown>, 'db' | 'path' | 'query'>;

/** `load` gives an element's representation, or undefined for one just deleted. */
export function listPage<T, Query extends object>(
  context: ListContext<Query>,
  cursors: Cursors,
  selection: Selection,
  load: (db: Connection, id: number) => Representation<T> | undefined,
): Representation<readonly T[]> | Promise<Representation<readonly T[]>> {
  const { db, path } = context;
  const { owners, ...listed } = selection;
  const query: ListQuery = context.query as ListQuery; // every list's query has listParameters
  const rows = query.limit ?? pageRowsDefault;
  const listing: Listing = {
    ...listed,
    after: cursors.open(path, query),
    rows,
    rowsLookedAtMax: pageRowsLookedAtMax,
  };
  const finish = (found: readonly Position[], count: number | undefined): Representation<readonly T[]> => {
    const { elements, last } = elementsOf(found, rows, (id) => owned(load(db.read, id), owners));
    const next = last === undefined ? null : cursors.next(path, query, last);
    return listText(elements, next, count);
  };
  const positions = findPositions(db, listing);
  const total = query.total === true ? countRows(db, listing) : undefined;
  if (!(positions instanceof Promise) && total === undefined) return finish(positions, undefined);
  return Promise.all([positions, total]).then(([found, count]) => finish(found, count));
}

function owned<T>(
  element: Representation<T> | undefined,
  owners: readonly number[],
): Representation<T> | undefined {
  return element !== undefined && owners.every((id) => id === element.ownerId) ? element : undefined;
}

/** As many as fit; `last` is where the page ends when there are more. */
function elementsOf<T>(
  found: readonly Position[],
  rows: number,
  load: (id: number) => Representation<T> | undefined,
): { elements: Representation<T>[]; last: Position | undefined } {
  const elements: Representation<T>[] = [];
  let bytes = 0;
  let last: Position | undefined;
  for (const position of found.slice(0, rows)) {
    const element = load(position[1]);
    if (element !== undefined) {
      bytes += element.text.length;
      if (bytes > pageBytesMax && elements.length > 0) return { elements, last };
      elements.push(element);
    }
    last = position;
  }
  return { elements, last: found.length > rows ? last : undefined };
}

/**
 * Joins texts that are made already. Its ETag is that of theirs, which stand for the bytes and are far fewer.
 */
export function listText<T>(
  elements: readonly Representation<T>[],
  next: string | null,
  total?: number,
): Representation<readonly T[]> {
  let data = '';
  let etags = '';
  for (const element of elements) {
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
