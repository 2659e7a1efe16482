// The first administrator of a database without users, and the file with the generated password.
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { PasswordHasher } from '../../auth/password.ts';
import { notBeforeFloor } from '../../base/sane-clock.ts';
import type { Config } from '../../config/config.ts';
import { emailKey } from '../../schema/email.ts';
import type { Connection, WriteCallback } from '../../storage/connection.ts';
import { servicePermit } from '../../storage/permit.ts';
import { replacePrivate } from '../../storage/private-files.ts';
import { addUser, hasUsers, initialPasswordMilliseconds, redateInitialPasswords } from './user-store.ts';

type FirstAdminDependencies = {
  readonly read: Connection;
  write<T>(callback: WriteCallback<T>): T | Promise<T>;
  readonly hasher: PasswordHasher;
  readonly now: number;
};

/** Returns a description of the new administrator; undefined if there are users already. */
export async function createFirstAdmin(
  { dataFolder, adminEmail, adminPassword, passwordMin }: Config,
  { read, write, hasher, now }: FirstAdminDependencies,
): Promise<string | undefined> {
  if (hasUsers(read)) {
    // on a full disk the cleanup does it later
    await Promise.resolve(write((db) => redateInitialPasswords(db, now))).catch(() => {});
    return undefined;
  }
  const isChosen = adminPassword !== '';
  const email = isChosen ? adminEmail : 'admin@localhost';
  const password = isChosen ? adminPassword : randomPassword(passwordMin);
  const passwordHash = await hasher.hash(password);
  const admin = { name: 'Administrator', email, role: 'admin', passwordHash } as const;
  const passwordExpiresAt = notBeforeFloor(now) + initialPasswordMilliseconds;
  // the file comes first: without it nobody would know the password
  if (!isChosen) writeAdminFile(dataFolder, { email, password });
  const row = isChosen ? admin : { ...admin, passwordExpiresAt };
  await write((db) => void addUser(servicePermit(db, now), row, now));
  if (isChosen) return `an administrator, ${email}`;
  return `an administrator, ${email}; the password is in ${adminFile(dataFolder)}`;
}

const passwordLetters = 'abcdefghijkmnpqrstuvwxyz23456789';
const groupLetters = 5;

/**
 * Returns at least 125 random bits, in five or more groups of letters and digits that aren't easily confused. By this
 * form the console knows, at a sign-in, that the password will expire.
 */
export function randomPassword(lengthMin: number): string {
  const groups = Math.max(5, Math.ceil((lengthMin + 1) / (groupLetters + 1)));
  return Array.from({ length: groups }, randomGroup).join('-');
}

function randomGroup(): string {
  return Array.from(randomBytes(groupLetters), (byte) => passwordLetters[byte % 32]).join('');
}

function adminFile(folder: string): string {
  return join(folder, 'initial-admin.json');
}

/** Writes the file as the body of a sign-in, so that it can be sent as it is. */
function writeAdminFile(folder: string, credentials: { email: string; password: string }): void {
  replacePrivate(adminFile(folder), `${JSON.stringify(credentials)}\n`);
}

/** Removes the file if it holds this user's password. A file that can't be removed is no error. */
export function removeAdminFile(folder: string, email: string): void {
  const file = adminFile(folder);
  try {
    const content: { readonly email?: unknown } | null = JSON.parse(readFileSync(file, 'utf8'));
    const fileEmail = content?.email;
    if (typeof fileEmail === 'string' && emailKey(fileEmail) === emailKey(email)) rmSync(file);
  } catch {
    // there is none, somebody else wrote it, or the folder is read-only; no later start names the file
  }
}
