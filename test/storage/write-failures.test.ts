// How the write path handles a failing storage: it is reported once, and rejects every waiting write.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { watchMilliseconds } from '../../src/storage/database.ts';
import { databaseFile } from '../../src/storage/database-file.ts';
import { newFolder } from '../support/command-support.ts';
import { addNote, HeldDisk, isUnavailable, openNotes, until } from '../support/storage-support.ts';

test('a sync that runs when the WAL is deleted is waited for, and the end is reported once', async (t) => {
  const folder = newFolder(t);
  const disk = new HeldDisk(t);
  const fatal: string[] = [];
  const database = await openNotes(t, {
    folder,
    fdatasync: disk.fdatasync,
    onFatal: (cause) => fatal.push(cause.message),
  });
  const write = database.write(addNote('before'));
  await until(() => disk.pending.length === 1);
  rmSync(`${databaseFile(folder)}-wal`);
  await new Promise((resolve) => setTimeout(resolve, 2 * watchMilliseconds));
  assert.deepEqual(fatal, []);
  await disk.endSync();
  await write;
  await until(() => fatal.length > 0);
  assert.match(fatal.join('\n'), /^orderly\.db-wal in .* was deleted or replaced .*orderly-saved-\w+\.db/);
  assert.equal(fatal.length, 1);
});

test('on a full disk a statement of many rows is unavailable, although SQLite undoes it alone', async (t) => {
  const database = await openNotes(t);
  await database.write((db) => void db.get('PRAGMA max_page_count = 1')); // of those that there are
  const many =
    'INSERT INTO notes (text) WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 500) ' +
    'SELECT i || ? FROM n';
  const full = database.write((db) => db.run(many, 'x'.repeat(1_000)));
  await assert.rejects(full, isUnavailable);
  assert.equal(database.stats.canWrite, false);
});

test('on a full disk a half-done change and its group are unavailable', async (t) => {
  const logged: string[] = [];
  const database = await openNotes(t, { log: (_, message) => logged.push(message) });
  await database.write((db) => void db.get('PRAGMA max_page_count = 1'));
  let isInGroup = false;
  for (let count = 0; !isInGroup; count += 1) {
    const [before, full] = await Promise.allSettled([
      database.write(addNote(`before ${count}`)),
      database.write((db) => {
        addNote('small')(db);
        addNote('x'.repeat(100_000))(db);
      }),
    ]);
    assert(full.status === 'rejected' && isUnavailable(full.reason));
    if (before.status === 'fulfilled') continue; // a slow machine has committed it alone
    assert(isUnavailable(before.reason));
    isInGroup = true;
  }
  assert.equal(database.stats.canWrite, false);
  assert.equal(logged.at(-1), 'changes are rejected because of a storage error');
});
