// The rows of sessions and of the refresh tokens they have used up.
import { allows, type RowAccess, type Role } from '../../auth/access.ts';
import type { SessionFacts } from '../../auth/caller-cache.ts';
import type { Selection } from '../../http/list.ts';
import type { Permit } from '../../http/permit.ts';
import { represent, type Representation } from '../../http/representation.ts';
import { sessionsPerUserMax } from '../../limits.ts';
import { timestampOf } from '../../schema/members.ts';
import { check } from '../../schema/schema-check.ts';
import { unless, type Audit } from '../../storage/audit.ts';
import type { Connection } from '../../storage/connection.ts';
import { endOf, Session } from './session.ts';

type SessionRow = readonly [
  id: number,
  userId: number,
  createdAt: number,
  lastUsedAt: number,
  expiresAt: number,
  userAgent: string | null,
];
const columns = 'id, userId, createdAt, lastUsedAt, expiresAt, userAgent';

/** A session that hasn't ended. */
export function findSession(
  db: Connection,
  reach: RowAccess,
  id: number,
  now: number,
): Representation<Session> | undefined {
  const row = db.get<SessionRow>(`SELECT ${columns} FROM sessions WHERE id = ? AND expiresAt > ?`, id, now);
  if (row === undefined || !allows(reach, row[1])) return undefined;
  return represent(sessionOf(row), { id, ownerId: row[1] });
}

function sessionOf([id, userId, createdAt, lastUsedAt, expiresAt, userAgent]: SessionRow): Session {
  return {
    id,
    userId,
    createdAt: timestampOf(createdAt),
    lastUsedAt: timestampOf(lastUsedAt),
    expiresAt: timestampOf(expiresAt),
    userAgent,
  };
}

/** What a token of the session stands for now. */
export function findSessionFacts(db: Connection, id: number): SessionFacts | undefined {
  const row = db.get<[number, Role, number, number]>(
    'SELECT userId, role, sessions.createdAt, expiresAt FROM sessions JOIN users ON users.id = userId WHERE sessions.id = ?',
    id,
  );
  if (row === undefined) return undefined;
  const [userId, role, createdAt, endsAt] = row;
  return {
    caller: {
      principal: `user:${userId}`,
      bucket: `user:${userId}`,
      userId,
      role,
      sessionId: id,
      keyId: null,
      scopes: null,
      authTime: Math.floor(createdAt / 1000),
    },
    endsAt,
  };
}

export function addSession(
  db: Connection,
  userId: number,
  refreshHash: Uint8Array,
  userAgent: string | null,
  now: number,
): number {
  const sql =
    'INSERT INTO sessions (userId, refreshHash, createdAt, lastUsedAt, expiresAt, userAgent) VALUES (?, ?, ?, ?, ?, ?)';
  endOldest(db, userId);
  return db.run(sql, userId, refreshHash, now, now, endOf(now, now), userAgent).lastId;
}

/** Of a user who has as many sessions as one may have. */
function endOldest(db: Connection, userId: number): void {
  const sql = 'SELECT id FROM sessions WHERE userId = ? ORDER BY id DESC LIMIT 1 OFFSET ?';
  const [id] = db.get<[number]>(sql, userId, sessionsPerUserMax - 1) ?? [];
  if (id === undefined) return;
  db.run('DELETE FROM sessions WHERE id = ?', id);
  db.invalidate({ kind: 'session', id });
}

/** How a refresh token relates to the session: its current one, one used before, or none of its own. */
export function refreshTokenState(
  db: Connection,
  id: number,
  hash: Uint8Array,
  now: number,
): 'current' | 'used' | 'unknown' {
  const isCurrent =
    db.get('SELECT 1 FROM sessions WHERE id = ? AND refreshHash = ? AND expiresAt > ?', id, hash, now) !==
    undefined;
  if (isCurrent) return 'current';
  return db.get('SELECT 1 FROM usedRefreshTokens WHERE hash = ? AND sessionId = ?', hash, id) === undefined
    ? 'unknown'
    : 'used';
}

export function rotate(db: Connection, id: number, used: Uint8Array, next: Uint8Array, now: number): void {
  db.run('INSERT INTO usedRefreshTokens (hash, sessionId) VALUES (?, ?)', used, id);
  const createdAt = db.get<[number]>('SELECT createdAt FROM sessions WHERE id = ?', id)?.[0] ?? now;
  const usedAt = Math.max(now, createdAt); // the clock may have stepped back
  db.run(
    'UPDATE sessions SET refreshHash = ?, lastUsedAt = ?, expiresAt = ? WHERE id = ?',
    next,
    usedAt,
    endOf(createdAt, usedAt),
    id,
  );
  db.invalidate({ kind: 'session', id });
}

export function endSession({ writer: db }: Permit, id: number): void {
  db.run('DELETE FROM sessions WHERE id = ?', id);
  db.invalidate({ kind: 'session', id });
}

/** All of a user's sessions but one. The user's other credentials are forgotten with them. */
export function endSessionsOf({ writer: db }: Permit, userId: number, exceptId: number | null): void {
  db.run('DELETE FROM sessions WHERE userId = ? AND id <> ?', userId, exceptId ?? 0);
  db.invalidate({ kind: 'user', id: userId });
}

/** Of everybody, at once: for a database that no service has open. */
export function endAllSessions(db: Connection): void {
  for (const table of ['sessions', 'usedRefreshTokens', 'removedSessions']) db.run(`DELETE FROM ${table}`);
}

/** Those that ended by themselves. */
export function removeEndedSessions(db: Connection, rowsMax: number, now: number): number {
  const sql = 'DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expiresAt <= ? LIMIT ?)';
  return db.run(sql, now, rowsMax).changes;
}

/** The refresh tokens that removed sessions used up. */
export function forgetUsedTokens(db: Connection, rowsMax: number): number {
  const [id] = db.get<[number]>('SELECT id FROM removedSessions LIMIT 1') ?? [];
  if (id === undefined) return 0;
  const sql =
    'DELETE FROM usedRefreshTokens WHERE hash IN (SELECT hash FROM usedRefreshTokens WHERE sessionId = ? LIMIT ?)';
  const { changes } = db.run(sql, id, rowsMax);
  return changes > 0 ? changes : db.run('DELETE FROM removedSessions WHERE id = ?', id).changes;
}

export const sessionAudit: Audit<SessionRow> = {
  thing: 'session',
  table: 'sessions',
  columns,
  issues: (row) => [
    ...check(Session, sessionOf(row)),
    ...unless(
      row[2] <= row[3] && row[3] <= row[4],
      '/expiresAt',
      'createdAt, lastUsedAt and expiresAt are not in this order.',
    ),
  ],
};

/** Those that haven't ended, newest first. */
export function sessionListing(userId: number, now: number): Selection {
  return {
    table: 'sessions',
    key: 'id',
    isDescending: true,
    owners: [userId],
    streams: [{ sql: 'userId = ? AND +expiresAt > ?', params: [userId, now] }],
    residual: undefined,
  };
}
