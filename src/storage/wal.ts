// The write-ahead log (WAL) of a running service: how it is started, and opened for syncs.
import { fdatasyncSync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { capacity, freeDiskBytes } from '../base/capacity.ts';
import { databaseFile, emptyCommitSql } from './database-file.ts';
import { maySync, syncFolder } from './private-files.ts';
import { isSqliteError } from './storage-error.ts';

/** An ordinary change writes more than a page: its rows, their indexes and its event. */
const changeBytes = 256 * 1024;

type Log = (level: 'warn', message: string, fields?: object) => void;

/** Whether the disk has room for an ordinary change. */
export function hasRoom(folder: string): boolean {
  return freeDiskBytes(folder) >= changeBytes;
}

/** Writes and syncs the WAL's header; returns false if there is no room for it, or for a change after it. */
export function startWal(sqlite: DatabaseSync, folder: string, log: Log): boolean {
  let cause = 'the free space is too small for a change';
  try {
    sqlite.exec(emptyCommitSql);
    if (hasRoom(folder)) return true;
  } catch (error) {
    // SQLite calls a quota and a limit of the file's length an I/O error
    if (!isSqliteError(error, 'full', 'ioError')) throw error;
    cause = String(error);
  }
  const why = 'starting read-only because the disk is full, or a quota is reached';
  log('warn', `${why}: changes are rejected until there is space`, { cause });
  return false;
}

/**
 * Configures the writing connection: the event loop then waits neither for locks nor for syncs, and only the
 * checkpointer checkpoints. In a process that may not sync, SQLite's commits sync, and block the event loop.
 */
export function configureWriter(sqlite: DatabaseSync): void {
  sqlite.exec(
    'PRAGMA busy_timeout = 0; PRAGMA wal_autocheckpoint = 0; ' +
      `PRAGMA temp_store = MEMORY; PRAGMA cache_size = -${capacity.pageCacheKibibytes}`,
  );
  sqlite.exec(`PRAGMA synchronous = ${maySync ? 'NORMAL' : 'FULL'}`);
}

/**
 * Opens a descriptor of the WAL, which group commits sync, and syncs the present content. Closing the
 * descriptor is harmless, since SQLite's locks are on other files.
 */
export function openSyncedWal(folder: string): number {
  const descriptor = openSync(`${databaseFile(folder)}-wal`, 'r+'); // Windows syncs only writable descriptors
  if (maySync) fdatasyncSync(descriptor); // reads will see the frames that a killed process left there
  syncFolder(folder);
  return descriptor;
}

/** Replaces `fdatasync` in a process that may not sync: SQLite's commit has synced already. */
export function skipSync(_descriptor: number, done: (error: null) => void): void {
  setImmediate(done, null);
}
