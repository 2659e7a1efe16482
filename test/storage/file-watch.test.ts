// Files of an open database that are removed or replaced: changes are rejected, and the data can be saved.
import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, test } from 'node:test';
import { databaseFile } from '../../src/storage/database-file.ts';
import { addNote, isUnavailable, newFolder, noteTexts, openNotes, until } from './storage-support.ts';

suite('a file of the open database', { concurrency: true }, () => {
  const losses: readonly (readonly [what: string, end: string, lose: (file: string) => void])[] = [
    ['the database is removed', '', (file) => rmSync(file)],
    ['the log is removed', '-wal', (file) => rmSync(file)],
    ['another database is put in its place', '', replaceBy('')],
    ['another log is put in its place', '-wal', replaceBy('not the log')],
  ];
  for (const [what, end, lose] of losses) {
    test(`${what}: changes are rejected, reads go on, and the log says so`, async (t) => {
      const [folder, logged] = [newFolder(t), [] as string[]];
      const database = await openNotes(t, { folder, log: (level, text) => logged.push(`${level} ${text}`) });
      await database.write(addNote('before'));
      lose(databaseFile(folder) + end);
      await until(() => !database.stats.canWrite);
      await assert.rejects(database.write(addNote('after')), isUnavailable);
      assert.deepEqual(noteTexts(database.read), ['before']);
      assert.equal(logged.length, 1);
      assert.match(
        logged[0] ?? '',
        /^error \S+orderly\.db\S* was removed or replaced .*changes are rejected/,
      );
    });
  }

  test('that is moved away and back is accepted again', async (t) => {
    const folder = newFolder(t);
    const database = await openNotes(t, { folder });
    const file = databaseFile(folder);
    renameSync(file, `${file}.away`);
    await until(() => !database.stats.canWrite);
    renameSync(`${file}.away`, file);
    await until(() => database.stats.canWrite);
    await database.write(addNote('after'));
    assert.deepEqual(noteTexts(database.read), ['after']);
  });

  test('loses nothing if it is the log, and the service stops normally', async (t) => {
    const folder = newFolder(t);
    const database = await openNotes(t, { folder });
    await database.write(addNote('before'));
    rmSync(`${databaseFile(folder)}-wal`);
    await until(() => !database.stats.canWrite);
    await database.close();
    assert.deepEqual(noteTexts((await openNotes(t, { folder })).read), ['before']);
  });

  const isLinux = process.platform === 'linux';
  test('can be saved from /proc while the process runs', { skip: !isLinux && 'not Linux' }, async (t) => {
    const [folder, saved] = [newFolder(t), join(newFolder(t), 'saved.db')];
    const database = await openNotes(t, { folder });
    await database.write(addNote('before'));
    for (const end of ['', '-wal']) rmSync(databaseFile(folder) + end);
    await until(() => !database.stats.canWrite);
    for (const end of ['', '-wal'])
      copyFileSync(openFile(`${databaseFile(folder)}${end} (deleted)`), saved + end);
    using copy = new DatabaseSync(saved);
    assert.equal(copy.prepare('SELECT text FROM notes').get()?.['text'], 'before');
  });
});

function replaceBy(text: string): (file: string) => void {
  return (file) => {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  };
}

/** Returns the path under /proc of an open file of this process. */
function openFile(name: string): string {
  const folder = '/proc/self/fd';
  const found = readdirSync(folder).find((each) => linkOf(join(folder, each)) === name);
  return join(folder, found ?? assert.fail(`${name} is not open`));
}

/** The descriptor that listed the folder is closed by now. */
function linkOf(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
}
