// Finds representations by id: creates them from rows, and caches them until a change of the row is on disk.
import { BoundedMap } from '../base/bounded-map.ts';
import type { Connection } from '../storage/connection.ts';
import { estimateBytes, type Representation } from './representation.ts';

/** The representations of one kind of objects, by id. */
export type RepresentationCache<T> = BoundedMap<number, Representation<T>>;

export function createRepresentationCache<T>(bytesMax: number): RepresentationCache<T> {
  return new BoundedMap<number, Representation<T>>(bytesMax, estimateBytes);
}

type Finder<T> = (db: Connection, id: number) => Representation<T> | undefined;
/** Finds the objects that exist, in any order. */
type FinderOfAll<T> = (db: Connection, ids: readonly number[]) => readonly Representation<T>[];

/** Returns a look-up of rows that represents each with `represent`. */
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

/** Returns the look-up through the cache, only for `Database.read`: rows that a write reads may be undone. */
export function cachedFinder<T>(cache: RepresentationCache<T>, find: Finder<T>): Finder<T> {
  return (db, id) => {
    const known = cache.get(id);
    if (known !== undefined) return known;
    const representation = find(db, id);
    if (representation !== undefined) cache.set(id, representation);
    return representation;
  };
}

/** Like `cachedFinder`, for several ids: the results are in the order of the ids. */
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
      cache.set(representation.id, representation);
      found.set(representation.id, representation);
    }
    return ids.map((id, index) => known[index] ?? found.get(id));
  };
}
