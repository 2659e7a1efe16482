// A database in memory with all tables, for tests of stores without a service.
import { DatabaseSync } from 'node:sqlite';
import { migrations } from '../../src/service/features.ts';

export function migratedInMemory(): DatabaseSync {
  const sqlite = new DatabaseSync(':memory:', { returnArrays: true });
  for (const { sql } of migrations) sqlite.exec(sql);
  return sqlite;
}
