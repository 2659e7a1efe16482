// The rows of suspended users.
import { timestampOf } from '../../schema/members.ts';
import type { Connection } from '../../storage/connection.ts';
import type { Permit } from '../../storage/permit.ts';
import type { Rows, Visible } from '../flows/visible.ts';
import type { Suspension } from './suspension.ts';
import { checkNotLastAdmin, type StoredUser } from './user-store.ts';

export function findSuspension(db: Connection, userId: number): Suspension | undefined {
  const sql = 'SELECT createdAt, reason FROM suspensions WHERE userId = ?';
  const row = db.get<[number, string | null]>(sql, userId);
  if (row === undefined) return undefined;
  const [createdAt, reason] = row;
  return { userId, createdAt: timestampOf(createdAt), reason };
}

/** Under the id of the user. */
export const suspensionRows: Rows<Suspension> = {
  name: 'suspension of user',
  find: findSuspension,
  ownerOf: ({ userId }) => userId,
};

/** The caller of this ends the user's sessions and keys in the same write. */
export function addSuspension(
  { writer: db }: Permit,
  { id }: Visible<StoredUser>,
  reason: string | null,
  now: number,
): void {
  checkNotLastAdmin(db, id);
  db.run('INSERT INTO suspensions (userId, createdAt, reason) VALUES (?, ?, ?)', id, now, reason);
  db.invalidate({ kind: 'user', id });
}

export function replaceSuspension(
  { writer: db }: Permit,
  { userId }: Visible<Suspension>,
  reason: string | null,
): void {
  db.run('UPDATE suspensions SET reason = ? WHERE userId = ?', reason, userId);
}

export function removeSuspension({ writer: db }: Permit, { userId }: Visible<Suspension>): void {
  db.run('DELETE FROM suspensions WHERE userId = ?', userId);
}
