// The rows of API keys; of a key itself only its hash is kept.
import { randomBytes } from 'node:crypto';
import { allows, type RowAccess, type Role, type Scope } from '../../auth/access.ts';
import type { KeyFacts } from '../../auth/caller-cache.ts';
import { hashOf } from '../../auth/credentials.ts';
import { invalidAt } from '../../errors.ts';
import type { Selection } from '../../http/list.ts';
import type { Permit } from '../../http/permit.ts';
import { represent, type Representation } from '../../http/representation.ts';
import { keysPerUserMax } from '../../limits.ts';
import { timestampOf } from '../../schema/members.ts';
import { check } from '../../schema/schema-check.ts';
import { unless, type Audit } from '../../storage/audit.ts';
import type { Connection, SqlValue } from '../../storage/connection.ts';
import { equals } from '../../storage/keyset.ts';
import { Key, expiryOf, type MadeKey, type NewKey } from './key.ts';

type KeyRow = readonly [
  id: number,
  userId: number,
  name: string,
  scopes: string,
  createdAt: number,
  expiresAt: number | null,
  lastUsedAt: number | null,
  prefix: string,
];
const columns = 'id, userId, name, scopes, createdAt, expiresAt, lastUsedAt, prefix';

export function findKey(db: Connection, reach: RowAccess, id: number): Representation<Key> | undefined {
  const row = db.get<KeyRow>(`SELECT ${columns} FROM apiKeys WHERE id = ?`, id);
  if (row === undefined || !allows(reach, row[1])) return undefined;
  return represent(keyOf(row), { id, ownerId: row[1] });
}

function keyOf([id, , name, scopes, createdAt, expiresAt, lastUsedAt, prefix]: readonly [
  ...KeyRow,
  ...SqlValue[],
]): Key {
  return {
    id,
    name,
    scopes: scopesOf(scopes),
    createdAt: timestampOf(createdAt),
    expiresAt: isoOrNull(expiresAt),
    lastUsedAt: isoOrNull(lastUsedAt),
    prefix,
  };
}

/** What the key stands for now. */
export function findKeyFacts(db: Connection, id: number): KeyFacts | undefined {
  const row = db.get<[number, Role, string, Uint8Array, number | null]>(
    'SELECT userId, role, scopes, hash, expiresAt FROM apiKeys JOIN users ON users.id = userId WHERE apiKeys.id = ?',
    id,
  );
  if (row === undefined) return undefined;
  const [userId, role, scopes, hash, expiresAt] = row;
  const caller = {
    principal: `key:${id}`,
    bucket: `user:${userId}`,
    userId,
    role,
    sessionId: null,
    keyId: id,
    scopes: new Set(scopesOf(scopes)),
    authTime: 0,
  };
  return { caller, hash, endsAt: expiresAt ?? Infinity };
}

/** Throws where the user has as many as one may have. */
export function addKey({ writer: db }: Permit, userId: number, wanted: NewKey, now: number): MadeKey {
  checkCount(db, userId);
  const { name, scopes } = wanted;
  const expiresAt = expiryOf(wanted, now);
  const secret = randomBytes(32).toString('base64url');
  const sql =
    'INSERT INTO apiKeys (userId, name, scopes, hash, prefix, createdAt, expiresAt) VALUES (?, ?, ?, ?, ?, ?, ?)';
  const id = db.run(sql, userId, name, scopes.join(' '), hashOf(secret), '', now, expiresAt).lastId;
  const prefix = `ord_${id}_${secret.slice(0, 4)}`;
  db.run('UPDATE apiKeys SET prefix = ? WHERE id = ?', prefix, id);
  return {
    id,
    name,
    scopes,
    createdAt: timestampOf(now),
    expiresAt: isoOrNull(expiresAt),
    lastUsedAt: null,
    prefix,
    key: `ord_${id}_${secret}`,
  };
}

/** Expired ones count: they are shown until they are deleted. */
function checkCount(db: Connection, userId: number): void {
  const [count] = db.get<[number]>('SELECT count(*) FROM apiKeys WHERE userId = ?', userId) ?? [0];
  if (count < keysPerUserMax) return;
  throw invalidAt('', 'max-keys', `A user may have at most ${keysPerUserMax} API keys; delete one first.`);
}

export function removeKey({ writer: db }: Permit, id: number): void {
  db.run('DELETE FROM apiKeys WHERE id = ?', id);
  db.invalidate({ kind: 'key', id });
}

export function removeKeysOf({ writer: db }: Permit, userId: number): void {
  db.run('DELETE FROM apiKeys WHERE userId = ?', userId);
  db.invalidate({ kind: 'user', id: userId });
}

/** A line for each key that hasn't expired. */
export function describeLiveKeys(db: Connection, now: number): string[] {
  const sql =
    'SELECT apiKeys.id, apiKeys.name, email, prefix FROM apiKeys JOIN users ON users.id = userId ' +
    'WHERE expiresAt IS NULL OR expiresAt > ? ORDER BY apiKeys.id';
  return db
    .all<[number, string, string, string]>(sql, now)
    .map(([id, name, email, prefix]) => `  ${id} ${JSON.stringify(name)} of ${email}, ${prefix}…`);
}

/** Times of last use, gathered. */
export function touchKeys(db: Connection, used: ReadonlyMap<number, number>): void {
  for (const [id, time] of used) db.run('UPDATE apiKeys SET lastUsedAt = ? WHERE id = ?', time, id);
}

export const keyAudit: Audit<readonly [...KeyRow, hash: Uint8Array]> = {
  thing: 'API key',
  table: 'apiKeys',
  columns: `${columns}, hash`,
  issues: (row) => [
    ...check(Key, keyOf(row)),
    ...unless(row[7].startsWith(`ord_${row[0]}_`), '/prefix', 'prefix does not match the id.'),
    ...unless(row[8].length === 32, '/hash', 'hash is not a SHA-256 hash.'),
  ],
};

/** Newest first. */
export function keyListing(userId: number): Selection {
  return {
    table: 'apiKeys',
    key: 'id',
    isDescending: true,
    owners: [userId],
    streams: [equals('userId', userId)],
    residual: undefined,
  };
}

function scopesOf(text: string): Scope[] {
  return text.split(' ') as Scope[]; // written by addKey
}

function isoOrNull(time: number | null): string | null {
  return time === null ? null : timestampOf(time);
}
