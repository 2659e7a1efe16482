// The write path: the changes of many requests share one transaction and one sync of the WAL, off the event
// loop. While a sync runs, the callbacks of the next transaction already run, but nothing is committed before
// the sync has ended.
import assert from 'node:assert';
import type { DatabaseSync } from 'node:sqlite';
import { unavailable } from '../problem.ts';
import type { Invalidation } from './invalidation.ts';
import type { Connection, WriteCallback } from './connection.ts';
import { isBusy, isDamage, isDiskFailure, isEnvironment, isFull } from './storage-error.ts';
import { emptyCommitSql } from './database-file.ts';
import type { ReadSide } from './read-side.ts';
import { countSync, type StorageStats } from './storage-stats.ts';
import {
  closedReasons,
  fullReason,
  overloadReason,
  unwritableReason,
  type AdmissionState,
} from './write-admission.ts';
import type { WriteProbe } from './write-probe.ts';
import { WriteTransaction } from './write-transaction.ts';

/** The time that writes may take in one turn of the event loop. */
const groupMillisecondsMax = 4;
/**
 * After this many transactions in a row began during a sync, the lock is released once for other processes.
 */
const overlapsMax = 4;
const busyMillisecondsMax = 5_000;
const busyRetryMilliseconds = 10;
const diskTestMilliseconds = 1_000;

type QueuedWrite = {
  readonly callback: (db: Connection) => unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
};

/** The result or error of a write callback. Its promise is settled once the changes it saw are on disk. */
type Outcome = { readonly write: QueuedWrite; readonly hasThrown: boolean; settle(): void };

/** The writes that are committed but not on disk yet. */
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
  readonly probe: WriteProbe;
  /** Keep their snapshot from before a commit until it is on disk, or has failed. */
  readonly reads: Pick<ReadSide, 'pinSnapshot' | 'unpinSnapshot'>;
  /** Requests a call of `runAndCommit` at the end of this turn of the event loop. */
  schedule(): void;
  /** Called when a transaction is open and all commits before it are on disk. */
  onWriteLock(): void;
  onSync(invalidations: readonly Invalidation[]): void;
  onSettled(): void;
  onFatal(error: Error): void;
};

/**
 * The course of a transaction: `begin`; the callbacks; `pinSnapshot`, commit and sync; `unpinSnapshot`;
 * `onSync`; the promises are settled; `onSettled`; `runAndCommit`, for the next transaction. `onWriteLock` follows
 * `begin`, or the previous transaction's `onSync` if its sync is still running.
 */
export class GroupCommit {
  readonly #options: Options;
  readonly #stats: StorageStats;
  readonly #transaction: WriteTransaction;
  readonly #queued: QueuedWrite[] = [];
  /** The results of the callbacks that ran in the open transaction. */
  #outcomes: Outcome[] = [];
  #unsynced: Unsynced | undefined;
  #overlaps = 0;
  #isPaused = false;
  #state: AdmissionState = 'open';
  #busyUntil: number | undefined;
  #nextTestAt = 0;
  #onDrained: (() => void) | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.#stats = options.stats;
    this.#transaction = new WriteTransaction(options.sqlite);
  }

  get isInCallback(): boolean {
    return this.#transaction.isInCallback;
  }

  /** Whether all commits are on disk. */
  get isSynced(): boolean {
    return this.#unsynced === undefined;
  }

  write<T>(callback: WriteCallback<T>): Promise<T> {
    assert(!this.isInCallback, 'A write was begun inside a write: pass the connection on instead.');
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

  /** Called at the end of a turn and after a sync. Runs the queued callbacks; commits unless a sync runs. */
  runAndCommit(): void {
    if (this.#state === 'failed') return;
    const mayRun = this.#queued.length > 0 && this.#mayBegin() && this.#tryBegin();
    if (mayRun) this.#runQueued();
    if (this.isSynced) this.#endTransaction();
    // a transaction that is full still waits for the sync of the one before
    if (mayRun && this.#queued.length > 0 && !this.#transaction.isFull) this.#options.schedule();
  }

  /**
   * Called when a query found damage, as which SQLite reports a disk that is gone, too: writes and syncs a page,
   * which ends the service if that fails.
   */
  testDisk(): void {
    if (performance.now() < this.#nextTestAt) return;
    this.#nextTestAt = performance.now() + diskTestMilliseconds;
    this.write(this.#writePage).catch(() => {}); // what fails was reported
  }

  readonly #writePage = (db: Connection): void => {
    this.#options.sqlite.exec(emptyCommitSql);
    db.invalidate({ kind: 'other', feature: 'storage', id: 0 }); // makes it a change
  };

  /** Resolves when all present commits are on disk; rejects if the sync fails. */
  async synced(): Promise<void> {
    await this.#unsynced?.synced.promise;
  }

  /**
   * Pauses writes for the end of a checkpoint: until `resumeWrites` they are queued. Resolves when all
   * commits are on disk.
   */
  async pauseWrites(): Promise<void> {
    assert(this.#state !== 'failed', closedReasons.failed);
    this.#isPaused = true;
    while (!this.isSynced) await this.synced(); // the first sync may be followed by another commit
  }

  resumeWrites(): void {
    this.#isPaused = false;
    this.#options.schedule();
  }

  /** Accepts no more writes. Resolves when all accepted writes are settled. */
  close(): Promise<void> {
    if (this.#state === 'open') this.#state = 'closing';
    this.#options.probe.stop();
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
    this.#options.probe.stop();
    const outcomes = [...(this.#unsynced?.outcomes ?? []), ...this.#outcomes.splice(0)];
    this.#rejectUnavailable([...outcomes.map(({ write }) => write), ...this.#queued.splice(0)], reason);
    this.#unsynced?.synced.promise.catch(() => {}); // usually nothing awaits it
    this.#unsynced?.synced.reject(unavailable(reason));
    this.#options.onFatal(error);
  }

  #mayBegin(): boolean {
    return !this.#isPaused && (this.isSynced || this.#transaction.isOpen || this.#overlaps < overlapsMax);
  }

  /**
   * Returns false while another process has the write lock; further calls retry for `busyMillisecondsMax`.
   */
  #tryBegin(): boolean {
    if (this.#transaction.isOpen) return true;
    try {
      this.#transaction.begin();
    } catch (error) {
      this.#retryOrReject(error);
      return false;
    }
    this.#busyUntil = undefined;
    this.#overlaps = this.isSynced ? 0 : this.#overlaps + 1;
    if (this.isSynced) this.#options.onWriteLock();
    return true;
  }

  #retryOrReject(error: unknown): void {
    this.#busyUntil ??= performance.now() + busyMillisecondsMax;
    if (isBusy(error) && performance.now() < this.#busyUntil)
      return void setTimeout(this.#options.schedule, busyRetryMilliseconds);
    this.#busyUntil = undefined;
    this.#rejectWithStorageError(this.#queued.splice(0), error);
  }

  #runQueued(): void {
    const until = performance.now() + groupMillisecondsMax;
    let ran = 0;
    for (const write of this.#queued) {
      if (this.#transaction.isFull) break;
      ran += 1;
      const outcome = this.#runOne(write);
      if (outcome !== undefined) this.#outcomes.push(outcome);
      if (!this.#transaction.isIntact || performance.now() > until) break;
    }
    this.#queued.splice(0, ran);
    if (!this.#transaction.isIntact) this.#rollBack();
  }

  /** Rejects the writes whose changes are undone because the last callback failed. */
  #rollBack(): void {
    const writes = this.#outcomes.splice(0).map(({ write }) => write);
    const { isHalfDone } = this.#transaction;
    this.#transaction.rollback(); // drops its list of invalidations
    if (!isHalfDone) this.#options.probe.reportFailure(new Error('SQLite rolled the transaction back.'));
    this.#rejectUnavailable(writes, unwritableReason);
  }

  /**
   * Returns undefined if the write was rejected: the storage failed, or the callback threw after a change.
   */
  #runOne(write: QueuedWrite): Outcome | undefined {
    try {
      const result = this.#transaction.run(write.callback);
      return { write, hasThrown: false, settle: () => write.resolve(result) };
    } catch (error) {
      const outcome = { write, hasThrown: true, settle: () => write.reject(error) };
      if (isDamage(error)) this.testDisk();
      if (isEnvironment(error) || !this.#transaction.isOpen) this.#rejectWithStorageError([write], error);
      else if (this.#transaction.isHalfDone) this.#settle([outcome]);
      else return outcome;
      return undefined;
    }
  }

  /**
   * Called when all commits are on disk. Rolls back if nothing was changed: what the callbacks saw needs no
   * sync.
   */
  #endTransaction(): void {
    if (!this.#transaction.isOpen) return;
    const outcomes = this.#outcomes.splice(0);
    if (this.#transaction.hasChanges) return this.#tryCommit(outcomes);
    this.#transaction.rollback();
    this.#settle(outcomes);
  }

  #tryCommit(outcomes: readonly Outcome[]): void {
    let invalidations: readonly Invalidation[];
    try {
      this.#options.reads.pinSnapshot();
      invalidations = this.#transaction.commit();
    } catch (error) {
      this.#transaction.rollback();
      this.#options.reads.unpinSnapshot();
      const writes = outcomes.map(({ write }) => write);
      return this.#rejectWithStorageError(writes, error);
    }
    this.#stats.commits += 1;
    this.#stats.writes += outcomes.filter(({ hasThrown }) => !hasThrown).length;
    if (!this.#stats.canWrite) this.#options.probe.probe();
    this.#sync({ outcomes, invalidations, synced: Promise.withResolvers() });
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
      countSync(this.#stats, (performance.now() - start) / 1000);
      this.#afterSync(unsynced);
    });
  }

  #afterSync({ outcomes, invalidations, synced }: Unsynced): void {
    this.#unsynced = undefined;
    this.#options.reads.unpinSnapshot();
    this.#options.onSync(invalidations);
    if (this.#transaction.isOpen) this.#options.onWriteLock();
    synced.resolve();
    this.#settle(outcomes);
    this.#options.onSettled();
    this.runAndCommit(); // before the responses, so that the next sync begins early
  }

  #settle(outcomes: readonly Outcome[]): void {
    for (const outcome of outcomes) outcome.settle();
    this.#countSettled(outcomes.length);
  }

  #rejectWithStorageError(writes: readonly QueuedWrite[], error: unknown): void {
    this.#options.probe.reportFailure(error);
    this.#rejectUnavailable(writes, isFull(error) ? fullReason : unwritableReason);
    const isTest = writes.some(({ callback }) => callback === this.#writePage);
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
