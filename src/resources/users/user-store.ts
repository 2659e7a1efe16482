// The rows of users.
import { allows, type RowAccess, type Role } from '../../auth/access.ts';
import { Problem } from '../../errors.ts';
import type { Credentials } from '../../http/password-checks.ts';
import type { Permit } from '../../http/permit.ts';
import { represent, type Representation } from '../../http/representation.ts';
import { emailKey } from '../../schema/email.ts';
import { nameKey, timestampOf } from '../../schema/members.ts';
import { check } from '../../schema/schema-check.ts';
import type { Issue, ObjectOf } from '../../schema/schema.ts';
import { unless, type Audit } from '../../storage/audit.ts';
import type { Connection, SqlValue } from '../../storage/connection.ts';
import type { Selection } from '../../http/list.ts';
import { andOrNone, beginsWith, equals, matchAll, type Condition } from '../../storage/keyset.ts';
import type { Step } from '../../storage/slices.ts';
import { User, type userFilters } from './user.ts';

type UserRow = readonly [
  id: number,
  name: string,
  email: string,
  role: Role,
  createdAt: number,
  version: number,
];
const columns = 'id, name, email, role, createdAt, version';

/** `reach` says whose row may be read: another's is as if it weren't there. */
export function findUser(db: Connection, reach: RowAccess, id: number): Representation<User> | undefined {
  const row = db.get<UserRow>(`SELECT ${columns} FROM users WHERE id = ?`, id);
  if (row === undefined || !allows(reach, id)) return undefined;
  return represent(userOf(row), { id, ownerId: id, salt: String(row[5]) });
}

function userOf([id, name, email, role, createdAt]: readonly [...UserRow, ...SqlValue[]]): User {
  return { id, name, email, role, createdAt: timestampOf(createdAt) };
}

export function findCredentials(db: Connection, email: string): Credentials | undefined {
  const row = db.get<[number, string, number | null]>(
    'SELECT id, passwordHash, passwordExpiresAt FROM users WHERE emailKey = ?',
    emailKey(email),
  );
  if (row === undefined) return undefined;
  const [id, passwordHash, passwordExpiresAt] = row;
  return { id, passwordHash, passwordExpiresAt };
}

export type InitialPassword = { readonly email: string; readonly expiresAt: number };

/** Whose password is still one that the service made, the first to expire first. */
export function listInitialPasswords(db: Connection, max: number): InitialPassword[] {
  const rows = db.all<[string, number]>(
    `SELECT email, passwordExpiresAt FROM users WHERE passwordExpiresAt IS NOT NULL
     ORDER BY passwordExpiresAt, id LIMIT ?`,
    max,
  );
  return rows.map(([email, expiresAt]) => ({ email, expiresAt }));
}

export function addUser(
  { writer: db }: Permit,
  user: Omit<User, 'id' | 'createdAt'> & {
    readonly passwordHash: string;
    /** For a password that the service made. */
    readonly passwordExpiresAt?: number;
  },
  now: number,
): number {
  checkEmailFree(db, user.email, 0);
  const sql =
    'INSERT INTO users (name, nameKey, email, emailKey, passwordHash, passwordExpiresAt, role, createdAt) VALUES (?, ?, ?, ?, ?, ?, ?, ?)';
  return db.run(
    sql,
    user.name,
    nameKey(user.name),
    user.email,
    emailKey(user.email),
    user.passwordHash,
    user.passwordExpiresAt ?? null,
    user.role,
    now,
  ).lastId;
}

/** `expiresAt` is null for a password that somebody chose. */
type NewPassword = { readonly hash: string; readonly expiresAt: number | null };

export function replaceUser(
  { writer: db }: Permit,
  id: number,
  wanted: Pick<User, 'name' | 'email' | 'role'>,
  newPassword: NewPassword | undefined,
): void {
  checkEmailFree(db, wanted.email, id);
  db.run(
    'UPDATE users SET name = ?, nameKey = ?, email = ?, emailKey = ?, role = ?, version = version + 1 WHERE id = ?',
    wanted.name,
    nameKey(wanted.name),
    wanted.email,
    emailKey(wanted.email),
    wanted.role,
    id,
  );
  if (newPassword !== undefined) replacePassword(db, id, newPassword);
  db.invalidate({ kind: 'user', id });
}

function replacePassword(db: Connection, id: number, { hash, expiresAt }: NewPassword): void {
  db.run('UPDATE users SET passwordHash = ?, passwordExpiresAt = ? WHERE id = ?', hash, expiresAt, id);
}

/** Another hash of the same password: nothing that anyone sees changes. */
export function upgradePasswordHash(db: Connection, id: number, before: string, after: string): void {
  db.run('UPDATE users SET passwordHash = ? WHERE id = ? AND passwordHash = ?', after, id, before);
}

/**
 * Gone for everybody at once, their sessions and keys too. Their customers and orders stay: `ownerOf` shows
 * them without an owner from now on, and slices of work make their rows so.
 */
export function removeUser({ writer: db }: Permit, id: number): void {
  db.run('DELETE FROM users WHERE id = ?', id);
  db.invalidate({ kind: 'user', id });
  db.invalidate({ kind: 'everything' });
}

/** The owner of a row of `table`, as anyone may see it: null once that user is removed. */
export function ownerOf(table: 'customers' | 'orders'): string {
  return `(SELECT id FROM users WHERE users.id = ${table}.userId)`;
}

/** Holds for the rows of a user who is there, and of nobody else. */
export function ownedBy(userId: number): Condition {
  return { sql: 'userId = (SELECT id FROM users WHERE users.id = ?)', params: [userId] };
}

/** For `check`: 1 unless a row of `table` names an owner that never was. */
export function ownerIsKnown(table: 'customers' | 'orders'): string {
  const found = `EXISTS (SELECT 1 FROM users WHERE id = ${table}.userId)`;
  const removed = `EXISTS (SELECT 1 FROM removedUsers WHERE id = ${table}.userId)`;
  return `${table}.userId IS NULL OR ${found} OR ${removed}`;
}

/** For a caller who was removed between the check of the credential and the write. */
export function ownerGone(): Problem {
  return new Problem('invalid-token', 'The user of this credential was deleted.');
}

/**
 * Takes removed users from the rows they owned; `disown` does it in one table and returns how many it
 * changed.
 */
export function forgetRemovedUsers(
  disown: readonly ((db: Connection, userId: number, rowsMax: number) => number)[],
): Step {
  return (db, rowsMax) => {
    const [id] = db.get<[number]>('SELECT id FROM removedUsers LIMIT 1') ?? [];
    if (id === undefined) return 0;
    for (const inTable of disown) {
      const changed = inTable(db, id, rowsMax);
      if (changed > 0) return changed;
    }
    return db.run('DELETE FROM removedUsers WHERE id = ?', id).changes;
  };
}

function checkEmailFree(db: Connection, email: string, exceptId: number): void {
  if (db.get('SELECT 1 FROM users WHERE emailKey = ? AND id <> ?', emailKey(email), exceptId) === undefined)
    return;
  throw new Problem('email-taken', `Another user has the e-mail address ${email}.`);
}

export function checkNotLastAdmin(db: Connection, id: number): void {
  const isAdmin = db.get("SELECT 1 FROM users WHERE id = ? AND role = 'admin'", id) !== undefined;
  if (!isAdmin || db.get("SELECT 1 FROM users WHERE role = 'admin' AND id <> ? LIMIT 1", id) !== undefined)
    return;
  throw new Problem('last-admin', 'This is the last administrator; create another one first.');
}

export function hasUsers(db: Connection): boolean {
  return db.get('SELECT 1 FROM users LIMIT 1') !== undefined;
}

export function hasSeveralUsers(db: Connection): boolean {
  return db.get('SELECT 1 FROM users LIMIT 1 OFFSET 1') !== undefined;
}

export function hasAdmins(db: Connection): boolean {
  return db.get("SELECT 1 FROM users WHERE role = 'admin' LIMIT 1") !== undefined;
}

/** What is wrong with naming this user as somebody's owner. */
export function userIssues(db: Connection, id: number): Issue[] {
  return userExists(db, id)
    ? []
    : [{ pointer: '/userId', code: 'unknown', detail: `There is no user ${id}.` }];
}

export function userExists(db: Connection, id: number): boolean {
  return db.get('SELECT 1 FROM users WHERE id = ?', id) !== undefined;
}

export const userAudit: Audit<
  readonly [...UserRow, nameKey: string, emailKey: string, passwordHash: string]
> = {
  thing: 'user',
  table: 'users',
  columns: `${columns}, nameKey, emailKey, passwordHash`,
  issues: (row) => [
    ...check(User, userOf(row)),
    ...unless(row[6] === nameKey(row[1]), '/nameKey', 'nameKey does not match the name.'),
    ...unless(row[7] === emailKey(row[2]), '/emailKey', 'emailKey does not match the e-mail address.'),
    ...unless(row[8].startsWith('$scrypt$'), '/passwordHash', 'passwordHash is not a scrypt hash.'),
  ],
};

const sortColumns = { id: 'id', name: 'nameKey', email: 'emailKey', createdAt: 'createdAt' } as const;

export function userListing({ sort = 'id', role, email, name }: ObjectOf<typeof userFilters>): Selection {
  const key = sortColumns[sort.replace('-', '') as keyof typeof sortColumns]; // userSorts has nothing else
  const streamed = [
    ...(email === undefined ? [] : [equals('emailKey', emailKey(email))]),
    ...(role === undefined ? [] : [equals('role', role)]),
  ];
  const named = name === undefined ? [] : [beginsWith('nameKey', nameKey(name))];
  if (key === 'nameKey') streamed.push(...named.splice(0));
  return {
    table: 'users',
    key,
    isDescending: sort.startsWith('-'),
    owners: [],
    streams: [andOrNone(streamed) ?? matchAll],
    residual: andOrNone(named),
  };
}
