// The log stays short under sustained writes, and waits for long readers without making writes wait.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { databaseFile } from '../../src/storage/data-folder.ts';
import type { Database } from '../../src/storage/database.ts';
import { newFolder, openNotes, until } from './storage-support.ts';

const mebibyte = 1024 ** 2;

/** Writes for as long as `goesOn`, 16 at a time, about 13 KB each. */
async function writeWhile(database: Database, goesOn: () => boolean): Promise<number> {
  let note = database.read.get<[number]>('SELECT count(*) FROM notes')?.[0] ?? 0;
  let longest = 0;
  const text = 'x'.repeat(12_000);
  while (goesOn()) {
    await Promise.all(
      Array.from({ length: 16 }, () =>
        database.write((db) => db.run('INSERT INTO notes (text) VALUES (?)', `${note++}${text}`)),
      ),
    );
    longest = Math.max(longest, database.stats.logBytes);
  }
  return longest;
}

test('the log is folded in while writes go on, and its growth is bounded', async (t) => {
  let foreign = 0;
  const database = await openNotes(t, {
    onForeignChange: () => {
      foreign += 1;
    },
  });
  const longest = await writeWhile(database, () => database.stats.checkpoints < 2);
  assert(longest < 128 * mebibyte, `the log grew to ${longest} bytes`);
  assert.equal(foreign, 0, 'cutting the log is not taken for a change by another process');
  await until(() => database.stats.logBytes < 16 * mebibyte);
});

test('a long reader keeps the log growing, no longer than it reads', async (t) => {
  const folder = newFolder(t);
  const database = await openNotes(t, { folder });
  const reader = new DatabaseSync(databaseFile(folder), { readOnly: true, returnArrays: true });
  await writeWhile(database, () => database.read.get<[number]>('SELECT count(*) FROM notes')?.[0] === 0);
  reader.exec('BEGIN');
  const seen = reader.prepare('SELECT count(*) FROM notes').get();
  const longest = await writeWhile(database, () => database.stats.logBytes < 40 * mebibyte);
  assert(longest >= 40 * mebibyte);
  assert.equal(database.stats.checkpoints, 0);
  assert.deepEqual(reader.prepare('SELECT count(*) FROM notes').get(), seen);
  reader.close();
  await writeWhile(database, () => database.stats.checkpoints === 0);
  await until(() => database.stats.logBytes < 16 * mebibyte);
});

test('slow reads that follow each other do not keep the log from being folded in', async (t) => {
  const database = await openNotes(t);
  let goesOn = true;
  const readers = Array.from({ length: 4 }, async () => {
    while (goesOn)
      await database.readSlowly(
        'WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 20000) SELECT ' +
          'count(*) FROM n, (SELECT count(*) FROM notes)',
        [],
      );
  });
  const longest = await writeWhile(database, () => database.stats.checkpoints < 1);
  goesOn = false;
  await Promise.all(readers);
  assert(longest < 128 * mebibyte, `the log grew to ${longest} bytes`);
});
