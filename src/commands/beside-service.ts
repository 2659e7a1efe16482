// What commands share that change a database, beside a running service or alone.
import { createPasswordHasher, type PasswordHasher } from '../auth/password.ts';
import { ConfigError, type CommandFlag, type Config } from '../config.ts';
import { Problem } from '../errors.ts';
import { migrations } from '../migrations/migrations.ts';
import { findCredentials } from '../resources/users/user-store.ts';
import type { Issue } from '../schema/schema.ts';
import { openBeside, type Beside } from '../storage/beside.ts';
import type { Connection } from '../storage/connection.ts';
import { databaseFile, schemaVersion, StorageError } from '../storage/data-folder.ts';

export const emailFlag: CommandFlag = { flag: 'email', value: 'EMAIL', help: 'of the user', isRequired: true };

/** A command that needs somebody to be there makes no database. */
export function withExistingDatabase<T>(config: Config, use: (db: Beside, hasher: PasswordHasher) => Promise<T>): Promise<T> {
  const file = databaseFile(config.data);
  if (schemaVersion(file, migrations.length) === undefined) throw new StorageError(`There is no database of orderly at ${file}.`);
  return withDatabase(config, use);
}

export async function withDatabase<T>({ data }: Config, use: (db: Beside, hasher: PasswordHasher) => Promise<T>): Promise<T> {
  const db = await openBeside(data, migrations);
  const hasher = createPasswordHasher();
  try {
    return await use(db, hasher);
  } finally {
    db.close();
    await hasher.close();
  }
}

/** Throws the issues of what flags of the same names gave. */
export function refuse(issues: readonly Issue[]): void {
  if (issues.length > 0) throw new ConfigError([], issues.map(({ pointer = '', detail }) => `--${pointer.split('/')[1] ?? ''}: ${detail}`));
}

export function userIdOf(db: Connection, email: string): number {
  const found = findCredentials(db, email);
  if (found === undefined) throw new Problem('not-found', `There is no user with the e-mail address ${email}.`);
  return found.id;
}
