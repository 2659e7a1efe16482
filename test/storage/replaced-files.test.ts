// Files of the database that are deleted or replaced under the running service: what was answered isn't lost.
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { pollMilliseconds, type Database } from '../../src/storage/database.ts';
import { databaseFile } from '../../src/storage/database-file.ts';
import { restore } from '../../src/storage/backup.ts';
import { SqlWorker, type SqlWorkerOptions } from '../../src/storage/sql-worker.ts';
import { newFolder } from '../support/command-support.ts';
import {
  addNote,
  isUnavailable,
  migrations,
  noteTexts,
  openNotes,
  workersBy,
} from '../support/storage-support.ts';

type Change = readonly [name: string, change: (file: string) => void];

const database = (file: string): string => file;
const end = (ending: string) => (file: string) => `${file}${ending}`;
const lock = (file: string): string => join(file, '../lock.db');

/** Removes a file, or puts a copy in its place, as `rsync` and editors do. */
function changes(what: string, place: (file: string) => string): Change[] {
  return [
    [`${what} is deleted`, (file) => rmSync(place(file))],
    [
      `${what} is replaced`,
      (file) => {
        copyFileSync(place(file), `${place(file)}.new`);
        renameSync(`${place(file)}.new`, place(file));
      },
    ],
  ];
}

const content = [...changes('the database', database), ...changes('the WAL', end('-wal'))];
const locks = [...changes('the shared memory', end('-shm')), ...changes('the lock', lock)];

function saved(folder: string): string[] {
  return readdirSync(folder).filter((name) => /^orderly-saved-\w+\.db$/.test(name));
}

async function restored(t: TestContext, folder: string): Promise<string[]> {
  const [name = ''] = saved(folder);
  const target = newFolder(t);
  await restore(join(folder, name), target, { migrations, force: false });
  return noteTexts((await openNotes(t, { folder: target })).read);
}

describe('a running service ends within ten seconds when', { concurrency: true }, () => {
  for (const [name, change] of [...content, ...locks])
    test(name, async (t) => {
      const folder = newFolder(t);
      const { promise, resolve } = Promise.withResolvers<Error>();
      const notes = await openNotes(t, { folder, onFatal: resolve });
      await notes.write(addNote('before'));
      change(databaseFile(folder));
      await notes.write(addNote('after'));
      const { message } = await promise;
      assert.match(message, /deleted or replaced while the service ran/);
      await assert.rejects(notes.write(addNote('late')), isUnavailable);
      await notes.close();
      if (!content.some(([each]) => each === name)) {
        assert.deepEqual(saved(folder), []);
        assert.deepEqual(noteTexts((await openNotes(t, { folder })).read), ['before', 'after']);
        return;
      }
      assert.match(message, new RegExp(`what it had is in .*${saved(folder).join()}`));
      assert.deepEqual(await restored(t, folder), ['before', 'after']);
    });
});

describe('a service that stops before it has noticed that', () => {
  for (const [name, change] of content)
    test(`${name} saves what it had, and fails`, async (t) => {
      t.mock.timers.enable({ apis: ['setInterval'] }); // so it doesn't notice
      const folder = newFolder(t);
      const notes: Database = await openNotes(t, { folder });
      await notes.write(addNote('before'));
      change(databaseFile(folder));
      await notes.write(addNote('after')).catch(() => {});
      await assert.rejects(notes.close(), /deleted or replaced while the service ran/);
      t.mock.method(notes, 'close', async () => {}); // the end of the test would fail alike
      assert.deepEqual(await restored(t, folder), ['before', 'after']);
    });
});

test('what a storage had that failed before is saved once, however long that takes', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const folder = newFolder(t);
  const { promise, resolve } = Promise.withResolvers<Error>();
  const sqlWorker = workersBy('write', (run, sql) =>
    sql.includes('checkpoint') ? Promise.reject(new Error('disk I/O error')) : run(),
  );
  const notes = await openNotes(t, { folder, sqlWorker, onFatal: resolve });
  const long = 'x'.repeat(40_000_000);
  await notes.write(addNote(long));
  rmSync(databaseFile(folder));
  notes.emptyWalSoon();
  assert.match((await promise).message, /disk I\/O error/);
  t.mock.timers.tick(pollMilliseconds); // meanwhile open requests are finished
  await assert.rejects(notes.close(), /what it had is in/);
  t.mock.method(notes, 'close', async () => {});
  assert.equal(saved(folder).length, 1);
  assert.deepEqual(await restored(t, folder), [long]);
});

test('a service that is stopped as it notices that saves what it had once', async (t) => {
  class SlowWorker extends SqlWorker {
    override async close(): Promise<void> {
      await new Promise((done) => setTimeout(done, 20)); // as during a checkpoint
      return super.close();
    }
  }
  t.mock.timers.enable({ apis: ['setInterval'] });
  const folder = newFolder(t);
  const { promise, resolve } = Promise.withResolvers<Error>();
  const sqlWorker = (options: SqlWorkerOptions): SqlWorker => new SlowWorker(options);
  const notes = await openNotes(t, { folder, sqlWorker, onFatal: resolve });
  const long = 'x'.repeat(10_000_000);
  await notes.write(addNote(long));
  rmSync(databaseFile(folder));
  t.mock.timers.tick(pollMilliseconds);
  await notes.close();
  assert.match((await promise).message, /what it had is in/);
  assert.equal(saved(folder).length, 1);
  assert.deepEqual(await restored(t, folder), [long]);
});

test('the WAL of a replaced database is not applied to the file in its place', async (t) => {
  const folder = newFolder(t);
  const file = databaseFile(folder);
  const first = await openNotes(t, { folder });
  await first.write(addNote('in the copy'));
  await first.close();
  copyFileSync(file, `${file}.copy`);
  const { promise, resolve } = Promise.withResolvers<Error>();
  const notes = await openNotes(t, { folder, onFatal: resolve });
  await notes.write(addNote('later'));
  renameSync(`${file}.copy`, file);
  await promise;
  await notes.close();
  assert.equal(existsSync(`${file}-wal`), false);
  assert.deepEqual(noteTexts((await openNotes(t, { folder })).read), ['in the copy']);
});

test('files that can’t be looked at, as on a share that is away, are not taken for replaced ones', async (t) => {
  const folder = join(newFolder(t), 'data');
  const notes = await openNotes(t, { folder });
  renameSync(folder, `${folder}.away`);
  symlinkSync('data', folder); // to itself: ELOOP
  await new Promise((resolve) => setTimeout(resolve, 2 * pollMilliseconds));
  rmSync(folder);
  renameSync(`${folder}.away`, folder);
  await notes.write(addNote('after'));
});

test('a WAL that was deleted is not checkpointed, since another connection would make a new one', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const folder = newFolder(t);
  const notes = await openNotes(t, { folder, onFatal() {} });
  rmSync(`${databaseFile(folder)}-wal`);
  const texts = Array.from({ length: 20 }, (_, index) => `note ${index}`);
  for (const text of texts) {
    await notes.write(addNote(text));
    notes.emptyWalSoon();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await assert.rejects(notes.close(), /deleted or replaced while the service ran/);
  t.mock.method(notes, 'close', async () => {});
  assert.deepEqual(await restored(t, folder), texts);
});
