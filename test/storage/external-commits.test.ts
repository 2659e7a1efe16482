// Commits of other processes: detected by the next request, or after a while without one.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { openCommandDatabase } from '../../src/storage/command-database.ts';
import { ExternalCommitWatcher } from '../../src/storage/external-commit-watcher.ts';
import { addNote, migrations, newFolder, noteTexts, openNotes, until } from '../support/storage-support.ts';

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

test('a commit by another process just before a time in which commits are ignored is detected', async (t) => {
  const folder = newFolder(t);
  const file = join(folder, 'numbers.db');
  using own = new DatabaseSync(file);
  own.exec('PRAGMA journal_mode = WAL; CREATE TABLE numbers (id INTEGER PRIMARY KEY)');
  let changes = 0;
  const watcher = new ExternalCommitWatcher(own, { mayDetect: () => true, onChange: () => (changes += 1) });
  t.after(() => watcher.close());
  using beside = new DatabaseSync(file);
  beside.exec('INSERT INTO numbers VALUES (1)');
  await watcher.ignoreDuring(async () => beside.exec('INSERT INTO numbers VALUES (2)'));
  assert.equal(changes, 1);
});

/** A database, and the connection of another process; `seen` has what each external commit shows. */
async function openTwice(t: TestContext) {
  const folder = newFolder(t);
  const seen: string[][] = [];
  const database = await openNotes(t, {
    folder,
    onExternalCommit: () => seen.push(noteTexts(database.read)),
  });
  const beside = await openCommandDatabase(folder, migrations);
  t.after(() => beside.close());
  return { database, beside, seen };
}
