// Who may use a data folder, which databases are accepted, and how an older one is migrated.
import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openCommandDatabase } from '../../src/storage/command-database.ts';
import { isDatabase } from '../../src/storage/migrations.ts';
import { databaseFile } from '../../src/storage/database-file.ts';
import { newFolder } from '../support/command-support.ts';
import { addNote, migrations, noteTexts, openNotes, says } from '../support/storage-support.ts';

test('a new folder gets a database that only its owner can read', async (t) => {
  const folder = join(newFolder(t), 'made', 'here');
  const database = await openNotes(t, { folder });
  await database.write(addNote('first'));
  for (const end of ['', '-wal', '-shm'])
    assert.equal(statSync(`${databaseFile(folder)}${end}`).mode & 0o777, 0o600);
  for (const made of [folder, dirname(folder)]) assert.equal(statSync(made).mode & 0o777, 0o700);
  await database.close();
  chmodSync(databaseFile(folder), 0o644); // as in a copy from elsewhere
  assert.deepEqual(noteTexts((await openNotes(t, { folder })).read), ['first']);
  assert.equal(statSync(databaseFile(folder)).mode & 0o777, 0o600);
});

for (const content of ['\0'.repeat(4096), 'no lock'.repeat(1000)])
  test(`a lock of ${JSON.stringify(content[0])} and more, as a power cut leaves it, is made anew`, async (t) => {
    const folder = newFolder(t);
    writeFileSync(join(folder, 'lock.db'), content);
    await openNotes(t, { folder });
    await assert.rejects(openNotes(t, { folder }), says(/Another process uses/));
  });

test('a command creates a missing database, and leaves no WAL', async (t) => {
  const folder = newFolder(t);
  const beside = await openCommandDatabase(folder, migrations);
  assert.equal(beside.write(addNote('first')), 1);
  assert.throws(
    () =>
      beside.write((db) => {
        addNote('half')(db);
        throw new Error('undone');
      }),
    /undone/,
  );
  assert.deepEqual(noteTexts(beside.connection), ['first']);
  beside.close();
  assert.equal(existsSync(`${databaseFile(folder)}-wal`), false);
});

test('a database of another application is rejected and left unchanged', async (t) => {
  const folder = newFolder(t);
  const other = new DatabaseSync(databaseFile(folder));
  other.exec('CREATE TABLE theirs (x)');
  other.close();
  const before = readFileSync(databaseFile(folder));
  await assert.rejects(openNotes(t, { folder }), says(/another application/));
  assert.deepEqual(readFileSync(databaseFile(folder)), before);
});

test('tables and indexes that somebody has added do no harm', async (t) => {
  const folder = newFolder(t);
  await (await openNotes(t, { folder })).close();
  const other = new DatabaseSync(databaseFile(folder));
  other.exec('CREATE TABLE theirs (x); CREATE INDEX notes_length ON notes (length(text)); ANALYZE');
  other.close();
  await (await openNotes(t, { folder })).close();
});

test('a database of a newer version is rejected', async (t) => {
  const folder = newFolder(t);
  await (
    await openNotes(t, { folder, migrations: [...migrations, { feature: 'notes', name: 'more', sql: '' }] })
  ).close();
  await assert.rejects(openNotes(t, { folder }), says(/migration 2 of notes, written by a newer orderly/));
  await assert.rejects(openCommandDatabase(folder, migrations), says(/migration 2 of notes/));
});

test('the tables of a feature that the sources no longer have stay, and so do its rows', async (t) => {
  const folder = newFolder(t);
  const marks = {
    feature: 'marks',
    name: 'marks',
    sql: 'CREATE TABLE marks (x); INSERT INTO marks VALUES (7)',
  };
  await (await openNotes(t, { folder, migrations: [...migrations, marks] })).close();
  const without = await openNotes(t, { folder });
  assert.deepEqual(without.read.all('SELECT x FROM marks'), [[7]]);
  await without.close();
  const again = await openNotes(t, { folder, migrations: [marks, ...migrations] });
  assert.deepEqual(again.read.all('SELECT x FROM marks'), [[7]]);
});

test('a new feature gets its tables in a database that exists, wherever it stands in the list', async (t) => {
  const folder = newFolder(t);
  await (await openNotes(t, { folder })).close();
  const marks = {
    feature: 'marks',
    name: 'marks',
    sql: 'CREATE TABLE marks (x); INSERT INTO marks VALUES (7)',
  };
  const database = await openNotes(t, { folder, migrations: [marks, ...migrations] });
  assert.deepEqual(database.read.all('SELECT x FROM marks'), [[7]]);
});

test('an older database is backed up and migrated; a migration that fails changes nothing', async (t) => {
  const folder = newFolder(t);
  const old = await openNotes(t, { folder });
  await old.write(addNote('old'));
  await old.close();
  const column = {
    feature: 'notes',
    name: 'colour',
    sql: "ALTER TABLE notes ADD COLUMN colour TEXT NOT NULL DEFAULT 'white'",
  };
  const broken = { feature: 'notes', name: 'broken', sql: 'ALTER TABLE nowhere ADD COLUMN x' };
  await assert.rejects(
    openNotes(t, { folder, migrations: [...migrations, column, broken] }),
    says(/Migration broken failed and nothing was changed: no such table/),
  );
  const dangling = {
    feature: 'notes',
    name: 'dangling',
    sql: 'CREATE TABLE marks (note INTEGER REFERENCES notes) STRICT; INSERT INTO marks VALUES (7)',
  };
  await assert.rejects(
    openNotes(t, { folder, migrations: [...migrations, dangling] }),
    says(/dangling references/),
  );
  const migrated = await openNotes(t, { folder, migrations: [...migrations, column] });
  assert.deepEqual(migrated.read.all('SELECT text, colour FROM notes'), [['old', 'white']]);
  await assert.rejects(
    migrated.write((db) => db.all('ATTACH ? AS other', join(folder, 'other.db'))),
    /too many attached/,
  );
  using backup = new DatabaseSync(join(folder, 'orderly-v1.backup.db'), {
    readOnly: true,
    returnArrays: true,
  });
  assert.deepEqual(backup.prepare('SELECT * FROM notes').all(), [[1, 'old']]);
});

test(
  "a folder that can't be written is named",
  { skip: process.getuid?.() === 0 && 'root may write anywhere' },
  async (t) => {
    const folder = join(newFolder(t), 'locked');
    mkdirSync(folder);
    chmodSync(folder, 0o500);
    await assert.rejects(openNotes(t, { folder }), says(/locked/));
  },
);

test('a start that is abandoned during the backup before a migration leaves no backup', async (t) => {
  const folder = newFolder(t);
  const old = await openNotes(t, { folder });
  await old.write(addNote('x'.repeat(6_000_000))); // more than one step copies
  await old.close();
  const starting = new AbortController();
  const started = openNotes(t, {
    folder,
    migrations: [
      ...migrations,
      { feature: 'notes', name: 'colour', sql: 'ALTER TABLE notes ADD COLUMN colour' },
    ],
    signal: starting.signal,
    log: () => starting.abort(), // it is logged that the backup begins
  });
  await assert.rejects(started, { name: 'AbortError' });
  assert.equal(existsSync(join(folder, 'orderly-v1.backup.db')), false);
});

test("a folder that can't be created is named", async (t) => {
  const file = join(newFolder(t), 'file');
  writeFileSync(file, '');
  await assert.rejects(
    openNotes(t, { folder: join(file, 'folder') }),
    says(/file\/folder.* can't be opened/),
  );
});

test('a database in a folder of another account is not called missing', async (t) => {
  const folder = newFolder(t);
  await (await openNotes(t, { folder })).close();
  chmodSync(folder, 0o000);
  const isRoot = process.geteuid?.() === 0;
  try {
    if (isRoot) process.seteuid?.(65_534);
    assert.throws(
      () => isDatabase(databaseFile(folder)),
      says(/orderly\.db can't be opened: check the folder's permissions/),
    );
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(folder, 0o700);
  }
});

test('a folder may be a link, but not the database in it, whose log would be elsewhere', async (t) => {
  const [folder, elsewhere] = [newFolder(t), newFolder(t)];
  symlinkSync(elsewhere, join(folder, 'link'));
  await (await openNotes(t, { folder: join(folder, 'link') })).close();
  symlinkSync(databaseFile(elsewhere), databaseFile(folder));
  await assert.rejects(openNotes(t, { folder }), says(/orderly\.db is a link: link its folder instead/));
});

test('a folder that is a link to a missing one is named as such', async (t) => {
  const folder = join(newFolder(t), 'link');
  symlinkSync('unmounted', folder);
  await assert.rejects(
    openNotes(t, { folder }),
    says(/link is in the way: it is not a folder, or a link to /),
  );
});
