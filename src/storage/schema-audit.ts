// Compares the schema of a database with that which its migrations make: a copy that somebody has written could have
// triggers that give rights, or a view without an end in place of a table.
import { DatabaseSync } from 'node:sqlite';
import { Connection } from './connection.ts';
import type { FeatureMigration } from './applied-migrations.ts';

const schemaSql = 'SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name';
type Entry = readonly [type: string, name: string, sql: string];

/**
 * Returns a sentence for each trigger and view that isn't the service's, and for each of its own entries that is
 * missing or another one. Tables and indexes of others do no harm: they may be of features that left.
 */
export function schemaIssues(db: Connection, applied: readonly FeatureMigration[]): string[] {
  const own = entriesOf(applied);
  const found = new Map(db.all<[string, string, string]>(schemaSql).map((entry) => [entry[1], entry]));
  const issues = [...own.values()]
    .filter(([type, name, sql]) => found.get(name)?.[0] !== type || found.get(name)?.[2] !== sql)
    .map(([type, name]) => `The ${type} ${name} is missing, or not as orderly made it.`);
  for (const [type, name] of found.values())
    if ((type === 'trigger' || type === 'view') && !own.has(name))
      issues.push(`The ${type} ${name} is not of orderly.`);
  return issues;
}

function entriesOf(applied: readonly FeatureMigration[]): ReadonlyMap<string, Entry> {
  using sqlite = new DatabaseSync(':memory:', { returnArrays: true });
  const db = new Connection(sqlite);
  for (const { sql, fill } of applied) {
    sqlite.exec(sql);
    fill?.(db);
  }
  return new Map(db.all<[string, string, string]>(schemaSql).map((entry) => [entry[1], entry]));
}
