// The database as a command uses it, alone or beside a live service.
import type { DatabaseSync } from 'node:sqlite';
import { Connection, type Work } from './connection.ts';
import { databaseFile, explained, lockFolder, openSqlite, schemaVersion } from './data-folder.ts';
import { openMigrated, type Migration } from './migrate.ts';

export type Beside = {
  readonly connection: Connection;
  /** Runs `work` in a transaction of its own, on disk when it returns. Waits some seconds for other writers. */
  write<T>(work: Work<T>): T;
  close(): void;
};

/** Makes or migrates the database where needed, which no running service may get in the way of. Throws StorageError. */
export async function openBeside(folder: string, migrations: readonly Migration[]): Promise<Beside> {
  const sqlite = await openCurrent(folder, migrations);
  // Folding the log in is the service's; without one, closing does it. Only what writes a lot does it in between, every 64 MB.
  sqlite.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 16384; PRAGMA cache_size = -65536');
  const connection = new Connection(sqlite);
  return {
    connection,
    write: (work) => {
      sqlite.exec('BEGIN IMMEDIATE');
      try {
        const result = work(connection);
        sqlite.exec('COMMIT');
        return result as never; // a Work returns what it may: the type says never for promises only
      } catch (error) {
        if (sqlite.isTransaction) sqlite.exec('ROLLBACK');
        throw explained(error, databaseFile(folder));
      }
    },
    close: () => sqlite.close(),
  };
}

async function openCurrent(folder: string, migrations: readonly Migration[]): Promise<DatabaseSync> {
  const file = databaseFile(folder);
  const version = schemaVersion(file, migrations.length) ?? 0;
  if (version > 0 && version === migrations.length) return openSqlite(file);
  const unlock = lockFolder(folder);
  try {
    return await openMigrated(folder, migrations);
  } finally {
    unlock();
  }
}
