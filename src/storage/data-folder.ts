// The data folder: its files, which process may serve it, and whether the database in it is one of ours.
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isSystemError, systemErrorText } from '../system-error.ts';

const applicationId = 0x6f726479; // 'ordy', in bytes 68–71 of each database of ours
/** Marks a database as ours; where it is, a commit that changes nothing. */
export const emptyCommitSql = `PRAGMA application_id = ${applicationId}`;
const busyMillisecondsMax = 5_000;

/**
 * Node's permission model refuses every kind of fsync: then SQLite, which it can't stop, syncs each commit
 * itself.
 */
export const maySync = !('permission' in process);

/** A message for people: what is wrong with the storage and what to do. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
}

export function databaseFile(folder: string): string {
  return join(folder, 'orderly.db');
}

/** Waits up to `busyMillisecondsMax` for others' locks. ATTACH is off, so SQL can't reach another file. */
export function openSqlite(file: string, options: { readonly readOnly?: boolean } = {}): DatabaseSync {
  return new DatabaseSync(file, {
    returnArrays: true,
    timeout: busyMillisecondsMax,
    limits: { attach: 0 },
    ...options,
  });
}

/** The first column of a statement's first row. */
export function scalar(sqlite: DatabaseSync, sql: string): unknown {
  return Object.values(sqlite.prepare(sql).get() ?? {})[0];
}

/**
 * Takes the folder for this process until the function returned is called. The lock is the operating system's
 * on a file of its own, so it ends with the process, and commands beside a live service can still open the
 * database.
 */
export function lockFolder(folder: string): () => void {
  const file = join(folder, 'lock.db');
  let lock: DatabaseSync | undefined;
  try {
    makeFolder(folder);
    makePrivate(file); // or anybody who may read it could lock it, too
    giveToFolderOwner(file);
    lock = new DatabaseSync(file);
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE'); // a journal file would need room on the disk
    return () => lock?.close();
  } catch (error) {
    lock?.close();
    if (!isBusy(error)) throw toStorageError(error, file);
    throw new StorageError(
      `Another process uses the data folder ${folder}. Stop it first, or choose another folder.`,
    );
  }
}

/**
 * The schema version of a database of ours, undefined where there is none yet; throws for any other file and
 * for a newer version.
 */
export function schemaVersion(file: string, versionMax: number): number | undefined {
  if (!existsSync(file) || statSync(file).size === 0) return undefined;
  try {
    using sqlite = openSqlite(file, { readOnly: true });
    const tables = scalar(sqlite, 'SELECT count(*) FROM sqlite_schema');
    const isOurs = scalar(sqlite, 'PRAGMA application_id') === applicationId;
    if (!isOurs && tables === 0) return undefined; // a first start that was cut short
    if (!isOurs) throw new StorageError(`${file} belongs to another application; it was not changed.`);
    const version = Number(scalar(sqlite, 'PRAGMA user_version'));
    if (version <= versionMax) return version;
    throw new StorageError(
      `${file} has schema version ${version}, written by a newer orderly; ` +
        `this one supports versions up to ${versionMax}. Use the newer one.`,
    );
  } catch (error) {
    throw toStorageError(error, file);
  }
}

/** Only this account may read the service's files. A file must not be opened here while SQLite has it open:
 * closing any descriptor of it would drop SQLite's locks (POSIX), so it is opened only where it doesn't
 * exist. */
export function makePrivate(file: string): void {
  if (existsSync(file)) chmodSync(file, 0o600);
  else closeSync(openSync(file, 'wx', 0o600));
}

/** What root makes in the folder of another account is that account's, or its service couldn't open it. */
export function giveToFolderOwner(file: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(file));
  chownSync(file, uid, gid);
}

/**
 * Makes a folder of this account's alone where there is none, and those above it. (`mkdir` with `recursive`
 * never returns in /proc.)
 */
export function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  if (!existsSync(dirname(folder))) makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

/** Writes a file of this account's alone: whole or not at all, and on disk when it returns. */
export function replacePrivate(file: string, text: string): void {
  const partial = `${file}.partial`;
  rmSync(partial, { force: true });
  writeFileSync(partial, text, { mode: 0o600, flush: maySync });
  renameSync(partial, file);
  syncPath(dirname(file));
}

/** Makes a file's bytes, or new, renamed and removed names in a folder, last through a power cut. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    if (maySync) fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** SQLite's primary result code; 0, which is none of an error, for errors of another source. */
export function sqliteCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : 0;
}

/** BUSY or LOCKED: another connection is in the way, for now. */
export function isBusy(error: unknown): boolean {
  return [5, 6].includes(sqliteCode(error));
}

/**
 * Not caused by the request: locked, out of memory, read-only, interrupted, an I/O error, a full disk, a file
 * that can't be opened.
 */
export function isEnvironment(error: unknown): boolean {
  return [5, 6, 7, 8, 9, 10, 13, 14].includes(sqliteCode(error));
}

/** A lock, a lack of memory or descriptors, a full disk: a retry may succeed, and nothing is broken. */
export function isTransient(error: unknown): boolean {
  return [5, 6, 7, 13, 14].includes(sqliteCode(error));
}

export function isFull(error: unknown): boolean {
  return sqliteCode(error) === 13;
}

/** The -shm file couldn't be given its 32 KiB. */
function lacksSharedMemory(error: Error): boolean {
  return 'errcode' in error && error.errcode === 4874; // SQLITE_IOERR_SHMSIZE
}

const sentences: Readonly<Record<number, string>> = {
  5: 'is locked by another process',
  8: 'is read-only, but the service must write to it',
  10: "can't be read or written: the disk reports an I/O error",
  11: 'is damaged: restore a backup',
  13: "can't grow: the disk is full",
  14: "can't be opened: check the folder's permissions",
  26: 'is not a database',
};

export function toStorageError(error: unknown, file: string): unknown {
  if (!(error instanceof Error)) return error;
  const sentence = sentences[lacksSharedMemory(error) ? 13 : sqliteCode(error)];
  if (sentence !== undefined)
    return new StorageError(`${file} ${sentence} (${error.message}).`, { cause: error });
  if (!isSystemError(error)) return error;
  return new StorageError(`${error.path ?? file} ${systemErrorText(error)}.`, { cause: error });
}
