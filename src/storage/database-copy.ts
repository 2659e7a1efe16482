// Copies a database to one file, which appears under its name only once it is complete and on disk.
import { renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup as copyPages, type DatabaseSync } from 'node:sqlite';
import { Connection } from './connection.ts';
import { openSqlite } from './database-file.ts';
import { createPrivate, syncFileAside, syncFolder } from './private-files.ts';
import { isDamage, isSqliteError, toStorageError } from './storage-error.ts';

const pagesPerStep = 1_000;

export type CopyOptions = {
  /** Called between steps with the finished share of the work; may throw to end it. */
  readonly progress?: (share: number) => void;
  /** Called with the copy before it appears under its name. */
  readonly prepare?: (db: Connection) => void;
  readonly beforeRename?: () => void;
};

/**
 * SQLite's backup starts over when another connection writes between its steps. A read transaction on the source
 * prevents this: all steps see one snapshot. Throws StorageError.
 */
export async function copyDatabase(
  source: DatabaseSync,
  file: string,
  { progress = () => {}, prepare = () => {}, beforeRename = () => {} }: CopyOptions = {},
): Promise<void> {
  const partial = `${file}.partial`;
  let readFrom = source.location() ?? file;
  removePartial(partial);
  createPrivate(partial);
  try {
    source.exec('BEGIN; SELECT 1 FROM sqlite_schema');
    await copyPages(source, partial, {
      rate: pagesPerStep,
      progress: ({ totalPages, remainingPages }) => progress(1 - remainingPages / totalPages),
    });
    readFrom = file;
    await makeOneFile(partial, prepare);
    beforeRename();
    renameSync(partial, file);
    syncFolder(dirname(file));
  } catch (error) {
    const isRead = isSqliteError(error, 'failedRead', 'shortRead', 'damagedRead');
    throw isDamage(error) ? error : toStorageError(error, isRead ? readFrom : file);
  } finally {
    if (source.isTransaction) source.exec('ROLLBACK'); // some errors have ended it
    removePartial(partial);
  }
}

/** Removes a copy that isn't complete, with the files that SQLite keeps beside it. */
function removePartial(partial: string): void {
  for (const end of ['', '-journal', '-wal', '-shm']) rmSync(partial + end, { force: true });
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
