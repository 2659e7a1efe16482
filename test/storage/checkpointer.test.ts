// The WAL stays short under sustained writes; a checkpoint waits for long readers without delaying writes.
import assert from 'node:assert/strict';
import { fdatasync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { databaseFile, emptyCommitSql } from '../../src/storage/database-file.ts';
import type { Database, DatabaseOptions } from '../../src/storage/database.ts';
import { ThreadError } from '../../src/base/thread.ts';
import { withSmallDisk } from '../support/small-disk.ts';
import { newFolder } from '../support/command-support.ts';
import { addNote, HeldDisk, openNotes, until, workersBy } from '../support/storage-support.ts';

const mebibyte = 1024 ** 2;
const longBytes = 8 * mebibyte;
const syncMilliseconds = 10;

function openOnDisk(t: TestContext, options: Partial<DatabaseOptions> = {}): Promise<Database> {
  return openNotes(t, { fdatasync: slowSync, ...options });
}

/** As slow as a disk: in memory, the WAL could grow by any length while the thread waits for a processor. */
function slowSync(descriptor: number, done: (error: Error | null) => void): void {
  setTimeout(() => fdatasync(descriptor, done), syncMilliseconds);
}

/** Writes for as long as `goesOn`, 16 at a time, about 13 KB each. */
async function writeWhile(database: Database, goesOn: () => boolean): Promise<number> {
  let note = database.read.get<[number]>('SELECT count(*) FROM notes')?.[0] ?? 0;
  let longest = 0;
  const text = 'x'.repeat(12_000);
  while (goesOn()) {
    await Promise.all(
      Array.from({ length: 16 }, () =>
        database.write((db) => db.run('INSERT INTO notes (text) VALUES (?)', `${note++}${text}`)),
      ),
    );
    longest = Math.max(longest, database.stats.walBytes);
  }
  return longest;
}

test('a checkpoint cuts the WAL to what it may have of the room that others have left by then', (t) =>
  withSmallDisk(t, 16, async (disk) => {
    const folder = join(disk.folder, 'data');
    const database = await openNotes(t, { folder, fdatasync: slowSync });
    disk.after(() => database.close());
    await database.write(addNote(''));
    const writeUntil = async (checkpoints: number): Promise<number> => {
      for (let round = 0; database.stats.checkpoints < checkpoints; round += 1)
        await database.write((db) => db.run('UPDATE notes SET text = ?', `${round}${'x'.repeat(20_000)}`));
      return statSync(`${databaseFile(folder)}-wal`).size;
    };
    const before = await writeUntil(1);
    writeFileSync(join(disk.folder, 'of-others'), Buffer.alloc(8 * mebibyte));
    const after = await writeUntil(2);
    assert.ok(before > 4 * mebibyte && after < 4 * mebibyte, `${before} bytes, then ${after}`);
  }));

const slowQuery =
  'WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 20000) SELECT ' +
  'count(*) FROM n, (SELECT count(*) FROM notes)';

test('long queries that follow each other do not keep the WAL from being checkpointed', async (t) => {
  const database = await openOnDisk(t);
  await writeWhile(database, () => database.stats.checkpoints < 1); // by then the thread runs
  let goesOn = true;
  const readers = Array.from({ length: 4 }, async () => {
    while (goesOn) await database.readInWorker(slowQuery, []);
  });
  const longest = await writeWhile(database, () => database.stats.checkpoints < 2);
  goesOn = false;
  await Promise.all(readers);
  assert(longest < 4 * longBytes, `the log grew to ${longest} bytes`);
  await until(() => database.stats.walBytes < longBytes);
});

test('a thread that can’t start or open the file is retried, since that is transient', async (t) => {
  const troubles: unknown[] = [
    new ThreadError('no descriptors'),
    Object.assign(new Error('unable to open database file'), { errcode: 14 }),
  ];
  const logged: unknown[] = [];
  const database = await openOnDisk(t, {
    sqlWorker: workersBy('write', (run, sql) => {
      const isCheckpoint = sql.includes('wal_checkpoint'); // not the query that starts the thread early
      return isCheckpoint && troubles.length > 0 ? Promise.reject(troubles.shift()) : run();
    }),
    log: (level, message) => logged.push([level, message]),
  });
  await writeWhile(database, () => database.stats.checkpoints < 1);
  assert.deepEqual(logged, [['warn', 'a checkpoint of the WAL failed']], 'one line until one succeeds');
  assert.deepEqual(troubles, []);
});

test('a WAL whose length can’t be read is fatal, since it may be the disk’s', async (t) => {
  const errors: Error[] = [];
  const database = await openNotes(t, { onFatal: (error) => errors.push(error) });
  const broken = new Error('disk I/O error');
  Object.defineProperty(database.stats, 'walBytes', {
    get: () => 0,
    set() {
      throw broken;
    },
  });
  await database.write(addNote('seen soon'));
  await until(() => errors.length > 0);
  assert.deepEqual(errors, [broken]);
});

test('any other error of the thread is fatal, since it may be the disk’s, and nothing is checkpointed after it', async (t) => {
  const fatal: unknown[] = [];
  const tried: string[] = [];
  const error = Object.assign(new Error('disk I/O error'), { errcode: 10 });
  const database = await openOnDisk(t, {
    sqlWorker: workersBy('write', (_, sql) => {
      if (sql.includes('wal_checkpoint')) tried.push(sql);
      return Promise.reject(error);
    }),
    onFatal: (cause) => fatal.push(cause),
  });
  await writeWhile(database, () => fatal.length === 0).catch(() => {});
  await until(() => fatal.length > 0);
  await pause(1_500); // another try would come after a second
  assert.deepEqual([fatal, tried], [[error], ['PRAGMA wal_checkpoint(PASSIVE)']]);
});

test('a checkpoint that a reader keeps from its end is repeated, even if nothing more is written', async (t) => {
  const folder = newFolder(t);
  let copies = 0;
  let restarts = 0;
  let reader: DatabaseSync | undefined;
  const database = await openNotes(t, {
    folder,
    sqlWorker: workersBy('write', async (run, sql) => {
      if (reader === undefined && sql.includes('PASSIVE')) {
        reader = new DatabaseSync(databaseFile(folder), { readOnly: true });
        reader.exec('BEGIN; SELECT count(*) FROM notes');
      }
      const rows = await run();
      if (sql.includes('RESTART')) copies += 1;
      if (sql === emptyCommitSql) restarts += 1;
      return rows;
    }),
  });
  await database.write(addNote('the last one'));
  database.emptyWalSoon();
  await until(() => copies === 1);
  const write = database.write(addNote('meanwhile'));
  assert.equal(await write, 2);
  assert.equal(restarts, 0);
  reader?.close();
  await until(() => restarts > 0);
});

test('a checkpoint holds writes only until the sync that runs has ended, and RESTART', async (t) => {
  const disk = new HeldDisk(t);
  const steps: string[] = [];
  const database = await openNotes(t, {
    fdatasync: disk.fdatasync,
    sqlWorker: workersBy('write', async (run, sql) => {
      if (sql.includes('RESTART')) steps.push(`RESTART with ${disk.pending.length} syncs`);
      if (sql.includes('PASSIVE') && steps.length === 0) {
        steps.push('PASSIVE');
        writes.push(database.write(addNote('second')));
        await until(() => disk.pending.length === 1);
      }
      return run();
    }),
  });
  const writes: Promise<unknown>[] = [database.write(addNote('first'))];
  await disk.endSync();
  database.emptyWalSoon();
  await until(() => steps.length === 1);
  writes.push(database.write(addNote('third')));
  await new Promise((resolve) => setTimeout(resolve, 20));
  await disk.endSync();
  disk.letGo();
  await Promise.all(writes);
  await until(() => database.stats.checkpoints > 0);
  assert.deepEqual(steps.slice(0, 2), ['PASSIVE', 'RESTART with 0 syncs']);
});

/** The salts in the WAL's header, which change when it is reset. */
function saltsOf(folder: string): string {
  return readFileSync(`${databaseFile(folder)}-wal`)
    .subarray(16, 24)
    .toString('hex');
}

test('a WAL that is left to Litestream is the same after a stop and a start', async (t) => {
  const folder = newFolder(t);
  const options = { folder, checkpoints: 'litestream' } as const;
  const first = await openNotes(t, options);
  first.emptyWalSoon(); // which leaves it alone, too
  await writeWhile(first, () => first.stats.walBytes < 24 * mebibyte);
  const salts = saltsOf(folder);
  const count = (database: Database): number =>
    database.read.get<[number]>('SELECT count(*) FROM notes')?.[0] ?? 0;
  const notes = count(first);
  assert.equal(first.stats.checkpoints, 0);
  await first.close();
  assert.equal(saltsOf(folder), salts);
  const second = await openNotes(t, options);
  await second.write((db) => db.run("INSERT INTO notes (text) VALUES ('after')"));
  assert.equal(saltsOf(folder), salts);
  assert.equal(count(second), notes + 1);
});

test('if Litestream doesn’t, the service finally checkpoints, and logs that once', (t) =>
  withSmallDisk(t, 16, async (disk) => {
    const warnings: string[] = [];
    const database = await openNotes(t, {
      folder: join(disk.folder, 'data'),
      checkpoints: 'litestream',
      fdatasync: slowSync,
      log: (level, message) => void (level === 'warn' && warnings.push(message)),
    });
    disk.after(() => database.close());
    await database.write(addNote(''));
    for (let round = 0; database.stats.checkpoints < 2; round += 1)
      await database.write((db) => db.run('UPDATE notes SET text = ?', `${round}${'x'.repeat(20_000)}`));
    assert.match(
      warnings[0] ?? '',
      /^Litestream has not checkpointed the WAL[^,]*, .* starts a new generation$/,
    );
    assert.equal(warnings.length, 2, 'the next time, too');
  }));
