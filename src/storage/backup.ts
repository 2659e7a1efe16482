// Backup of a live database, restore of a backup, and the check that a database is sound.
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup as copyPages, type DatabaseSync } from 'node:sqlite';
import { recordBackup, removeStalePartials } from './backup-traces.ts';
import { Connection } from './connection.ts';
import { databaseFile, openSqlite, schemaVersion } from './database-file.ts';
import { lockFolder } from './folder-lock.ts';
import { giveToFolderOwner, makePrivate, syncFile, syncFolder } from './private-files.ts';
import { isFailedRead } from './sqlite-codes.ts';
import { isDamage, StorageError, toStorageError } from './storage-error.ts';

const pagesPerStep = 1_000;

type Progress = (share: number) => void;

/** Makes a consistent copy as of the call, one file; the service may go on writing. Throws StorageError. */
export async function backup(
  folder: string,
  file: string,
  options: Pick<CopyOptions, 'progress' | 'prepare'> = {},
): Promise<void> {
  if (existsSync(file)) throw new StorageError(`${file} exists; a backup does not overwrite files.`);
  if (!existsSync(dirname(file))) throw new StorageError(`The folder ${dirname(file)} does not exist.`);
  await fromDatabase(databaseFile(folder), Infinity, (source) => copyDatabase(source, file, options));
  recordBackup(folder);
  removeStalePartials(dirname(file));
}

type CopyOptions = {
  readonly progress?: Progress;
  readonly prepare?: (db: Connection) => void;
  readonly beforeRename?: (partial: string) => void;
};

type RestoreOptions = {
  readonly schemaVersionMax: number;
  readonly force: boolean;
  /** Called with the copy before it takes the database's place. */
  readonly prepare?: (db: Connection) => void;
  readonly progress?: Progress;
};

/**
 * Puts a backup in the place of the folder's database; `force` allows that there is one. Throws StorageError.
 */
export async function restore(file: string, folder: string, options: RestoreOptions): Promise<void> {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new StorageError(`${file} does not exist.`);
  if (!found.isFile()) throw new StorageError(`${file} is not a file.`);
  const unlock = lockFolder(folder);
  try {
    const target = databaseFile(folder);
    if (existsSync(target) && !options.force)
      throw new StorageError(`${target} exists and may be newer than the backup; --force replaces it.`);
    await fromDatabase(file, options.schemaVersionMax, async (source) => {
      const [issue] = integrityIssues(new Connection(source));
      if (issue !== undefined) throw new StorageError(`${file} is damaged: ${issue}`);
      await copyDatabase(source, target, {
        ...options,
        beforeRename(partial) {
          giveToFolderOwner(partial);
          removeWal(target);
        },
      });
    });
  } finally {
    unlock();
  }
}

/** What is wrong with a database, a sentence each: its pages and indexes, and rows that refer to nothing. */
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

/**
 * Copies a database to a file, which appears under its name only once it is whole and on disk. SQLite's
 * backup starts over when another connection writes between its steps, unless its source is inside a read
 * transaction: that pins one snapshot for all steps.
 */
export async function copyDatabase(
  source: DatabaseSync,
  file: string,
  { progress = () => {}, prepare = () => {}, beforeRename = () => {} }: CopyOptions = {},
): Promise<void> {
  const partial = `${file}.partial`;
  removePartial(file);
  makePrivate(partial);
  source.exec('BEGIN; SELECT 1 FROM sqlite_schema');
  try {
    await copyAllPages(source, partial, progress);
    makeOneFile(partial, prepare);
    beforeRename(partial);
    renameSync(partial, file);
    syncFolder(dirname(file));
  } catch (error) {
    throw isDamage(error) ? error : toStorageError(error, file);
  } finally {
    source.exec('ROLLBACK');
    removePartial(file);
  }
}

/** The source is only read here and the target only written: a read that fails is the source's. */
async function copyAllPages(source: DatabaseSync, target: string, progress: Progress): Promise<void> {
  try {
    await copyPages(source, target, {
      rate: pagesPerStep,
      progress: ({ totalPages, remainingPages }) => progress(1 - remainingPages / totalPages),
    });
  } catch (error) {
    throw isFailedRead(error) ? toStorageError(error, source.location() ?? target) : error;
  }
}

/** Removes what a copy to `file` leaves when it is killed. */
export function removePartial(file: string): void {
  for (const end of ['', '-journal']) rmSync(`${file}.partial${end}`, { force: true });
}

/** A copy is in WAL mode like its source. In DELETE mode it is a single file, readable from anywhere. */
function makeOneFile(file: string, prepare: (db: Connection) => void): void {
  const sqlite = openSqlite(file);
  try {
    sqlite.exec('PRAGMA journal_mode = DELETE; BEGIN');
    prepare(new Connection(sqlite));
    sqlite.exec('COMMIT');
  } finally {
    sqlite.close();
  }
  syncFile(file);
}

/** Opens a database of ours while it is used. */
export async function fromDatabase<T>(
  file: string,
  schemaVersionMax: number,
  use: (source: DatabaseSync, version: number) => Promise<T>,
): Promise<T> {
  const version = schemaVersion(file, schemaVersionMax);
  if (version === undefined) throw new StorageError(`There is no orderly database at ${file}.`);
  const source = openSqlite(file);
  try {
    return await use(source, version);
  } catch (error) {
    throw toStorageError(error, file);
  } finally {
    source.close();
  }
}

/**
 * A WAL left beside the new file would be taken for its own, so it is removed first: checkpointed, or dropped
 * if that fails.
 */
function removeWal(file: string): void {
  try {
    using replaced = openSqlite(file);
    replaced.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    /* what can't be read is what is being replaced */
  }
  for (const end of ['-wal', '-shm', '-journal']) rmSync(`${file}${end}`, { force: true });
  syncFolder(dirname(file));
}
