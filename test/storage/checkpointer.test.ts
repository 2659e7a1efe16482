// The WAL stays short under sustained writes; a checkpoint waits for long readers without delaying writes.
import assert from 'node:assert/strict';
import { fdatasync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { databaseFile, emptyCommitSql } from '../../src/storage/database-file.ts';
import type { Database, DatabaseOptions } from '../../src/storage/database.ts';
import { ThreadError } from '../../src/base/thread.ts';
import { SqlWorker, type SqlWorkerOptions } from '../../src/storage/sql-worker.ts';
import { withSmallDisk } from '../support/small-disk.ts';
import { addNote, HeldDisk, newFolder, openNotes, turn, until } from '../support/storage-support.ts';

const mebibyte = 1024 ** 2;
/** Where the default, 32 MiB, isn't the subject: so that less has to be written. */
const earlyBytes = 8 * mebibyte;
const syncMilliseconds = 10;

function openEarly(t: TestContext, options: Partial<DatabaseOptions> = {}): Promise<Database> {
  return openNotes(t, { checkpointAtBytes: earlyBytes, fdatasync: slowSync, ...options });
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

test('the WAL is checkpointed while writes go on, and its growth is bounded', async (t) => {
  let externalCommits = 0;
  const database = await openNotes(t, {
    fdatasync: slowSync,
    onExternalCommit: () => {
      externalCommits += 1;
    },
  });
  await writeWhile(database, () => database.stats.checkpoints < 1); // by then the thread runs
  const longest = await writeWhile(database, () => database.stats.checkpoints < 3);
  assert(longest < 128 * mebibyte, `the log grew to ${longest} bytes`);
  assert.equal(externalCommits, 0, 'restarting the WAL is not taken for a commit by another process');
  await until(() => database.stats.walBytes < 32 * mebibyte);
});

test('on a small disk the WAL is checkpointed before it fills the disk', (t) =>
  withSmallDisk(t, 8, async (disk) => {
    const database = await openNotes(t, { folder: join(disk.folder, 'data'), fdatasync: slowSync });
    disk.after(() => database.close());
    await database.write((db) => db.run('INSERT INTO notes (text) VALUES (?)', ''));
    for (let round = 0; round < 2_000; round++)
      await database.write((db) => db.run('UPDATE notes SET text = ?', `${round}${'x'.repeat(12_000)}`));
    assert(database.stats.checkpoints > 0);
  }));

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

test('a long reader keeps the WAL growing, no longer than it reads', async (t) => {
  const folder = newFolder(t);
  const database = await openEarly(t, { folder });
  const reader = new DatabaseSync(databaseFile(folder), { readOnly: true, returnArrays: true });
  await writeWhile(database, () => database.read.get<[number]>('SELECT count(*) FROM notes')?.[0] === 0);
  reader.exec('BEGIN');
  const seen = reader.prepare('SELECT count(*) FROM notes').get();
  const longest = await writeWhile(database, () => database.stats.walBytes < 1.25 * earlyBytes);
  assert(longest >= 1.25 * earlyBytes);
  assert.equal(database.stats.checkpoints, 0);
  assert.deepEqual(reader.prepare('SELECT count(*) FROM notes').get(), seen);
  reader.close();
  await writeWhile(database, () => database.stats.checkpoints === 0);
  await until(() => database.stats.walBytes < earlyBytes);
});

const slowQuery =
  'WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 20000) SELECT ' +
  'count(*) FROM n, (SELECT count(*) FROM notes)';

test('long queries that follow each other do not keep the WAL from being checkpointed', async (t) => {
  const database = await openEarly(t);
  await writeWhile(database, () => database.stats.checkpoints < 1); // by then the thread runs
  let goesOn = true;
  const readers = Array.from({ length: 4 }, async () => {
    while (goesOn) await database.readInWorker(slowQuery, []);
  });
  const longest = await writeWhile(database, () => database.stats.checkpoints < 2);
  goesOn = false;
  await Promise.all(readers);
  assert(longest < 4 * earlyBytes, `the log grew to ${longest} bytes`);
});

type Query = SqlWorker['run'];

/** The thread that checkpoints the WAL, with each of its queries passed through `query`. */
function checkpointsBy(query: (real: Query, sql: string) => ReturnType<Query>) {
  class PatchedWorker extends SqlWorker {
    override run(sql: string): ReturnType<Query> {
      return query((...all) => super.run(...all), sql);
    }
  }
  return (options: SqlWorkerOptions) =>
    options.access === 'read' ? new SqlWorker(options) : new PatchedWorker(options);
}

test('the thread has the file open well before its first checkpoint, since later it may not get it', async (t) => {
  const folder = newFolder(t);
  const lengths: number[] = [];
  const database = await openEarly(t, {
    folder,
    sqlWorker: checkpointsBy((real, sql) => {
      lengths.push(statSync(`${databaseFile(folder)}-wal`).size);
      return real(sql);
    }),
  });
  await writeWhile(database, () => lengths.length === 0);
  const [length = 0] = lengths;
  assert(length >= earlyBytes / 4, `with ${length} bytes: a service that hardly writes has no such thread`);
  assert(length < earlyBytes / 2, `only with ${length} bytes`);
});

test('long queries are paused during a checkpoint, so that none keeps part of the WAL in use', async (t) => {
  let steps = '';
  const database = await openEarly(t, {
    sqlWorker: checkpointsBy((real, sql) => {
      const [step = ''] = /NOOP|PASSIVE|application_id/.exec(sql) ?? [];
      steps += step.charAt(0);
      return real(sql);
    }),
  });
  let goesOn = true;
  const readers = Array.from({ length: 4 }, async () => {
    while (goesOn) await database.readInWorker(slowQuery, []);
  });
  await writeWhile(database, () => database.stats.checkpoints < 1);
  goesOn = false;
  await Promise.all(readers);
  assert.match(steps, /^N+P+a/, 'after the first that was long enough, none had to be repeated');
});

test('a thread that can’t start or open the file is retried, since that is transient', async (t) => {
  const troubles: unknown[] = [
    new ThreadError('no descriptors'),
    Object.assign(new Error('unable to open database file'), { errcode: 14 }),
  ];
  const logged: unknown[] = [];
  const database = await openEarly(t, {
    sqlWorker: checkpointsBy((real, sql) => {
      const isCheckpoint = sql.includes('wal_checkpoint'); // not the query that starts the thread early
      return isCheckpoint && troubles.length > 0 ? Promise.reject(troubles.shift()) : real(sql);
    }),
    log: (level, message) => logged.push([level, message]),
  });
  await writeWhile(database, () => database.stats.checkpoints < 1);
  assert.deepEqual(logged, [['warn', 'a checkpoint of the WAL failed']], 'one line a minute');
  assert.deepEqual(troubles, []);
});

test('any other error of the thread is fatal, since it may be the disk’s', async (t) => {
  const fatal: unknown[] = [];
  const error = Object.assign(new Error('disk I/O error'), { errcode: 10 });
  const database = await openEarly(t, {
    sqlWorker: checkpointsBy(() => Promise.reject(error)),
    onFatal: (cause) => fatal.push(cause),
  });
  await writeWhile(database, () => fatal.length === 0).catch(() => {});
  await until(() => fatal.length > 0);
  assert.deepEqual(fatal, [error]);
});

test('a commit by another process is detected while the service restarts the WAL', async (t) => {
  const folder = newFolder(t);
  let externalCommits = 0;
  let isCheckpointing = false;
  const database = await openEarly(t, {
    folder,
    sqlWorker: checkpointsBy(async (real, sql) => {
      if (sql === emptyCommitSql && !isCheckpointing) {
        isCheckpointing = true;
        commitExternally(folder);
      }
      return real(sql);
    }),
    onExternalCommit: () => {
      externalCommits += 1;
    },
  });
  await writeWhile(database, () => database.stats.checkpoints < 1);
  assert.equal(externalCommits, 1);
});

test('after a checkpoint that failed while commits were ignored, everything counts as changed', async (t) => {
  const folder = newFolder(t);
  let externalCommits = 0;
  let isCheckpointing = false;
  const database = await openEarly(t, {
    folder,
    sqlWorker: checkpointsBy(async (real, sql) => {
      if (sql !== emptyCommitSql || isCheckpointing) return real(sql);
      isCheckpointing = true;
      commitExternally(folder);
      throw Object.assign(new Error('database is locked'), { errcode: 5 });
    }),
    onExternalCommit: () => {
      externalCommits += 1;
    },
  });
  await writeWhile(database, () => database.stats.checkpoints < 1);
  assert.equal(externalCommits, 1);
});

test('this turn’s snapshot ends before caches are cleared for a commit by another process', async (t) => {
  const folder = newFolder(t);
  const seen: boolean[] = [];
  let isRead = false;
  const hasExternal = (): boolean =>
    database.read.get("SELECT 1 FROM notes WHERE text = 'external'") !== undefined;
  const database = await openEarly(t, {
    folder,
    sqlWorker: checkpointsBy(async (real, sql) => {
      const rows = await real(sql);
      if (sql !== 'PRAGMA data_version' || isRead) return rows;
      isRead = true;
      seen.push(hasExternal()); // opens the snapshot of the turn in which the change is noticed
      commitExternally(folder);
      return rows;
    }),
    onExternalCommit: () => seen.push(hasExternal()),
  });
  await writeWhile(database, () => database.stats.checkpoints < 1);
  assert.deepEqual(seen.slice(0, 2), [false, true]);
});

test('a checkpoint pauses writes until no commit waits for a sync, not only for the one that runs', async (t) => {
  const disk = new HeldDisk(t);
  const writes: Promise<unknown>[] = [];
  const unsynced: number[] = [];
  let hasPassed = false;
  const database = await openNotes(t, {
    checkpointAtBytes: 1,
    fdatasync: disk.fdatasync,
    sqlWorker: checkpointsBy(async (real, sql) => {
      if (!sql.includes('PASSIVE')) return real(sql);
      unsynced.push(disk.pending.length);
      if (hasPassed) return real(sql);
      for (const text of ['synced first', 'committed then']) {
        writes.push(database.write(addNote(text)));
        await turn();
      }
      const rows = await real(sql);
      hasPassed = true;
      return rows;
    }),
  });
  writes.push(database.write(addNote('first')));
  await disk.endSync();
  await until(() => hasPassed);
  await turn(); // now writes are paused
  await disk.endSync();
  await disk.endSync();
  await until(() => unsynced.length === 2);
  assert.deepEqual(unsynced, [0, 0]);
  disk.letGo();
  await Promise.all(writes);
});

test('a checkpoint after which a reader still used the WAL is repeated, even if nothing more is written', async (t) => {
  const folder = newFolder(t);
  let restarts = 0;
  let reader: DatabaseSync | undefined;
  const database = await openNotes(t, {
    folder,
    checkpointAtBytes: 1,
    sqlWorker: checkpointsBy(async (real, sql) => {
      if (reader === undefined && sql.includes('NOOP')) {
        reader = new DatabaseSync(databaseFile(folder), { readOnly: true });
        reader.exec('BEGIN; SELECT count(*) FROM notes');
      }
      const rows = await real(sql);
      if (sql === emptyCommitSql) restarts += 1;
      return rows;
    }),
  });
  await database.write(addNote('the last one'));
  await until(() => restarts === 1);
  reader?.close();
  await until(() => restarts === 2);
});

function commitExternally(folder: string): void {
  using other = new DatabaseSync(databaseFile(folder));
  other.exec("INSERT INTO notes (text) VALUES ('external')");
}

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

test('if Litestream doesn’t, the service finally checkpoints, and logs that once', async (t) => {
  const warnings: string[] = [];
  const database = await openEarly(t, {
    checkpoints: 'litestream',
    log: (level, message) => void (level === 'warn' && warnings.push(message)),
  });
  await writeWhile(database, () => database.stats.checkpoints < 1);
  assert.match(warnings.join(), /^Litestream has not checkpointed the WAL[^,]*, .* starts a new generation$/);
  await writeWhile(database, () => database.stats.checkpoints < 2);
  assert.equal(warnings.length, 2, 'the next time, too');
});
