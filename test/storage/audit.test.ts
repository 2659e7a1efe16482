// An audit of a table that no query reads as a whole.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { visitRows } from '../../src/storage/audit.ts';
import { Connection } from '../../src/storage/connection.ts';

test('an audit visits every row of a table of several pages', () => {
  using sqlite = new DatabaseSync(':memory:', { returnArrays: true });
  sqlite.exec('CREATE TABLE numbers (id INTEGER PRIMARY KEY) STRICT');
  const rows = 4_001;
  const series =
    'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT i FROM n';
  sqlite.prepare(`INSERT INTO numbers ${series}`).run(rows);
  const visited: number[] = [];
  const audited = { table: 'numbers', key: 'id', columns: 'id', progress() {} };
  const count = visitRows<[number]>(new Connection(sqlite), audited, ([id]) => void visited.push(id));
  assert.deepEqual([count, visited.length, visited.at(-1)], [rows, rows, rows]);
});
