// A connection passes on what SQLite returns.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { Connection } from '../../src/storage/connection.ts';

test('a row id beyond 2^53, as in full-text indexes, breaks no later statement', () => {
  using sqlite = new DatabaseSync(':memory:', { returnArrays: true });
  sqlite.exec('CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)');
  const db = new Connection(sqlite);
  sqlite.exec('INSERT INTO notes (id) VALUES (9009398277996544)');
  assert.equal(db.run("UPDATE notes SET text = 'changed'").rowsChanged, 1);
  assert.equal(db.run("INSERT INTO notes (id, text) VALUES (7, 'new')").lastId, 7);
});
