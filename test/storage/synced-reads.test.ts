// Nobody is shown what a power cut could take back: reads, lists and rejections come of what is on disk.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Connection } from '../../src/storage/connection.ts';
import { QueryWorker, type QueryWorkerOptions } from '../../src/storage/query-worker.ts';
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
} from './storage-support.ts';

test('while a sync runs, reads see the state before its commit, and then the one after', async (t) => {
  const disk = new HeldDisk(t);
  const database = await openNotes(t, { fdatasync: disk.fdatasync });
  const first = database.write(addNote('first'));
  await until(() => disk.pending.length === 1);
  assert.deepEqual(noteTexts(database.read), []);
  await turn();
  assert.deepEqual(noteTexts(database.read), [], 'nor in a later turn');
  const second = database.write(addNote('second'));
  await disk.endSync();
  assert.deepEqual(noteTexts(database.read), ['first']);
  await first;
  await disk.endSync();
  await second;
  assert.deepEqual(noteTexts(database.read), ['first', 'second']);
});

test('the caches drop what is stale when it is on disk, before the write is answered', async (t) => {
  const disk = new HeldDisk(t);
  const steps: unknown[] = [];
  const database = await openNotes(t, {
    fdatasync: disk.fdatasync,
    onSync: (stale) => steps.push(...stale, noteTexts(database.read)),
  });
  const write = database.write((db) => {
    db.invalidate(noteChange(1));
    return addNote('first')(db);
  });
  const answered = write.then(() => steps.push('answered'));
  await until(() => disk.pending.length === 1);
  await turn();
  assert.deepEqual(steps, []);
  await disk.endSync();
  await answered;
  assert.deepEqual(steps, [noteChange(1), ['first'], 'answered']);
});

test('a write that is rejected for what another changed is answered once that is on disk', async (t) => {
  const disk = new HeldDisk(t);
  const database = await openNotes(t, { fdatasync: disk.fdatasync });
  const first = database.write(addNote('same'));
  const second = assert.rejects(database.write(addNote('same')), { errcode: 2067 });
  await until(() => disk.pending.length === 1);
  assert.equal(await isSettled(second), false);
  await disk.endSync();
  await Promise.all([first, second]);
});

test('a write that is rejected for what was on disk before waits for no sync', async (t) => {
  const disk = new HeldDisk(t);
  const database = await openNotes(t, { fdatasync: disk.fdatasync });
  await assert.rejects(database.write(missing), /There is no such note/);
  assert.equal(disk.pending.length, 0);
});

test('where the sync fails, who was rejected for what it saw is not shown that either', async (t) => {
  const disk = new HeldDisk(t);
  const database = await openNotes(t, { fdatasync: disk.fdatasync, onFatal() {} });
  const writes = [addNote('same'), addNote('same')].map((work) => database.write(work));
  const rejected = writes.map((write) => assert.rejects(write, isUnavailable));
  await disk.endSync(new Error('EIO'));
  await Promise.all(rejected);
});

test('a query on the thread is answered once what it saw is on disk', async (t) => {
  const disk = new HeldDisk(t);
  const snapshots: string[] = [];
  const database = await openNotes(t, {
    fdatasync: disk.fdatasync,
    queryWorker: noting(snapshots),
  });
  const count = () => database.readInWorker('SELECT count(*) FROM notes', []);
  assert.deepEqual(await count(), [[0]]);
  const write = database.write(addNote('first'));
  await until(() => disk.pending.length === 1);
  const counting = count();
  const next = count();
  await until(() => snapshots.length === 3); // so the first has its rows
  assert.equal(await isSettled(counting), false);
  await disk.endSync();
  await write;
  assert.deepEqual(await Promise.all([counting, next]), [[[1]], [[1]]]);
});

test('a query on the thread that began before the commit does not wait for its sync', async (t) => {
  const disk = new HeldDisk(t);
  const snapshots: string[] = [];
  const database = await openNotes(t, {
    fdatasync: disk.fdatasync,
    queryWorker: noting(snapshots),
  });
  const counted = 'WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 3000000)';
  const long = database.readInWorker(`${counted} SELECT count(*), (SELECT count(*) FROM notes) FROM n`, []);
  await until(() => snapshots.length === 1);
  const write = database.write(addNote('first'));
  await until(() => disk.pending.length === 1);
  assert.deepEqual(await long, [[3_000_000, 0]]);
  await disk.endSync();
  await write;
});

test('more writes than one turn has time for share a sync, and none is seen before it', async (t) => {
  const disk = new HeldDisk(t);
  const database = await openNotes(t, { fdatasync: disk.fdatasync });
  const slowly = (text: string) =>
    database.write((db) => {
      const end = performance.now() + 5;
      while (performance.now() < end);
      return addNote(text)(db);
    });
  const writes = ['first', 'second', 'third'].map(slowly);
  await until(() => disk.pending.length === 1);
  assert.equal(database.stats.commits, 3);
  assert.deepEqual(noteTexts(database.read), []);
  await disk.endSync();
  assert.deepEqual(await Promise.all(writes), [1, 2, 3]);
  assert.equal(database.stats.syncs, 1);
});

/** Threads that note each snapshot that they have taken. */
function noting(snapshots: string[]) {
  return (options: QueryWorkerOptions) =>
    new QueryWorker({
      ...options,
      synced() {
        snapshots.push(options.access);
        return options.synced();
      },
    });
}

function missing(db: Connection): void {
  if (db.get('SELECT 1 FROM notes WHERE id = 7') === undefined) throw new Error('There is no such note.');
}
