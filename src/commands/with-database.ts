// Opens the database for commands that read or change it, with or without a running service.
import { createPasswordHasher, type PasswordHasher } from '../auth/password.ts';
import type { Config } from '../config/config.ts';
import { migrations } from '../service/features.ts';
import { rejectLostDatabase } from '../service/last-event-file.ts';
import { openCommandDatabase, type CommandDatabase } from '../storage/command-database.ts';
import { databaseFile } from '../storage/database-file.ts';
import { isDatabase } from '../storage/migrations.ts';
import { StorageError } from '../storage/storage-error.ts';

/** Opens the database. Throws if there is none, instead of creating one. */
export async function withExistingDatabase<T>(
  config: Config,
  use: (database: CommandDatabase, hasher: PasswordHasher) => Promise<T>,
): Promise<T> {
  const file = databaseFile(config.dataFolder);
  if (!isDatabase(file)) throw new StorageError(`There is no orderly database at ${file}.`);
  return withDatabase(config, use);
}

export async function withDatabase<T>(
  { dataFolder }: Config,
  use: (database: CommandDatabase, hasher: PasswordHasher) => Promise<T>,
): Promise<T> {
  rejectLostDatabase(dataFolder);
  const database = await openCommandDatabase(dataFolder, migrations);
  const hasher = createPasswordHasher();
  try {
    return await use(database, hasher);
  } finally {
    database.close();
    hasher.close();
  }
}
