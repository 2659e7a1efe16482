// For the tests of lists: walks their pages to the end, and compares them with all rows.
import { keyOfName } from '../../src/schema/members.ts';
import assert from 'node:assert/strict';
import { type TestResponse, type TestOptions, type TestService } from './service.ts';

export type Row = TestResponse['body'];

export type Query = Readonly<Record<string, string>>;

export type List = { readonly path: string; readonly token: string };

export type Place = List & {
  readonly sorts: readonly string[];
  /** Returns all rows as they are now. */
  rows(): Promise<readonly Row[]>;
  /** Adds a row and changes or removes another; returns the ids of those that changed. */
  disturb(): Promise<readonly number[]>;
};

/** A filter, and the rows that pass it. */
export type Filter = { readonly query: Query; fits(row: Row): boolean };

/** Without waits for the disk, for thousands of requests one after another. */
export const withoutSyncs: TestOptions = { fdatasync: (_descriptor, done) => void setImmediate(done, null) };

export const both = (fields: readonly string[]): string[] => fields.flatMap((field) => [field, `-${field}`]);

export const orderSorts = both(['createdAt', 'id', 'updatedAt', 'status', 'total']);

/** Returns all elements of all pages. */
export async function walk(service: TestService, list: List, query: Query): Promise<Row[]> {
  return (await Array.fromAsync(pagesOf(service, list, query))).flat();
}

/** Yields the elements of each page. Asserts that `next` and Link agree. */
export async function* pagesOf(
  service: TestService,
  { path, token }: List,
  query: Query,
): AsyncGenerator<Row[]> {
  let target: string | null = `${path}?${new URLSearchParams(query)}`;
  for (let pages = 0; target !== null; pages += 1) {
    assert(pages < 200, 'the pages have no end');
    const { status, headers, text, body }: TestResponse = await service.get(target, { token });
    assert.equal(status, 200, text);
    assert.ok(body.data.length <= Number(query['limit'] ?? 50));
    assert.equal(headers['link'], body.next === null ? undefined : `<${body.next}>; rel="next"`);
    yield body.data;
    target = body.next;
  }
}

export function inOrder(rows: readonly Row[], sort: string): Row[] {
  const sign = sort.startsWith('-') ? -1 : 1;
  const field = sort.replace('-', '');
  const key = (row: Row): string | number =>
    field === 'name' ? keyOfName(row[field]) : field === 'email' ? row[field].toLowerCase() : row[field];
  return rows.toSorted((a, b) => sign * (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a.id - b.id));
}

/**
 * Asserts that about three pages show each row once, by each sort, with a disturbance after the first page.
 * Without a sort the rows are in the order of `place.sorts[0]`.
 */
export async function assertPagesThroughOnce(
  service: TestService,
  place: Place,
  { query, fits }: Filter,
  sorts: readonly (string | undefined)[],
): Promise<void> {
  const before = (await place.rows()).filter(fits);
  const limit = String(Math.max(1, Math.ceil(before.length / 3)));
  const walks: { sort: string | undefined; seen: Row[]; pages: AsyncGenerator<Row[]> }[] = [];
  for (const sort of sorts) {
    const pages = pagesOf(service, place, { ...query, ...(sort === undefined ? {} : { sort }), limit });
    walks.push({ sort, pages, seen: (await pages.next()).value });
  }
  const disturbed = await place.disturb();
  const stays = ({ id }: Row): boolean => !disturbed.includes(id);
  const existed = new Set(before.map(({ id }) => id));
  for (const { sort, pages, seen } of walks) {
    for await (const page of pages) seen.push(...page);
    const ids = seen.filter(stays).map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length, `a row was seen twice, by ${sort}`);
    for (const row of seen) assert.ok(fits(row), `${JSON.stringify(row)} is not in the filter`);
    assert.deepEqual(
      seen.filter(stays).filter(({ id }) => existed.has(id)),
      inOrder(before.filter(stays), sort ?? place.sorts[0] ?? ''),
    );
  }
}
