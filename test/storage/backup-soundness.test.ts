// What a backup is as a file, and what of a damaged one is noticed before it takes a database's place.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { restore } from '../../src/storage/backup.ts';
import { databaseFile } from '../../src/storage/database-file.ts';
import { StorageError } from '../../src/storage/storage-error.ts';
import { madeBackup, migrations, newFolder } from './storage-support.ts';

const text = 'a note that is easy to find';

test('a backup says of itself that it has no log, so that it can be read from anywhere', async (t) => {
  const header = readFileSync(await madeBackup(t, text));
  // "file format write version" and "read version": 2 is WAL (https://sqlite.org/fileformat.html section 1.3)
  assert.deepEqual([header[18], header[19]], [1, 1]);
});

test('a backup whose index differs from its table is not restored', async (t) => {
  const file = await madeBackup(t, text);
  const bytes = readFileSync(file);
  const [first, last] = [bytes.indexOf(text), bytes.lastIndexOf(text)];
  assert.notEqual(first, last, 'one in the table and one in the index');
  bytes.write('A', last);
  writeFileSync(file, bytes);
  const folder = newFolder(t);
  await assert.rejects(
    restore(file, folder, { schemaVersionMax: migrations.length, force: false }),
    (error) => error instanceof StorageError && /is damaged: .*index/.test(error.message),
  );
  assert.equal(existsSync(databaseFile(folder)), false);
});
