// Representations of committed objects, remembered by id until a commit invalidates them.
import type { BoundedMap } from '../bounded-map.ts';
import type { Connection } from '../storage/connection.ts';
import type { Representation } from './representation.ts';

export type RepresentationCache<T> = BoundedMap<number, Representation<T>>;

type Find<T> = (db: Connection, id: number) => Representation<T> | undefined;

/** The same look-up, remembered. For what `Database.read` returns alone: what a write reads may be undone. */
export function cached<T>(cache: RepresentationCache<T>, find: Find<T>): Find<T> {
  return (db, id) => {
    const remembered = cache.get(id);
    if (remembered !== undefined) return remembered;
    const representation = find(db, id);
    if (representation !== undefined) cache.set(id, representation);
    return representation;
  };
}
