// The rows of sessions.
import { randomBytes } from 'node:crypto';
import { accountAccessOf, type Role } from '../../auth/access.ts';
import { skewSeconds } from '../../auth/jwt.ts';
import type { SessionCaller } from '../../auth/caller-cache.ts';
import { columnsOf } from '../../resource/resource-members.ts';
import { schemaIssues } from '../../schema/schema-check.ts';
import { issueUnless } from '../../storage/audit.ts';
import type { Connection } from '../../storage/connection.ts';
import { newestOf, type RowSelection } from '../../storage/keyset.ts';
import type { ObjectSource, Owned } from '../../storage/object-access.ts';
import type { Permit } from '../../storage/permit.ts';
import * as column from '../../storage/table.ts';
import { table } from '../../storage/table.ts';
import { recordEvent } from '../events/event-store.ts';
import { endSessions, type StoredUser } from '../users/user-store.ts';
import { expiresAtOf, Session, sessionMembers } from './session.ts';

/**
 * A further session of a user ends the oldest one. So ending all sessions of a user is always one short
 * write.
 */
export const sessionsPerUserMax = 1_000;

const shown = columnsOf(sessionMembers);
const refreshed = { ...shown, refreshSeed: column.blobColumn, refreshGeneration: column.integerColumn };
/** `usesCookie` says whether the refresh token is in a browser's cookie. */
const sessions = table('sessions', { ...refreshed, usesCookie: column.booleanColumn });
const rows = sessions.select(shown);
const refreshRows = sessions.select({
  ...refreshed,
  role: column.computedColumn(
    '(SELECT role FROM users WHERE users.id = sessions.userId)',
    column.textColumn<Role>(),
  ),
});
const renew = sessions.update(['refreshGeneration', 'lastUsedAt', 'expiresAt']);

/** Finds sessions that haven't ended. */
export function sessionSource(now: number): ObjectSource<Session> {
  return {
    name: 'session',
    find: (db, id) => ifCurrent(rows.find(db, id), now),
    ownerIdOf: ({ userId }) => userId,
    accessOf: accountAccessOf,
  };
}

function ifCurrent<T extends Session>(session: T | undefined, now: number): T | undefined {
  return session !== undefined && Date.parse(session.expiresAt) > now ? session : undefined;
}

/** Whether the session's refresh token is in a browser's cookie. */
export function usesCookie(db: Connection, id: number | null): boolean {
  return db.get('SELECT 1 FROM sessions WHERE id = ? AND usesCookie = 1', id) !== undefined;
}

/** Returns the caller whom a token of the session authenticates, with the user's present rights. */
export function findSessionCaller(db: Connection, id: number): SessionCaller | undefined {
  const sql =
    'SELECT userId, role, sessions.createdAt, expiresAt ' +
    'FROM sessions JOIN users ON users.id = userId WHERE sessions.id = ?';
  const row = db.get<[number, Role, number, number]>(sql, id);
  if (row === undefined) return undefined;
  const [userId, role, createdAt, expiresAt] = row;
  return {
    caller: {
      principal: `user:${userId}`,
      client: `user:${userId}`,
      userId,
      role,
      sessionId: id,
      keyId: null,
      scopes: null,
      authTimeSeconds: Math.floor(createdAt / 1000),
    },
    expiresAt,
  };
}

type NewSessionRow = Pick<Session, 'userId' | 'userAgent'> & { readonly usesCookie: boolean };

export function addSession(permit: Permit, session: NewSessionRow): number {
  const { writer: db, origin } = permit;
  const { now } = origin;
  const { userId } = session;
  endOldest(permit, userId);
  const times = { createdAt: now, lastUsedAt: now, expiresAt: expiresAtOf(now, now) };
  const seed = { refreshSeed: randomBytes(16), refreshGeneration: 0 };
  const id = sessions.insert(db, { ...session, ...seed, ...times });
  recordEvent(permit, { type: 'session.created', subjectId: id, ownerId: userId });
  return id;
}

/** Ends the user's oldest session if the user has as many as allowed. */
function endOldest(permit: Permit, userId: number): void {
  const db = permit.writer;
  const sql = 'SELECT id FROM sessions WHERE userId = ? ORDER BY id DESC LIMIT 1 OFFSET ?';
  const [id] = db.get<[number]>(sql, userId, sessionsPerUserMax - 1) ?? [];
  if (id === undefined) return;
  sessions.remove(db, id);
  recordEvent(permit, { type: 'session.ended', subjectId: id, ownerId: userId });
  db.invalidate({ table: 'sessions', id });
}

export type RefreshState = NonNullable<ReturnType<typeof findRefreshState>>;

/**
 * Finds a session with what its refresh tokens are made of. Returns undefined if the session has ended, or began while
 * the clock was ahead: its tokens aren't valid yet.
 */
export function findRefreshState(db: Connection, sessionId: number, now: number) {
  const row = ifCurrent(refreshRows.find(db, sessionId), now);
  if (row === undefined || Date.parse(row.createdAt) > now + skewSeconds * 1000) return undefined;
  const { refreshSeed: seed, refreshGeneration: generation, role, ...session } = row;
  return { sessionId, seed, generation, role, session };
}

/** Makes the tokens of this generation the session's current ones. */
export function renewSession(
  { writer: db, origin }: Permit,
  { sessionId, session }: RefreshState,
  generation: number,
): void {
  const createdAt = Date.parse(session.createdAt);
  const usedAt = Math.max(origin.now, createdAt); // the clock may have stepped back
  const expiresAt = expiresAtOf(createdAt, usedAt);
  renew(db, { refreshGeneration: generation, lastUsedAt: usedAt, expiresAt }, sessionId);
  db.invalidate({ table: 'sessions', id: sessionId });
}

export function endSession(
  permit: Permit,
  { id, userId }: Owned<Session>,
  type: 'session.ended' | 'session.reused' = 'session.ended',
): void {
  const db = permit.writer;
  sessions.remove(db, id);
  recordEvent(permit, { type, subjectId: id, ownerId: userId });
  db.invalidate({ table: 'sessions', id });
}

/** Ends all of a user's sessions. If any had not expired, records an event and returns true. */
export function signOutEverywhere(permit: Permit, user: Owned<StoredUser>): boolean {
  const sql = 'SELECT 1 FROM sessions WHERE userId = ? AND expiresAt > ? LIMIT 1';
  const wasSignedIn = permit.writer.get(sql, user.id, permit.origin.now) !== undefined;
  endSessions(permit, user, null);
  if (wasSignedIn) recordEvent(permit, { type: 'session.ended', subjectId: null, ownerId: user.id });
  return wasSignedIn;
}

/** Ends all sessions in one write, which may take long. Only for a database that no service has open. */
export function endSessionsOfAllUsers(db: Connection): void {
  db.run('DELETE FROM sessions');
}

/** Removes sessions that have expired, up to `rowsMax`. */
export function removeExpiredSessions(db: Connection, rowsMax: number, now: number): number {
  const sql = 'DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expiresAt <= ? LIMIT +?)';
  return db.run(sql, now, rowsMax).rowsChanged;
}

export const sessionAudit = sessions.audit({
  thing: 'session',
  columns: shown,
  issues(session) {
    const { createdAt, lastUsedAt, expiresAt } = session;
    const isOrdered = createdAt <= lastUsedAt && lastUsedAt <= expiresAt;
    const detail = 'createdAt, lastUsedAt and expiresAt are not in this order.';
    return [...schemaIssues(Session, session), ...issueUnless(isOrdered, '/expiresAt', detail)];
  },
});

/** Selects sessions that haven't ended. */
export function sessionSelection(owner: { readonly userId: number }, now: number): RowSelection {
  return newestOf('sessions', owner, { sql: '+expiresAt > ?', params: [now] });
}
