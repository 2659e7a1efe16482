// The rows of API keys. Only a hash of each key is stored.
import { randomBytes } from 'node:crypto';
import { accountAccessOf, type Role, type Scope } from '../../auth/access.ts';
import type { KeyCaller } from '../../auth/caller-cache.ts';
import { hashSecret } from '../../auth/credentials.ts';
import { escapeControls } from '../../base/log-lines.ts';
import { invalidAt } from '../../problem.ts';
import { columnsOf } from '../../resource/resource-members.ts';
import { keptIssues } from '../../schema/schema-check.ts';
import { issueUnless } from '../../storage/audit.ts';
import type { Connection } from '../../storage/connection.ts';
import { newestOf, type RowSelection } from '../../storage/keyset.ts';
import { type ObjectSource, type Owned } from '../../storage/object-access.ts';
import type { Permit } from '../../storage/permit.ts';
import * as column from '../../storage/table.ts';
import { table } from '../../storage/table.ts';
import { recordEvent } from '../events/event-store.ts';
import { Key, keyMembers, requireExpiry, type NewKey } from './key.ts';

export const keysPerUserMax = 50;

const shown = columnsOf(keyMembers);
const keys = table('apiKeys', { ...shown, userId: column.integerColumn, hash: column.blobColumn });
const rows = keys.select({ ...shown, userId: column.integerColumn });
const replacePrefix = keys.update(['prefix']);
const replaceLastUse = keys.update(['lastUsedAt']);

/** A key, and its user, whom responses don't show. */
export type StoredKey = Key & { readonly userId: number };

export const keySource: ObjectSource<StoredKey> = {
  name: 'API key',
  find: rows.find,
  ownerIdOf: ({ userId }) => userId,
  accessOf: accountAccessOf,
};

/** Returns the caller whom the key authenticates, with the user's present rights. */
export function findKeyCaller(db: Connection, id: number): KeyCaller | undefined {
  const sql =
    'SELECT userId, role, scopes, hash, expiresAt ' +
    'FROM apiKeys JOIN users ON users.id = userId WHERE apiKeys.id = ?';
  const row = db.get<[number, Role, string, Uint8Array, number | null]>(sql, id);
  if (row === undefined) return undefined;
  const [userId, role, scopes, hash, expiresAt] = row;
  const caller = {
    principal: `key:${id}`,
    client: `user:${userId}`,
    userId,
    role,
    sessionId: null,
    keyId: id,
    scopes: new Set(scopes.split(' ') as Scope[]), // written by addKey
    authTimeSeconds: 0,
  };
  return { caller, hash, expiresAt: expiresAt ?? Infinity };
}

/** Creates a key, and returns it with its text. Throws if the user has as many keys as allowed. */
export function addKey(permit: Permit, wanted: NewKey & { readonly userId: number }) {
  const { writer: db, origin } = permit;
  const { userId } = wanted;
  const createdAt = origin.now;
  checkKeyCount(db, userId);
  const expiresAt = requireExpiry(wanted, createdAt);
  const random = randomBytes(32).toString('base64url');
  const hash = hashSecret(random);
  const id = keys.insert(db, { ...wanted, expiresAt, hash, prefix: '', createdAt });
  const prefix = `ord_${id}_${random.slice(0, 4)}`;
  replacePrefix(db, { prefix }, id);
  recordEvent(permit, { type: 'key.created', subjectId: id, ownerId: userId });
  const key = rows.written({ ...wanted, id, expiresAt, lastUsedAt: null, prefix, createdAt });
  return { key, secret: `ord_${id}_${random}` };
}

/** Throws if the user has too many keys. Expired keys count: they are listed until they are deleted. */
function checkKeyCount(db: Connection, userId: number): void {
  const [count] = db.get<[number]>('SELECT count(*) FROM apiKeys WHERE userId = ?', userId) ?? [0];
  if (count < keysPerUserMax) return;
  throw invalidAt('', 'max-keys', `A user may have at most ${keysPerUserMax} API keys; delete one first.`);
}

export function removeKey(permit: Permit, { id, userId }: Owned<StoredKey>): void {
  keys.remove(permit.writer, id);
  recordEvent(permit, { type: 'key.removed', subjectId: id, ownerId: userId });
  permit.writer.invalidate({ table: 'apiKeys', id });
}

/** Returns a line of text for each key that hasn't expired. */
export function describeLiveKeys(db: Connection, now: number): string[] {
  const sql =
    'SELECT apiKeys.id, apiKeys.name, email, prefix FROM apiKeys JOIN users ON users.id = userId ' +
    'WHERE expiresAt IS NULL OR expiresAt > ? ORDER BY apiKeys.id';
  // the escapes of a name include marks that change the direction of writing, which could hide the rest of the line
  const quoted = (name: string): string => escapeControls(JSON.stringify(name));
  return db
    .all<[number, string, string, string]>(sql, now)
    .map(([id, name, email, prefix]) => `  ${id} ${quoted(name)} of ${email}, ${prefix}…`);
}

/** Stores when keys were last used, by id. */
export function recordKeyUses(db: Connection, uses: readonly (readonly [id: number, at: number])[]): void {
  for (const [id, lastUsedAt] of uses) replaceLastUse(db, { lastUsedAt }, id);
}

export const keyAudit = keys.audit({
  thing: 'API key',
  columns: { ...shown, hash: column.blobColumn },
  issues({ hash, ...key }) {
    return [
      ...keptIssues(Key, key),
      // one of a resource that left may stay
      ...key.scopes.flatMap((scope, index) =>
        issueUnless(/^\S+:(read|write)$/.test(scope), `/scopes/${index}`, `${scope} is not a scope.`),
      ),
      ...issueUnless(key.prefix.startsWith(`ord_${key.id}_`), '/prefix', 'prefix does not match the id.'),
      ...issueUnless(hash.length === 32, '/hash', 'hash is not a SHA-256 hash.'),
    ];
  },
});

export function keySelection(owner: { readonly userId: number }): RowSelection {
  return newestOf('apiKeys', owner);
}
