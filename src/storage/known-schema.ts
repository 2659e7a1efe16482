// Rejects a database whose tables aren't those that its migrations make, as sources that were never released
// may have made other ones. Otherwise the first statement that misses a column would fail.
import { DatabaseSync } from 'node:sqlite';
import { openSqlite } from './database-file.ts';
import { StorageError, toStorageError } from './storage-error.ts';

/**
 * Compares a database with the migrations that it says it has, and throws StorageError. Further tables and
 * indexes do no harm: a tool or the operator may have added them.
 */
export function rejectUnknownSchema(file: string, migrations: readonly { readonly sql: string }[]): void {
  const missing = missingPart(file, migrations);
  if (missing === undefined) return;
  throw new StorageError(
    `${file} lacks the ${missing}: a version of orderly that was never released made it, or it was changed ` +
      'by hand. It was left as it is. Use the version that made it, restore a backup, or begin with an ' +
      'empty --data folder.',
  );
}

function missingPart(file: string, migrations: readonly { readonly sql: string }[]): string | undefined {
  try {
    using sqlite = openSqlite(file, { readOnly: true });
    using made = new DatabaseSync(':memory:', { returnArrays: true });
    for (const { sql } of migrations) made.exec(sql);
    const found = new Set(partsOf(sqlite));
    return partsOf(made).find((part) => !found.has(part));
  } catch (error) {
    throw toStorageError(error, file);
  }
}

/** Returns texts such as "table notes (id, text)" and "index notes_text". */
function partsOf(sqlite: DatabaseSync): string[] {
  // a full-text index has tables of its own, which depend on the version of SQLite
  const sql =
    "SELECT type || ' ' || name || coalesce(' (' || " +
    "(SELECT group_concat(name, ', ') FROM pragma_table_xinfo(parts.name)) || ')', '') " +
    'FROM sqlite_schema AS parts ' +
    "WHERE name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')";
  return sqlite
    .prepare(sql)
    .all()
    .flatMap((row) => Object.values(row).map(String));
}
