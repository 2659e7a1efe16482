// The write path: many requests' writes in one commit, many commits' durability in one sync off the event
// loop.
import assert from 'node:assert';
import type { DatabaseSync } from 'node:sqlite';
import { unavailable } from '../problem.ts';
import type { Invalidation } from '../invalidation.ts';
import { Connection, type Work } from './connection.ts';
import { isBusy, isEnvironment } from './storage-error.ts';
import { countSync, type StorageStats } from './storage-stats.ts';
import type { WriteProbe } from './write-probe.ts';

const waitingWritesMax = 10_000;
const walBytesMax = 1024 ** 3;
/** How long writes may run in one turn of the event loop. */
const groupMillisecondsMax = 4;
const busyMillisecondsMax = 5_000;
const busyRetryMilliseconds = 10;
const errorLogMilliseconds = 1_000;

type Write = {
  readonly work: (db: Connection) => unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  result: unknown;
};

export type Fdatasync = (descriptor: number, done: (error: Error | null) => void) => void;

type Options = {
  readonly sqlite: DatabaseSync;
  readonly walDescriptor: number;
  readonly fdatasync: Fdatasync;
  readonly stats: StorageStats;
  readonly probe: WriteProbe;
  /** Asks for `run` to be called at the end of this turn of the event loop. */
  schedule(): void;
  /** Called inside each transaction before its first write. */
  onBegin(): void;
  onCommit(invalidations: readonly Invalidation[]): void;
  onSynced(): void;
  onFatal(error: Error): void;
  log(level: 'error', message: string, fields: object): void;
};

export type GroupCommit = ReturnType<typeof createGroupCommit>;

export function createGroupCommit(options: Options) {
  const { sqlite, walDescriptor: walDescriptor, stats, schedule, probe } = options;
  const db = new Connection(sqlite);
  const [begin, commit, rollback] = [
    sqlite.prepare('BEGIN IMMEDIATE'),
    sqlite.prepare('COMMIT'),
    sqlite.prepare('ROLLBACK'),
  ];
  const savepoint = {
    set: sqlite.prepare('SAVEPOINT work'),
    release: sqlite.prepare('RELEASE work'),
    rollback: sqlite.prepare('ROLLBACK TO work'),
  };
  const queued: Write[] = [];
  let committed: Write[] = [];
  let isSyncing = false;
  let busyUntil: number | undefined;
  let isHeld = false;
  let isWorking = false;
  let refusal: string | undefined;
  let nextErrorLogAt = 0;
  let onDrained: (() => void) | undefined;

  function write<T>(work: Work<T>): Promise<T> {
    assert(!isWorking, 'A write was begun inside a write: pass the connection on instead.');
    const why = refusal ?? overload(stats);
    return new Promise((resolve, reject) => {
      stats.waitingWrites += 1;
      // result is what work returned
      const queuedWrite: Write = {
        work,
        resolve: resolve as (result: unknown) => void,
        reject,
        result: undefined,
      };
      if (why !== undefined) return refuse([queuedWrite], why);
      queued.push(queuedWrite);
      schedule();
    });
  }

  /** Runs what is queued in one transaction; called at the end of a turn. */
  function run(): void {
    if (queued.length === 0 || isHeld || !tryBegin()) return;
    const done = runWorks();
    if (done.length > 0) tryCommit(done);
    else if (sqlite.isTransaction) rollback.run();
    if (queued.length > 0) schedule();
  }

  /** From now on writes are queued without being run, while the WAL is checkpointed. */
  function hold(): void {
    assert(refusal !== failed, failed);
    isHeld = true;
  }

  function release(): void {
    isHeld = false;
    schedule();
  }

  /** Accepts no more writes; resolves when all that were accepted are answered. */
  function close(): Promise<void> {
    refusal ??= 'The service is stopping.';
    probe.stop();
    return new Promise((resolve) => {
      onDrained = resolve;
      countAnswered(0);
    });
  }

  /**
   * After a failed sync it is unknown what the disk holds: only a restart, which reads the WAL again, finds
   * out.
   */
  function fail(error: Error): void {
    if (refusal === failed) return;
    refusal = failed;
    stats.canWrite = false;
    probe.stop();
    refuse([...committed.splice(0), ...queued.splice(0)], failed);
    options.onFatal(error);
  }

  /** False while another process is writing: then it is retried, for a limited time. */
  function tryBegin(): boolean {
    try {
      begin.run();
    } catch (error) {
      busyUntil ??= performance.now() + busyMillisecondsMax;
      if (isBusy(error) && performance.now() < busyUntil) {
        setTimeout(schedule, busyRetryMilliseconds);
      } else {
        busyUntil = undefined;
        rejectWithStorageError(queued.splice(0), error);
      }
      return false;
    }
    busyUntil = undefined;
    options.onBegin();
    return true;
  }

  /** The writes that took effect; none if SQLite gave up the transaction. */
  function runWorks(): Write[] {
    const until = performance.now() + groupMillisecondsMax;
    const done: Write[] = [];
    let ran = 0;
    for (const write of queued) {
      ran += 1;
      if (runOne(write)) done.push(write);
      if (!sqlite.isTransaction || performance.now() > until) break;
    }
    queued.splice(0, ran);
    if (sqlite.isTransaction) return done;
    db.invalidations.length = 0;
    rejectWithStorageError(done, new Error('SQLite rolled the transaction back.'));
    return [];
  }

  /** Inside a savepoint, so that a work that throws is undone alone. */
  function runOne(write: Write): boolean {
    const { length: invalidationsBefore } = db.invalidations;
    isWorking = true;
    try {
      savepoint.set.run();
      write.result = write.work(db);
      savepoint.release.run();
      return true;
    } catch (error) {
      db.invalidations.length = invalidationsBefore;
      if (!undo() || isEnvironment(error)) rejectWithStorageError([write], error);
      else reject(write, error);
      return false;
    } finally {
      isWorking = false;
    }
  }

  /** False when the whole transaction is rolled back, as SQLite does by itself on a full disk. */
  function undo(): boolean {
    try {
      savepoint.rollback.run();
      savepoint.release.run();
    } catch {
      if (sqlite.isTransaction) rollback.run();
    }
    return sqlite.isTransaction;
  }

  function tryCommit(done: Write[]): void {
    const invalidations = db.invalidations.splice(0);
    try {
      commit.run();
    } catch (error) {
      if (sqlite.isTransaction) rollback.run();
      return rejectWithStorageError(done, error);
    }
    stats.commits += 1;
    stats.writes += done.length;
    for (const write of done) committed.push(write);
    sync();
    options.onCommit(invalidations);
    if (!stats.canWrite) probe.probe();
  }

  /**
   * One at a time: the kernel reports a write that failed to one sync alone, so another that ended well could
   * answer for what is lost. What is committed meanwhile waits for the next one.
   */
  function sync(): void {
    if (committed.length === 0 || isSyncing) return;
    const batch = committed;
    committed = [];
    isSyncing = true;
    const start = performance.now();
    options.fdatasync(walDescriptor, (error) => {
      isSyncing = false;
      if (error !== null) fail(error);
      if (refusal === failed) return refuse(batch, failed);
      countSync(stats, (performance.now() - start) / 1000);
      sync();
      for (const write of batch) write.resolve(write.result);
      countAnswered(batch.length);
      options.onSynced();
    });
  }

  function rejectWithStorageError(writes: Write[], error: unknown): void {
    probe.probeLater();
    if (performance.now() >= nextErrorLogAt) {
      // at most one line a second: a full disk fails every request
      nextErrorLogAt = performance.now() + errorLogMilliseconds;
      options.log('error', 'changes are rejected because of a storage error', { cause: String(error) });
    }
    refuse(writes, 'Writes are temporarily unavailable.');
  }

  function refuse(writes: Write[], detail: string): void {
    stats.refusals += writes.length;
    for (const write of writes) reject(write, unavailable(detail));
  }

  function reject(write: Write, error: unknown): void {
    write.reject(error);
    countAnswered(1);
  }

  function countAnswered(writes: number): void {
    stats.waitingWrites -= writes;
    if (stats.waitingWrites === 0) onDrained?.();
  }

  return {
    write,
    run,
    hold,
    release,
    close,
    fail,
    get isWorking() {
      return isWorking;
    },
  };
}

const failed = 'The storage failed; the service is stopping.';

function overload(stats: StorageStats): string | undefined {
  if (stats.waitingWrites >= waitingWritesMax) return 'Too many changes are waiting for the disk.';
  if (stats.walBytes >= walBytesMax) return 'The write-ahead log is full until it can be checkpointed.';
  return undefined;
}
