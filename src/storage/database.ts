// The database of a running service: one connection writes in groups, one reads, and the log between them is
// kept short.
import { closeSync, fdatasync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { unavailable } from '../errors.ts';
import type { Invalidation } from '../invalidation.ts';
import type { Connection, Row, SqlValue, Work } from './connection.ts';
import {
  databaseFile,
  isFull,
  isPassing,
  lockFolder,
  maySync,
  openSqlite,
  syncPath,
  emptyCommitSql,
  toStorageError,
} from './data-folder.ts';
import { createForeignWatch } from './foreign-watch.ts';
import { createGroupCommit, type Fdatasync, type GroupCommit } from './group-commit.ts';
import { createCheckpointer, type Checkpointer } from './checkpointer.ts';
import { openMigrated, type Migration } from './migrate.ts';
import { createQueryWorker, ThreadError } from './query-worker.ts';
import { createReadSide, type ReadSide } from './read-side.ts';
import { newStats, type StorageStats } from './storage-stats.ts';
import { createWriteProbe } from './write-probe.ts';

const foreignPollMilliseconds = 100;
const slowReadsMax = 100;

export type DatabaseOptions = {
  readonly folder: string;
  readonly migrations: readonly Migration[];
  /** What a commit made stale, told before anyone can read it. */
  onCommit(invalidations: readonly Invalidation[]): void;
  /** Another process changed the database: anything cached may be stale. */
  onForeignChange(): void;
  /** Called once; the service must end with a failure, so that a restart recovers from the log. */
  onFatal(error: Error): void;
  log?(level: 'info' | 'warn' | 'error', message: string, fields?: object): void;
  /** Aborted, it ends a start that takes long. */
  readonly abandoned?: AbortSignal;
  /** Instead of `fs.fdatasync`, to make disks slow or broken. */
  readonly fdatasync?: Fdatasync;
  /** Instead of `createQueryWorker`, to make threads fail. */
  readonly queryWorker?: typeof createQueryWorker;
};

export type Database = {
  /**
   * Sees what is committed; all reads of one turn of the event loop see the same. Cache what it gives in that
   * turn only.
   */
  readonly read: Connection;
  /**
   * Runs `work` in a transaction at the end of this turn. Resolves once the change is on disk; rejects with
   * what `work` threw, its changes undone.
   */
  write<T>(work: Work<T>): Promise<T>;
  /** The rows of a statement that may look at many, on a thread of its own. */
  readInWorker<R extends Row>(sql: string, params: readonly SqlValue[]): Promise<R[]>;
  readonly stats: Readonly<StorageStats>;
  /** Answers everything pending, folds the log in and closes. */
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
  const logDescriptor = openWal(sqlite, options.folder);
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
  const poll = setInterval(foreign.look, foreignPollMilliseconds).unref();
  const commits: GroupCommit = createGroupCommit({
    sqlite,
    walDescriptor: logDescriptor,
    fdatasync: options.fdatasync ?? (maySync ? fdatasync : alreadySynced),
    stats,
    probe: createWriteProbe({ sqlite, stats, log }),
    schedule,
    log,
    onBegin: foreign.look,
    onCommit: (invalidations) => {
      reads.end(); // whatever was read since the turn ended
      options.onCommit(invalidations);
    },
    onSynced: () => keeper.look(),
    onFatal: (error) => {
      clearInterval(poll);
      sqlite.close(); // first: whoever closes last folds the log in, and a connection that only reads can't
      options.onFatal(error);
    },
  });
  const queryWorker = options.queryWorker ?? createQueryWorker;
  const slowReads = queryWorker(file, 'read');
  const keeper: Checkpointer = createCheckpointer({
    walDescriptor: logDescriptor,
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
    await keeper.close();
    await slowReads.close();
    clearInterval(poll);
    // Who closes last removes -wal and -shm, unless it only reads: the next start may find no room for them.
    if (!stats.canWrite && sqlite.isOpen) sqlite.close();
    reads.close();
    if (sqlite.isOpen) checkpointAndClose(sqlite, log);
    closeSync(logDescriptor);
    unlock();
  }
  let closing: Promise<void> | undefined;
  return {
    read: reads.connection,
    write: commits.write,
    readInWorker: async <R extends Row>(sql: string, params: readonly SqlValue[]) => {
      if (closing !== undefined || slowReads.waiting >= slowReadsMax)
        throw unavailable('Too many long queries are waiting; retry in a moment.');
      return (await slowReads.query(sql, params).catch(passing)) as unknown as R[]; // the caller's knowledge
    },
    stats,
    close: () => (closing ??= close()),
  };
}

/** Writes and syncs the log's header; false when there is no room for it. */
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
 * A descriptor of the log's own, to sync it with; SQLite's locks are on other files, so this does no harm.
 */
function openWal(sqlite: DatabaseSync, folder: string): number {
  // From here on the event loop waits neither for locks nor for syncs, and the log keeper alone folds the log
  // in.
  sqlite.exec(
    'PRAGMA busy_timeout = 0; PRAGMA wal_autocheckpoint = 0; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192',
  );
  sqlite.exec(`PRAGMA synchronous = ${maySync ? 'NORMAL' : 'FULL'}`);
  const descriptor = openSync(`${databaseFile(folder)}-wal`, 'r');
  syncPath(folder);
  return descriptor;
}

/** Not the query's fault, and gone before long. */
function passing(error: unknown): never {
  throw error instanceof ThreadError || isPassing(error)
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
