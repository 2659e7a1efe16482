// The response of a list: a page's elements, the link to the next page, and the total if requested.
import { isDeepStrictEqual } from 'node:util';
import { boolean, integer, optional, string } from '../schema/schema.ts';
import type { Connection } from '../storage/connection.ts';
import { countRows, findPositions, type KeysetPosition, type Selection } from '../storage/keyset.ts';
import type { Cursors, ListQuery } from './cursor.ts';
import type { ListPage } from './handler-result.ts';
import type { PageCache } from './page-cache.ts';
import { etagOf, type Representation } from './representation.ts';
import type { Call } from './route.ts';

export const pageRowsDefault = 50;
export const pageRowsMax = 200;
/** A page that would be longer ends early; one element always fits. */
export const pageBytesMax = 1024 * 1024;
/** The rows that a page may examine beyond those of its index. A page that ends early has a `next`. */
const pageRowsExaminedMax = 1_000;

/** The parameters of every list. */
export const listParameters = {
  limit: optional(
    integer({
      minimum: 1,
      maximum: pageRowsMax,
      description:
        `Elements per page, ${pageRowsDefault} by default. ` +
        `A page of more than ${pageBytesMax / 1024 ** 2} MiB ends early, with \`next\`.`,
      examples: [20],
    }),
  ),
  cursor: cursorParameter('Where the page begins, taken from `next`; bound to the filters and the sort.'),
  total: optional(boolean({ description: 'Whether to count all elements of the list.' })),
};

export function cursorParameter(description: string) {
  return optional(string({ minLength: 1, maxLength: 4_000, description }));
}

type ListCall<Query, C> = Pick<
  Call<object, Query, unknown, C>,
  'path' | 'query' | 'caller' | 'authorizeRead' | 'read' | 'readInWorker'
>;

export type PageSource<T, C> = {
  readonly cursors: Cursors;
  /** Returns the part of the list that this caller may see. Throws if that is nothing. */
  readonly selectionFor: (caller: C) => Selection;
  /** Returns an element's representation; undefined if it was just deleted. */
  readonly find: (db: Connection, id: number) => Representation<T> | undefined;
  /** Returns several elements in the order of `ids`, where that is faster than one by one. */
  readonly findAll?: (db: Connection, ids: readonly number[]) => readonly (Representation<T> | undefined)[];
  /** Returns a function that embeds the objects that `include` names. Called for elements loaded together. */
  readonly embedderFor?: (page: {
    readonly caller: C;
    readonly db: Connection;
    readonly ids: readonly number[];
  }) => ((element: Representation<T>) => Representation<T>) | undefined;
  readonly cache?: {
    readonly pages: PageCache;
    /** Returns the same text for callers who see the same pages. */
    readonly readerKeyOf: (caller: C) => string;
  };
};

/** The elements loaded together; those that don't fit into the page are loaded in vain. */
const elementsPerLoad = 25;

/** Takes the page from the cache, if no change has reached the disk since it was created. */
export function listPage<T, Query extends object, C>(
  call: ListCall<Query, C>,
  list: PageSource<T, C>,
): ListPage<T> | Promise<ListPage<T>> {
  const { caller, path, query } = call;
  if (list.cache === undefined) return readPage(call, list, caller);
  const { pages, readerKeyOf } = list.cache;
  const key = `${readerKeyOf(caller)} ${path} ${JSON.stringify(query)}`;
  const known = pages.find(key);
  if (known !== undefined) return known as ListPage<T>; // the key has the path of this list
  const page = readPage(call, list, caller);
  if (!(page instanceof Promise)) pages.add(key, page);
  return page;
}

/** Reads a page. If it had to wait for the query worker, the caller's rights after the wait count. */
function readPage<T, Query extends object, C>(
  call: ListCall<Query, C>,
  list: PageSource<T, C>,
  caller: C,
): ListPage<T> | Promise<ListPage<T>> {
  const { path } = call;
  const query = call.query as ListQuery; // every list's query has listParameters
  const selection = list.selectionFor(caller);
  const rows = query.limit ?? pageRowsDefault;
  const cursorList = { path, query, order: orderOf(selection) };
  const after = list.cursors.decode(cursorList);
  const toPage = (
    positions: readonly KeysetPosition[],
    total: number | undefined,
    reader: C,
  ): ListPage<T> => {
    const load = (ids: readonly number[]) =>
      loadElements(list, { selection, caller: reader, db: call.read, ids });
    const { elements, last } = loadPageElements(positions, rows, load);
    const next = last === undefined ? null : list.cursors.next(cursorList, last);
    return toListPage(elements, next, total);
  };
  const found = findPositions(call, { ...selection, after, rows, rowsExaminedMax: pageRowsExaminedMax });
  const isCounted = query.total === true && !('search' in selection); // a search has no total
  const total = isCounted ? countRows(call, selection) : undefined;
  if (!(found instanceof Promise) && total === undefined) return toPage(found, undefined, caller);
  return Promise.all([found, total]).then(([positions, count]) => {
    const reader = call.authorizeRead();
    const { owners } = list.selectionFor(reader);
    // other owners have other rows, and another total
    if (!isDeepStrictEqual(owners, selection.owners)) return readPage(call, list, reader);
    return toPage(positions, count, reader);
  });
}

/** A search has one order, and a single page. */
export function orderOf(selection: Selection): string {
  if ('search' in selection) return '';
  return selection.isDescending ? `-${selection.key}` : selection.key;
}

type WantedElements<C> = {
  readonly selection: Selection;
  readonly caller: C;
  readonly db: Connection;
  readonly ids: readonly number[];
};

/** Loads elements as the caller sees them; undefined for one that is deleted or no longer theirs. */
export function loadElements<T, C>(
  { find, findAll, embedderFor }: Omit<PageSource<T, C>, 'cursors' | 'selectionFor'>,
  { selection: { owners }, caller, db, ids }: WantedElements<C>,
): (Representation<T> | undefined)[] {
  const loaded = findAll?.(db, ids) ?? ids.map((id) => find(db, id));
  const embed = embedderFor?.({ caller, db, ids });
  return loaded.map((element) => {
    // its owner may have changed since the query worker found it
    if (element === undefined || owners.some((id) => id !== element.ownerId)) return undefined;
    return embed === undefined ? element : embed(element);
  });
}

/** Loads as many elements as fit; `last` is the position of the last one if there are more. */
function loadPageElements<T>(
  positions: readonly KeysetPosition[],
  rows: number,
  load: (ids: readonly number[]) => readonly (Representation<T> | undefined)[],
): { elements: Representation<T>[]; last: KeysetPosition | undefined } {
  const elements: Representation<T>[] = [];
  let bytes = 0;
  let last: KeysetPosition | undefined;
  const wanted = positions.slice(0, rows);
  // an empty page is loaded too, since `embedderFor` checks the caller's scope
  for (let begin = 0; begin === 0 || begin < wanted.length; begin += elementsPerLoad) {
    const some = wanted.slice(begin, begin + elementsPerLoad);
    const loaded = load(some.map(([, id]) => id));
    for (const [index, position] of some.entries()) {
      const element = loaded[index];
      if (element !== undefined) {
        bytes += element.text.length;
        if (bytes > pageBytesMax && elements.length > 0) return { elements, last };
        elements.push(element);
      }
      last = position;
    }
  }
  return { elements, last: positions.length > rows ? last : undefined };
}

/** Returns the first elements, up to the bytes of a page, and at least one. */
export function fittingPage<T>(elements: readonly Representation<T>[]): readonly Representation<T>[] {
  const fitting: Representation<T>[] = [];
  let bytes = 0;
  for (const element of elements) {
    bytes += element.text.length;
    if (bytes > pageBytesMax && fitting.length > 0) break;
    fitting.push(element);
  }
  return fitting;
}

/** Joins the texts of the elements. The ETag is a hash of their ETags, which are far shorter. */
export function toListPage<T>(
  elements: readonly Representation<T>[],
  next: string | null,
  total?: number,
): ListPage<T> {
  let data = '';
  let etags = '';
  for (const element of elements) {
    data += data === '' ? element.text : `,${element.text}`;
    etags += element.etag;
  }
  let rest = next === null ? '"next":null' : `"next":"${next}"`;
  if (total !== undefined) rest += `,"total":${total}`;
  return { kind: 'list', text: `{"data":[${data}],${rest}}`, etag: etagOf(etags + rest), next };
}
