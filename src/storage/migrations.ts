// The migrations of a database. Each feature numbers its own, and the table `migrations` has a row for each one that was
// applied. If a feature leaves the sources, its rows and its tables stay. A database of a newer version is rejected
// unchanged.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { Connection } from './connection.ts';
import { copyDatabase } from './database-copy.ts';
import { databaseFile, emptyCommitSql, isOurs, openSqlite, openToRead, scalar } from './database-file.ts';
import { bytesOf, makePrivate, syncFolder } from './private-files.ts';
import { StorageError, toStorageError } from './storage-error.ts';

/**
 * A migration's number is its place in the list of its feature. A released migration is never edited. Times
 * are milliseconds since 1970; JSON columns hold the text that responses show.
 */
export type Migration = {
  readonly name: string;
  readonly sql: string;
  /** Called after `sql`, for rows that only the sources can make. */
  readonly fill?: (db: Connection) => void;
};

export type FeatureMigration = Migration & { readonly feature: string };

type NumberedMigration = FeatureMigration & { readonly number: number };

/** The value of `user_version` once there is the table `migrations`. */
const tableForm = 2;
const tableSql =
  'CREATE TABLE migrations (feature TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (feature, number)) ' +
  `STRICT, WITHOUT ROWID; PRAGMA user_version = ${tableForm}`;

type MigrationOptions = {
  /** Called with a sentence for the operator before a step that takes long. */
  readonly report?: (message: string) => void;
  /** Ends the start when aborted. Migrations that have begun still run to their end. */
  readonly signal?: AbortSignal | undefined;
};

/**
 * Opens the folder's database for writing. Creates or migrates it if needed. The caller holds the folder's
 * lock.
 */
export async function openMigrated(
  folder: string,
  migrations: readonly FeatureMigration[],
  { report = () => {}, signal }: MigrationOptions = {},
): Promise<DatabaseSync> {
  const file = databaseFile(folder);
  const { version, pending } = schemaState(file, migrations) ?? { version: 0, pending: numbered(migrations) };
  let sqlite: DatabaseSync | undefined;
  try {
    makePrivate(file);
    sqlite = openSqlite(file);
    sqlite.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0');
    if (version > 0 && pending.length > 0) {
      const backup = join(folder, `orderly-v${version}.backup.db`);
      report(`Migrating the database from schema ${version}; backup in ${backup}.`);
      await copyDatabase(sqlite, backup, { progress: () => signal?.throwIfAborted() });
    }
    signal?.throwIfAborted();
    if (pending.length > 0) migrate(sqlite, version === 0 ? tableSql : '', pending);
    syncFolder(folder);
    return sqlite;
  } catch (error) {
    sqlite?.close();
    throw toStorageError(error, file);
  }
}

function migrate(sqlite: DatabaseSync, beforeSql: string, pending: readonly NumberedMigration[]): void {
  // foreign keys are off while tables are rebuilt, as SQLite's documentation of ALTER TABLE says, and all
  // checked at the end
  sqlite.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE');
  try {
    sqlite.exec(beforeSql);
    for (const migration of pending) apply(sqlite, migration);
    if (scalar(sqlite, 'PRAGMA foreign_key_check') !== undefined)
      throw new StorageError('The migrations leave rows with dangling references.');
    sqlite.exec(`${emptyCommitSql}; COMMIT; PRAGMA foreign_keys = ON`);
  } catch (error) {
    if (sqlite.isTransaction) sqlite.exec('ROLLBACK');
    throw error;
  }
}

function apply(sqlite: DatabaseSync, { feature, number, name, sql, fill }: NumberedMigration): void {
  try {
    sqlite.exec(sql);
    fill?.(new Connection(sqlite));
    sqlite.prepare('INSERT INTO migrations (feature, number) VALUES (?, ?)').run(feature, number);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const what = `Migration ${name} failed and nothing was changed: ${why}.`;
    throw new StorageError(what, { cause: error });
  }
}

type SchemaState = {
  /** How many migrations were applied, those of features that left the sources included. */
  readonly version: number;
  readonly applied: readonly FeatureMigration[];
  /** The migrations to apply, in order. */
  readonly pending: readonly NumberedMigration[];
};

/**
 * Returns the state of a database of this service; undefined for an empty file. Throws for any other file,
 * and for a database of a newer version.
 */
export function schemaState(file: string, migrations: readonly FeatureMigration[]): SchemaState | undefined {
  return inDatabase(file, (sqlite) => stateOf(sqlite, file, migrations));
}

/** Whether the file is a database of this service, of any version. Throws if the file is something else. */
export function isDatabase(file: string): boolean {
  return inDatabase(file, () => true) ?? false;
}

function inDatabase<T>(file: string, read: (sqlite: DatabaseSync) => T): T | undefined {
  try {
    if (bytesOf(file) === 0) return undefined;
    using sqlite = openToRead(file, { readOnly: true });
    if (isOurs(sqlite)) return read(sqlite);
    const tables = scalar(sqlite, 'SELECT count(*) FROM sqlite_schema');
    if (tables === 0) return undefined; // a first start that was interrupted
    throw new StorageError(`${file} belongs to another application; it was not changed.`);
  } catch (error) {
    throw toStorageError(error, file);
  }
}

function stateOf(sqlite: DatabaseSync, file: string, migrations: readonly FeatureMigration[]): SchemaState {
  const form = scalar(sqlite, 'PRAGMA user_version');
  if (form !== tableForm) throw newer(file, `schema version ${form}`);
  const rows = new Connection(sqlite).all<[feature: string, number: number]>(
    'SELECT feature, number FROM migrations',
  );
  const all = numbered(migrations);
  for (const [feature, number] of rows) {
    const known = all.filter((each) => each.feature === feature).length;
    if (known > 0 && number > known) throw newer(file, `migration ${number} of ${feature}`);
  }
  const isApplied = (each: NumberedMigration): boolean =>
    rows.some(([feature, number]) => feature === each.feature && number === each.number);
  return {
    version: rows.length,
    applied: all.filter(isApplied),
    pending: all.filter((each) => !isApplied(each)),
  };
}

function numbered(migrations: readonly FeatureMigration[]): NumberedMigration[] {
  const counts = new Map<string, number>();
  return migrations.map((migration) => {
    const number = (counts.get(migration.feature) ?? 0) + 1;
    counts.set(migration.feature, number);
    return { ...migration, number };
  });
}

function newer(file: string, what: string): StorageError {
  return new StorageError(`${file} has ${what}, written by a newer orderly. Use the newer one.`);
}

const schemaSql = 'SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name';
type SchemaEntry = [type: string, name: string, sql: string];

/**
 * Compares the schema of a database with the schema that its migrations make: a copy that somebody has written could have
 * triggers that give rights, or a view without an end in place of a table. Returns a sentence for each trigger and view
 * that isn't the service's, and for each of its own entries that is missing or another one. Tables and indexes of others
 * do no harm: they may be of features that left.
 */
export function tableIssues(db: Connection, applied: readonly FeatureMigration[]): string[] {
  using sqlite = new DatabaseSync(':memory:', { returnArrays: true });
  const made = new Connection(sqlite);
  for (const { sql, fill } of applied) {
    sqlite.exec(sql);
    fill?.(made);
  }
  const own = new Map(made.all<SchemaEntry>(schemaSql).map((entry) => [entry[1], entry]));
  const found = new Map(db.all<SchemaEntry>(schemaSql).map((entry) => [entry[1], entry]));
  const lacking = [...own.values()].filter((entry) => !isDeepStrictEqual(found.get(entry[1]), entry));
  const foreign = [...found.values()].filter(
    ([type, name]) => (type === 'trigger' || type === 'view') && !own.has(name),
  );
  return [
    ...lacking.map(([type, name]) => `The ${type} ${name} is missing, or not as orderly made it.`),
    ...foreign.map(([type, name]) => `The ${type} ${name} is not of orderly.`),
  ];
}
