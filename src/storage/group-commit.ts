// The write path. What was queued becomes one transaction, a group, and one sync of the WAL, off the event loop;
// one group at a time. Each callback has a savepoint of its own: one that throws undoes its changes, and no others.
// While the storage can't be written, one page is written each second, since nobody may send a change.
import assert from 'node:assert';
import type { DatabaseSync } from 'node:sqlite';
import { minuteMilliseconds } from '../base/durations.ts';
import { unavailable } from '../problem.ts';
import type { Invalidation } from './invalidation.ts';
import { Connection, type WriteCallback } from './connection.ts';
import { isBusy, isDamage, isDiskFailure, isFull } from './storage-error.ts';
import { emptyCommitSql } from './database-file.ts';
import type { ReadSide } from './read-side.ts';
import type { StorageStats } from './storage-stats.ts';

/** The time after which a group takes no other callback. */
const groupMillisecondsMax = 4;
const waitingWritesMax = 10_000;
const walBytesMax = 1024 ** 3;
const busyMillisecondsMax = 5_000;
const busyRetryMilliseconds = 10;
const probeMilliseconds = 1_000;
/** The next line about failures comes after this time, or after changes were accepted again. */
const failureLogMilliseconds = minuteMilliseconds;

export const closedReasons = {
  open: undefined,
  closing: 'The service is stopping.',
  failed: 'The storage failed; the service is stopping.',
} as const;
const fullReason =
  'The disk is full: nothing can be saved until there is space on it. Then the service continues by itself.';
const unwritableReason = 'Writes are temporarily unavailable.';

type QueuedWrite = {
  readonly callback: (db: Connection) => unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
};

/** The result or error of a write callback. Its promise is settled once the changes it saw are on disk. */
type Outcome = { readonly write: QueuedWrite; readonly hasThrown: boolean; settle(): void };

/** A group that is committed but not on disk yet. */
type Unsynced = {
  readonly outcomes: readonly Outcome[];
  readonly invalidations: readonly Invalidation[];
  readonly synced: PromiseWithResolvers<void>;
};

export type Fdatasync = (descriptor: number, done: (error: Error | null) => void) => void;

type Options = {
  readonly sqlite: DatabaseSync;
  readonly walDescriptor: number;
  readonly fdatasync: Fdatasync;
  readonly stats: StorageStats;
  /** Keep their snapshot from before a commit until it is on disk, or has failed. */
  readonly reads: Pick<ReadSide, 'pinSnapshot' | 'unpinSnapshot'>;
  /** Whether the disk has room for an ordinary change, which writes more than one page. */
  hasRoom(): boolean;
  /** Requests a call of `runGroup` at the end of this turn of the event loop. */
  schedule(): void;
  /** Called when a transaction is open; all commits before it are on disk. */
  onWriteLock(): void;
  onSync(invalidations: readonly Invalidation[]): void;
  onSettled(): void;
  onFatal(error: Error): void;
  log(level: 'info' | 'error', message: string, fields: object): void;
};

/**
 * The course of a group: BEGIN; `onWriteLock`; the callbacks; `pinSnapshot`, COMMIT and sync; `unpinSnapshot`;
 * `onSync`; the promises are settled; `onSettled`; the next group.
 */
export class GroupCommit {
  readonly #options: Options;
  readonly #sqlite: DatabaseSync;
  readonly #stats: StorageStats;
  readonly #connection: Connection;
  readonly #queued: QueuedWrite[] = [];
  #unsynced: Unsynced | undefined;
  /** The rows that the connection had changed after the last group. */
  #rowsChanged: number | undefined;
  #isInCallback = false;
  #isHeld = false;
  #state: keyof typeof closedReasons = 'open';
  #busyUntil: number | undefined;
  #nextProbe: NodeJS.Timeout | undefined;
  /** Whether a query found damage, as which SQLite reports a disk that is gone, too. */
  #doubtsDisk = false;
  #nextTestAt = 0;
  #nextLogAt = 0;
  #onDrained: (() => void) | undefined;

  constructor(options: Options) {
    const { sqlite, stats } = options;
    this.#options = options;
    this.#sqlite = sqlite;
    this.#stats = stats;
    this.#connection = new Connection(sqlite);
    this.#rowsChanged = this.#readRowsChanged();
    if (!stats.canWrite) this.#probeLater();
  }

  get isInCallback(): boolean {
    return this.#isInCallback;
  }

  /** Whether all commits are on disk. */
  get isSynced(): boolean {
    return this.#unsynced === undefined;
  }

  write<T>(callback: WriteCallback<T>): Promise<T> {
    assert(!this.#isInCallback, 'A write was begun inside a write: pass the connection on instead.');
    const reason = closedReasons[this.#state] ?? overloadReason(this.#stats);
    return new Promise((resolve, reject) => {
      this.#stats.waitingWrites += 1;
      // `T` is what the callback returns, and `resolve` receives no other value
      const write: QueuedWrite = { callback, resolve: resolve as (result: unknown) => void, reject };
      if (reason !== undefined) return this.#rejectUnavailable([write], reason);
      this.#queued.push(write);
      this.#options.schedule();
    });
  }

  /** Called at the end of a turn, and after a sync. Runs what is queued, unless a sync runs. */
  runGroup(): void {
    if (this.#state === 'failed' || this.#isHeld || !this.isSynced || this.#queued.length === 0) return;
    if (!this.#tryBegin()) return;
    const outcomes = this.#runQueued();
    const hasChanged = this.#sqlite.isOpen && this.#hasChanged();
    if (hasChanged && outcomes.some(({ hasThrown }) => !hasThrown)) {
      this.#commit(outcomes);
    } else {
      this.#rollBack();
      this.#settle(outcomes); // what they saw is on disk
    }
    if (this.#queued.length > 0) this.#options.schedule();
  }

  /** Called when a query found damage: writes and syncs a page, which ends the service if that fails. */
  testDisk(): void {
    if (performance.now() < this.#nextTestAt) return;
    this.#nextTestAt = performance.now() + probeMilliseconds;
    this.#doubtsDisk = true;
    this.write(this.#writePage).catch(() => {}); // what fails was reported
  }

  /** Resolves when all present commits are on disk; rejects if the sync fails. */
  async synced(): Promise<void> {
    await this.#unsynced?.synced.promise;
  }

  /** Until `release`, writes are only queued. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.#options.schedule();
  }

  /** Accepts no more writes. Resolves when all accepted writes are settled. */
  close(): Promise<void> {
    if (this.#state === 'open') this.#state = 'closing';
    clearTimeout(this.#nextProbe);
    return new Promise((resolve) => {
      this.#onDrained = resolve;
      this.#countSettled(0);
    });
  }

  /**
   * Stops all writes. After a failed sync the content of the disk is unknown until a restart reads the WAL
   * again. Reads continue with the last synced state.
   */
  fail(error: Error): void {
    if (this.#state === 'failed') return;
    this.#state = 'failed';
    const reason = closedReasons.failed;
    this.#stats.canWrite = false;
    clearTimeout(this.#nextProbe);
    const committed = this.#unsynced?.outcomes.map(({ write }) => write) ?? [];
    this.#rejectUnavailable([...committed, ...this.#queued.splice(0)], reason);
    this.#unsynced?.synced.promise.catch(() => {}); // usually nothing awaits it
    this.#unsynced?.synced.reject(unavailable(reason));
    this.#options.onFatal(error);
  }

  /**
   * Returns false while another process has the write lock; further calls retry for `busyMillisecondsMax`.
   */
  #tryBegin(): boolean {
    try {
      this.#connection.run('BEGIN IMMEDIATE');
    } catch (error) {
      this.#retryOrReject(error);
      return false;
    }
    this.#busyUntil = undefined;
    this.#options.onWriteLock();
    return true;
  }

  #retryOrReject(error: unknown): void {
    this.#busyUntil ??= performance.now() + busyMillisecondsMax;
    if (isBusy(error) && performance.now() < this.#busyUntil)
      return void setTimeout(this.#options.schedule, busyRetryMilliseconds);
    this.#busyUntil = undefined;
    this.#rejectWithStorageError(this.#queued.splice(0), error);
  }

  /** Returns no outcome if the storage failed one of the callbacks: then all that ran are rejected. */
  #runQueued(): Outcome[] {
    const until = performance.now() + groupMillisecondsMax;
    const outcomes: Outcome[] = [];
    for (const write of this.#queued) {
      try {
        outcomes.push(this.#runOne(write));
      } catch (error) {
        this.#queued.splice(0, outcomes.length + 1);
        this.#rejectGroup(outcomes, write, error);
        return [];
      }
      if (performance.now() > until) break;
    }
    this.#queued.splice(0, outcomes.length);
    return outcomes;
  }

  /** Throws if the storage failed: an error of the callback itself undoes its changes, and is its outcome. */
  #runOne(write: QueuedWrite): Outcome {
    this.#isInCallback = true;
    try {
      const result = this.#connection.inSavepoint(() => write.callback(this.#connection));
      return { write, hasThrown: false, settle: () => write.resolve(result) };
    } catch (error) {
      if (!this.#connection.canUndo(error)) throw error;
      return { write, hasThrown: true, settle: () => write.reject(error) };
    } finally {
      this.#isInCallback = false;
    }
  }

  /** Whether rows were changed, or objects made stale, since the last call. */
  #hasChanged(): boolean {
    const before = this.#rowsChanged;
    this.#rowsChanged = this.#readRowsChanged();
    return this.#rowsChanged !== before || this.#connection.invalidations.length > 0;
  }

  #readRowsChanged(): number | undefined {
    return this.#connection.get<[number]>('SELECT total_changes()')?.[0];
  }

  /** Damage is the request's own error, since the others don't need the damaged page. */
  #rejectGroup(outcomes: readonly Outcome[], failed: QueuedWrite, error: unknown): void {
    const others = outcomes.map(({ write }) => write);
    if (isDamage(error) && failed.callback !== this.#writePage) {
      failed.reject(error);
      this.#countSettled(1);
      this.#rejectUnavailable(others, unwritableReason);
      return this.testDisk();
    }
    this.#rejectWithStorageError([failed, ...others], error);
  }

  #commit(outcomes: readonly Outcome[]): void {
    try {
      this.#options.reads.pinSnapshot();
      this.#connection.run('COMMIT');
    } catch (error) {
      this.#rollBack();
      this.#options.reads.unpinSnapshot();
      const writes = outcomes.map(({ write }) => write);
      return this.#rejectWithStorageError(writes, error);
    }
    this.#stats.commits += 1;
    this.#stats.writes += outcomes.filter(({ hasThrown }) => !hasThrown).length;
    const invalidations = this.#connection.invalidations.splice(0);
    this.#sync({ outcomes, invalidations, synced: Promise.withResolvers() });
  }

  #rollBack(): void {
    this.#connection.invalidations.length = 0;
    if (this.#sqlite.isOpen && this.#sqlite.isTransaction) this.#connection.run('ROLLBACK');
  }

  /**
   * Runs one sync at a time. The kernel reports a failed write to only one sync: a concurrent sync could
   * succeed, and acknowledge a lost change.
   */
  #sync(unsynced: Unsynced): void {
    this.#unsynced = unsynced;
    const start = performance.now();
    this.#options.fdatasync(this.#options.walDescriptor, (error) => {
      if (error !== null) this.fail(error);
      if (this.#state === 'failed') return;
      this.#stats.syncSeconds.add((performance.now() - start) / 1000);
      this.#afterSync(unsynced);
    });
  }

  #afterSync({ outcomes, invalidations, synced }: Unsynced): void {
    this.#unsynced = undefined;
    this.#doubtsDisk = false;
    this.#options.reads.unpinSnapshot();
    this.#options.onSync(invalidations);
    if (!this.#stats.canWrite && this.#options.hasRoom()) this.#reportSuccess();
    synced.resolve();
    this.#settle(outcomes);
    this.#options.onSettled();
    this.runGroup(); // before the responses, so that the next sync begins early
  }

  #settle(outcomes: readonly Outcome[]): void {
    for (const outcome of outcomes) outcome.settle();
    this.#countSettled(outcomes.length);
  }

  readonly #writePage = (db: Connection): void => {
    this.#sqlite.exec(emptyCommitSql);
    db.invalidate({ kind: 'other', feature: 'storage', id: 0 }); // makes it a change
  };

  #probeLater(): void {
    this.#nextProbe ??= setTimeout(() => {
      this.#nextProbe = undefined;
      if (this.#stats.canWrite) return;
      if (this.#options.hasRoom()) this.write(this.#writePage).catch(() => {}); // what fails was reported
      this.#probeLater();
    }, probeMilliseconds).unref();
  }

  #reportSuccess(): void {
    this.#stats.canWrite = true;
    this.#nextLogAt = 0;
    this.#options.log('info', 'changes are accepted again', {});
  }

  /** Logs a failure a minute: on a full disk all writes fail. */
  #reportFailure(error: unknown): void {
    this.#stats.canWrite = false;
    this.#probeLater();
    if (performance.now() < this.#nextLogAt) return;
    this.#nextLogAt = performance.now() + failureLogMilliseconds;
    const cause = String(error);
    this.#options.log('error', 'changes are rejected because of a storage error', { cause });
  }

  #rejectWithStorageError(writes: readonly QueuedWrite[], error: unknown): void {
    this.#reportFailure(error);
    this.#rejectUnavailable(writes, isFull(error) ? fullReason : unwritableReason);
    const isTest = this.#doubtsDisk && writes.some(({ callback }) => callback === this.#writePage);
    if (isTest && error instanceof Error && isDiskFailure(error)) this.fail(error);
  }

  #rejectUnavailable(writes: readonly QueuedWrite[], detail: string): void {
    this.#stats.rejections += writes.length;
    for (const write of writes) write.reject(unavailable(detail));
    this.#countSettled(writes.length);
  }

  #countSettled(writes: number): void {
    this.#stats.waitingWrites -= writes;
    if (this.#stats.waitingWrites === 0) this.#onDrained?.();
  }
}

/** Returns why an open database accepts no write now; undefined if it accepts writes. */
function overloadReason(stats: StorageStats): string | undefined {
  if (stats.waitingWrites >= waitingWritesMax) return 'Too many changes are waiting for the disk.';
  if (stats.walBytes >= walBytesMax) return 'The write-ahead log is full until it can be checkpointed.';
  return undefined;
}
