// The file of the database: its name, how it is opened, and whether it is one of ours.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StorageError, toStorageError } from './storage-error.ts';

const applicationId = 0x6f726479; // 'ordy', in bytes 68–71 of each database of ours
/**
 * Marks a database as ours. On one that is marked already it changes nothing, but still writes a frame to the
 * WAL: page 1.
 */
export const emptyCommitSql = `PRAGMA application_id = ${applicationId}`;
const busyMillisecondsMax = 5_000;

export function databaseFile(folder: string): string {
  return join(folder, 'orderly.db');
}

/**
 * Waits up to `busyMillisecondsMax` for others' locks. ATTACH is off, so SQL can't reach another file. What
 * is deleted is overwritten with zeros: otherwise it stays in free pages, and every backup has those.
 */
export function openSqlite(file: string, options: { readonly readOnly?: boolean } = {}): DatabaseSync {
  const sqlite = new DatabaseSync(file, {
    returnArrays: true,
    timeout: busyMillisecondsMax,
    limits: { attach: 0 },
    ...options,
  });
  sqlite.exec('PRAGMA secure_delete = ON');
  return sqlite;
}

/** The first column of a statement's first row. */
export function scalar(sqlite: DatabaseSync, sql: string): unknown {
  return Object.values(sqlite.prepare(sql).get() ?? {})[0];
}

/**
 * The schema version of a database of ours, undefined if there is none yet; throws for any other file and
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
