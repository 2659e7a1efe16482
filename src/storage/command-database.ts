// The database of a command, which runs alone or beside a live service.
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { Connection, type WriteCallback } from './connection.ts';
import { isCurrent, schemaState, type FeatureMigration } from './applied-migrations.ts';
import { databaseFile, openSqlite } from './database-file.ts';
import { commitCheckMilliseconds, idleCommitCheckMilliseconds } from './external-commit-watcher.ts';
import { lockFolder } from './folder-lock.ts';
import { toStorageError } from './storage-error.ts';
import { openMigrated } from './migrate.ts';

export type CommandDatabase = Awaited<ReturnType<typeof openCommandDatabase>>;

/**
 * Creates or migrates the database if needed, which requires that no service runs. Throws StorageError.
 */
export async function openCommandDatabase(folder: string, migrations: readonly FeatureMigration[]) {
  const sqlite = await openCurrent(folder, migrations);
  // a running service does the checkpoints; without one, they happen every 64 MB of WAL, and on closing
  sqlite.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 16384; PRAGMA cache_size = -65536');
  const connection = new Connection(sqlite);
  let writeMilliseconds = 0;

  /** Runs `callback` in a transaction, which is on disk on return. Waits some seconds for other writers. */
  function write<T>(callback: WriteCallback<T>): T {
    const start = performance.now();
    sqlite.exec('BEGIN IMMEDIATE');
    try {
      const result = callback(connection);
      sqlite.exec('COMMIT');
      writeMilliseconds = performance.now() - start;
      return result as never; // the callback's result is never a promise: its type is `never` for those only
    } catch (error) {
      if (sqlite.isTransaction) sqlite.exec('ROLLBACK');
      throw toStorageError(error, databaseFile(folder));
    }
  }

  /**
   * Resolves once a service that runs beside this command acts on the last write. Until then its caches have
   * the state before, and so do its reads while its own sync runs, or two with that of a checkpoint, each of
   * which may take as long as the write did.
   */
  async function noticed(): Promise<void> {
    await pause(idleCommitCheckMilliseconds + commitCheckMilliseconds + 2 * writeMilliseconds);
  }

  return { connection, write, noticed, close: () => sqlite.close() };
}

async function openCurrent(folder: string, migrations: readonly FeatureMigration[]): Promise<DatabaseSync> {
  const file = databaseFile(folder);
  const state = schemaState(file, migrations);
  if (state !== undefined && isCurrent(state)) return openSqlite(file);
  const unlock = lockFolder(folder);
  try {
    return await openMigrated(folder, migrations);
  } finally {
    unlock();
  }
}
