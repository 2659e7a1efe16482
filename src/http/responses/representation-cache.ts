// Finds representations by id: creates them from rows, and caches each until a change of its row is on disk.
import type { BoundedMap } from '../../base/bounded-map.ts';
import type { Connection } from '../../storage/connection.ts';
import type { ObjectSource } from '../../storage/object-access.ts';
import type { Representation } from './representation.ts';

/** The representations of one kind of objects, by id. */
export type RepresentationCache<T> = BoundedMap<number, Representation<T>>;

/** Finds the representations of objects of one kind. */
export type Lookup<T> = {
  readonly find: (db: Connection, id: number) => Representation<T> | undefined;
};

type RowLookup<Row, T> = {
  readonly find: (db: Connection, id: number) => Row | undefined;
  readonly represent: (row: Row) => Representation<T>;
};

/** Returns a look-up that reads rows. */
export function lookupOf<Row, T>({ find, represent }: RowLookup<Row, T>): Lookup<T> {
  return {
    find(db, id) {
      const row = find(db, id);
      return row === undefined ? undefined : represent(row);
    },
  };
}

/** The representations that requests read: of rows that are on disk and that the caller may see. */
export type Representations<T> = ObjectSource<Representation<T>>;

/**
 * Represents the objects of a source, through the cache if there is one. Writes must not use it: the rows that they see
 * may be rolled back.
 */
export function representationsOf<Row, T>(
  source: ObjectSource<Row>,
  represent: (row: Row) => Representation<T>,
  cache?: RepresentationCache<T>,
): Representations<T> {
  const { find } = lookupOf({ find: source.find, represent });
  return {
    ...source,
    ownerOf: ({ ownerId }) => ownerId,
    find(db, id) {
      const known = cache?.get(id);
      if (known !== undefined) return known;
      const found = find(db, id);
      if (found !== undefined) cache?.set(id, found);
      return found;
    },
  };
}
