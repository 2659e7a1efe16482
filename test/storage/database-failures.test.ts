// How the database handles a sync or commit that fails, and a full disk: it is reported once, and waiting writes are rejected.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { openCommandDatabase } from '../../src/storage/command-database.ts';
import type { Connection, Invalidation } from '../../src/storage/connection.ts';
import { pollMilliseconds, type Database } from '../../src/storage/database.ts';
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
  const rollBack = (db: Connection): void => {
    db.invalidate(noteChange(2));
    db.get('ROLLBACK');
  };
  const asAnIoError = (db: Connection): void => {
    rollBack(db);
    throw new Error('as an I/O error does');
  };
  let kept = 0;
  for (const failing of [rollBack, asAnIoError]) {
    const { reasons, kept: more } = await rejectedGroup(database, failing);
    for (const reason of reasons) assert(isUnavailable(reason));
    kept += more;
  }
  await database.write(addNote('next'));
  assert.equal(noteTexts(database.read).length, kept + 1);
  assert.deepEqual(told, Array(kept).fill(noteChange(1)), 'caches hear of what was committed alone');
});

test('a commit that fails rejects its writes and leaves nothing, and then reads see what others commit', async (t) => {
  const folder = newFolder(t);
  const told: Invalidation[] = [];
  const sql = 'CREATE TABLE marks (note INTEGER REFERENCES notes DEFERRABLE INITIALLY DEFERRED) STRICT';
  const deferred = [...migrations, { feature: 'notes', name: 'deferred', sql }];
  const onDurableChanges = (stale: readonly Invalidation[]): unknown => told.push(...stale);
  const database = await openNotes(t, { folder, migrations: deferred, onDurableChanges });
  const { reasons, kept } = await rejectedGroup(
    database,
    (db) => void db.run('INSERT INTO marks VALUES (777)'),
  );
  for (const reason of reasons) assert(isUnavailable(reason));
  assert.deepEqual([noteTexts(database.read).length, told.length], [kept, kept]);
  const beside = await openCommandDatabase(folder, deferred);
  beside.write(addNote('external'));
  beside.close();
  await turn();
  assert.equal(noteTexts(database.read).at(-1), 'external');
  await database.write(addNote('next'));
});

test('damage that one write meets is its error; its group may be repeated, and the storage goes on', async (t) => {
  const database = await openNotes(t);
  const damage = Object.assign(new Error('database disk image is malformed'), { errcode: 11 });
  const { reasons } = await rejectedGroup(database, () => {
    throw damage;
  });
  assert(isUnavailable(reasons[0]));
  assert.equal(reasons[1], damage);
  assert.equal(database.stats.canWrite, true);
  await database.write(addNote('next'));
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
  const { reasons } = await rejectedGroup(database, (db) => {
    addNote('small')(db);
    addNote('x'.repeat(100_000))(db);
  });
  for (const reason of reasons) assert(isUnavailable(reason));
  assert.equal(database.stats.canWrite, false);
  assert.equal(logged.at(-1), 'changes are rejected because of a storage error');
});

/**
 * The reasons for which a note and the write that fails after it are rejected as one group. On a slow machine notes may
 * be committed alone before: `kept` counts them.
 */
async function rejectedGroup(
  database: Database,
  failing: (db: Connection) => void,
): Promise<{ readonly reasons: readonly unknown[]; readonly kept: number }> {
  for (let kept = 0; ; kept += 1) {
    const [note, failed] = await Promise.allSettled([
      database.write((db) => {
        db.invalidate(noteChange(1));
        return addNote(randomUUID())(db);
      }),
      database.write(failing),
    ]);
    assert(failed.status === 'rejected');
    if (note.status === 'rejected') return { reasons: [note.reason, failed.reason], kept };
  }
}
