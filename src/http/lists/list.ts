// Lists: pages with the link to the next one, searches, totals and exports, all from one declaration of a list.
import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../auth/access.ts';
import { forbidden } from '../../problem.ts';
import { boolean, integer, optional, string, type Issue } from '../../schema/schema.ts';
import { searchIssues } from '../../schema/search-parameter.ts';
import type { Connection } from '../../storage/connection.ts';
import type { DatabaseReads } from '../../storage/database.ts';
import {
  countRows,
  findPage,
  type KeysetPosition,
  type PagePositions,
  type Selection,
} from '../../storage/keyset.ts';
import type { ObjectSource } from '../../storage/object-access.ts';
import type { Lookup } from '../responses/representation-cache.ts';
import { etagOf, withIncluded, type Included, type Representation } from '../responses/representation.ts';
import type { ListPage, Streamed } from '../routing/reply.ts';
import type { Call } from '../routing/route.ts';
import { decodeCursor, nextPath, type ListQuery } from './cursor.ts';
import {
  exportIssues,
  isExport,
  type ExportCall,
  type ExportFile,
  type HandlerExports,
  type ElementReader,
} from './export.ts';

export const pageRowsDefault = 50;
export const pageRowsMax = 200;
/** A page ends before the element that would exceed this; one element always fits. */
export const pageBytesMax = 1024 * 1024;
/** The ids that an export finds in one query: few, so that they are garbage soon. */
const exportRowsPerPage = 100;
/** The positions that an export reads in one query if no index sorts the list. */
const exportRowsSortedMax = 20_000;
/** The elements loaded in one step: one order may be 60 KB of JSON, and 800 KB of CSV. */
const elementsPerLoad = 25;
const elementsPerExportLoad = 5;

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

type ListCall<C> = DatabaseReads &
  Pick<Call<object, object, unknown, C>, 'path' | 'query' | 'caller' | 'recheckCaller'>;

/** A list, from which its pages, its searches, its totals and its exports follow. */
export type List<T, C> = {
  /**
   * Returns the rows that this caller may see. Throws if the caller may list nothing, or may not read what
   * `includedFor` adds. Called before anything is read, and again with rights that have changed.
   */
  readonly selectionFor: (caller: C) => Selection;
  readonly elements: Lookup<T>;
  /** Returns the member that `include` asks for. Called once for the elements of one load. */
  readonly includedFor?: (page: {
    readonly caller: C;
    readonly db: Connection;
    readonly ids: readonly number[];
  }) => Included | undefined;
};

/** A list that can be exported: its file is made of rows, not of representations. */
type ExportableList<T> = List<T, Caller> & {
  readonly file: ExportFile<T> & { readonly source: ObjectSource<T> };
};

/** Returns an issue for each parameter that a search or a file can't have. */
export function pageOrFileIssues(
  query: Parameters<typeof searchIssues>[0],
  { mediaType }: Pick<ExportCall, 'mediaType'>,
): Issue[] {
  return [...searchIssues(query), ...exportIssues(query, mediaType, ['limit', 'total', 'cursor'])];
}

export class Lists {
  readonly #exports: HandlerExports;

  constructor(exports: HandlerExports) {
    this.#exports = exports;
  }

  /** Returns a page, or the whole list as a file if the request prefers a file's media type. */
  pageOrFile<T extends { readonly id: number }>(
    call: ExportCall,
    list: ExportableList<T>,
  ): ListPage<T> | Streamed | Promise<ListPage<T>> {
    if (!isExport(call)) return this.page(call, list);
    return this.#exports.createResult(call, list.file, wholeList(call, list));
  }

  /** Returns a page. If the read worker was needed, the caller's rights after the wait count. */
  page<T, C>(call: ListCall<C>, list: List<T, C>, caller = call.caller): ListPage<T> | Promise<ListPage<T>> {
    const query = call.query as ListQuery; // every list's query has listParameters
    const selection = list.selectionFor(caller);
    const cursorList = { path: call.path, query, order: sortOf(selection) };
    const after = decodeCursor(cursorList);
    const found = findPage(call, selection, { after, rowsMax: query.limit ?? pageRowsDefault });
    const isCounted = query.total === true && !('search' in selection); // a search has no total
    const total = isCounted ? countRows(call, selection) : undefined;
    const show = (viewer: C, positions: PagePositions, count?: number): ListPage<T> => {
      const { elements, next } = loadPage(positions, (ids) =>
        loadElements(call.read, list, { selection, caller: viewer, ids }),
      );
      return toListPage(elements, next === undefined ? null : nextPath(cursorList, next), count);
    };
    if (!(found instanceof Promise) && total === undefined) return show(caller, found);
    return Promise.all([found, total]).then(([positions, count]) => {
      const current = call.recheckCaller();
      // other owners have other rows, and another total
      if (!hasSameOwners(list, selection, current)) return this.page(call, list, current);
      return show(current, positions, count);
    });
  }
}

/**
 * Walks a list for an export, page by page, without a transaction. An element that exists all the time is
 * read exactly once, unless its sort key changes meanwhile.
 */
function wholeList<T extends { readonly id: number }>(
  call: ListCall<Caller>,
  list: ExportableList<T>,
): ElementReader<T, Caller> {
  const { caller, read: db } = call;
  const { source } = list.file;
  const selection = list.selectionFor(caller); // throws here: an error after the head could only cut the file short
  return async function* (authorize) {
    let lastCaller = caller;
    let page: PagePositions | undefined;
    do {
      page = await findPage(call, selection, { after: page?.next, rowsMax: rowsPerRead(selection) });
      yield [];
      for (let start = 0; start < page.positions.length; start += elementsPerExportLoad) {
        const current = authorize();
        if (current !== lastCaller && !hasSameOwners(list, selection, current))
          throw forbidden('The rights have changed since the export began.');
        lastCaller = current;
        const ids = idsOf(page.positions.slice(start, start + elementsPerExportLoad));
        const included = list.includedFor?.({ caller: current, db, ids });
        yield ids
          .flatMap((id) => source.find(db, id) ?? [])
          .filter((object) => mayHaveRowsOf(selection, source.ownerIdOf(object)))
          .map((object) => withMember(object, included));
      }
    } while (page.next !== undefined);
  };
}

function withMember<T extends { readonly id: number }>(object: T, included: Included | undefined): T {
  if (included === undefined) return object;
  return { ...object, [included.member]: included.values.get(object.id) ?? null };
}

/** The file of a search has the same elements as its page. */
function rowsPerRead(selection: Selection): number {
  if ('search' in selection) return pageRowsDefault;
  return selection.ranges === undefined ? exportRowsSortedMax : exportRowsPerPage;
}

/** A search has one order, and a single page. */
export function sortOf(selection: Selection): string {
  if ('search' in selection) return '';
  return selection.isDescending ? `-${selection.key}` : selection.key;
}

function hasSameOwners<C>(
  list: Pick<List<unknown, C>, 'selectionFor'>,
  { owners }: Selection,
  caller: C,
): boolean {
  return isDeepStrictEqual(list.selectionFor(caller).owners, owners);
}

/** Whether the selection has rows of this owner, who may have changed since the read worker found the row. */
function mayHaveRowsOf({ owners }: Selection, ownerId: number | null): boolean {
  return owners === 'any' || (owners.length > 0 && owners.every((id) => id === ownerId));
}

function idsOf(positions: readonly KeysetPosition[]): number[] {
  return positions.map(([, id]) => id);
}

/** Elements by their positions; undefined for one that was deleted, or now belongs to another user. */
type Loaded<T> = (Representation<T> | undefined)[];

/** Loads elements as the caller may see them. */
function loadElements<T, C>(
  db: Connection,
  { elements, includedFor }: List<T, C>,
  { selection, caller, ids }: { selection: Selection; caller: C; ids: readonly number[] },
): Loaded<T> {
  const loaded = ids.map((id) => elements.find(db, id));
  const included = includedFor?.({ caller, db, ids });
  return loaded.map((element) => {
    if (element === undefined || !mayHaveRowsOf(selection, element.ownerId)) return undefined;
    return included === undefined ? element : withIncluded(element, included);
  });
}

/** Loads as many elements as fit into a page; `next` is the position after which the list continues. */
function loadPage<T>({ positions, next }: PagePositions, load: (ids: readonly number[]) => Loaded<T>) {
  const loaded: Loaded<T> = [];
  let fitting: Loaded<T> = [];
  while (loaded.length < positions.length && fitting.length === loaded.length) {
    loaded.push(...load(idsOf(positions.slice(loaded.length, loaded.length + elementsPerLoad))));
    fitting = fittingPage(loaded);
  }
  const elements = fitting.filter((element) => element !== undefined);
  return { elements, next: fitting.length < loaded.length ? positions[fitting.length - 1] : next };
}

/** Returns the first elements, as many as fit into a page: up to its bytes, and at least one. */
export function fittingPage<E extends Representation<unknown> | undefined>(elements: readonly E[]): E[] {
  let bytes = 0;
  const firstLeft = elements.findIndex((element) => {
    const { length } = element?.text ?? '';
    bytes += length;
    return bytes > pageBytesMax && bytes > length;
  });
  return elements.slice(0, firstLeft === -1 ? undefined : firstLeft);
}

/** Joins the texts of the elements. The ETag is a hash of their ETags, which are far shorter. */
export function toListPage<T>(
  elements: readonly Representation<T>[],
  next: string | null,
  total?: number,
): ListPage<T> {
  const texts = elements.map(({ text }) => text).join();
  const etags = elements.map(({ etag }) => etag).join('');
  let rest = next === null ? '"next":null' : `"next":"${next}"`;
  if (total !== undefined) rest += `,"total":${total}`;
  return { kind: 'list', text: `{"data":[${texts}],${rest}}`, etag: etagOf(etags + rest), next };
}
