// The rows of suspensions.
import { timestampOf } from '../../schema/timestamp.ts';
import { schemaIssues } from '../../schema/schema-check.ts';
import { issueUnless, type Audit } from '../../storage/audit.ts';
import type { Connection, SqlValue } from '../../storage/connection.ts';
import type { Permit } from '../../storage/permit.ts';
import { recordEvent } from '../events/event-store.ts';
import type { ObjectSource, Visible } from '../flows/visible.ts';
import { Suspension } from './suspension.ts';
import { checkNotLastAdmin, type StoredUser } from './user-store.ts';

/** `version` counts the changes of the reason. */
export type StoredSuspension = Suspension & { readonly version: number };

export function findSuspension(db: Connection, userId: number): StoredSuspension | undefined {
  const sql = 'SELECT createdAt, reason, version FROM suspensions WHERE userId = ?';
  const row = db.get<[createdAt: number, reason: string | null, version: number]>(sql, userId);
  if (row === undefined) return undefined;
  const [createdAt, reason, version] = row;
  return { ...suspensionOf([userId, createdAt, reason]), version };
}

type SuspensionRow = readonly [userId: number, createdAt: number, reason: string | null];

function suspensionOf([userId, createdAt, reason]: readonly [...SuspensionRow, ...SqlValue[]]): Suspension {
  return { userId, createdAt: timestampOf(createdAt), reason };
}

/** The id of a row is that of its user. */
export const suspensionSource: ObjectSource<StoredSuspension> = {
  name: 'suspension of user',
  find: findSuspension,
  ownerOf: ({ userId }) => userId,
};

/** The caller of this function also ends the user's sessions and keys, in the same write. */
export function addSuspension(permit: Permit, { id }: Visible<StoredUser>, reason: string | null): void {
  const { writer: db, origin } = permit;
  checkNotLastAdmin(db, id);
  db.run('INSERT INTO suspensions (userId, createdAt, reason) VALUES (?, ?, ?)', id, origin.now, reason);
  recordEvent(permit, { type: 'user.suspended', subjectId: id, ownerId: id });
  db.invalidate({ kind: 'user', id });
}

export function replaceSuspension(
  permit: Permit,
  { userId, reason: current }: Visible<Suspension>,
  reason: string | null,
): void {
  if (reason === current) return; // no change, so no event
  const sql = 'UPDATE suspensions SET reason = ?, version = version + 1 WHERE userId = ?';
  permit.writer.run(sql, reason, userId);
  recordChange(permit, userId);
}

export function removeSuspension(permit: Permit, { userId }: Visible<Suspension>): void {
  permit.writer.run('DELETE FROM suspensions WHERE userId = ?', userId);
  recordChange(permit, userId);
}

function recordChange(permit: Permit, userId: number): void {
  const changes = { suspension: null };
  recordEvent(permit, { type: 'user.changed', subjectId: userId, ownerId: userId, changes });
}

/** Audits by the ids of users, whose sessions and keys must have ended with the suspension. */
export const suspensionAudit: Audit<readonly [...SuspensionRow, credentials: number]> = {
  thing: 'suspension',
  table: '(SELECT userId AS id, createdAt, reason FROM suspensions) AS suspended',
  columns:
    'suspended.id, suspended.createdAt, suspended.reason, ' +
    '(SELECT count(*) FROM sessions WHERE userId = suspended.id) + ' +
    '(SELECT count(*) FROM apiKeys WHERE userId = suspended.id)',
  issues(row) {
    const [, , , credentials] = row;
    return [
      ...schemaIssues(Suspension, suspensionOf(row)),
      ...issueUnless(credentials === 0, '/userId', 'the user still has sessions or API keys.'),
    ];
  },
};
