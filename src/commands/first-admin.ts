// The administrator that a database without users begins with (contract section 11).
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { PasswordHasher } from '../auth/password.ts';
import type { Config } from '../config.ts';
import { permitWithoutCaller } from '../http/permit.ts';
import { addUser, hasUsers } from '../resources/users/user-store.ts';
import type { Connection, Work } from '../storage/connection.ts';
import { replacePrivate } from '../storage/data-folder.ts';

/** Where the password of the first administrator is, until somebody deletes it. */
export function adminFile(folder: string): string {
  return join(folder, 'initial-admin.json');
}

type Place = {
  readonly read: Connection;
  write<T>(work: Work<T>): T | Promise<T>;
  readonly hasher: PasswordHasher;
  readonly now: number;
};

/** What was made, or undefined where there are users. */
export async function makeFirstAdmin(
  { data, adminEmail, adminPassword, passwordMin }: Config,
  { read, write, hasher, now }: Place,
): Promise<string | undefined> {
  if (hasUsers(read)) return undefined;
  const email = adminEmail === '' ? 'admin@localhost' : adminEmail;
  const password = adminPassword === '' ? randomPassword(passwordMin) : adminPassword;
  const passwordHash = await hasher.hash(password);
  // First the file: an administrator whose password nobody knows would be none.
  if (adminPassword === '') replacePrivate(adminFile(data), `${JSON.stringify({ email, password })}\n`);
  await write((db) => {
    addUser(
      permitWithoutCaller(db, 'the first start'),
      { name: 'Administrator', email, role: 'admin', passwordHash },
      now,
    );
  });
  return adminPassword === ''
    ? `an administrator, ${email}; the password is in ${adminFile(data)}`
    : `an administrator, ${email}`;
}

/** 120 random bits, or more where passwords have to be longer. */
export function randomPassword(lengthMin: number): string {
  return randomBytes(48).toString('base64url').slice(0, Math.max(lengthMin, 20));
}
