// How the database handles a sync or commit that fails, and a full disk: it is reported once, and waiting writes are rejected.
import assert from 'node:assert/strict';
import { rmSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { openCommandDatabase } from '../../src/storage/command-database.ts';
import type { Invalidation } from '../../src/storage/connection.ts';
import { pollMilliseconds } from '../../src/storage/database.ts';
import { databaseFile } from '../../src/storage/database-file.ts';
import { newFolder } from '../support/command-support.ts';
import {
  addNote,
  HeldDisk,
  isUnavailable,
  migrations,
  noteChange,
  noteTexts,
  openNotes,
  turn,
  until,
} from '../support/storage-support.ts';

test('a failed sync rejects all, is reported once, and leaves the WAL to the next start', async (t) => {
  const folder = newFolder(t);
  const disk = new HeldDisk(t);
  const fatal: Error[] = [];
  const database = await openNotes(t, {
    folder,
    fdatasync: disk.fdatasync,
    onFatal: (error) => fatal.push(error),
  });
  const saw = [addNote('syncing'), addNote('syncing'), noteTexts].map((each) =>
    database.write<unknown>(each),
  );
  await until(() => disk.pending.length === 1);
  saw.push(database.write(addNote('gathering')), database.write(noteTexts));
  saw.push(database.readInWorker('SELECT text FROM notes', []));
  const rejected = saw.map((each) => assert.rejects(each, isUnavailable));
  await turn();
  disk.pending.shift()?.(new Error('EIO'));
  rejected.push(assert.rejects(database.write(addNote('later')), isUnavailable));
  await Promise.all(rejected);
  assert.equal(database.stats.rejections, 6);
  assert.deepEqual(fatal, [new Error('EIO')]);
  assert.deepEqual(noteTexts(database.read), [], 'until the process ends, reads see what is surely on disk');
  await database.close();
  assert.notEqual(statSync(`${databaseFile(folder)}-wal`).size, 0);
  assert.deepEqual(noteTexts((await openNotes(t, { folder })).read), ['syncing']);
});

test('a transaction that SQLite rolls back rejects all its writes, and the next one works', async (t) => {
  const told: Invalidation[] = [];
  const database = await openNotes(t, { onDurableChanges: (stale) => told.push(...stale) });
  const first = database.write((db) => {
    db.invalidate(noteChange(1));
    return addNote('first')(db);
  });
  const fatal = database.write((db) => {
    db.invalidate(noteChange(2));
    db.get('ROLLBACK');
    throw new Error('as an I/O error does');
  });
  const swallowed = database.write((db) => void db.get('ROLLBACK'));
  const second = database.write(addNote('second'));
  const [kept] = await Promise.all([
    // On a machine so slow that the first write took 4 ms, it was committed in a group of its own.
    first.then(
      () => ['first'],
      (error) => (assert(isUnavailable(error)), []),
    ),
    assert.rejects(fatal, isUnavailable),
    assert.rejects(swallowed, isUnavailable),
  ]);
  await second;
  assert.deepEqual(noteTexts(database.read), [...kept, 'second']);
  const expected = kept.map(() => noteChange(1));
  assert.deepEqual(told, expected, 'caches hear of what was committed alone');
});

test('a commit that fails rejects its writes and leaves nothing', async (t) => {
  const told: Invalidation[] = [];
  const deferred = [
    ...migrations,
    {
      feature: 'notes',
      name: 'deferred',
      sql: 'CREATE TABLE marks (note INTEGER REFERENCES notes DEFERRABLE INITIALLY DEFERRED) STRICT',
    },
  ];
  const database = await openNotes(t, {
    migrations: deferred,
    onDurableChanges: (stale) => told.push(...stale),
  });
  const note = database.write((db) => {
    db.invalidate(noteChange(1));
    return addNote('note')(db);
  });
  const mark = database.write((db) => db.run('INSERT INTO marks VALUES (7)'));
  const [kept] = await Promise.all([
    // On a machine so slow that the first write took 4 ms, it was committed in a group of its own.
    note.then(
      () => 1,
      (error) => (assert(isUnavailable(error)), 0),
    ),
    assert.rejects(mark, isUnavailable),
  ]);
  assert.deepEqual([noteTexts(database.read).length, told.length], [kept, kept]);
  await database.write(addNote('next'));
});

test('after a commit that fails, reads see what other processes commit', async (t) => {
  const folder = newFolder(t);
  const owned = {
    feature: 'owned',
    name: 'owned',
    sql: 'CREATE TABLE owned (noteId INTEGER REFERENCES notes (id) DEFERRABLE INITIALLY DEFERRED) STRICT',
  };
  const both = [...migrations, owned];
  const database = await openNotes(t, { folder, migrations: both });
  const orphan = database.write((db) => void db.run('INSERT INTO owned (noteId) VALUES (7)'));
  await assert.rejects(orphan, isUnavailable);
  const beside = await openCommandDatabase(folder, both);
  beside.write(addNote('external'));
  beside.close();
  await turn();
  assert.deepEqual(noteTexts(database.read), ['external']);
});

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
  await new Promise((resolve) => setTimeout(resolve, 2 * pollMilliseconds));
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
