// Commits of other processes: detected by the next request, or after a while without one. A busy service lets them in.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { openCommandDatabase } from '../../src/storage/command-database.ts';
import type { DatabaseOptions } from '../../src/storage/database.ts';
import { newFolder } from '../support/command-support.ts';
import {
  addNote,
  HeldDisk,
  isUnavailable,
  migrations,
  noteTexts,
  openNotes,
  turn,
  until,
} from '../support/storage-support.ts';

test('a commit by another process is detected', async (t) => {
  const { database, beside, seen } = await openTwice(t);
  await database.write(addNote('own'));
  beside.write(addNote('external'));
  await until(() => seen.length > 0);
  beside.write(addNote('another'));
  await database.write(addNote('at its start'));
  assert.deepEqual(seen, [
    ['own', 'external'],
    ['own', 'external', 'another'],
  ]);
});

test('the first request after a pause detects a commit by another process at once', async (t) => {
  const { database, beside, seen } = await openTwice(t);
  beside.write(addNote('external'));
  database.detectExternalCommits();
  assert.deepEqual(seen, [['external']]);
});

test('a commit by another process during a sync is detected before the next commit', async (t) => {
  const disk = new HeldDisk(t);
  const { database, beside, seen } = await openTwice(t, { fdatasync: disk.fdatasync });
  const writes = [database.write(addNote('first'))];
  await until(() => disk.pending.length === 1);
  beside.write(addNote('external'));
  writes.push(database.write(addNote('second')));
  await turn();
  await disk.endSync();
  assert.deepEqual(seen, [['first', 'external']]);
  disk.letGo();
  await Promise.all(writes);
});

test('however busy the service is, other processes get the lock between its commits', async (t) => {
  const disk = new HeldDisk(t);
  const { database, beside } = await openTwice(t, { fdatasync: disk.fdatasync });
  const isFree = (): boolean => {
    try {
      beside.connection.get('PRAGMA busy_timeout = 0');
      beside.write(() => {});
      return true;
    } catch {
      return false;
    }
  };
  const writes = [database.write(addNote('first'))];
  const free: boolean[] = [];
  for (let commit = 1; commit <= 6; commit += 1) {
    await until(() => disk.pending.length === 1);
    writes.push(database.write(addNote(`after ${commit}`)));
    await turn();
    free.push(isFree());
    await disk.endSync();
  }
  assert.deepEqual(free, Array(6).fill(true));
  disk.letGo();
  await Promise.all(writes);
});

test('a request during a sync does not delay the look of the next one', async (t) => {
  const disk = new HeldDisk(t);
  const { database, beside, seen } = await openTwice(t, { fdatasync: disk.fdatasync });
  const write = database.write(addNote('own'));
  await until(() => disk.pending.length === 1);
  beside.write(addNote('external'));
  database.detectExternalCommits();
  await disk.endSync();
  database.detectExternalCommits();
  assert.deepEqual(seen, [['own', 'external']]);
  await write;
});

test('a write fails alone if a feature can’t read what another process committed', async (t) => {
  let isBroken = true;
  const { database, beside, seen } = await openTwice(t, {}, () => assert(!isBroken, 'out of memory'));
  beside.write(addNote('external'));
  await assert.rejects(database.write(addNote('own')), isUnavailable);
  isBroken = false;
  await database.write(addNote('again'));
  assert.deepEqual(seen, [['external']]);
  assert.deepEqual(noteTexts(database.read), ['external', 'again']);
});

test('without requests, a feature that can’t read what another process committed is asked again each second', async (t) => {
  let failures = 0;
  const { beside, seen } = await openTwice(t, {}, () => {
    failures += 1;
    assert(failures > 1, 'out of memory');
  });
  beside.write(addNote('external'));
  await until(() => seen.length > 0);
  assert.deepEqual([failures, seen], [2, [['external']]]);
});

/** A database, and the connection of another process; `seen` has what each external commit shows. */
async function openTwice(
  t: TestContext,
  options: Partial<DatabaseOptions> = {},
  beforeRead = (): void => {},
) {
  const folder = newFolder(t);
  const seen: string[][] = [];
  const database = await openNotes(t, {
    ...options,
    folder,
    onDurableChanges(stale) {
      if (!stale.includes('everything')) return;
      beforeRead();
      seen.push(noteTexts(database.read));
    },
  });
  const beside = await openCommandDatabase(folder, migrations);
  t.after(() => beside.close());
  return { database, beside, seen };
}
