// Backs up a live database, restores a backup, and checks that a database is sound.
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Connection } from './connection.ts';
import { copyDatabase, type CopyOptions } from './database-copy.ts';
import { databaseFile, openSqlite, openToRead } from './database-file.ts';
import { lockFolder } from './folder-lock.ts';
import { isDatabase, tableIssues, schemaState, type FeatureMigration } from './migrations.ts';
import {
  bytesOf,
  makePrivate,
  rejectForeignFile,
  replacePrivate,
  syncFile,
  syncFolder,
} from './private-files.ts';
import { StorageError, toStorageError } from './storage-error.ts';

export type BackupOptions = Pick<CopyOptions, 'progress' | 'prepare'>;

/**
 * Copies the database, as it is at the call, to one file. The service may continue to write. Throws
 * StorageError.
 */
export async function backup(folder: string, file: string, options: BackupOptions = {}): Promise<void> {
  if (existsSync(file)) throw new StorageError(`${file} exists; a backup does not overwrite files.`);
  if (!existsSync(dirname(file))) throw new StorageError(`The folder ${dirname(file)} does not exist.`);
  rejectForeignFile(file);
  await fromDatabase(databaseFile(folder), (source) => copyDatabase(source, file, options));
  try {
    replacePrivate(traceFile(folder), `${new Date().toISOString()}\n`);
  } catch {
    // this account may not write to the data folder: the time of the last backup stays unknown
  }
}

function traceFile(folder: string): string {
  return join(folder, 'last-backup');
}

/** Returns when the last backup of this folder ended, in milliseconds since 1970; undefined if unknown. */
export function lastBackupAt(folder: string): number | undefined {
  return statSync(traceFile(folder), { throwIfNoEntry: false })?.mtimeMs;
}

type RestoreOptions = BackupOptions & {
  /** The migrations of this version of the service. */
  readonly migrations: readonly FeatureMigration[];
  readonly force: boolean;
};

/**
 * Replaces the folder's database by a backup; an existing database only with `force`. Returns the files that
 * keep what was replaced. Throws StorageError.
 */
export async function restore(file: string, folder: string, options: RestoreOptions): Promise<string[]> {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new StorageError(`${file} does not exist.`);
  if (!found.isFile()) throw new StorageError(`${file} is not a file.`);
  rejectForeignFile(file);
  const unlock = lockFolder(folder);
  try {
    const target = databaseFile(folder);
    if (existsSync(target) && !options.force)
      throw new StorageError(`${target} exists and may be newer than the backup; --force replaces it.`);
    let replaced: string[] = [];
    const beforeRename = (): void => {
      replaced = keepReplaced(target);
    };
    await fromDatabase(file, async (source) => {
      rejectUnsound(file, source, options.migrations);
      await copyDatabase(source, target, { ...options, beforeRename });
    });
    return replaced;
  } finally {
    unlock();
  }
}

/** Throws if the database is of a newer version, was changed by another program, or is damaged. */
function rejectUnsound(file: string, source: DatabaseSync, migrations: readonly FeatureMigration[]): void {
  const db = new Connection(source);
  const [foreign] = tableIssues(db, schemaState(file, migrations)?.applied ?? []);
  if (foreign !== undefined) throw new StorageError(`${file} was changed by another program: ${foreign}`);
  const [issue] = integrityIssues(db);
  if (issue !== undefined) throw new StorageError(`${file} is damaged: ${issue}`);
}

/**
 * Returns a sentence for each damage of a database: damaged pages and indexes, and references to missing
 * rows.
 */
export function integrityIssues(db: Connection): string[] {
  const damaged = db
    .all<[string]>('PRAGMA integrity_check')
    .filter(([text]) => text !== 'ok')
    .map(([text]) => `${text}.`);
  const dangling = db
    .all<[string, number | null, string, number]>('PRAGMA foreign_key_check')
    .map(([table, id, parent]) => {
      const row = id === null ? 'A row' : `Row ${id}`; // null if the table has no row ids
      return `${row} of ${table} refers to a missing row of ${parent}.`;
    });
  return [...damaged, ...dangling];
}

/** Opens a database of this service, of any version, for the time of a call. */
export async function fromDatabase<T>(file: string, use: (source: DatabaseSync) => Promise<T>): Promise<T> {
  if (!isDatabase(file)) throw new StorageError(`There is no orderly database at ${file}.`);
  try {
    using source = openToRead(file);
    return await use(source);
  } catch (error) {
    throw toStorageError(error, file);
  }
}

/** The endings of the files that hold the content of a database. */
const contentEnds = ['', '-wal', '-journal'];

/**
 * Renames the files of the replaced database, so that SQLite applies no old WAL to the new one. Returns the renamed
 * files, once they are on disk: one, unless the WAL can't be checkpointed; none if there is no database. If the
 * process is killed before the new database is in place, the next start says that there is none.
 */
function keepReplaced(file: string): string[] {
  if (bytesOf(file) > 0) checkpoint(file); // SQLite would delete the WAL of an empty database
  const time = new Date().toISOString().replaceAll(/[-:.]/g, '');
  const name = join(dirname(file), `orderly-replaced-${time}.db`);
  const ends = contentEnds.filter((end) => bytesOf(`${file}${end}`) > 0);
  for (const end of ends) {
    renameSync(`${file}${end}`, `${name}${end}`);
    makePrivate(`${name}${end}`);
    syncFile(`${name}${end}`);
  }
  for (const end of [...contentEnds, '-shm']) rmSync(`${file}${end}`, { force: true });
  syncFolder(dirname(file));
  return ends.map((end) => `${name}${end}`);
}

/** Moves the content of the WAL into the database, unless it is damaged or another program reads it. */
function checkpoint(file: string): void {
  try {
    using replaced = openSqlite(file);
    replaced.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // the WAL is kept as a file
  }
}
