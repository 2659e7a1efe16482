// Writes and reads: durable before they are answered, undone as a group, bounded, and never stale.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import type { Invalidation } from '../../src/storage/connection.ts';
import { databaseFile } from '../../src/storage/database-file.ts';
import { newFolder } from '../support/command-support.ts';
import {
  addNote,
  HeldDisk,
  isSettled,
  isUnavailable,
  noteChange,
  noteTexts,
  openNotes,
  turn,
  until,
} from '../support/storage-support.ts';

test('a write is answered once a sync that began after its commit has ended, and not before', async (t) => {
  const disk = new HeldDisk(t);
  const database = await openNotes(t, { fdatasync: disk.fdatasync });
  const first = database.write(addNote('first'));
  await until(() => disk.pending.length === 1);
  const later: Promise<number>[] = [];
  for (const text of ['second', 'third']) {
    later.push(database.write(addNote(text)));
    await turn();
  }
  assert.equal(disk.pending.length, 1, 'the kernel reports a lost write to only one of several syncs');
  assert.equal(database.stats.commits, 1, 'nothing is committed while a sync runs');
  assert.equal(await isSettled(first), false);
  await disk.endSync();
  assert.equal(await first, 1);
  assert.equal(await isSettled(Promise.race(later)), false, 'that sync began before their commit');
  assert.equal(database.stats.commits, 2, 'all that gathered share the next one');
  disk.letGo(); // on a machine so slow that their group took 4 ms, the third has a sync of its own
  assert.deepEqual(await Promise.all(later), [2, 3]);
});

test('the writes of one turn share a commit and a sync', async (t) => {
  const database = await openNotes(t);
  await Promise.all(Array.from({ length: 50 }, (_, index) => database.write(addNote(`note ${index}`))));
  const { writes, commits } = database.stats;
  // One of each, but on a machine so slow that the writes took 4 ms.
  assert(writes === 50 && commits < 25, `${commits} commits`);
});

test('a write that throws, whenever it likes, undoes its own changes and no others', async (t) => {
  const told: Invalidation[] = [];
  const logged: string[] = [];
  const database = await openNotes(t, {
    onDurableChanges: (stale) => told.push(...stale),
    log: (_, message) => logged.push(message),
  });
  const before = database.write((db) => {
    db.invalidate(noteChange(1));
    return addNote('before')(db);
  });
  const early = database.write((db) => {
    db.invalidate(noteChange(2));
    throw new RangeError('not this one');
  });
  const late = database.write((db) => {
    addNote('half')(db);
    db.invalidate(noteChange(3));
    throw new Error('half done');
  });
  const twice = database.write(addNote('before'));
  const after = database.write((db) => {
    db.invalidate(noteChange(4));
    return addNote('after')(db);
  });
  await assert.rejects(early, new RangeError('not this one'));
  await assert.rejects(late, new Error('half done'));
  await assert.rejects(twice, { errcode: 2067 });
  await Promise.all([before, after]);
  assert.deepEqual(noteTexts(database.read), ['before', 'after']);
  assert.deepEqual(told, [noteChange(1), noteChange(4)]);
  assert.deepEqual([logged, database.stats.canWrite], [[], true]);
});

for (const sql of [
  "INSERT INTO notes (text) VALUES ('kept') RETURNING id",
  "WITH words (text) AS (VALUES ('kept')) INSERT INTO notes (text) SELECT text FROM words RETURNING id",
])
  test(`a change is saved, even by a query: ${sql.slice(0, 6)}`, async (t) => {
    const folder = newFolder(t);
    const database = await openNotes(t, { folder });
    assert.deepEqual(await database.write((db) => db.get<[number]>(sql)), [1]);
    assert.equal(database.stats.commits, 1);
    await database.close();
    assert.deepEqual(noteTexts((await openNotes(t, { folder })).read), ['kept']);
  });

test('beyond 1 GiB of WAL, writes are rejected until it is shorter', async (t) => {
  const database = await openNotes(t);
  let walBytes = 1024 ** 3;
  Object.defineProperty(database.stats, 'walBytes', { get: () => walBytes, set: () => {} });
  await assert.rejects(database.write(addNote('too much')), isUnavailable);
  walBytes -= 1;
  assert.equal(await database.write(addNote('enough room')), 1);
});

test('a transaction that can no longer begin rejects its writes and leaves none unanswered', async (t) => {
  const database = await openNotes(t);
  await database.write((db) => db.get('PRAGMA query_only = ON')); // SQLite then rejects each BEGIN IMMEDIATE
  for (const text of ['next', 'after']) await assert.rejects(database.write(addNote(text)), isUnavailable);
  assert.equal(database.stats.waitingWrites, 0);
  assert.deepEqual(noteTexts(database.read), []);
});

test('a write or a read of the service inside a write is rejected', async (t) => {
  const database = await openNotes(t);
  await assert.rejects(
    database.write(() => void database.write(() => 1)),
    /inside a write/,
  );
  await assert.rejects(
    database.write(() => database.read.get('SELECT 1')),
    /through its own connection/,
  );
});

test('a write that is asynchronous does not compile', async (t) => {
  const database = await openNotes(t);
  const number: Promise<number> = database.write((db) => db.run('DELETE FROM notes').rowsChanged);
  const row: Promise<[string] | undefined> = database.write((db) =>
    db.get<[string]>('SELECT text FROM notes'),
  );
  // @ts-expect-error a promise is not a result
  const promise = database.write(async (db) => db.run('DELETE FROM notes').rowsChanged);
  // @ts-expect-error nor is one of several results a promise
  const perhaps = database.write((db) => (db.invalidations.length === 0 ? Promise.resolve(1) : 2));
  await Promise.all([number, row, promise, perhaps]);
});

test('beyond 10,000 waiting writes, more are rejected until some are answered', async (t) => {
  const disk = new HeldDisk(t);
  const database = await openNotes(t, { fdatasync: disk.fdatasync });
  const waiting = Array.from({ length: 10_000 }, () => database.write(() => 1));
  const rejected = assert.rejects(
    database.write(() => 1),
    isUnavailable,
  );
  assert(await isSettled(rejected), 'it does not wait, too');
  await rejected;
  assert.equal(database.stats.rejections, 1);
  disk.letGo();
  await Promise.all(waiting);
  assert.equal(await database.write(() => 1), 1);
  assert.equal(database.stats.waitingWrites, 0);
});

test('a slow read runs in the read worker and sees all answered writes', async (t) => {
  const database = await openNotes(t);
  await Promise.all(['a', 'b', 'c'].map((text) => database.write(addNote(text))));
  assert.deepEqual(await database.readInWorker('SELECT count(*) FROM notes WHERE text > ?', ['a']), [[2]]);
  await assert.rejects(database.readInWorker('SELECT count(*) FROM nowhere', []), /no such table/);
  await assert.rejects(database.readInWorker('DELETE FROM notes', []), /readonly/);
});

test('closing answers pending writes and long queries, checkpoints the WAL and rejects what is new', async (t) => {
  const folder = newFolder(t);
  const database = await openNotes(t, { folder });
  const writes = Array.from({ length: 100 }, (_, index) => database.write(addNote(`note ${index}`)));
  const counted = 'WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT ?)';
  const count = database.readInWorker(`${counted} SELECT count(*) FROM n`, [2_000_000]);
  const closed = database.close();
  await assert.rejects(database.write(addNote('late')), isUnavailable);
  await assert.rejects(database.readInWorker('SELECT 1', []), isUnavailable);
  await Promise.all([...writes, count, closed]);
  assert.equal(existsSync(`${databaseFile(folder)}-wal`), false);
  assert.equal(noteTexts((await openNotes(t, { folder })).read).length, 100);
});
