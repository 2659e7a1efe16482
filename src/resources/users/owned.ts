// What belongs to users: kept in memory once read, and given only to those who may have it.
import { allows, type RowAccess } from '../../auth/access.ts';
import type { BoundedMap } from '../../bounded-map.ts';
import { forbidden, notFound } from '../../errors.ts';
import type { Representation } from '../../http/representation.ts';
import type { Connection } from '../../storage/connection.ts';

/** Representations by id. Only what `Database.read` gave may go in. */
export type Cache<T> = BoundedMap<number, Representation<T>>;
type Find<T> = (db: Connection, reach: RowAccess, id: number) => Representation<T> | undefined;

/** Finds what is committed, kept from before where it still holds. */
export function cached<T>(
  cache: Cache<T>,
  find: Find<T>,
): (db: Connection, id: number) => Representation<T> | undefined {
  return (db, id) => {
    const kept = cache.get(id);
    if (kept !== undefined) return kept;
    const found = find(db, 'everyone', id); // the caller checks ownerId
    if (found !== undefined) cache.set(id, found);
    return found;
  };
}

/** What was found, if it is there (else 404) and within reach (else 403). */
export function requireVisible<T>(
  reach: RowAccess,
  found: Representation<T> | undefined,
  thing: string,
  id: number,
): Representation<T> {
  if (found === undefined) throw notFound(thing, id);
  if (!allows(reach, found.ownerId)) throw forbidden(`This ${thing} belongs to another user.`);
  return found;
}
