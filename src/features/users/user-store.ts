// The rows of users.
import { accountAccessOf } from '../../auth/access.ts';
import { dayMilliseconds } from '../../base/durations.ts';
import { clockFloor, isSane } from '../../base/sane-clock.ts';
import { Problem } from '../../problem.ts';
import { listOf, equalTo } from '../../resource/resource-list.ts';
import { columnsOf, namesInEvents } from '../../resource/resource-members.ts';
import { nameKey } from '../../resource/usual-members.ts';
import { emailKey, formerEmailKey } from '../../schema/email.ts';
import { email, singleLine } from '../../schema/members.ts';
import { namePrefix } from '../../schema/name-key.ts';
import { schemaIssues } from '../../schema/schema-check.ts';
import { optional } from '../../schema/schema.ts';
import { issueUnless } from '../../storage/audit.ts';
import type { Connection } from '../../storage/connection.ts';
import { beginsWith, equals } from '../../storage/keyset.ts';
import { unlessInUse, type ObjectSource, type Owned } from '../../storage/object-access.ts';
import type { Permit } from '../../storage/permit.ts';
import * as column from '../../storage/table.ts';
import { table, type Column } from '../../storage/table.ts';
import {
  keysOf,
  remakeKeys,
  remakeNameKeys,
  sharedKeyTexts,
  uniqueKeyColumn,
  type UniqueKey,
} from '../../storage/unique-keys.ts';
import { recordEvent } from '../events/event-store.ts';
import { changesBetween } from '../events/event.ts';
import { User, userMembers, type UserContent } from './user.ts';

/** No two users have the same e-mail address. */
const userEmails: UniqueKey = {
  table: 'users',
  column: 'emailKey',
  source: 'email',
  keyOf: emailKey,
  formerKeyOf: formerEmailKey,
};

const shown = columnsOf(userMembers);
const columns = {
  ...shown,
  nameKey,
  emailKey: uniqueKeyColumn(userEmails),
  passwordHash: column.textColumn(),
  passwordExpiresAt: column.nullableColumn(column.integerColumn),
  version: column.counterColumn,
};
const users = table('users', columns);
const rows = users.select({ ...shown, version: column.counterColumn });
const membersInEvents = namesInEvents(userMembers);
const replaceContent = users.update(['name', 'role', 'version']);
const replaceEmail = users.update(['email']);
const replacePassword = users.update(['passwordHash', 'passwordExpiresAt']);
const replaceHash = users.update(['passwordHash'], 'id = ? AND passwordHash = ?');
const redate = users.update(['passwordExpiresAt'], 'passwordExpiresAt <= ? OR passwordExpiresAt > ?');

/**
 * `version` rises with every change of the user, even of a column that no response shows, but not with a new
 * hash of the same password.
 */
export type StoredUser = User & { readonly version: number };

export const userSource: ObjectSource<StoredUser> = {
  name: 'user',
  find: rows.find,
  ownerIdOf: ({ id }) => id,
  accessOf: accountAccessOf,
};

/** The account that a sign-in checks. */
const accounts = users.select({
  userId: column.computedColumn('id', column.integerColumn),
  hash: column.computedColumn('passwordHash', column.textColumn()),
  /** When a generated password expires, in milliseconds since 1970; null for a password that a user chose. */
  expiresAt: column.computedColumn('passwordExpiresAt', column.nullableColumn(column.integerColumn)),
  isSuspended: existsFor('suspensions WHERE'),
  /** Whether signing in also needs a one-time code. */
  needsCode: existsFor('totpSecrets WHERE confirmedAt IS NOT NULL AND'),
});
export type SignInAccount = NonNullable<ReturnType<typeof accounts.find>>;

function existsFor(rows: string): Column<boolean, never> {
  return column.computedColumn(`EXISTS (SELECT 1 FROM ${rows} userId = users.id)`, column.booleanColumn);
}

/** Finds the account with this e-mail address. */
export function findSignInAccount(db: Connection, email: string): SignInAccount | undefined {
  const sql = `SELECT ${accounts.columns} FROM users WHERE emailKey IN (?, ?) ORDER BY emailKey LIMIT 1`;
  const row = db.get(sql, ...keysOf(userEmails, email));
  return row && accounts.objectOf(row);
}

/** The time for which a password that the service generated is valid. */
export const initialPasswordMilliseconds = 7 * dayMilliseconds;

type InitialPassword = { readonly email: string; readonly expiresAt: number };

/** Returns the users who still have a password that the service generated, the first to expire first. */
export function listInitialPasswords(db: Connection, max: number): InitialPassword[] {
  const sql =
    'SELECT email, passwordExpiresAt FROM users WHERE passwordExpiresAt IS NOT NULL ' +
    'ORDER BY passwordExpiresAt, id LIMIT +?';
  return db.all<[string, number]>(sql, max).map(([email, expiresAt]) => ({ email, expiresAt }));
}

/**
 * If the clock was wrong when passwords were generated, lets them expire after their full time from now: they
 * would be expired already, or work for too long. Returns their number.
 */
export function redateInitialPasswords(db: Connection, now: number): number {
  if (!isSane(now)) return 0;
  const passwordExpiresAt = now + initialPasswordMilliseconds;
  return redate(db, { passwordExpiresAt }, clockFloor + initialPasswordMilliseconds, passwordExpiresAt);
}

type NewUserRow = Omit<User, 'id' | 'createdAt'> & {
  readonly passwordHash: string;
  /** Set for a password that the service generated. */
  readonly passwordExpiresAt?: number;
};

export function addUser(permit: Permit, user: NewUserRow, createdAt: number): StoredUser {
  const db = permit.writer;
  checkEmailFree(db, user.email, 0);
  const id = users.insert(db, { ...user, createdAt });
  const changes = changesBetween({}, { role: user.role }, membersInEvents);
  const created = { type: 'user.created', subjectId: id, ownerId: id, changes } as const;
  const isSignUp = permit.origin.actor === null && permit.origin.requestId !== null;
  recordEvent(permit, isSignUp ? { ...created, actorId: id } : created); // without a caller, the user is the actor
  return rows.written({ ...user, id, createdAt, version: 1 });
}

/**
 * The members of a changed user. Without `newPassword` the password stays; `expiresAt` is null for a password that a
 * user chose.
 */
type WantedUser = UserContent & {
  readonly newPassword?: { readonly hash: string; readonly expiresAt: number | null } | undefined;
};

/** Returns the changed user. */
export function replaceUser(permit: Permit, current: Owned<StoredUser>, wanted: WantedUser): StoredUser {
  const db = permit.writer;
  const { id } = current;
  const { newPassword, ...content } = wanted;
  const { email, role } = content;
  if (role !== 'admin') checkNotLastAdmin(permit, id);
  const hasNewEmail = email !== current.email;
  if (hasNewEmail) checkEmailFree(db, email, id);
  replaceContent(db, content, id);
  if (hasNewEmail) replaceEmail(db, content, id);
  if (newPassword !== undefined) {
    const { hash: passwordHash, expiresAt: passwordExpiresAt } = newPassword;
    replacePassword(db, { passwordHash, passwordExpiresAt }, id);
  }
  const changes = changesBetween(current, content, membersInEvents);
  const withPassword = newPassword === undefined ? changes : { ...changes, password: null };
  recordEvent(permit, { type: 'user.changed', subjectId: id, ownerId: id, changes: withPassword });
  db.invalidate({ table: 'users', id });
  return { ...current, ...content, version: current.version + 1 };
}

/** Stores a new hash of the same password. No response shows a difference. */
export function upgradePasswordHash(permit: Permit, { userId, hash }: SignInAccount, upgraded: string): void {
  replaceHash(permit.writer, { passwordHash: upgraded }, userId, hash);
}

/**
 * Removes the user, and the user's sessions and keys. Customers and orders of the user stay: from now on
 * `ownerSql` shows them without an owner, and cleanup clears the id from their rows.
 */
export function removeUser(permit: Permit, { id }: Owned<StoredUser>): void {
  const db = permit.writer;
  checkNotLastAdmin(permit, id);
  unlessInUse('user', id, () => users.remove(db, id));
  recordEvent(permit, { type: 'user.deleted', subjectId: id, ownerId: id });
  db.invalidate('everything');
}

/** Ends the user's sessions except one. */
export function endSessions(permit: Permit, { id }: Owned<StoredUser>, exceptId: number | null): void {
  permit.writer.run('DELETE FROM sessions WHERE userId = ? AND id <> ?', id, exceptId ?? 0);
  permit.writer.invalidate({ table: 'users', id });
}

/** Ends the user's sessions and removes their keys: somebody else set the password, or the user is suspended. */
export function endCredentials(permit: Permit, user: Owned<StoredUser>): void {
  endSessions(permit, user, null);
  permit.writer.run('DELETE FROM apiKeys WHERE userId = ?', user.id);
}

function checkEmailFree(db: Connection, email: string, exceptId: number): void {
  const sql = 'SELECT 1 FROM users WHERE emailKey IN (?, ?) AND id <> ?';
  if (db.get(sql, ...keysOf(userEmails, email), exceptId) === undefined) return;
  throw new Problem('email-taken', `Another user has the e-mail address ${email}.`);
}

/** Throws if no administrator who can sign in would be left without this user. */
export function checkNotLastAdmin({ writer: db, origin }: Permit, id: number): void {
  const isAdmin = db.get("SELECT 1 FROM users WHERE id = ? AND role = 'admin'", id) !== undefined;
  if (!isAdmin || hasAdmins(db, origin.now, id)) return;
  throw new Problem('last-admin', 'This is the last administrator; create another one first.');
}

export const hasUsers = users.hasRows;

export function hasSeveralUsers(db: Connection): boolean {
  return db.get('SELECT 1 FROM users LIMIT 1 OFFSET 1') !== undefined;
}

/** Whether there is an administrator, other than this user, who is not suspended and whose password works. */
export function hasAdmins(db: Connection, now: number, exceptId = 0): boolean {
  const sql =
    "SELECT 1 FROM users WHERE role = 'admin' AND id <> ? " +
    'AND (passwordExpiresAt IS NULL OR passwordExpiresAt > ?) ' +
    'AND NOT EXISTS (SELECT 1 FROM suspensions WHERE userId = users.id) LIMIT 1';
  return db.get(sql, exceptId, now) !== undefined;
}

/** Names the users who share an e-mail address with an older one. */
export function sharedEmails(db: Connection): string[] {
  return sharedKeyTexts(db, 'user', userEmails);
}

/** For a migration. */
export function remakeUserKeys(db: Connection): void {
  remakeNameKeys(db, 'users');
  remakeKeys(db, userEmails);
}

export const userAudit = users.audit({
  thing: 'user',
  columns,
  issues({ nameKey, emailKey, passwordHash, passwordExpiresAt, version, ...user }) {
    const isScrypt = passwordHash.startsWith('$scrypt$');
    return [
      ...schemaIssues(User, user),
      ...issueUnless(isScrypt, '/passwordHash', 'passwordHash is not a scrypt hash.'),
    ];
  },
});

const roleSorts = ['id', 'nameKey', 'emailKey', 'createdAt'];
export const userList = listOf({
  name: 'user',
  table: 'users',
  sorts: { id: 'id', name: 'nameKey', email: 'emailKey', createdAt: 'createdAt' },
  access: { column: 'id', matches: equals },
  filters: {
    role: { ...equalTo('role', userMembers.role.shown), ordered: roleSorts },
    email: {
      schema: optional(email),
      column: 'emailKey',
      matches: equals,
      columnValueOf: emailKey,
      ordered: [],
    },
    name: {
      schema: optional(singleLine(200, 'A prefix of the name; case is ignored.', 'Ada')),
      column: 'nameKey',
      matches: beginsWith,
      columnValueOf: namePrefix,
      isRange: true,
    },
  },
});
