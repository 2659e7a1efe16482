// The file of the database: its name, how it is opened, and whether it belongs to this service.
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { refusalToWrite } from './file-systems.ts';
import { bytesOf } from './private-files.ts';
import { isSqliteError } from './storage-error.ts';

const applicationId = 0x6f726479; // 'ordy', in bytes 68–71 of each database of this service
/**
 * Marks a database as one of this service. Writes page 1 to the WAL even if the database is already marked.
 */
export const emptyCommitSql = `PRAGMA application_id = ${applicationId}`;
const busyMillisecondsMax = 5_000;

export function databaseFile(folder: string): string {
  return join(folder, 'orderly.db');
}

/**
 * Waits up to `busyMillisecondsMax` for others' locks. ATTACH is off, so SQL can't reach another file.
 * Deleted content is overwritten with zeros: otherwise it would stay in free pages, which backups include.
 */
export function openSqlite(file: string | URL, options: { readonly readOnly?: boolean } = {}): DatabaseSync {
  const sqlite = new DatabaseSync(file, {
    returnArrays: true,
    timeout: busyMillisecondsMax,
    limits: { attach: 0 },
    ...options,
  });
  sqlite.exec('PRAGMA secure_delete = ON');
  return sqlite;
}

/**
 * Opens a database to read it, also on a disk that became read-only: with no WAL there, SQLite needs neither locks nor
 * shared memory if it is told that nothing can change the file.
 */
export function openToRead(file: string, options: { readonly readOnly?: boolean } = {}): DatabaseSync {
  let sqlite: DatabaseSync | undefined;
  try {
    sqlite = openSqlite(file, options);
    scalar(sqlite, 'PRAGMA schema_version');
    return sqlite;
  } catch (error) {
    sqlite?.close();
    const isOnReadOnlyDisk = refusalToWrite(dirname(file)) === 'EROFS' && bytesOf(`${file}-wal`) === 0;
    if (!isSqliteError(error, 'cantOpen') || !isOnReadOnlyDisk) throw error;
    const url = pathToFileURL(file);
    url.search = '?immutable=1';
    return openSqlite(url, { readOnly: true });
  }
}

/** Returns the first column of a statement's first row. */
export function scalar(sqlite: DatabaseSync, sql: string): unknown {
  return Object.values(sqlite.prepare(sql).get() ?? {})[0];
}

/** Whether any version of this service has written the database. */
export function isOurs(sqlite: DatabaseSync): boolean {
  return scalar(sqlite, 'PRAGMA application_id') === applicationId;
}

/**
 * Whether SQLite never loses commits: before 3.51.3 it can, when one connection commits while another resets the WAL
 * (https://sqlite.org/wal.html#walresetbug). In this service one thread commits while another checkpoints.
 */
export function hasWalResetFix(version: string): boolean {
  return version.localeCompare('3.51.3', 'en', { numeric: true }) >= 0;
}
