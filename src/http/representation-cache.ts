// Look-ups of representations by id: made from rows, and cached until a change of them is on disk.
import type { BoundedMap } from '../bounded-map.ts';
import type { Connection } from '../storage/connection.ts';
import type { Representation } from './representation.ts';

export type RepresentationCache<T> = BoundedMap<number, Representation<T>>;

type Finder<T> = (db: Connection, id: number) => Representation<T> | undefined;
/** Finds those that there are, in any order. */
type FinderOfAll<T> = (db: Connection, ids: readonly number[]) => readonly Representation<T>[];

/** The look-up of rows, each shown as `represent` does. */
export function createFinder<Row, T>({ find, represent }: FinderParts<Row, T>): Finder<T> {
  return (db, id) => {
    const row = find(db, id);
    return row === undefined ? undefined : represent(row);
  };
}

type FinderParts<Row, T> = {
  readonly find: (db: Connection, id: number) => Row | undefined;
  readonly represent: (row: Row) => Representation<T>;
};

/** The look-up through the cache. Only for `Database.read`: what a write reads may still be undone. */
export function cachedFinder<T>(cache: RepresentationCache<T>, find: Finder<T>): Finder<T> {
  return (db, id) => {
    const known = cache.get(id);
    if (known !== undefined) return known;
    const representation = find(db, id);
    if (representation !== undefined) cache.offer(id, representation);
    return representation;
  };
}

/** Like `cachedFinder`, for several: what is found for each id, in their order. */
export function cachedFinderOfAll<T>(
  cache: RepresentationCache<T>,
  findAll: FinderOfAll<T>,
): (db: Connection, ids: readonly number[]) => readonly (Representation<T> | undefined)[] {
  return (db, ids) => {
    const known = ids.map((id) => cache.get(id));
    const missing = ids.filter((_, index) => known[index] === undefined);
    if (missing.length === 0) return known;
    const found = new Map<number, Representation<T>>();
    for (const representation of findAll(db, missing)) {
      cache.offer(representation.id, representation);
      found.set(representation.id, representation);
    }
    return ids.map((id, index) => known[index] ?? found.get(id));
  };
}
