// A table declared once: its statements, its objects and its audit follow from its columns.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { auditRows, visitRows } from '../../src/storage/audit.ts';
import { Connection } from '../../src/storage/connection.ts';
import {
  assigned,
  blob,
  changeTime,
  computed,
  counter,
  derived,
  flag,
  integer,
  json,
  nullable,
  table,
  text,
  time,
  words,
} from '../../src/storage/table.ts';

const shown = {
  id: assigned,
  name: text(),
  nick: nullable(text()),
  age: integer,
  isKnown: flag,
  tags: words<'a' | 'b'>(),
  address: nullable(json<{ city: string }>()),
  seenAt: nullable(time),
  createdAt: time,
  updatedAt: time,
};
const upperCase = (name: string): string => name.toUpperCase();
const columns = {
  ...shown,
  nameKey: derived('name', upperCase),
  nickKey: nullable(derived('nick', upperCase)),
  photo: nullable(blob),
  version: counter,
};
const people = table('people', columns);
const rows = people.select(shown);

const schema = `CREATE TABLE people (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  nick TEXT,
  age INTEGER NOT NULL,
  isKnown INTEGER NOT NULL,
  tags TEXT NOT NULL,
  address TEXT,
  seenAt INTEGER,
  createdAt INTEGER NOT NULL,
  updatedAt INTEGER NOT NULL,
  nameKey TEXT NOT NULL,
  nickKey TEXT,
  photo BLOB,
  version INTEGER NOT NULL DEFAULT 1
) STRICT`;

const ada = {
  name: 'Ada',
  age: 36,
  isKnown: true,
  tags: ['a', 'b'],
  address: { city: 'London' },
  createdAt: 0,
  updatedAt: 5,
} as const;

test('the members of an object are in the order of its columns', (t) => {
  const db = databaseFor(t);
  const found = rows.find(db, people.insert(db, ada));
  assert.deepEqual(Object.keys(found ?? {}), Object.keys(shown));
});

test('the time of a change is later than that of the change before', () => {
  const before = { updatedAt: '1970-01-01T00:00:00.005Z' };
  assert.deepEqual(
    [3, 5, 6, 100].map((now) => changeTime(before, now)),
    [6, 6, 6, 100],
  );
});

test('an audit reports JSON and derived values that the service would write in another way', (t) => {
  const db = databaseFor(t);
  const age = computed('age > 0', flag);
  const audit = people.audit({
    thing: 'person',
    columns: { ...columns, age },
    issues: ({ age }) => (age ? [] : [{ pointer: '/age', code: 'audit', detail: 'is not positive.' }]),
  });
  for (let count = 0; count < 4; count += 1) people.insert(db, { ...ada, nick: 'Lady' });
  db.run(`UPDATE people SET address = '{"city": "Rome"}', age = 0 WHERE id = 2`);
  db.run("UPDATE people SET nickKey = NULL, nameKey = 'Ada' WHERE id = 3");
  db.run("UPDATE people SET address = '{' WHERE id = 4");
  const reports: string[] = [];
  auditRows(db, audit, { report: (report) => reports.push(report), progress: () => {} });
  assert.deepEqual(reports.slice(0, 4), [
    'person 2 at /age: is not positive.',
    'person 2 at /address: The JSON is not as the service writes it.',
    'person 3 at /nameKey: does not match the name.',
    'person 3 at /nickKey: does not match the nick.',
  ]);
  assert.match(reports[4] ?? '', /^person 4 can't be read: /);
});

function databaseFor(t: { after(close: () => void): void }): Connection {
  const sqlite = new DatabaseSync(':memory:', { returnArrays: true });
  t.after(() => sqlite.close());
  sqlite.exec(schema);
  return new Connection(sqlite);
}

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
