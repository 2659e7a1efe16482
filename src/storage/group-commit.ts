// The write path: many requests' writes in one commit, many commits' durability in one sync off the event loop.
import assert from 'node:assert';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { unavailable } from '../errors.ts';
import { Connection, type Work } from './connection.ts';
import { isBusy, sqliteCode } from './data-folder.ts';
import { countSync, type StorageStats } from './storage-stats.ts';

const waitingWritesMax = 10_000;
const logBytesMax = 1024 ** 3;
/** How long one turn may run writes before others get theirs. */
const groupMillisecondsMax = 4;
/** How many writes get a savepoint after one was left half done, so that many such are not many repetitions. */
const carefulWritesMin = 1_000;
const busyMillisecondsMax = 5_000;
const busyRetryMilliseconds = 10;
const complaintMilliseconds = 1_000;
/** From this on a sync is slow: a second one may start beside it, so that what came just too late doesn't wait for two. */
const slowSyncSeconds = 0.002;

type Write = {
  readonly work: (db: Connection) => unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  result: unknown;
};

export type Fdatasync = (descriptor: number, done: (error: Error | null) => void) => void;

type Options = {
  readonly sqlite: DatabaseSync;
  readonly logDescriptor: number;
  readonly fdatasync: Fdatasync;
  readonly stats: StorageStats;
  /** Asks for `run` to be called at the end of this turn of the event loop. */
  schedule(): void;
  /** Called inside each transaction before its first write. */
  onBegin(): void;
  onCommit(keys: readonly string[]): void;
  onSynced(): void;
  onFatal(error: Error): void;
  log(level: 'error', message: string, fields: object): void;
};

export class GroupCommit {
  readonly #options: Options;
  readonly #db: Connection;
  readonly #sql: Readonly<Record<'begin' | 'commit' | 'rollback' | 'savepoint' | 'release' | 'rollbackTo', StatementSync>>;
  #gathering: Write[] = [];
  #committed: Write[] = [];
  #syncsRunning = 0;
  #lastSyncSeconds = 0;
  #busyUntil: number | undefined;
  #held = false;
  #carefulWrites = 0;
  #isHalfDone = false;
  #refusal: string | undefined;
  #nextComplaint = 0;
  #settled: (() => void) | undefined;
  isWorking = false;

  constructor(options: Options) {
    this.#options = options;
    this.#db = new Connection(options.sqlite);
    const prepare = (sql: string): StatementSync => options.sqlite.prepare(sql);
    this.#sql = {
      begin: prepare('BEGIN IMMEDIATE'), commit: prepare('COMMIT'), rollback: prepare('ROLLBACK'),
      savepoint: prepare('SAVEPOINT work'), release: prepare('RELEASE work'), rollbackTo: prepare('ROLLBACK TO work'),
    };
  }

  write<T>(work: Work<T>): Promise<T> {
    assert(!this.isWorking, 'A write was begun inside a write: pass the connection on instead.');
    const { stats, schedule } = this.#options;
    const refusal = this.#refusal ?? overload(stats);
    return new Promise((resolve, reject) => {
      stats.waitingWrites += 1;
      const write: Write = { work, resolve: resolve as (result: unknown) => void, reject, result: undefined }; // result is what work returned
      if (refusal !== undefined) return this.#refuse([write], refusal);
      this.#gathering.push(write);
      schedule();
    });
  }

  /** Runs what gathered in one transaction; called at the end of a turn. */
  run(): void {
    if (this.#gathering.length === 0 || this.#held || !this.#tryBegin()) return;
    const done = this.#runWorks();
    if (done.length > 0) this.#tryCommit(done);
    else if (this.#options.sqlite.isTransaction) this.#sql.rollback.run();
    if (this.#gathering.length > 0) this.#options.schedule();
  }

  /** From now on writes gather without being run, while the log is folded in. */
  hold(): void {
    assert(this.#refusal !== failed, failed);
    this.#held = true;
  }

  release(): void {
    this.#held = false;
    this.#options.schedule();
  }

  /** Takes no more writes; resolves when all that were taken are answered. */
  close(): Promise<void> {
    this.#refusal ??= 'The service is stopping.';
    return new Promise((resolve) => {
      this.#settled = resolve;
      this.#answered(0);
    });
  }

  /** After a failed sync nobody knows what the disk holds: only a restart, which reads the log again, can tell. */
  fail(error: Error): void {
    if (this.#refusal === failed) return;
    this.#refusal = failed;
    this.#options.stats.canWrite = false;
    this.#refuse([...this.#committed.splice(0), ...this.#gathering.splice(0)], failed);
    this.#options.onFatal(error);
  }

  /** False while another process is writing: that is waited for off the event loop, but not for ever. */
  #tryBegin(): boolean {
    try {
      this.#sql.begin.run();
    } catch (error) {
      this.#busyUntil ??= performance.now() + busyMillisecondsMax;
      if (isBusy(error) && performance.now() < this.#busyUntil) {
        setTimeout(this.#options.schedule, busyRetryMilliseconds);
      } else {
        this.#busyUntil = undefined;
        this.#lose(this.#gathering.splice(0), error);
      }
      return false;
    }
    this.#busyUntil = undefined;
    this.#options.onBegin();
    return true;
  }

  /** The writes that took effect; none if SQLite gave up the transaction. */
  #runWorks(): Write[] {
    const until = performance.now() + groupMillisecondsMax;
    let done: Write[] = [];
    let ran = 0;
    for (const write of this.#gathering) {
      ran += 1;
      if (this.#runOne(write)) done.push(write);
      else if (this.#isHalfDone) done = this.#runAgain(done);
      if (!this.#options.sqlite.isTransaction || performance.now() > until) break;
    }
    this.#gathering.splice(0, ran);
    if (this.#options.sqlite.isTransaction) return done;
    this.#db.changedKeys.length = 0;
    this.#lose(done, new Error('SQLite rolled the transaction back.'));
    return [];
  }

  /** Without a savepoint, which would cost a fifth of a write, unless writes were left half done lately. */
  #runOne(write: Write): boolean {
    const { sqlite } = this.#options;
    const { changedKeys: { length: keys }, writes } = this.#db;
    const isCareful = this.#carefulWrites > 0;
    if (isCareful) this.#sql.savepoint.run();
    this.isWorking = true;
    try {
      write.result = write.work(this.#db);
      return true;
    } catch (error) {
      this.#db.changedKeys.length = keys;
      if (isCareful && sqlite.isTransaction) this.#sql.rollbackTo.run();
      else this.#isHalfDone = this.#db.writes > writes;
      if (isEnvironment(error)) this.#lose([write], error);
      else this.#reject(write, error);
      return false;
    } finally {
      this.isWorking = false;
      this.#carefulWrites -= 1;
      if (isCareful && sqlite.isTransaction) this.#sql.release.run();
    }
  }

  /** A work threw after it had changed something: undo the transaction and run again what ran before it. */
  #runAgain(done: Write[]): Write[] {
    const { sqlite } = this.#options;
    this.#isHalfDone = false;
    this.#carefulWrites = carefulWritesMin;
    this.#db.changedKeys.length = 0;
    if (!sqlite.isTransaction) return done; // lost already
    this.#sql.rollback.run();
    try {
      this.#sql.begin.run();
    } catch {
      return done; // lost too: another process got in between
    }
    return done.filter((write) => this.#runOne(write));
  }

  #tryCommit(done: Write[]): void {
    const { sqlite, stats, onCommit } = this.#options;
    const keys = this.#db.changedKeys.splice(0);
    try {
      this.#sql.commit.run();
    } catch (error) {
      if (sqlite.isTransaction) this.#sql.rollback.run();
      return this.#lose(done, error);
    }
    stats.canWrite = true;
    stats.commits += 1;
    stats.writes += done.length;
    for (const write of done) this.#committed.push(write);
    this.#sync();
    onCommit(keys);
  }

  /** While syncs run, what is committed gathers for the next one. */
  #sync(): void {
    if (this.#committed.length === 0 || this.#syncsRunning >= (this.#lastSyncSeconds > slowSyncSeconds ? 2 : 1)) return;
    const batch = this.#committed;
    this.#committed = [];
    this.#syncsRunning += 1;
    const start = performance.now();
    this.#options.fdatasync(this.#options.logDescriptor, (error) => {
      this.#syncsRunning -= 1;
      if (error !== null) this.fail(error);
      if (this.#refusal === failed) return this.#refuse(batch, failed);
      this.#lastSyncSeconds = (performance.now() - start) / 1000;
      countSync(this.#options.stats, this.#lastSyncSeconds);
      this.#sync();
      for (const write of batch) write.resolve(write.result);
      this.#answered(batch.length);
      this.#options.onSynced();
    });
  }

  #lose(writes: Write[], error: unknown): void {
    this.#options.stats.canWrite = false;
    this.#complain(error);
    this.#refuse(writes, "The storage can't take changes at the moment.");
  }

  /** Now and then: a full disk doesn't get a line a request. */
  #complain(error: unknown): void {
    if (performance.now() < this.#nextComplaint) return;
    this.#nextComplaint = performance.now() + complaintMilliseconds;
    this.#options.log('error', 'changes are refused for an error of the storage', { cause: String(error) });
  }

  #refuse(writes: Write[], detail: string): void {
    this.#options.stats.refusals += writes.length;
    for (const write of writes) this.#reject(write, unavailable(detail));
  }

  #reject(write: Write, error: unknown): void {
    write.reject(error);
    this.#answered(1);
  }

  #answered(writes: number): void {
    this.#options.stats.waitingWrites -= writes;
    if (this.#options.stats.waitingWrites === 0) this.#settled?.();
  }
}

const failed = 'The storage failed; the service is stopping.';

function overload(stats: StorageStats): string | undefined {
  if (stats.waitingWrites >= waitingWritesMax) return 'Too many changes are waiting for the disk.';
  if (stats.logBytes >= logBytesMax) return 'The log of changes is full until it can be folded into the database.';
  return undefined;
}

/** Not the request's fault: locked, out of memory, read-only, interrupted, an I/O error, a full disk, a file that can't be opened. */
function isEnvironment(error: unknown): boolean {
  return [5, 6, 7, 8, 9, 10, 13, 14].includes(sqliteCode(error));
}
