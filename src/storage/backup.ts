// Backs up a live database, restores a backup, and checks that a database is sound.
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup as copyPages, type DatabaseSync } from 'node:sqlite';
import { recordBackup, removeStalePartials } from './backup-traces.ts';
import { Connection } from './connection.ts';
import { isDatabase, schemaState, type FeatureMigration } from './applied-migrations.ts';
import { databaseFile, openSqlite, openToRead } from './database-file.ts';
import { lockFolder } from './folder-lock.ts';
import { createPrivate, rejectForeignFile, syncFileAside, syncFolder } from './private-files.ts';
import { keepReplaced } from './replaced-database.ts';
import { schemaIssues } from './schema-audit.ts';
import { isDamage, isSqliteError, StorageError, toStorageError } from './storage-error.ts';

const pagesPerStep = 1_000;

type Progress = (share: number) => void;

/**
 * Copies the database, as it is at the call, to one file. The service may continue to write. Throws
 * StorageError.
 */
export async function backup(folder: string, file: string, options: BackupOptions = {}): Promise<void> {
  if (existsSync(file)) throw new StorageError(`${file} exists; a backup does not overwrite files.`);
  if (!existsSync(dirname(file))) throw new StorageError(`The folder ${dirname(file)} does not exist.`);
  rejectForeignFile(file);
  await fromDatabase(databaseFile(folder), (source) => copyDatabase(source, file, options));
  recordBackup(folder);
  removeStalePartials(dirname(file));
}

type CopyOptions = {
  readonly progress?: Progress;
  readonly prepare?: (db: Connection) => void;
  readonly beforeRename?: () => void;
};

export type BackupOptions = Pick<CopyOptions, 'progress' | 'prepare'>;

type RestoreOptions = {
  /** The migrations of this version of the service. */
  readonly migrations: readonly FeatureMigration[];
  readonly force: boolean;
  /** Called with the copy before it replaces the database. */
  readonly prepare?: (db: Connection) => void;
  readonly progress?: Progress;
};

/**
 * Replaces the folder's database by a backup; an existing database only with `force`. Returns the files that
 * keep what was replaced. Throws StorageError.
 */
export async function restore(
  file: string,
  folder: string,
  options: RestoreOptions,
): Promise<readonly string[]> {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new StorageError(`${file} does not exist.`);
  if (!found.isFile()) throw new StorageError(`${file} is not a file.`);
  rejectForeignFile(file);
  const unlock = lockFolder(folder);
  let replaced: readonly string[] = [];
  try {
    const target = databaseFile(folder);
    if (existsSync(target) && !options.force)
      throw new StorageError(`${target} exists and may be newer than the backup; --force replaces it.`);
    await fromDatabase(file, async (source) => {
      const state = schemaState(file, options.migrations); // rejects a database of a newer version
      const pending = new Set(state?.pending.map(({ migration }) => migration));
      const applied = options.migrations.filter((each) => !pending.has(each));
      const db = new Connection(source);
      const [foreign] = schemaIssues(db, applied);
      if (foreign !== undefined) throw new StorageError(`${file} was changed by another program: ${foreign}`);
      const [issue] = integrityIssues(db);
      if (issue !== undefined) throw new StorageError(`${file} is damaged: ${issue}`);
      const beforeRename = (): void => {
        replaced = keepReplaced(target);
      };
      await copyDatabase(source, target, { ...options, beforeRename });
    });
    return replaced;
  } finally {
    unlock();
  }
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

/**
 * Copies a database to a file, which appears under its name only once it is complete and on disk. SQLite's
 * backup starts over when another connection writes between its steps. A read transaction on the source
 * prevents this: all steps see one snapshot.
 */
export async function copyDatabase(
  source: DatabaseSync,
  file: string,
  { progress = () => {}, prepare = () => {}, beforeRename = () => {} }: CopyOptions = {},
): Promise<void> {
  const partial = `${file}.partial`;
  removePartial(file);
  createPrivate(partial);
  try {
    source.exec('BEGIN; SELECT 1 FROM sqlite_schema');
    await copyAllPages(source, partial, progress);
    await makeOneFile(partial, prepare);
    beforeRename();
    renameSync(partial, file);
    syncFolder(dirname(file));
  } catch (error) {
    throw isDamage(error) ? error : toStorageError(error, file);
  } finally {
    if (source.isTransaction) source.exec('ROLLBACK'); // some errors have ended it
    removePartial(file);
  }
}

/**
 * Copies the pages. A failed read is reported as a failure of the source, since the target is only written.
 */
async function copyAllPages(source: DatabaseSync, target: string, progress: Progress): Promise<void> {
  try {
    await copyPages(source, target, {
      rate: pagesPerStep,
      progress: ({ totalPages, remainingPages }) => progress(1 - remainingPages / totalPages),
    });
  } catch (error) {
    const isOfSource = isSqliteError(error, 'failedRead', 'shortRead', 'damagedRead');
    throw isOfSource ? toStorageError(error, source.location() ?? target) : error;
  }
}

/** Removes the files that a killed copy to `file` leaves. */
function removePartial(file: string): void {
  for (const end of ['', '-journal', '-wal', '-shm']) rmSync(`${file}.partial${end}`, { force: true });
}

/**
 * Changes a copy from WAL mode, which it has from its source, to DELETE mode: a single file, readable
 * anywhere. It is synced once, at the end and off the event loop, which the service shares.
 */
async function makeOneFile(file: string, prepare: (db: Connection) => void): Promise<void> {
  const sqlite = openSqlite(file);
  try {
    // with exclusive locks there is no shared memory, which shares and some other file systems lack
    sqlite.exec(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF; PRAGMA journal_mode = DELETE; BEGIN',
    );
    prepare(new Connection(sqlite));
    sqlite.exec('COMMIT');
  } finally {
    sqlite.close();
  }
  await syncFileAside(file);
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
