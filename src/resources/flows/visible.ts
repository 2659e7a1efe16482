// Proves that a caller may see a row: 404 if it doesn't exist, 403 if it belongs to another user.
import assert from 'node:assert';
import { allows, type RowAccess } from '../../auth/access.ts';
import { forbidden, notFound } from '../../problem.ts';
import type { Connection } from '../../storage/connection.ts';

declare const visible: unique symbol;

/** A row that was checked against a caller's access. Functions that change or remove rows require one. */
export type Visible<T> = T & { readonly [visible]: true };

/** Looks up objects of one kind, as rows or as cached representations. */
export type ObjectSource<T> = {
  /** The noun for one of them in a problem's detail. */
  readonly name: string;
  readonly find: (db: Connection, id: number) => T | undefined;
  /** Returns the owner's id, or null if the row has no owner. */
  readonly ownerOf: (row: T) => number | null;
};

/** The only function that makes a `Visible`. */
export function requireVisible<T>(
  { name, find, ownerOf }: ObjectSource<T>,
  { db, id, access }: { readonly db: Connection; readonly id: number; readonly access: RowAccess },
): Visible<T> {
  const row = find(db, id);
  if (row === undefined) throw notFound(name, id);
  if (!allows(access, ownerOf(row))) throw forbidden(`This ${name} belongs to another user.`);
  return row as Visible<T>; // the brand exists for the compiler alone
}

/** Reads a row back inside the write that has just written it, whatever its caller may see. */
export function readBack<T>({ name, find }: ObjectSource<T>, db: Connection, id: number): T {
  const row = find(db, id);
  assert(row !== undefined, `${name} ${id} is gone after its own write`);
  return row;
}
