// `orderly admin create`, `admin reset` and `keys create`. Each prints the secret that it creates, once.
import type { Scope } from '../auth/access.ts';
import { dayMilliseconds } from '../base/durations.ts';
import { CommandError, ConfigError } from '../config/command-error.ts';
import { splitList } from '../config/settings.ts';
import { addKey } from '../features/keys/key-store.ts';
import { newKey } from '../features/keys/key.ts';
import { randomPassword, removeAdminFile } from '../features/users/first-admin.ts';
import { findSuspension } from '../features/users/suspension-store.ts';
import { removeUserTotp } from '../features/users/totp-store.ts';
import {
  addUser,
  endCredentials,
  findSignInAccount,
  replaceUser,
  userSource,
  initialPasswordMilliseconds,
  type StoredUser,
} from '../features/users/user-store.ts';
import { userBodies } from '../features/users/user.ts';
import { schemaIssues } from '../schema/schema-check.ts';
import type { Issue } from '../schema/schema.ts';
import type { CommandLine } from '../service/command-line.ts';
import { declared } from '../service/features.ts';
import { requireOwned, type Owned } from '../storage/object-access.ts';
import { commandPermit } from '../storage/permit.ts';
import { withDatabase, withExistingDatabase } from './with-database.ts';

export async function createAdmin({ config, flags }: CommandLine): Promise<string> {
  const { email, name = 'Administrator' } = flags;
  const user = { email: String(email), name: String(name), role: 'admin' as const };
  const password = randomPassword(config.passwordMin);
  const { NewUser } = userBodies(config.passwordMin);
  rejectInvalidFlags(schemaIssues(NewUser, { ...user, password }));
  return withDatabase(config, async (database, hasher) => {
    const passwordHash = await hasher.hash(password);
    const now = Date.now();
    const passwordExpiresAt = now + initialPasswordMilliseconds;
    const { id } = database.write((writer) =>
      addUser(commandPermit(writer), { ...user, passwordHash, passwordExpiresAt }, now),
    );
    removeAdminFile(config.dataFolder, user.email); // a former user of this e-mail address may have left it
    return passwordText({ id, email: user.email, password });
  });
}

export function resetAdmin({ config, flags }: CommandLine): Promise<string> {
  return withExistingDatabase(config, async (database, hasher) => {
    const password = randomPassword(config.passwordMin);
    const hash = await hasher.hash(password);
    const { id, email, hadTotp, isSuspended } = database.write((writer) => {
      const permit = commandPermit(writer);
      const user = requireUser(permit, String(flags['email']));
      const expiresAt = Date.now() + initialPasswordMilliseconds;
      replaceUser(permit, user, { ...user, newPassword: { hash, expiresAt } });
      endCredentials(permit, user);
      const isSuspended = findSuspension(writer, user.id) !== undefined;
      return { ...user, isSuspended, hadTotp: removeUserTotp(permit, user) };
    });
    removeAdminFile(config.dataFolder, email);
    await database.waitUntilNoticed(); // only then are the printed sentences true
    const ended = ['All sessions and API keys of this user have ended.'];
    if (hadTotp) ended.push('One-time codes are off: signing in needs the password alone.');
    if (isSuspended) ended.push('The user stays suspended until an administrator lifts that.');
    return [...ended, passwordText({ id, email, password })].join('\n');
  });
}

export async function createKey({ config, flags }: CommandLine): Promise<string> {
  // checked in the next line
  const wanted = { name: String(flags['name']), scopes: splitList(String(flags['scopes'])) as Scope[] };
  rejectInvalidFlags(schemaIssues(newKey(declared.scopes), wanted));
  return withExistingDatabase(config, async (database) => {
    const { key, secret } = database.write((writer) => {
      const permit = commandPermit(writer);
      const { id: userId, email } = requireUser(permit, String(flags['email']));
      if (findSuspension(writer, userId) !== undefined)
        throw new CommandError(`${email} is suspended; an administrator lifts that.`);
      return addKey(permit, { ...wanted, userId });
    });
    return [
      `id: ${key.id}`,
      `name: ${key.name}`,
      `scopes: ${key.scopes.join(',')}`,
      `expires: ${key.expiresAt}`,
      `key: ${secret}`,
      'The key is shown only once.',
    ].join('\n');
  });
}

/** Throws a ConfigError that names each issue by its flag. */
function rejectInvalidFlags(issues: readonly Issue[]): void {
  if (issues.length > 0)
    throw new ConfigError(
      [],
      issues.map(({ pointer = '', detail }) => `--${pointer.split('/')[1] ?? ''}: ${detail}`),
    );
}

function requireUser(permit: ReturnType<typeof commandPermit>, email: string): Owned<StoredUser> {
  const stored = findSignInAccount(permit.writer, email);
  if (stored === undefined) throw new CommandError(`There is no user with the e-mail address ${email}.`);
  return requireOwned(userSource, permit, stored.userId);
}

function passwordText({ id, email, password }: { id: number; email: string; password: string }): string {
  return [
    `id: ${id}`,
    `email: ${email}`,
    `password: ${password}`,
    `The password works for ${initialPasswordMilliseconds / dayMilliseconds} days: sign in and change it.`,
    'It is shown only once.',
  ].join('\n');
}
