// The database of a running service: writes in groups, reads of what is on disk, checkpoints of the WAL.
import { closeSync, fdatasync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { ThreadError } from '../base/thread.ts';
import { unavailable } from '../problem.ts';
import { Checkpointer, type CheckpointsBy } from './checkpointer.ts';
import type { Connection, Row, SqlValue, WriteCallback, Invalidation } from './connection.ts';
import { databaseFile, openSqlite } from './database-file.ts';
import { lockFolder } from './folder-lock.ts';
import { openMigrated, type FeatureMigration } from './migrations.ts';
import { maySync } from './private-files.ts';
import { ReplacedFiles } from './replaced-files.ts';
import { SqlWorker, type StatementOptions, type SqlWorkerOptions } from './sql-worker.ts';
import { isTransient, toStorageError } from './storage-error.ts';
import { newStats, type StorageStats } from './storage-stats.ts';
import { unavailableReasons, Transactions } from './transactions.ts';
import { configureWriter, hasRoom, openSyncedWal, skipSync, startWal } from './wal.ts';

/** How often the service looks for commits of other processes, and for space on a full disk. */
export const pollMilliseconds = 1_000;

type Log = (level: 'info' | 'warn' | 'error', message: string, fields?: object) => void;

export type DatabaseOptions = {
  readonly folder: string;
  readonly migrations: readonly FeatureMigration[];
  /**
   * Called with the invalidations of changes that are now on disk, before anybody can read the changes. After a commit
   * of another process everything may be stale.
   */
  onDurableChanges(invalidations: readonly Invalidation[]): void;
  /** Called once. The service must end with a failure, so that a restart recovers from the WAL. */
  onFatal(error: Error): void;
  readonly log?: Log;
  /** Who checkpoints the WAL: by default this service. */
  readonly checkpoints?: CheckpointsBy;
  /** Aborted to end a start that takes long. */
  readonly signal?: AbortSignal;
  /** Replaces `fs.fdatasync`, to simulate slow or broken disks. */
  readonly fdatasync?: (descriptor: number, done: (error: Error | null) => void) => void;
  /** Creates threads; tests pass threads that fail or start late. */
  readonly sqlWorker?: (options: SqlWorkerOptions) => SqlWorker;
};

export type Database = {
  /**
   * Sees only changes that are on disk, without waiting. A result may be put into a cache only in the turn of the event
   * loop in which it was read.
   */
  readonly read: Connection;
  /**
   * Runs `callback` in a transaction at the end of this turn or after the running sync. Resolves once the
   * change is on disk. If `callback` throws, its changes are undone, and the promise rejects with the error once
   * all changes that the callback saw are on disk.
   */
  write<T>(this: object, callback: WriteCallback<T>): Promise<T>;
  /**
   * Runs a statement that may examine many rows in the read worker. Clients take turns, and while others wait,
   * three of four statements are of staff. Resolves with the rows, or with the ids that a search finds, once
   * all that the query saw is on disk.
   */
  readInWorker<R extends Row>(
    this: object,
    sql: string,
    params: readonly SqlValue[],
    options?: StatementOptions,
  ): Promise<R[]>;
  /** Called with each request: detects commits of other processes within a tenth of a second. */
  detectExternalCommits(): void;
  readonly stats: Readonly<StorageStats>;
  /** Called when something was erased: soon the WAL has nothing of it, unless others checkpoint it. */
  emptyWalSoon(): void;
  /** Completes all pending writes, checkpoints and closes. */
  close(): Promise<void>;
};

/** The reads of a database. Handlers have them as members of their call, so a call can stand for a database. */
export type DatabaseReads = Pick<Database, 'read' | 'readInWorker'>;

/** Locks the folder, migrates its database and opens it. Throws StorageError, whose message is for people. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const unlock = lockFolder(options.folder);
  try {
    const sqlite = await openMigrated(options.folder, options.migrations, {
      report: (message) => options.log?.('info', message),
      signal: options.signal,
    });
    return startDatabase(options, sqlite, unlock);
  } catch (error) {
    unlock();
    throw toStorageError(error, databaseFile(options.folder));
  }
}

function startDatabase(options: DatabaseOptions, sqlite: DatabaseSync, unlock: () => void): Database {
  const { folder, onDurableChanges, checkpoints = 'own', log = () => {} } = options;
  const {
    sqlWorker = (workerOptions) => new SqlWorker(workerOptions),
    fdatasync: sync = maySync ? fdatasync : skipSync,
  } = options;
  const file = databaseFile(folder);
  const stats = newStats();
  stats.canWrite = startWal(sqlite, folder, log);
  configureWriter(sqlite);
  const walDescriptor = openSyncedWal(folder);
  const reading = openSqlite(file, { readOnly: true });
  const transactions = new Transactions({
    writing: sqlite,
    reading,
    sync: () => new Promise((resolve) => sync(walDescriptor, resolve)),
    stats,
    log,
    hasRoom: () => hasRoom(folder),
    onDurableChanges,
    onSettled: () => checkpointer.inspectSoon(),
    onFatal(error) {
      void checkpointer.close(); // a failed checkpoint is left to the next start, which reads the WAL again
      options.onFatal(error);
    },
  });
  const readWorker = sqlWorker({ file, access: 'read' });
  const checkpointer = new Checkpointer({
    folder,
    sqlite,
    walDescriptor,
    worker: sqlWorker({ file, access: 'write' }),
    transactions,
    stats,
    log,
    checkpoints,
  });
  const replacedFiles = new ReplacedFiles(folder);
  let closing: Promise<void> | undefined;
  let ending: Promise<void> | undefined;
  const polling = setInterval(() => {
    transactions.poll();
    if (replacedFiles.names.length > 0) ending = endReplaced();
  }, pollMilliseconds).unref();

  /** Ends the service, once what only open files have is saved. If it can't be, `close` tries it once more. */
  async function endReplaced(): Promise<void> {
    clearInterval(polling);
    await checkpointer.close();
    const fail = async (): Promise<void> => transactions.fail(await replacedFiles.save(sqlite));
    await transactions.whileWritesPaused(fail).catch((error: Error) => transactions.fail(error));
  }

  async function close(): Promise<void> {
    clearInterval(polling);
    if (ending !== undefined) await ending; // both would save the same
    await transactions.close();
    await checkpointer.close();
    const replaced = replacedFiles.hasContentToSave ? await replacedFiles.save(sqlite) : undefined;
    await readWorker.close();
    // the last connection that closes would checkpoint and remove -wal and -shm, unless it is read-only: the
    // next start may lack room for new files, and a replica would have to begin again
    const leavesWal = checkpoints === 'litestream' || !stats.canWrite;
    for (const each of leavesWal ? [sqlite, reading] : [reading, sqlite]) each.close();
    closeSync(walDescriptor);
    unlock();
    if (replaced === undefined) return;
    log('error', replaced.message);
    throw replaced;
  }

  return {
    read: transactions.read,
    stats,
    write: (callback) => transactions.write(callback),
    async readInWorker<R extends Row>(
      sql: string,
      params: readonly SqlValue[],
      statementOptions?: StatementOptions,
    ): Promise<R[]> {
      if (closing !== undefined) throw unavailable(unavailableReasons.closing);
      const rows = await readWorker.run(sql, params, statementOptions).catch(throwAsUnavailable);
      await transactions.whenSynced(); // the query may have seen commits that aren't on disk yet
      return rows as unknown as R[]; // the caller knows the columns of its statement
    },
    detectExternalCommits: () => transactions.detectExternalCommits(),
    emptyWalSoon: () => checkpointer.emptySoon(),
    close: () => (closing ??= close()),
  };
}

/** Turns a transient error, which the query did not cause, into a 503. */
function throwAsUnavailable(error: unknown): never {
  throw error instanceof ThreadError || isTransient(error)
    ? unavailable('Long queries are temporarily unavailable.')
    : error;
}
