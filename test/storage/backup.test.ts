// A backup of a live database is complete; a restore never replaces anything by mistake.
import assert from 'node:assert/strict';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { freeDiskBytes } from '../../src/base/capacity.ts';
import { backup, integrityIssues, restore } from '../../src/storage/backup.ts';
import { openCommandDatabase } from '../../src/storage/command-database.ts';
import { databaseFile } from '../../src/storage/database-file.ts';
import { keepBackup } from '../../src/storage/kept-backups.ts';
import { newFolder } from '../support/command-support.ts';
import { addNote, madeBackup, migrations, noteTexts, openNotes, says } from '../support/storage-support.ts';

const strict = { migrations, force: false };
const forced = { ...strict, force: true };

test('a kept backup needs room for what is in the write-ahead log, too', async (t) => {
  const folder = newFolder(t);
  const beside = await openCommandDatabase(folder, migrations);
  beside.write(addNote('kept'));
  beside.close();
  const wal = `${databaseFile(folder)}-wal`;
  writeFileSync(wal, '');
  truncateSync(wal, freeDiskBytes(folder)); // a length without blocks
  await assert.rejects(keepBackup(folder, Date.now()), says(/too little free space/));
  truncateSync(wal, 0);
  assert.ok(existsSync(await keepBackup(folder, Date.now())));
});

test('a backup contains nothing that was written after it began', async (t) => {
  const folder = newFolder(t);
  const database = await openNotes(t, { folder });
  await database.write(addNote('x'.repeat(6_000_000))); // more than one step copies
  using other = new DatabaseSync(databaseFile(folder));
  let steps = 0;
  const file = join(folder, 'backup.db');
  const progress = (): void => {
    steps += 1;
    if (steps === 1) other.exec("INSERT INTO notes (text) VALUES ('later')");
  };
  await backup(folder, file, { progress });
  assert(steps > 1, 'the copy was made in one step');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  using copy = new DatabaseSync(file, { returnArrays: true });
  assert.deepEqual(copy.prepare('SELECT length(text) FROM notes').all(), [[6_000_000]]);
});

test('a backup overwrites nothing and needs a database', async (t) => {
  const folder = newFolder(t);
  const file = join(folder, 'backup.db');
  await assert.rejects(backup(folder, file), says(/There is no orderly database/));
  await openNotes(t, { folder });
  writeFileSync(file, 'mine');
  await assert.rejects(backup(folder, file), says(/does not overwrite/));
  await assert.rejects(
    backup(folder, join(folder, 'nowhere', 'backup.db')),
    says(/^The folder .*nowhere does not exist/),
  );
});

test('a backup is restored into an empty folder', async (t) => {
  const file = await madeBackup(t, 'kept');
  const folder = join(newFolder(t), 'new');
  assert.deepEqual(await restore(file, folder, strict), []);
  const database = await openNotes(t, { folder });
  assert.deepEqual(noteTexts(database.read), ['kept']);
  assert.equal(statSync(databaseFile(folder)).mode & 0o777, 0o600);
});

test('a forced restore keeps the replaced database, with its WAL, in a private file', async (t) => {
  const file = await madeBackup(t, 'kept');
  const folder = newFolder(t);
  const database = await openNotes(t, { folder });
  await database.write(addNote('newer'));
  await assert.rejects(restore(file, folder, forced), says(/Another process uses/));
  const log = `${databaseFile(folder)}-wal`;
  copyFileSync(log, join(folder, 'log'));
  copyFileSync(databaseFile(folder), join(folder, 'pages'));
  await database.close();
  copyFileSync(join(folder, 'pages'), databaseFile(folder)); // as a crash leaves both
  copyFileSync(join(folder, 'log'), log);
  chmodSync(databaseFile(folder), 0o644);
  const replaced = await restore(file, folder, forced);
  assert.equal(replaced.length, 1);
  assert.match(replaced[0] ?? '', /\/orderly-replaced-\d{8}T\d{9}Z\.db$/);
  assert.deepEqual(replacedIn(folder), replaced);
  assert.equal(statSync(replaced[0] ?? '').mode & 0o777, 0o600);
  assert.notEqual(statSync(replaced[0] ?? '').ino, statSync(databaseFile(folder)).ino);

  const again = await restore(replaced[0] ?? '', folder, forced);
  assert.equal(replacedIn(folder).length, 2, 'a second restore keeps another one');
  assert.notDeepEqual(again, replaced);
  assert.deepEqual(noteTexts((await openNotes(t, { folder })).read), ['newer']);
});

test('a restore that fails before the replacement keeps nothing, since nothing was replaced', async (t) => {
  const file = await madeBackup(t, 'kept');
  const folder = newFolder(t);
  const database = await openNotes(t, { folder });
  await database.write(addNote('newer'));
  await database.close();
  const trouble = new Error('stopped before the rename');
  const prepare = (): never => {
    throw trouble;
  };
  await assert.rejects(restore(file, folder, { ...forced, prepare }), trouble);
  assert.deepEqual(replacedIn(folder), []);
  assert.deepEqual(noteTexts((await openNotes(t, { folder })).read), ['newer']);
});

test('a restore over an empty database keeps the WAL that was left of it', async (t) => {
  const file = await madeBackup(t, 'kept');
  const folder = newFolder(t);
  writeFileSync(databaseFile(folder), '');
  writeFileSync(`${databaseFile(folder)}-wal`, 'frames');
  const replaced = await restore(file, folder, forced);
  assert.deepEqual(replaced, replacedIn(folder));
  assert.deepEqual(
    replaced.map((name) => readFileSync(name, 'latin1')),
    ['frames'],
  );
  assert.deepEqual(noteTexts((await openNotes(t, { folder })).read), ['kept']);
});

function replacedIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.startsWith('orderly-replaced-'));
  return names.sort().map((name) => join(folder, name));
}

test('a WAL that a reader has open is not mistaken for that of the restored database', async (t) => {
  const file = await madeBackup(t, 'kept');
  const folder = newFolder(t);
  await (await openNotes(t, { folder })).close();
  using writer = new DatabaseSync(databaseFile(folder));
  writer.exec("PRAGMA wal_autocheckpoint = 0; INSERT INTO notes (text) VALUES ('newer')");
  using reader = new DatabaseSync(databaseFile(folder), { readOnly: true });
  reader.exec('BEGIN; SELECT * FROM notes'); // so that the WAL can't be checkpointed as a whole
  writer.exec("INSERT INTO notes (text) VALUES ('newest')");
  const [replaced = ''] = await restore(file, folder, forced);
  assert.equal(existsSync(`${databaseFile(folder)}-wal`), false);
  assert.deepEqual(noteTexts((await openNotes(t, { folder })).read), ['kept']);
  using copy = new DatabaseSync(replaced, { returnArrays: true });
  assert.deepEqual(copy.prepare('SELECT text FROM notes ORDER BY id').all(), [['newer'], ['newest']]);
});

test('a backup is marked as having no WAL, so that it can be read from anywhere', async (t) => {
  const header = readFileSync(await madeBackup(t, 'kept'));
  // "file format write version" and "read version": 2 is WAL (https://sqlite.org/fileformat.html section 1.3)
  assert.deepEqual([header[18], header[19]], [1, 1]);
});

/** Changes the schema of a database behind SQLite's back. */
function editSchema(file: string, sql: string): void {
  using damaged = new DatabaseSync(file);
  damaged.enableDefensive(false);
  damaged.exec(`PRAGMA foreign_keys = OFF; PRAGMA writable_schema = ON; ${sql}`);
}

const easyText = 'a note that is easy to find';
const damages: readonly (readonly [name: string, says: RegExp, damage: (file: string) => void])[] = [
  ['is cut', /is damaged, or .* a sound backup/, (file) => truncateSync(file, 4096)],
  [
    'has rows that violate the schema',
    /is damaged: NULL value in loose\.text/,
    (file) =>
      editSchema(
        file,
        'CREATE TABLE loose (text); INSERT INTO loose VALUES (NULL); ' +
          "UPDATE sqlite_schema SET sql = 'CREATE TABLE loose (text NOT NULL)' WHERE name = 'loose'",
      ),
  ],
  [
    'has an index that differs from its table',
    /is damaged: .*index/,
    (file) => {
      const bytes = readFileSync(file);
      const [first, last] = [bytes.indexOf(easyText), bytes.lastIndexOf(easyText)];
      assert.notEqual(first, last, 'one in the table and one in the index');
      bytes.write('A', last);
      writeFileSync(file, bytes);
    },
  ],
  [
    'has an index in place of a table',
    /damaged/,
    (file) => editSchema(file, "UPDATE sqlite_schema SET rootpage = 2 WHERE type = 'index'"),
  ],
];

for (const [name, sentence, damage] of damages)
  test(`a backup that ${name} is not restored`, async (t) => {
    const file = await madeBackup(t, easyText);
    damage(file);
    const folder = newFolder(t);
    await assert.rejects(restore(file, folder, strict), says(sentence));
    assert.equal(existsSync(databaseFile(folder)), false);
  });

test('a copy that fails leaves nothing of itself or of one that was killed', async (t) => {
  const folder = newFolder(t);
  const database = await openNotes(t, { folder });
  await database.write(addNote('x'.repeat(6_000_000)));
  const file = join(folder, 'copy.db');
  for (const end of ['', '-journal']) writeFileSync(`${file}.partial${end}`, 'left by a killed one');
  const trouble = new Error('stopped midway');
  const progress = (): never => {
    throw trouble;
  };
  await assert.rejects(backup(folder, file, { progress }), trouble);
  const copies = (): string[] => readdirSync(folder).filter((name) => name.startsWith('copy'));
  assert.deepEqual(copies(), []);
  writeFileSync(`${file}.partial-journal`, 'left by a killed one');
  await backup(folder, file);
  assert.deepEqual(copies(), ['copy.db']);
});

test(
  'a copy whose source can’t be read names the source, not the target',
  { skip: !existsSync('/proc/self/fd') && 'descriptors are listed nowhere' },
  async (t) => {
    const file = await madeBackup(t, 'x'.repeat(8_000_000));
    const target = newFolder(t);
    let isBroken = false;
    const progress = (): void => {
      if (!isBroken) makeUnreadable(file);
      isBroken = true;
    };
    await assert.rejects(restore(file, target, { ...strict, progress }), says(/backup\.db can't be read/));
    assert.equal(existsSync(databaseFile(target)), false);
  },
);

/**
 * From now on each read of this process from the open file fails: its descriptor becomes that of a folder.
 */
function makeUnreadable(file: string): void {
  const descriptors = readdirSync('/proc/self/fd').filter((name) => linkOf(name) === file);
  assert(descriptors.length > 0);
  for (const name of descriptors) {
    closeSync(Number(name));
    assert.equal(openSync('/', 'r'), Number(name));
  }
}

function linkOf(descriptor: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return undefined; // the one that listed the folder
  }
}

test('a damaged database can be replaced by force', async (t) => {
  const folder = newFolder(t);
  const damaged = 'not a database'.repeat(1000);
  writeFileSync(databaseFile(folder), damaged);
  const [replaced = ''] = await restore(await madeBackup(t, 'kept'), folder, forced);
  assert.equal(readFileSync(replaced, 'latin1'), damaged);
  assert.deepEqual(noteTexts((await openNotes(t, { folder })).read), ['kept']);
});

test('only a database of orderly is restored', async (t) => {
  const folder = newFolder(t);
  const other = join(folder, 'other.db');
  await assert.rejects(restore(other, folder, strict), says(/other\.db does not exist/));
  await assert.rejects(restore(folder, folder, strict), says(/ is not a file/));
  writeFileSync(other, 'no database'.repeat(1000));
  await assert.rejects(restore(other, folder, strict), says(/is not a database/));
  const theirs = new DatabaseSync(join(folder, 'theirs.db'));
  theirs.exec('CREATE TABLE theirs (x)');
  theirs.close();
  await assert.rejects(restore(join(folder, 'theirs.db'), folder, strict), says(/another application/));
  const newer = await newerDatabase(t);
  await assert.rejects(restore(newer, folder, strict), says(/newer orderly/));
  assert.equal(existsSync(databaseFile(folder)), false);
});

/** Returns the file of a database with a migration that `strict` doesn't know. */
async function newerDatabase(t: TestContext): Promise<string> {
  const folder = newFolder(t);
  const more = { feature: 'notes', name: 'more', sql: '' };
  (await openCommandDatabase(folder, [...migrations, more])).close();
  return databaseFile(folder);
}

test('dangling references are found', async (t) => {
  const marks = [
    ...migrations,
    { feature: 'notes', name: 'marks', sql: 'CREATE TABLE marks (note INTEGER REFERENCES notes) STRICT' },
  ];
  const beside = await openCommandDatabase(newFolder(t), marks);
  t.after(() => beside.close());
  assert.deepEqual(integrityIssues(beside.connection), []);
  beside.connection.get('PRAGMA foreign_keys = OFF');
  beside.write((db) => db.run('INSERT INTO marks VALUES (7)'));
  assert.deepEqual(integrityIssues(beside.connection), ['Row 1 of marks refers to a missing row of notes.']);
});
