// Finds representations by id: creates them from rows, and caches each until a change of its row is on disk.
import type { BoundedMap } from '../../base/bounded-map.ts';
import type { Connection } from '../../storage/connection.ts';
import type { ObjectSource } from '../../storage/object-access.ts';
import type { Representation } from './representation.ts';

/** The representations of one kind of objects, by id. */
export type RepresentationCache<T> = BoundedMap<number, Representation<T>>;

/** Finds the elements of a list. */
export type Lookup<T> = {
  readonly find: (db: Connection, id: number) => Representation<T> | undefined;
};

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
  return {
    ...source,
    ownerIdOf: ({ ownerId }) => ownerId,
    find(db, id) {
      const representRowOf = (): Representation<T> | undefined => {
        const row = source.find(db, id);
        return row === undefined ? undefined : represent(row);
      };
      return cache === undefined ? representRowOf() : cache.getOrFind(id, representRowOf);
    },
  };
}
