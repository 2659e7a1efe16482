// Migrates a database to the schema of this version of the service, or rejects it unchanged.
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import {
  emptyState,
  isCurrent,
  recordMigrations,
  schemaState,
  type FeatureMigration,
  type SchemaState,
} from './applied-migrations.ts';
import { copyDatabase } from './backup.ts';
import { Connection } from './connection.ts';
import { databaseFile, emptyCommitSql, openSqlite, scalar } from './database-file.ts';
import { makePrivate, syncFolder } from './private-files.ts';
import { StorageError, toStorageError } from './storage-error.ts';

type MigrationOptions = {
  /** Called with a sentence for the operator before a step that takes long. */
  readonly report?: (message: string) => void;
  /** Ends the start when aborted. Migrations that have begun still run to their end. */
  readonly signal?: AbortSignal | undefined;
};

/**
 * Opens the folder's database for writing. Creates or migrates it if needed. The caller holds the folder's
 * lock.
 */
export async function openMigrated(
  folder: string,
  migrations: readonly FeatureMigration[],
  { report = () => {}, signal }: MigrationOptions = {},
): Promise<DatabaseSync> {
  const file = databaseFile(folder);
  const state = schemaState(file, migrations) ?? emptyState(migrations);
  let sqlite: DatabaseSync | undefined;
  try {
    makePrivate(file);
    sqlite = openSqlite(file);
    sqlite.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0');
    if (state.version > 0 && !isCurrent(state)) {
      const backup = join(folder, `orderly-v${state.version}.backup.db`);
      report(`Migrating the database from schema ${state.version}; backup in ${backup}.`);
      await copyDatabase(sqlite, backup, { progress: () => signal?.throwIfAborted() });
    }
    signal?.throwIfAborted();
    if (!isCurrent(state)) migrate(sqlite, state);
    syncFolder(folder);
    return sqlite;
  } catch (error) {
    sqlite?.close();
    throw toStorageError(error, file);
  }
}

function migrate(sqlite: DatabaseSync, state: SchemaState): void {
  // foreign keys are off while tables are rebuilt, as SQLite's documentation of ALTER TABLE says, and all
  // checked at the end
  sqlite.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE');
  try {
    for (const { migration } of state.pending) apply(sqlite, migration);
    recordMigrations(sqlite, state);
    if (scalar(sqlite, 'PRAGMA foreign_key_check') !== undefined)
      throw new StorageError('The migrations leave rows with dangling references.');
    sqlite.exec(`${emptyCommitSql}; COMMIT; PRAGMA foreign_keys = ON`);
  } catch (error) {
    if (sqlite.isTransaction) sqlite.exec('ROLLBACK');
    throw error;
  }
}

function apply(sqlite: DatabaseSync, migration: FeatureMigration): void {
  try {
    sqlite.exec(migration.sql);
    migration.fill?.(new Connection(sqlite));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StorageError(`Migration ${migration.name} failed and nothing was changed: ${why}.`, {
      cause: error,
    });
  }
}
