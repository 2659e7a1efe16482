// Which migrations a database has. Each feature numbers its own migrations, and the table `migrations` has a
// row for each one that was applied, with a hash of its statements: one that was edited since then stops the start. If a
// feature leaves the sources, its rows and its tables stay.
import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { Connection } from './connection.ts';
import { isOurs, openToRead, scalar } from './database-file.ts';
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

/** The value of `user_version` once there is the table `migrations`. */
const tableForm = 2;

const tableSql =
  'CREATE TABLE migrations (feature TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (feature, number)) ' +
  'STRICT, WITHOUT ROWID';
/** Since version 1.1. */
const hashSql = 'ALTER TABLE migrations ADD COLUMN hash TEXT';

/** A migration, and its place in the list of its feature, from 1. */
type Numbered = { readonly migration: FeatureMigration; readonly number: number };

export type SchemaState = {
  /** How many migrations were applied. */
  readonly version: number;
  readonly hasHashes: boolean;
  /** Those to apply, and those that were applied before there were hashes. */
  readonly unrecorded: readonly Numbered[];
  /** The migrations to apply, in order. */
  readonly pending: readonly Numbered[];
};

export function emptyState(migrations: readonly FeatureMigration[]): SchemaState {
  const pending = numbered(migrations);
  return { version: 0, hasHashes: false, unrecorded: pending, pending };
}

/** Whether all migrations are applied and recorded. */
export function isCurrent({ hasHashes, unrecorded }: SchemaState): boolean {
  return hasHashes && unrecorded.length === 0;
}

/** Called in the transaction that has applied the pending migrations. */
export function recordMigrations(sqlite: DatabaseSync, state: SchemaState): void {
  const { version, hasHashes, unrecorded } = state;
  if (version === 0) sqlite.exec(`${tableSql}; PRAGMA user_version = ${tableForm}`);
  if (!hasHashes) sqlite.exec(hashSql);
  const insertion = sqlite.prepare(
    'INSERT OR REPLACE INTO migrations (feature, number, hash) VALUES (?, ?, ?)',
  );
  for (const { migration, number } of unrecorded) insertion.run(migration.feature, number, hashOf(migration));
}

function hashOf({ sql }: Migration): string {
  return hash('sha256', sql, 'base64url');
}

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
    // unlike `existsSync`, it throws if this account may not look into the folder
    const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (bytes === 0) return undefined;
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
  const form = Number(scalar(sqlite, 'PRAGMA user_version'));
  if (form === 0) return emptyState(migrations);
  if (form !== tableForm) throw newer(file, `schema version ${form}`);
  const hasHashes = scalar(sqlite, "SELECT 1 FROM pragma_table_info('migrations') WHERE name = 'hash'") === 1;
  const applied = new Connection(sqlite).all<[feature: string, number: number, hash: string | null]>(
    `SELECT feature, number, ${hasHashes ? 'hash' : 'NULL'} FROM migrations`,
  );
  for (const [feature, number] of applied) {
    const known = migrations.filter((each) => each.feature === feature).length;
    if (known > 0 && number > known) throw newer(file, `migration ${number} of ${feature}`);
  }
  const hashes = new Map(applied.map(([feature, number, hash]) => [`${feature} ${number}`, hash]));
  const all = numbered(migrations);
  for (const each of all) rejectEdited(each, hashes.get(keyOf(each)) ?? undefined);
  return {
    version: applied.length,
    hasHashes,
    unrecorded: all.filter((each) => (hashes.get(keyOf(each)) ?? null) === null),
    pending: all.filter((each) => !hashes.has(keyOf(each))),
  };
}

function keyOf({ migration, number }: Numbered): string {
  return `${migration.feature} ${number}`;
}

/** Otherwise the tables would be others than the sources expect, and each request could fail. */
function rejectEdited({ migration, number }: Numbered, applied: string | undefined): void {
  if (applied === undefined || applied === hashOf(migration)) return;
  throw new StorageError(
    `Migration ${number} of ${migration.feature}, “${migration.name}”, was edited after it had run on this database: ` +
      'undo the edit, and add what is new as a further migration.',
  );
}

function numbered(migrations: readonly FeatureMigration[]): Numbered[] {
  return migrations.map((migration) => {
    const own = migrations.filter(({ feature }) => feature === migration.feature);
    return { migration, number: own.indexOf(migration) + 1 };
  });
}

function newer(file: string, what: string): StorageError {
  return new StorageError(`${file} has ${what}, written by a newer orderly. Use the newer one.`);
}
