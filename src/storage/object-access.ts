// Proves what a caller may do with an object: `Visible` that they may see it, `Owned` that they may change
// it, checked inside the write that changes it. If the object doesn't exist, both are a 404; if it is another
// user's, both are a 403.
import { isDeepStrictEqual } from 'node:util';
import { allows, type Caller, type RowAccess } from '../auth/access.ts';
import { forbidden, notFound, Problem } from '../problem.ts';
import type { Connection } from './connection.ts';
import type { Permit } from './permit.ts';
import { isSqliteError } from './storage-error.ts';

declare const visible: unique symbol;
declare const owned: unique symbol;

export type Visible<T> = T & { readonly [visible]: true };

/** Functions that change or remove rows of users require an `Owned`. */
export type Owned<T> = T & { readonly [owned]: true };

/** Looks up objects of one kind, as rows or as cached representations. */
export type ObjectSource<T> = {
  /** The noun for one such object in a problem's detail. */
  readonly name: string;
  readonly find: (db: Connection, id: number) => T | undefined;
  /** Returns the owner's id, or null if the object has no owner. */
  readonly ownerIdOf: (object: T) => number | null;
  readonly accessOf: (caller: Caller) => RowAccess;
};

/** The connection and the caller of a read. */
type ReadContext = { readonly read: Connection; readonly caller: Caller };

/** For reads only. No other function makes a `Visible`. */
export function requireVisible<T>(
  source: ObjectSource<T>,
  { read, caller }: ReadContext,
  id: number,
): Visible<T> {
  const object = requireWithin(source.accessOf(caller), source, { db: read, id });
  return object as Visible<T>; // the brand exists for the compiler alone
}

/** No other function makes an `Owned`. A permit without a caller names the rows that it covers. */
export function requireOwned<T>(
  source: ObjectSource<T>,
  { writer, caller }: Permit<Caller | { readonly access: RowAccess }>,
  id: number,
): Owned<T> {
  const access = 'access' in caller ? caller.access : source.accessOf(caller);
  const object = requireWithin(access, source, { db: writer, id });
  return object as Owned<T>; // the brand exists for the compiler alone
}

function requireWithin<T>(
  access: RowAccess,
  { name, find, ownerIdOf }: ObjectSource<T>,
  { db, id }: { readonly db: Connection; readonly id: number },
): T {
  const object = find(db, id);
  if (object === undefined) throw notFound(name, id);
  if (!allows(access, ownerIdOf(object))) throw forbidden(`This ${name} belongs to another user.`);
  return object;
}

/** Runs a DELETE. Throws 409 `in-use` if rows of another table refer to the object and don't let it go. */
export function unlessInUse(name: string, id: number, remove: () => void): void {
  try {
    remove();
  } catch (error) {
    if (!isSqliteError(error, 'referred', 'referredAtOnce')) throw error;
    throw new Problem('in-use', `Other objects refer to ${name} ${id}, so it can’t be deleted.`);
  }
}

/** Whether the object already has these values: then nothing is written, and the ETag stays. */
export function changesNothing<T extends object>(current: T, wanted: Partial<T>): boolean {
  return isDeepStrictEqual({ ...current, ...wanted }, current);
}

/** The owner's id; null for a row of the shop, or if the owner was deleted. */
export function ownerIdOf(row: object): number | null {
  return 'userId' in row && typeof row.userId === 'number' ? row.userId : null;
}
