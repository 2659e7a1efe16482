// Look-ups of representations by id: made from rows, and cached until a commit invalidates them.
import type { BoundedMap } from '../bounded-map.ts';
import type { Connection } from '../storage/connection.ts';
import type { Representation } from './representation.ts';

export type RepresentationCache<T> = BoundedMap<number, Representation<T>>;

type Find<T> = (db: Connection, id: number) => Representation<T> | undefined;

/** The look-up of rows, each shown as `represent` does. */
export function represented<Row, T>({ find, represent }: Represented<Row, T>): Find<T> {
  return (db, id) => {
    const row = find(db, id);
    return row === undefined ? undefined : represent(row);
  };
}

type Represented<Row, T> = {
  readonly find: (db: Connection, id: number) => Row | undefined;
  readonly represent: (row: Row) => Representation<T>;
};

/** The look-up through the cache. Only for `Database.read`: what a write reads may still be undone. */
export function cached<T>(cache: RepresentationCache<T>, find: Find<T>): Find<T> {
  return (db, id) => {
    const known = cache.get(id);
    if (known !== undefined) return known;
    const representation = find(db, id);
    if (representation !== undefined) cache.set(id, representation);
    return representation;
  };
}
