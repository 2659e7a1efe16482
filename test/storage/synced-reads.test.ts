// Reads, lists and rejections show only data on disk, which a power cut can't undo.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Connection } from '../../src/storage/connection.ts';
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
  workersBy,
} from '../support/storage-support.ts';

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

test('reads are unavailable while a sync runs if an error has ended their snapshot', async (t) => {
  const disk = new HeldDisk(t);
  const database = await openNotes(t, { fdatasync: disk.fdatasync });
  const write = database.write(addNote('first'));
  await until(() => disk.pending.length === 1);
  database.read.get('ROLLBACK'); // as SQLite does after an I/O error
  assert.throws(() => noteTexts(database.read), isUnavailable);
  await disk.endSync();
  await write;
  assert.deepEqual(noteTexts(database.read), ['first']);
});

test('the caches drop stale values once the change is on disk, before the write is answered', async (t) => {
  const disk = new HeldDisk(t);
  const steps: unknown[] = [];
  const database = await openNotes(t, {
    fdatasync: disk.fdatasync,
    onDurableChanges: (stale) => steps.push(...stale, noteTexts(database.read)),
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

test('a write rejected because of another’s change is answered once that is on disk', async (t) => {
  const disk = new HeldDisk(t);
  const database = await openNotes(t, { fdatasync: disk.fdatasync });
  const first = database.write(addNote('same'));
  const second = assert.rejects(database.write(addNote('same')), { errcode: 2067 });
  await until(() => disk.pending.length === 1);
  assert.equal(await isSettled(second), false);
  await disk.endSync();
  await Promise.all([first, second]);
});

test('a write that changes nothing waits for no sync, and needs no commit', async (t) => {
  const disk = new HeldDisk(t);
  const database = await openNotes(t, { fdatasync: disk.fdatasync });
  const unchanging = [
    (db: Connection) => noteTexts(db).length,
    (db: Connection) => db.run('DELETE FROM notes WHERE id = 7').rowsChanged,
    (db: Connection) => db.run("INSERT INTO notes (text) SELECT 'none' WHERE FALSE").rowsChanged,
  ];
  for (const callback of unchanging) assert.equal(await database.write(callback), 0);
  await assert.rejects(database.write(missing), /There is no such note/);
  const halfDone = (db: Connection): void => {
    addNote('half')(db);
    missing(db);
  };
  await assert.rejects(database.write(halfDone), /There is no such note/);
  assert.deepEqual([disk.pending.length, database.stats.commits], [0, 0]);
});

test('a write that changes nothing is answered once the change that it saw is on disk', async (t) => {
  const disk = new HeldDisk(t);
  const database = await openNotes(t, { fdatasync: disk.fdatasync });
  const first = database.write(addNote('first'));
  const together = database.write(noteTexts); // in the same transaction
  await until(() => disk.pending.length === 1);
  const during = database.write(noteTexts); // while that is synced
  assert.equal(await isSettled(Promise.race([together, during])), false);
  await disk.endSync();
  assert.deepEqual(await Promise.all([first, together, during]), [1, ['first'], ['first']]);
  assert.equal(disk.pending.length, 0);
});

test('a long query is answered once the commits that it saw are on disk', async (t) => {
  const disk = new HeldDisk(t);
  let results = 0;
  const database = await openNotes(t, {
    fdatasync: disk.fdatasync,
    sqlWorker: workersBy('read', async (run) => {
      const rows = await run();
      results += 1;
      return rows;
    }),
  });
  const count = () => database.readInWorker('SELECT count(*) FROM notes', []);
  assert.deepEqual(await count(), [[0]]);
  const write = database.write(addNote('first'));
  await until(() => disk.pending.length === 1);
  const counting = count();
  const next = count();
  await until(() => results === 3);
  assert.equal(await isSettled(counting), false);
  await disk.endSync();
  await write;
  assert.deepEqual(await Promise.all([counting, next]), [[[1]], [[1]]]);
});

function missing(db: Connection): void {
  if (db.get('SELECT 1 FROM notes WHERE id = 7') === undefined) throw new Error('There is no such note.');
}

test('a long query that saw a commit which then fails to get on disk is not answered', async (t) => {
  const disk = new HeldDisk(t);
  const failed: Error[] = [];
  let results = 0;
  const database = await openNotes(t, {
    fdatasync: disk.fdatasync,
    onFatal: (error) => failed.push(error),
    sqlWorker: workersBy('read', async (run) => {
      const rows = await run();
      results += 1;
      return rows;
    }),
  });
  const write = database.write(addNote('first'));
  await until(() => disk.pending.length === 1);
  const counting = database.readInWorker('SELECT count(*) FROM notes', []);
  await until(() => results === 1);
  const both = Promise.allSettled([write, counting]);
  await disk.endSync(new Error('EIO'));
  for (const each of await both) assert(each.status === 'rejected' && isUnavailable(each.reason));
  assert.equal(failed.length, 1);
});
