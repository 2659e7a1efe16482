// Finds representations by id: creates them from rows, and caches each until a change of its row is on disk.
import { rowAccessOf } from '../../auth/access.ts';
import { BoundedMap } from '../../base/bounded-map.ts';
import type { Connection } from '../../storage/connection.ts';
import type { ObjectSource } from '../../storage/object-access.ts';
import { estimateBytes, type Representation } from './representation.ts';

/** The representations of one kind of objects, by id. */
export type RepresentationCache<T> = BoundedMap<number, Representation<T>>;

export function createRepresentationCache<T>(bytesMax: number): RepresentationCache<T> {
  return new BoundedMap<number, Representation<T>>(bytesMax, estimateBytes);
}

/** Finds the representations of objects of one kind. */
export type Lookup<T> = {
  readonly find: (db: Connection, id: number) => Representation<T> | undefined;
  /** Returns the objects in the order of the ids; undefined in place of a missing object. */
  readonly findAll: (db: Connection, ids: readonly number[]) => readonly (Representation<T> | undefined)[];
};

type RowLookup<Row, T> = {
  readonly find: (db: Connection, id: number) => Row | undefined;
  readonly represent: (row: Row) => Representation<T>;
};

/** Returns a look-up that reads rows one by one. */
export function lookupOf<Row, T>({ find, represent }: RowLookup<Row, T>): Lookup<T> {
  function findOne(db: Connection, id: number): Representation<T> | undefined {
    const row = find(db, id);
    return row === undefined ? undefined : represent(row);
  }
  return { find: findOne, findAll: (db, ids) => ids.map((id) => findOne(db, id)) };
}

/** Returns a look-up through the cache. Writes must not use it: the rows that they see may be rolled back. */
export function cachedLookup<T>(cache: RepresentationCache<T>, { find, findAll }: Lookup<T>): Lookup<T> {
  function findOne(db: Connection, id: number): Representation<T> | undefined {
    const known = cache.get(id);
    if (known !== undefined) return known;
    const found = find(db, id);
    if (found !== undefined) cache.set(id, found);
    return found;
  }

  function findSeveral(db: Connection, ids: readonly number[]): readonly (Representation<T> | undefined)[] {
    const known = ids.map((id) => cache.get(id));
    const missing = ids.filter((_, index) => known[index] === undefined);
    if (missing.length === 0) return known;
    const found = new Map<number, Representation<T>>();
    for (const representation of findAll(db, missing)) {
      if (representation === undefined) continue;
      cache.set(representation.id, representation);
      found.set(representation.id, representation);
    }
    return ids.map((id, index) => known[index] ?? found.get(id));
  }

  return { find: findOne, findAll: findSeveral };
}

/** Representations that requests read: those that are on disk, by the row access of the caller. */
export type Representations<T> = ObjectSource<Representation<T>> & Lookup<T>;

/** Reads the representations of the objects of this name, through the cache. */
export function cachedRepresentations<T>(
  name: string,
  cache: RepresentationCache<T>,
  lookup: Lookup<T>,
): Representations<T> {
  return { name, ownerOf: ({ ownerId }) => ownerId, accessOf: rowAccessOf, ...cachedLookup(cache, lookup) };
}
