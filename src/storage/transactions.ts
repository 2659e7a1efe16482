// The transactions of a running service.
//
// Writes: the queued callbacks run as a group, in one transaction with one sync of the WAL, off the event loop; one group
// at a time. Each callback has its own savepoint: one that throws undoes its own changes alone.
//
// Reads: they have their own connection. From a COMMIT to the end of its sync it keeps the snapshot from before, so that
// nobody is shown a change that a power cut could undo.
//
// Other processes, such as a command that creates an administrator: their commits are detected by `PRAGMA data_version`
// of the writing connection. (The commit with which the thread of checkpoints begins the WAL anew counts as one.)
import assert from 'node:assert';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { unavailable } from '../problem.ts';
import { Connection, type WriteCallback, type Invalidation } from './connection.ts';
import { emptyCommitSql } from './database-file.ts';
import { isBusy, isDamage, isEnvironment, isSqliteError } from './storage-error.ts';
import type { StorageStats } from './storage-stats.ts';

/** The time after which a group takes no other callback. */
const groupMillisecondsMax = 4;
const waitingWritesMax = 10_000;
const walBytesMax = 1024 ** 3;
const busyMillisecondsMax = 5_000;
const busyRetryMilliseconds = 10;
/** How often requests look for commits of other processes. */
export const commitCheckMilliseconds = 100;

export const unavailableReasons = {
  open: undefined,
  closing: 'The service is stopping.',
  failed: 'The storage failed; the service is stopping.',
} as const;
const fullReason =
  'The disk is full: nothing can be saved until there is space on it. Then the service continues by itself.';
const unwritableReason = 'Writes are temporarily unavailable.';
/** An I/O error, or a lack of memory, has ended the snapshot of reads before the end of the sync. */
const unreadableReason = 'Reads are temporarily unavailable.';

type Write = {
  readonly callback: (db: Connection) => unknown;
  /** Whether it tests the disk after damage was found: if the disk fails it, the service ends. */
  readonly isDiskTest: boolean;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Set once the callback has run. The promise is settled when all changes that the callback saw are on disk. */
  outcome?: { readonly result: unknown } | { readonly error: unknown };
};

/** Writes that are committed but not on disk yet. */
type Unsynced = { readonly group: readonly Write[]; readonly invalidations: readonly Invalidation[] };

type Options = {
  /** The connections that write and read. */
  readonly writing: DatabaseSync;
  readonly reading: DatabaseSync;
  readonly stats: StorageStats;
  /** Syncs the WAL; resolves with the error, if any. */
  sync(): Promise<Error | null>;
  /** Whether the disk has room for an ordinary change, which writes more than one page. */
  hasRoom(): boolean;
  onDurableChanges(invalidations: readonly Invalidation[]): void;
  /** Called when the writes of a group are settled. */
  onSettled(): void;
  onFatal(error: Error): void;
  log(level: 'info' | 'error', message: string, fields: object): void;
};

export class Transactions {
  /** The reads of the service. */
  readonly read: Connection;
  readonly #options: Options;
  readonly #stats: StorageStats;
  readonly #writer: Connection;
  /** Reads without the checks of `read`: for what begins and ends the snapshot itself. */
  readonly #unguardedRead: Connection;
  readonly #queued: Write[] = [];
  #unsynced: Unsynced | undefined;
  /** The last sync, with what follows it. */
  #syncing: Promise<void> | undefined;
  #state: keyof typeof unavailableReasons = 'open';
  #isInCallback = false;
  #isWorking = false;
  /** While this is pending, writes are only queued. */
  #writesPaused: Promise<void> | undefined;
  #busyUntil: number | undefined;
  #dataVersion: unknown;
  #totalChanges: unknown;
  #checkedAt = -Infinity;

  constructor(options: Options) {
    this.#options = options;
    this.#stats = options.stats;
    this.#writer = new Connection(options.writing);
    this.#unguardedRead = new Connection(options.reading);
    this.read = new Connection(options.reading, (query) => this.#runRead(query));
    this.#totalChanges = this.#readTotalChanges();
    this.#takeSnapshot(); // opens the file: `close` counts on two connections where the WAL has to stay
    this.#endSnapshot();
    this.#dataVersion = this.#readDataVersion();
  }

  write<T>(callback: WriteCallback<T>): Promise<T> {
    assert(!this.#isInCallback, 'A write was begun inside a write: pass the connection on instead.');
    const reason = unavailableReasons[this.#state] ?? this.#overloadReason();
    if (reason === undefined) return this.#enqueue({ callback, isDiskTest: false });
    this.#stats.rejections += 1;
    return Promise.reject(unavailable(reason));
  }

  /** Called with each request. */
  detectExternalCommits(): void {
    const now = performance.now();
    if (now - this.#checkedAt < commitCheckMilliseconds || this.#unsynced !== undefined) return;
    this.#checkedAt = now;
    this.#detectCommits();
  }

  /** Called each second, even without requests: detects foreign commits, and tests whether a full disk has room. */
  poll(): void {
    try {
      this.#detectCommits();
    } catch {
      // a feature could not load its values again: requests fail for the same reason, and the next second tries again
    }
    if (!this.#stats.canWrite && this.#options.hasRoom()) this.#writePage({ isDiskTest: false });
  }

  /** Resolves when all present commits are on disk; rejects if the sync fails. */
  async whenSynced(): Promise<void> {
    await this.#syncing;
    if (this.#state === 'failed' && this.#unsynced !== undefined)
      throw unavailable(unavailableReasons.failed);
  }

  /** Runs `work` once all commits are on disk. Until it ends, writes are only queued. Rejects if the storage failed. */
  async whileWritesPaused<T>(work: () => T | Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#writesPaused = promise;
    try {
      await this.whenSynced();
      if (this.#state === 'failed') throw unavailable(unavailableReasons.failed);
      return await work();
    } finally {
      this.#writesPaused = undefined;
      resolve();
    }
  }

  /** Accepts no more writes. Resolves when all accepted writes are settled. */
  async close(): Promise<void> {
    if (this.#state !== 'open') return;
    const last = this.#enqueue({ callback: () => {}, isDiskTest: false });
    this.#state = 'closing';
    await last.catch(() => {}); // the storage failed, which was reported
  }

  /**
   * Stops all writes. After a failed sync the content of the disk is unknown until a restart reads the WAL again. Reads
   * continue with the last synced state.
   */
  fail(error: Error): void {
    if (this.#state === 'failed') return;
    this.#state = 'failed';
    this.#stats.canWrite = false;
    const committed = this.#unsynced?.group ?? [];
    this.#rejectUnavailable([...committed, ...this.#queued.splice(0)], unavailableReasons.failed);
    this.#options.onFatal(error);
  }

  #overloadReason(): string | undefined {
    const { waitingWrites, walBytes } = this.#stats;
    if (waitingWrites >= waitingWritesMax) return 'Too many changes are waiting for the disk.';
    if (walBytes >= walBytesMax) return 'The write-ahead log is full until it can be checkpointed.';
    return undefined;
  }

  #enqueue<T>({ callback, isDiskTest }: { callback: WriteCallback<T>; isDiskTest: boolean }): Promise<T> {
    this.#stats.waitingWrites += 1;
    if (!this.#isWorking) void this.#work();
    return new Promise((resolve, reject) => {
      // `T` is what the callback returns, and `resolve` receives no other value
      this.#queued.push({ callback, isDiskTest, resolve: resolve as (result: unknown) => void, reject });
    });
  }

  /**
   * Runs one group after another, until no write is queued: BEGIN; the callbacks; the snapshot for reads; COMMIT; the
   * sync; the end of the snapshot; `onDurableChanges`; the promises are settled. The next group, which gathered
   * meanwhile, begins before the responses are written, so that its sync begins early.
   */
  async #work(): Promise<void> {
    this.#isWorking = true;
    await nextTurn(); // all writes that this turn of the event loop queues join one group
    while (this.#queued.length > 0) {
      if (this.#writesPaused !== undefined) await this.#writesPaused;
      else if (!this.#begin()) await pause(busyRetryMilliseconds);
      else if (this.#runGroup()) await this.#syncing;
      else await nextTurn();
    }
    this.#isWorking = false;
  }

  /**
   * Returns false without a transaction: while another process has the write lock, for `busyMillisecondsMax`, or after an
   * error that has rejected what was queued.
   */
  #begin(): boolean {
    try {
      this.#writer.run('BEGIN IMMEDIATE');
      this.#detectCommits();
    } catch (error) {
      this.#rollBack();
      this.#busyUntil ??= performance.now() + busyMillisecondsMax;
      if (isBusy(error) && performance.now() < this.#busyUntil) return false;
      this.#rejectWithStorageError(this.#queued.splice(0), error);
    }
    this.#busyUntil = undefined;
    return this.#options.writing.isTransaction;
  }

  /** Runs what is queued. Returns whether there is a commit to sync. */
  #runGroup(): boolean {
    const group = this.#runQueued();
    const rowsBefore = this.#totalChanges;
    this.#totalChanges = this.#readTotalChanges();
    const hasChanged = this.#totalChanges !== rowsBefore || this.#writer.invalidations.length > 0;
    if (hasChanged && group.some(hasSucceeded)) return this.#commit(group);
    this.#rollBack();
    this.#settle(group); // all changes that they saw are on disk
    return false;
  }

  /** Counts also the rows that queries such as `INSERT … RETURNING` have changed. */
  #readTotalChanges(): unknown {
    return this.#writer.get('SELECT total_changes()')?.[0];
  }

  /** Returns the group; empty if the storage failed, which rejects every callback that ran. */
  #runQueued(): Write[] {
    const until = performance.now() + groupMillisecondsMax;
    const group: Write[] = [];
    do {
      const write = this.#queued.shift();
      if (write === undefined) break;
      group.push(write);
      try {
        this.#run(write);
      } catch (error) {
        this.#rejectGroup(group, write, error);
        return [];
      }
    } while (performance.now() <= until);
    return group;
  }

  /** Throws if the storage failed: an error of the callback itself undoes its changes, and is its outcome. */
  #run(write: Write): void {
    const writer = this.#writer;
    const { length } = writer.invalidations;
    writer.run('SAVEPOINT write');
    this.#isInCallback = true;
    try {
      write.outcome = { result: write.callback(writer) };
      writer.run('RELEASE write');
    } catch (error) {
      // SQLite may have rolled back the whole transaction, or can't continue it
      if (isEnvironment(error) || isDamage(error) || !this.#options.writing.isTransaction) throw error;
      writer.run('ROLLBACK TO write');
      writer.run('RELEASE write');
      writer.invalidations.length = length;
      write.outcome = { error };
    } finally {
      this.#isInCallback = false;
    }
  }

  /**
   * Only the request that met the damage gets its error. The others don't need the damaged page, but SQLite can't commit
   * what they did in the same transaction: they get 503, and may be repeated.
   */
  #rejectGroup(group: readonly Write[], failed: Write, error: unknown): void {
    if (failed.isDiskTest || !isDamage(error)) return this.#rejectWithStorageError(group, error);
    failed.outcome = { error };
    this.#settle([failed]);
    this.#rejectUnavailable(
      group.filter((each) => each !== failed),
      unwritableReason,
    );
    this.#writePage({ isDiskTest: true });
  }

  #commit(group: readonly Write[]): boolean {
    try {
      this.#takeSnapshot();
      this.#writer.run('COMMIT');
    } catch (error) {
      this.#rollBack();
      this.#endSnapshot();
      this.#rejectWithStorageError(group, error);
      return false;
    }
    this.#stats.commits += 1;
    this.#stats.writes += group.filter(hasSucceeded).length;
    const invalidations = this.#writer.invalidations.splice(0);
    this.#unsynced = { group, invalidations };
    this.#syncing = this.#sync();
    return true;
  }

  #rollBack(): void {
    this.#writer.invalidations.length = 0;
    const { writing } = this.#options;
    if (writing.isOpen && writing.isTransaction) this.#writer.run('ROLLBACK');
  }

  /**
   * One sync runs at a time: the kernel reports a failed write to only one of them, so that a concurrent one could
   * succeed, and acknowledge a lost change.
   */
  async #sync(): Promise<void> {
    const start = performance.now();
    const error = await this.#options.sync();
    if (error !== null) this.fail(error);
    this.#stats.syncSeconds.add((performance.now() - start) / 1000);
    if (this.#state !== 'failed') this.#afterSync();
  }

  #afterSync(): void {
    const { group, invalidations } = this.#unsynced ?? assert.fail('something was synced');
    this.#unsynced = undefined;
    this.#endSnapshot();
    this.#options.onDurableChanges(invalidations);
    if (!this.#stats.canWrite && this.#options.hasRoom()) {
      this.#stats.canWrite = true;
      this.#options.log('info', 'changes are accepted again', {});
    }
    this.#settle(group);
    this.#options.onSettled();
  }

  #settle(group: readonly Write[]): void {
    for (const { outcome, resolve, reject } of group)
      if (outcome === undefined || 'error' in outcome) reject(outcome?.error);
      else resolve(outcome.result);
    this.#stats.waitingWrites -= group.length;
  }

  /** Writes one page, which shows whether the storage can be written. */
  #writePage({ isDiskTest }: Pick<Write, 'isDiskTest'>): void {
    if (this.#state !== 'open') return;
    const callback = (db: Connection): void => {
      this.#options.writing.exec(emptyCommitSql);
      db.invalidate({ table: 'none', id: 0 }); // makes it a change
    };
    this.#enqueue({ callback, isDiskTest }).catch(() => {}); // what fails was reported
  }

  #rejectWithStorageError(writes: readonly Write[], error: unknown): void {
    if (this.#stats.canWrite)
      this.#options.log('error', 'changes are rejected because of a storage error', { cause: String(error) });
    this.#stats.canWrite = false;
    this.#rejectUnavailable(writes, isSqliteError(error, 'full') ? fullReason : unwritableReason);
    const hasTestedDisk = writes.some(({ isDiskTest }) => isDiskTest);
    const isOfDisk = isDamage(error) || isSqliteError(error, 'ioError');
    if (hasTestedDisk && isOfDisk && error instanceof Error) this.fail(error);
  }

  #rejectUnavailable(writes: readonly Write[], detail: string): void {
    this.#stats.rejections += writes.length;
    this.#stats.waitingWrites -= writes.length;
    for (const write of writes) write.reject(unavailable(detail));
  }

  #runRead<T>(query: () => T): T {
    assert(
      !this.#isInCallback,
      'A write reads through its own connection: this one would show the state before it.',
    );
    if (this.#unsynced !== undefined && !this.#options.reading.isTransaction)
      throw unavailable(unreadableReason);
    try {
      return query();
    } catch (error) {
      if (isDamage(error)) this.#writePage({ isDiskTest: true }); // SQLite reports a missing disk as damage, too
      throw error;
    }
  }

  #takeSnapshot(): void {
    this.#unguardedRead.run('BEGIN');
    this.#unguardedRead.get('SELECT 1 FROM sqlite_schema'); // BEGIN alone takes no snapshot
  }

  #endSnapshot(): void {
    if (this.#options.reading.isTransaction) this.#unguardedRead.run('ROLLBACK'); // some errors of a query have ended it
  }

  /** Does nothing during a sync, when caches would be filled from the old snapshot. */
  #detectCommits(): void {
    if (this.#unsynced !== undefined) return;
    const version = this.#readDataVersion();
    if (version === this.#dataVersion) return;
    this.#options.onDurableChanges(['everything']);
    this.#dataVersion = version; // not set if a feature threw: then the next call tries again
  }

  #readDataVersion(): unknown {
    try {
      return this.#writer.get('PRAGMA data_version')?.[0];
    } catch {
      return this.#dataVersion; // locked for a moment, or broken, which the next write reports
    }
  }
}

function hasSucceeded({ outcome }: Write): boolean {
  return outcome !== undefined && 'result' in outcome;
}
