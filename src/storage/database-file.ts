// The file of the database: its name, how it is opened, and whether it belongs to this service.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StorageError, toStorageError } from './storage-error.ts';

const applicationId = 0x6f726479; // 'ordy', in bytes 68–71 of each database of this service
/** Marks a database as one of this service. If it is one already, page 1 is still written to the WAL. */
export const emptyCommitSql = `PRAGMA application_id = ${applicationId}`;
const busyMillisecondsMax = 5_000;

export function databaseFile(folder: string): string {
  return join(folder, 'orderly.db');
}

/**
 * Waits up to `busyMillisecondsMax` for others' locks. ATTACH is off, so SQL can't reach another file.
 * Deleted content is overwritten with zeros: otherwise it would stay in free pages, which backups include.
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

/** Returns the first column of a statement's first row. */
export function scalar(sqlite: DatabaseSync, sql: string): unknown {
  return Object.values(sqlite.prepare(sql).get() ?? {})[0];
}

/**
 * Returns the schema version of a database of this service, undefined for an empty file. Throws for any other
 * file, and for a newer version.
 */
export function schemaVersion(file: string, versionMax: number): number | undefined {
  try {
    // unlike `existsSync`, it throws if this account may not look into the folder
    const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (bytes === 0) return undefined;
    using sqlite = openSqlite(file, { readOnly: true });
    const tables = scalar(sqlite, 'SELECT count(*) FROM sqlite_schema');
    const isOurs = scalar(sqlite, 'PRAGMA application_id') === applicationId;
    if (!isOurs && tables === 0) return undefined; // a first start that was interrupted
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
