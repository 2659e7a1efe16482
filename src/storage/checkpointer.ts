// Keeps the write-ahead log (WAL) short. Once it has its length, a thread copies it into the database while writes
// go on (PASSIVE), then copies the rest (RESTART) and begins the WAL anew. The event loop waits for none of this.
import { fstatSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { emptyCommitSql } from './database-file.ts';
import { isTransient } from './storage-error.ts';
import type { GroupCommit } from './group-commit.ts';
import { minuteMilliseconds } from '../base/durations.ts';
import { freeDiskBytes } from '../base/capacity.ts';
import { ThreadError } from '../base/thread.ts';
import type { SqlWorker } from './sql-worker.ts';
import type { StorageStats } from './storage-stats.ts';

/**
 * Litestream copies the WAL frame by frame and does its own checkpoints; if the WAL restarts in between, it
 * has to begin a new generation with a snapshot of the whole database.
 */
export type CheckpointsBy = 'own' | 'litestream';

const frameBytes = 4096 + 24;
/**
 * The length at which the WAL is checkpointed. A checkpoint copies a page once for any number of changes, so
 * a longer WAL means fewer copies. Reading 32 MiB of WAL after a crash takes about 20 ms.
 */
const checkpointAtBytesDefault: Readonly<Record<CheckpointsBy, number>> = {
  own: 32 * 1024 ** 2,
  litestream: 256 * 1024 ** 2,
};
/** With little free space the WAL is checkpointed earlier, but never below this length. */
const checkpointAtBytesMin = 512 * 1024;
/**
 * The part that the WAL may have of the room that it and the free space have together: a checkpoint needs
 * room for its pages in the database.
 */
const walPart = 1 / 3;
/** Writes are held during RESTART. So it is left at most this many frames, unless another process reads. */
const restFramesMax = (2 * 1024 ** 2) / frameBytes;
/** The length of the WAL is looked at this long after a sync. */
const checkMilliseconds = 50;
/** While another process reads the WAL, writes are held for a tenth of this time at most. */
const retryMilliseconds = 1_000;
/** On a full disk each retry fails. */
const warningMilliseconds = minuteMilliseconds;

type Options = {
  readonly folder: string;
  /** The writing connection. */
  readonly sqlite: DatabaseSync;
  readonly walDescriptor: number;
  readonly checkpointWorker: SqlWorker;
  /** Paused for RESTART, since the worker's snapshots would keep the WAL in use. */
  readonly readWorker: SqlWorker;
  readonly commits: Pick<GroupCommit, 'hold' | 'synced' | 'release' | 'fail'>;
  readonly stats: StorageStats;
  readonly checkpoints: CheckpointsBy;
  /** The length at which the WAL is checkpointed; the default depends on `checkpoints`. */
  readonly checkpointAtBytes?: number | undefined;
  log(level: 'warn' | 'error', message: string, fields: object): void;
};

export class Checkpointer {
  readonly #options: Options;
  readonly #checkpointAtBytes: number;
  readonly #noop: StatementSync;
  #hasWarned = false;
  #checkpointing: Promise<void> | undefined;
  #next: NodeJS.Timeout | undefined;
  #nextWarningAt = 0;
  #isClosed = false;
  #emptiesSoon = false;

  constructor(options: Options) {
    const { sqlite, checkpoints, checkpointAtBytes = checkpointAtBytesDefault[checkpoints] } = options;
    this.#options = options;
    this.#checkpointAtBytes = checkpointAtBytes;
    this.#noop = sqlite.prepare('PRAGMA wal_checkpoint(NOOP)');
  }

  /** Called after each sync: looks at the WAL later, when the writes were answered. */
  checkSoon(milliseconds = checkMilliseconds): void {
    if (this.#isClosed || this.#checkpointing !== undefined) return;
    this.#next ??= setTimeout(() => this.#check(), milliseconds).unref();
  }

  /**
   * Checkpoints whatever the WAL's length is, and cuts it, so that nothing of what was erased stays in it. Litestream's
   * WAL is left alone.
   */
  emptySoon(): void {
    this.#emptiesSoon = this.#options.checkpoints === 'own';
    this.checkSoon();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#next);
    await this.#checkpointing;
    await this.#options.checkpointWorker.close();
  }

  #check(): void {
    const { folder, walDescriptor, sqlite, stats } = this.#options;
    this.#next = undefined;
    if (!sqlite.isOpen) return;
    const { size, nlink } = fstatSync(walDescriptor);
    if (nlink === 0) return; // deleted: the database saves what it has, and another connection has no such WAL
    const [, frames] = Object.values(this.#noop.get() ?? {});
    stats.walBytes = Number(frames) * frameBytes;
    const roomBytes = Math.max(checkpointAtBytesMin, (size + freeDiskBytes(folder)) * walPart);
    const atBytes = Math.min(this.#checkpointAtBytes, roomBytes);
    if (this.#emptiesSoon) this.#checkpointing = this.#run(0);
    else if (stats.walBytes >= atBytes) this.#checkpointing = this.#run(Math.floor(atBytes));
    else this.#hasWarned = false;
  }

  async #run(atBytes: number): Promise<void> {
    let isDone = false;
    try {
      this.#warnOfReplica(atBytes);
      isDone = await this.#checkpoint(atBytes);
      if (isDone && atBytes === 0) this.#emptiesSoon = false;
    } catch (error) {
      this.#onError(error);
    }
    this.#checkpointing = undefined;
    this.checkSoon(isDone ? checkMilliseconds : retryMilliseconds);
  }

  /** Returns false if a reader, such as another process, keeps part of the WAL in use. */
  async #checkpoint(atBytes: number): Promise<boolean> {
    const { checkpointWorker, readWorker, commits, stats } = this.#options;
    await this.#copy('PASSIVE'); // most of it; meanwhile more is written
    const rest = await this.#copy('PASSIVE');
    if (rest.frames - rest.copied > restFramesMax) return false;
    await readWorker.pause();
    commits.hold();
    try {
      await commits.synced(); // then no snapshot of this process is older
      const { isBusy } = await this.#copy('RESTART');
      if (isBusy) return false;
      await checkpointWorker.run(`PRAGMA journal_size_limit = ${atBytes}`); // a longer file is truncated
      // the first commit after RESTART syncs the WAL's new header, so that a power cut revives no old frames
      await checkpointWorker.run(emptyCommitSql);
      stats.checkpoints += 1;
      return true;
    } finally {
      commits.release();
      readWorker.resume();
    }
  }

  async #copy(mode: 'PASSIVE' | 'RESTART'): Promise<{ isBusy: boolean; frames: number; copied: number }> {
    const [row = []] = await this.#options.checkpointWorker.run(`PRAGMA wal_checkpoint(${mode})`);
    const [busy, frames, copied] = row;
    return { isBusy: busy !== 0, frames: Number(frames), copied: Number(copied) };
  }

  /** Warns that the service checkpoints instead of Litestream, since the WAL would fill the disk. */
  #warnOfReplica(bytes: number): void {
    const { checkpoints, log } = this.#options;
    if (checkpoints === 'own' || this.#hasWarned) return;
    this.#hasWarned = true;
    const message =
      'Litestream has not checkpointed the WAL: the service does, and Litestream starts a new generation';
    log('warn', message, { bytes });
  }

  /**
   * Handles a failed checkpoint. A full disk, a lock, or a lack of descriptors or threads is transient; after
   * any other error, as after a failed sync, the state of the disk is unknown.
   */
  #onError(error: unknown): void {
    const { commits, log } = this.#options;
    const isTransientError = error instanceof ThreadError || isTransient(error);
    if (!isTransientError || performance.now() >= this.#nextWarningAt) {
      this.#nextWarningAt = performance.now() + warningMilliseconds;
      log(isTransientError ? 'warn' : 'error', 'a checkpoint of the WAL failed', { cause: String(error) });
    }
    if (!isTransientError) commits.fail(error instanceof Error ? error : new Error(String(error)));
  }
}
