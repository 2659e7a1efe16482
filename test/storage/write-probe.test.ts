// A storage without space: it reads, and detects when there is space again.
import assert from 'node:assert/strict';
import { existsSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { databaseFile } from '../../src/storage/database-file.ts';
import { withSmallDisk } from '../support/small-disk.ts';
import { addNote, isUnavailable, openNotes, until } from '../support/storage-support.ts';

test('a write that changes nothing doesn’t prove that there is space again', (t) =>
  withSmallDisk(t, 1, async (disk) => {
    const database = await openNotes(t, { folder: join(disk.folder, 'data') });
    disk.after(() => database.close());
    disk.fill();
    await assert.rejects(database.write(addNote('no room')), isUnavailable);
    await assert.rejects(database.write(addNote('no room')), /The disk is full: nothing can be saved/);
    assert.equal(database.stats.canWrite, false);
    await database.write(() => 1);
    assert.equal(database.stats.canWrite, false);
    disk.makeRoom();
    await database.write(addNote('room'));
    assert.equal(database.stats.canWrite, true);
  }));

test('a disk with room for a page, but not for a change, is not ready, after a restart as before', (t) =>
  withSmallDisk(t, 2, async (disk) => {
    const options = { folder: join(disk.folder, 'data') };
    const before = await openNotes(t, options);
    disk.fill();
    await assert.rejects(before.write(addNote('x'.repeat(2 ** 20))), isUnavailable);
    truncateSync(join(disk.folder, 'filling'), statSync(join(disk.folder, 'filling')).size - 64 * 1024);
    await before.write(addNote('small')).catch(() => {});
    assert.equal(before.stats.canWrite, false);
    await before.close();
    assert.ok(existsSync(`${databaseFile(options.folder)}-wal`), 'the next start has no room for a new one');
    const logged: string[] = [];
    const after = await openNotes(t, { ...options, log: (_, message) => logged.push(message) });
    disk.after(() => after.close());
    assert.equal(after.stats.canWrite, false);
    assert.match(logged.join(), /^starting read-only/);
    disk.makeRoom();
    await until(() => after.stats.canWrite);
  }));

test('failures have one line in the log, and another one after changes were accepted again', async (t) => {
  const logged: string[] = [];
  const database = await openNotes(t, { log: (_, message) => logged.push(message) });
  const limit = (pages: number) => database.write((db) => void db.get(`PRAGMA max_page_count = ${pages}`));
  const fail = async (): Promise<void> => {
    await limit(1);
    await assert.rejects(database.write(addNote('x'.repeat(100_000))), isUnavailable);
  };
  await fail();
  await fail();
  await limit(1_000_000);
  await database.write(addNote('room'));
  await fail();
  const rejected = 'changes are rejected because of a storage error';
  assert.deepEqual(logged, [rejected, 'changes are accepted again', rejected]);
});
