// The database of a command. A command runs with or without a live service.
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { Connection, type WriteCallback } from './connection.ts';
import { databaseFile, openSqlite } from './database-file.ts';
import { pollMilliseconds } from './database.ts';
import { lockFolder } from './folder-lock.ts';
import { openMigrated, schemaState, type FeatureMigration } from './migrations.ts';
import { toStorageError } from './storage-error.ts';
import { commitCheckMilliseconds } from './transactions.ts';

export type CommandDatabase = Awaited<ReturnType<typeof openCommandDatabase>>;

/**
 * Opens the database. Creates or migrates it if needed, for which no service may be running. Throws
 * StorageError.
 */
export async function openCommandDatabase(folder: string, migrations: readonly FeatureMigration[]) {
  const sqlite = await openCurrent(folder, migrations);
  // a running service does the checkpoints; otherwise SQLite checkpoints every 64 MB of WAL, and on closing
  sqlite.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 16384; PRAGMA cache_size = -65536');
  const connection = new Connection(sqlite);
  let writeMilliseconds = 0;

  /**
   * Runs `callback` in a transaction, and returns once it is on disk. Waits some seconds for other writers.
   */
  function write<T>(callback: WriteCallback<T>): T {
    const start = performance.now();
    sqlite.exec('BEGIN IMMEDIATE');
    try {
      const result = callback(connection);
      sqlite.exec('COMMIT');
      writeMilliseconds = performance.now() - start;
      return result as never; // never a promise: `Synchronous` turns only promises into `never`
    } catch (error) {
      if (sqlite.isTransaction) sqlite.exec('ROLLBACK');
      throw toStorageError(error, databaseFile(folder));
    }
  }

  /**
   * Waits until a service beside this command acts on the last write. Before that, the service's caches may
   * have the old state, and so may its reads during its own sync and the sync of a checkpoint. Each sync may
   * take as long as the write did.
   */
  async function waitUntilNoticed(): Promise<void> {
    await pause(pollMilliseconds + commitCheckMilliseconds + 2 * writeMilliseconds);
  }

  return { connection, write, waitUntilNoticed, close: () => sqlite.close() };
}

async function openCurrent(folder: string, migrations: readonly FeatureMigration[]): Promise<DatabaseSync> {
  const file = databaseFile(folder);
  const state = schemaState(file, migrations);
  if (state?.pending.length === 0) return openSqlite(file);
  const unlock = lockFolder(folder);
  try {
    return await openMigrated(folder, migrations);
  } finally {
    unlock();
  }
}
