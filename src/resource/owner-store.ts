// The rows to which rows of a resource refer: the user who owns them, and the customer whom they are about.
import assert from 'node:assert';
import { allows, rowAccessOf, type Caller } from '../auth/access.ts';
import type { Issue } from '../schema/schema.ts';
import type { Connection, SqlValue } from '../storage/connection.ts';
import type { Condition } from '../storage/keyset.ts';
import type { Permit } from '../storage/permit.ts';
import type { Step } from '../storage/slices.ts';

/** Returns an expression for the owner of a row of `table`: null once the user is removed. */
export function ownerSql(table: string): string {
  return `(SELECT id FROM users WHERE users.id = ${table}.userId)`;
}

/** Selects the rows that this user owns, and no row once the user is removed. */
export function ownedBy(column: string, userId: SqlValue): Condition {
  return { sql: `${column} = (SELECT id FROM users WHERE users.id = ?)`, params: [userId] };
}

/**
 * Returns an expression for `orderly check`: 0 if a row of `table` names an owner who never existed,
 * otherwise 1.
 */
export function ownerIsKnownSql(table: string): string {
  const exists = `EXISTS (SELECT 1 FROM users WHERE id = ${table}.userId)`;
  const removed = `EXISTS (SELECT 1 FROM removedUsers WHERE id = ${table}.userId)`;
  return `${table}.userId IS NULL OR ${exists} OR ${removed}`;
}

/**
 * Asserts that a new row's owner exists. Replaces a foreign key: each write has found the owner in its own
 * transaction, as the permit's caller or by `userIssues`.
 */
export function assertOwnerExists({ writer, origin }: Permit, userId: number): void {
  const isActor = origin.actor?.userId === userId;
  assert(isActor || userExists(writer, userId), `an owner, user ${userId}, does not exist`);
}

/** Clears removed users from the rows that they owned. */
export function clearRemovedOwners(tables: readonly string[]): Step {
  return (db, rowsMax) => {
    const [id] = db.get<[number]>('SELECT id FROM removedUsers LIMIT 1') ?? [];
    if (id === undefined) return 0;
    for (const table of tables) {
      const some = `SELECT id FROM ${table} WHERE userId = ? LIMIT +?`;
      const { rowsChanged } = db.run(`UPDATE ${table} SET userId = NULL WHERE id IN (${some})`, id, rowsMax);
      if (rowsChanged > 0) return rowsChanged;
    }
    return db.run('DELETE FROM removedUsers WHERE id = ?', id).rowsChanged;
  };
}

/** Returns an issue of a `userId` in a body, unless the user exists. */
export function userIssues(db: Connection, id: number): Issue[] {
  if (userExists(db, id)) return [];
  return [{ pointer: '/userId', code: 'unknown', detail: `There is no user ${id}.` }];
}

export function userExists(db: Connection, id: number): boolean {
  return db.get('SELECT 1 FROM users WHERE id = ?', id) !== undefined;
}

/** Who writes. */
type Writer = { readonly writer: Connection; readonly caller: Caller };

/**
 * Returns an issue unless the caller may see the customer. The owner's column may still have a removed user's id, but
 * no caller has this id: ids are never reused.
 */
export function customerIssues({ writer, caller }: Writer, id: number): Issue[] {
  const row = writer.get<[userId: number | null]>('SELECT userId FROM customers WHERE id = ?', id);
  if (row !== undefined && allows(rowAccessOf(caller), row[0])) return [];
  const detail = `Customer ${id} does not exist or is not yours.`;
  return [{ pointer: '/customerId', code: 'unknown', detail }];
}
