// The database of a running service: one connection writes in groups, one reads, and a checkpointer keeps
// the WAL between them short.
import { closeSync, fdatasync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { unavailable } from '../problem.ts';
import type { Invalidation } from '../invalidation.ts';
import type { Connection, Row, SqlValue, Work } from './connection.ts';
import { databaseFile, emptyCommitSql, openSqlite } from './database-file.ts';
import { lockFolder } from './folder-lock.ts';
import { maySync, syncFolder } from './private-files.ts';
import { isFull, isTransient, toStorageError } from './storage-error.ts';
import { createForeignWatch } from './foreign-watch.ts';
import { createGroupCommit, type Fdatasync, type GroupCommit } from './group-commit.ts';
import { createCheckpointer, type Checkpointer } from './checkpointer.ts';
import { openMigrated, type Migration } from './migrate.ts';
import { createQueryWorker, ThreadError } from './query-worker.ts';
import { createReadSide, type ReadSide } from './read-side.ts';
import { newStats, type StorageStats } from './storage-stats.ts';
import { createWriteProbe } from './write-probe.ts';

const slowReadsMax = 100;

export type DatabaseOptions = {
  readonly folder: string;
  readonly migrations: readonly Migration[];
  /** Called with what a commit made stale, before anyone can read again. */
  onCommit(invalidations: readonly Invalidation[]): void;
  /** Another process changed the database: anything cached may be stale. */
  onForeignChange(): void;
  /** Called once; the service must end with a failure, so that a restart recovers from the WAL. */
  onFatal(error: Error): void;
  log?(level: 'info' | 'warn' | 'error', message: string, fields?: object): void;
  /** Ends a start that takes long. */
  readonly abandoned?: AbortSignal;
  /** Instead of `fs.fdatasync`, to make disks slow or broken. */
  readonly fdatasync?: Fdatasync;
  /** Instead of `createQueryWorker`, to make threads fail. */
  readonly queryWorker?: typeof createQueryWorker;
};

export type Database = {
  /**
   * Sees what is committed; all reads of one turn of the event loop see the same. Cache what it
   * returns in that turn only.
   */
  readonly read: Connection;
  /**
   * Runs `work` in a transaction at the end of this turn. Resolves once the change is on disk; rejects with
   * what `work` threw, its changes undone.
   */
  write<T>(work: Work<T>): Promise<T>;
  /** The rows of a statement that may look at many, on a thread of its own. */
  readInWorker<R extends Row>(sql: string, params: readonly SqlValue[]): Promise<R[]>;
  /** To be called with each request: notices, within a tenth of a second, what other processes changed. */
  noticeOthers(): void;
  readonly stats: Readonly<StorageStats>;
  /** Answers everything pending, checkpoints and closes. */
  close(): Promise<void>;
};

/**
 * Takes the folder, brings its database up to date and opens it. Throws StorageError, whose message is for
 * people.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const unlock = lockFolder(options.folder);
  try {
    return start(
      options,
      await openMigrated(options.folder, options.migrations, {
        report: (message) => options.log?.('info', message),
        abandoned: options.abandoned,
      }),
      unlock,
    );
  } catch (error) {
    unlock();
    throw toStorageError(error, databaseFile(options.folder));
  }
}

function start(options: DatabaseOptions, sqlite: DatabaseSync, unlock: () => void): Database {
  const file = databaseFile(options.folder);
  const log = options.log ?? (() => {});
  const stats = newStats();
  stats.canWrite = startWal(sqlite);
  if (!stats.canWrite)
    log('warn', 'starting read-only because the disk is full: changes are rejected until there is space');
  const walDescriptor = openWal(sqlite, options.folder);
  const schedule = oncePerTurn(() => {
    reads.end();
    commits.run();
  });
  const reads: ReadSide = createReadSide(
    openSqlite(file, { readOnly: true }),
    () => commits.isWorking,
    schedule,
  );
  const foreign = createForeignWatch(sqlite, () => {
    reads.end(); // or this turn's snapshot could still fill a cache with what was before
    options.onForeignChange();
  });
  const commits: GroupCommit = createGroupCommit({
    sqlite,
    walDescriptor: walDescriptor,
    fdatasync: options.fdatasync ?? (maySync ? fdatasync : alreadySynced),
    stats,
    probe: createWriteProbe({ sqlite, stats, log }),
    schedule,
    log,
    onBegin: foreign.check,
    onCommit: (invalidations) => {
      reads.end(); // its snapshot may have begun since the turn ended
      options.onCommit(invalidations);
    },
    onSynced: () => checkpointer.check(),
    onFatal: (error) => {
      foreign.close();
      sqlite.close(); // first: the last to close checkpoints, and a read-only connection can't
      options.onFatal(error);
    },
  });
  const queryWorker = options.queryWorker ?? createQueryWorker;
  const slowReads = queryWorker(file, 'read');
  const checkpointer: Checkpointer = createCheckpointer({
    walDescriptor: walDescriptor,
    slowReads,
    commits,
    foreign,
    stats,
    log,
    worker: queryWorker(file, 'write'),
    endRead: reads.end,
  });

  async function close(): Promise<void> {
    await commits.close();
    await checkpointer.close();
    await slowReads.close();
    foreign.close();
    // The last to close removes -wal and -shm unless it is read-only: the next start may lack room for them.
    if (!stats.canWrite && sqlite.isOpen) sqlite.close();
    reads.close();
    if (sqlite.isOpen) checkpointAndClose(sqlite, log);
    closeSync(walDescriptor);
    unlock();
  }
  let closing: Promise<void> | undefined;
  return {
    read: reads.connection,
    write: commits.write,
    readInWorker: async <R extends Row>(sql: string, params: readonly SqlValue[]) => {
      if (closing !== undefined || slowReads.waiting >= slowReadsMax)
        throw unavailable('Too many long queries are waiting; retry in a moment.');
      return (await slowReads.query(sql, params).catch(rethrow)) as unknown as R[]; // the caller's knowledge
    },
    noticeOthers: foreign.checkForRequest,
    stats,
    close: () => (closing ??= close()),
  };
}

/** Writes and syncs the WAL's header; false when there is no room for it. */
function startWal(sqlite: DatabaseSync): boolean {
  try {
    sqlite.exec(emptyCommitSql);
    return true;
  } catch (error) {
    if (isFull(error)) return false;
    throw error;
  }
}

/**
 * A separate descriptor of the WAL, to sync it with. SQLite's locks are on other files, so it is harmless.
 */
function openWal(sqlite: DatabaseSync, folder: string): number {
  // From here on the event loop waits neither for locks nor for syncs, and only the checkpointer checkpoints.
  sqlite.exec(
    'PRAGMA busy_timeout = 0; PRAGMA wal_autocheckpoint = 0; ' +
      'PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192',
  );
  sqlite.exec(`PRAGMA synchronous = ${maySync ? 'NORMAL' : 'FULL'}`);
  const descriptor = openSync(`${databaseFile(folder)}-wal`, 'r+'); // to sync it, Windows wants it writable
  syncFolder(folder);
  return descriptor;
}

/** A transient error, which the query did not cause, becomes a 503. */
function rethrow(error: unknown): never {
  throw error instanceof ThreadError || isTransient(error)
    ? unavailable('Long queries are temporarily unavailable.')
    : error;
}

/** Where the commit itself waits for the disk, on the event loop. */
function alreadySynced(_descriptor: number, done: (error: null) => void): void {
  setImmediate(done, null);
}

function oncePerTurn(endTurn: () => void): () => void {
  let scheduled = false;
  return () => {
    if (scheduled) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      endTurn();
    });
  };
}

function checkpointAndClose(sqlite: DatabaseSync, log: NonNullable<DatabaseOptions['log']>): void {
  try {
    sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch (error) {
    log('warn', 'the checkpoint at shutdown failed; the next start repeats it', { cause: String(error) });
  }
  sqlite.close();
}
