// Changes of other processes: noticed with the next request, and after a while without any.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openCommandDatabase } from '../../src/storage/command-database.ts';
import { addNote, migrations, newFolder, noteTexts, openNotes, until } from './storage-support.ts';

test('a change by another process is noticed', async (t) => {
  const folder = newFolder(t);
  const seen: string[][] = [];
  const database = await openNotes(t, { folder, onForeignChange: () => seen.push(noteTexts(database.read)) });
  const beside = await openCommandDatabase(folder, migrations);
  t.after(() => beside.close());
  await database.write(addNote('own'));
  beside.write(addNote('foreign'));
  await until(() => seen.length > 0);
  beside.write(addNote('another'));
  await database.write(addNote('at its start'));
  assert.deepEqual(seen, [
    ['own', 'foreign'],
    ['own', 'foreign', 'another'],
  ]);
});

test('the first request after a pause notices a change by another process at once', async (t) => {
  const folder = newFolder(t);
  const seen: string[][] = [];
  const database = await openNotes(t, { folder, onForeignChange: () => seen.push(noteTexts(database.read)) });
  const beside = await openCommandDatabase(folder, migrations);
  t.after(() => beside.close());
  beside.write(addNote('foreign'));
  database.noticeOthers();
  assert.deepEqual(seen, [['foreign']]);
});
