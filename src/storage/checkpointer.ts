// Keeps the write-ahead log short. Checkpoints run on a thread, so the event loop never waits for them.
import { fstatSync } from 'node:fs';
import { emptyCommitSql } from './database-file.ts';
import { isTransient } from './storage-error.ts';
import type { ExternalCommitWatcher } from './external-commit-watcher.ts';
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
/**
 * When the WAL has this multiple of its checkpoint length, writes are paused even if much is left to
 * checkpoint.
 */
const longFactor = 4;
/** The checkpoint pauses writes once at most this many new frames are left to copy. */
const tailFramesMax = (2 * 1024 ** 2) / frameBytes;
/** The worker starts before it is needed: then descriptors or memory may have run out. */
const startsAtPart = 1 / 4;
const checkMilliseconds = 50;
const retryMilliseconds = 250;
/** On a full disk each retry fails. */
const warningMilliseconds = minuteMilliseconds;

type Options = {
  readonly folder: string;
  readonly walDescriptor: number;
  readonly checkpointWorker: SqlWorker;
  /** Paused during a checkpoint, since the worker's snapshots would keep the WAL in use. */
  readonly readWorker: SqlWorker;
  readonly commits: GroupCommit;
  readonly externalCommits: ExternalCommitWatcher;
  readonly stats: StorageStats;
  readonly checkpoints: CheckpointsBy;
  /** The length at which the WAL is checkpointed; the default depends on `checkpoints`. */
  readonly checkpointAtBytes?: number | undefined;
  onWalDeleted(): void;
  /** Ends this turn's snapshot. */
  endTurn(): void;
  log(level: 'warn' | 'error', message: string, fields: object): void;
};

export class Checkpointer {
  readonly #options: Options;
  readonly #checkpointAtBytes: number;
  /** What the WAL may be now: less than `#checkpointAtBytes` if little space is free. */
  #checkpointAtFrames: number;
  #hasWarned = false;
  #hasStarted = false;
  #checkpointing: Promise<void> | undefined;
  #nextCheckAt = 0;
  #nextWarningAt = 0;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: Options) {
    this.#options = options;
    const { checkpoints, checkpointAtBytes = checkpointAtBytesDefault[checkpoints] } = options;
    this.#checkpointAtBytes = checkpointAtBytes;
    this.#checkpointAtFrames = checkpointAtBytes / frameBytes;
  }

  /**
   * Called after each sync. The file keeps its length when the WAL restarts, since overwriting is faster. So
   * the file's length is only an upper bound of the frames; `NOOP` counts them.
   */
  checkpointIfDue(): void {
    const { folder, walDescriptor, stats } = this.#options;
    const now = performance.now();
    if (now < this.#nextCheckAt || this.#checkpointing !== undefined) return;
    if (this.#retry !== undefined || this.#isClosed) return;
    this.#nextCheckAt = now + checkMilliseconds;
    const { size, nlink } = fstatSync(walDescriptor);
    if (nlink === 0) return this.#options.onWalDeleted();
    const roomBytes = Math.max(checkpointAtBytesMin, (size + freeDiskBytes(folder)) * walPart);
    this.#checkpointAtFrames = Math.min(this.#checkpointAtBytes, roomBytes) / frameBytes;
    const atBytes = this.#checkpointAtFrames * frameBytes;
    if (size >= atBytes * startsAtPart) this.#startWorker();
    if (size < atBytes) stats.walBytes = size;
    else this.#checkpointing = this.#run();
  }

  #startWorker(): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    this.#options.checkpointWorker.run('SELECT 1').catch(() => {}); // a checkpoint tries again
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await this.#checkpointing;
    await this.#options.checkpointWorker.close();
  }

  async #run(): Promise<void> {
    try {
      await this.#checkpointIfLong();
    } catch (error) {
      await this.#onError(error);
    }
    this.#checkpointing = undefined;
  }

  async #checkpointIfLong(): Promise<void> {
    const { commits, readWorker } = this.#options;
    const { frames } = await this.#checkpoint('NOOP');
    if (frames < this.#checkpointAtFrames) {
      this.#hasWarned = false;
      return;
    }
    this.#warnOfReplica();
    await readWorker.pause();
    try {
      if (!(await this.#checkpointWal())) this.#retryLater();
    } finally {
      commits.resumeWrites();
      readWorker.resume();
    }
  }

  /** Warns that the service checkpoints instead of Litestream, since the WAL would fill the disk. */
  #warnOfReplica(): void {
    const { checkpoints, log } = this.#options;
    if (checkpoints === 'own' || this.#hasWarned) return;
    this.#hasWarned = true;
    log(
      'warn',
      'Litestream has not checkpointed the WAL: the service does, and Litestream starts a new generation',
      {
        bytes: Math.round(this.#checkpointAtFrames * frameBytes),
      },
    );
  }

  /**
   * Checkpoints most of the WAL while writes continue, and the rest while they are paused. Returns false if
   * the snapshot of another process keeps part of the WAL in use. (This process's own snapshot keeps only
   * unsynced frames in use: none once writes are paused.)
   */
  async #checkpointWal(): Promise<boolean> {
    const longFrames = longFactor * this.#checkpointAtFrames;
    let frames = 0;
    let grown = Infinity;
    while (grown > tailFramesMax && frames < longFrames) {
      const pass = await this.#checkpoint('PASSIVE');
      grown = pass.frames - frames;
      frames = pass.frames;
    }
    await this.#options.commits.pauseWrites();
    const last = await this.#checkpoint('PASSIVE');
    if (!last.isAll) return false;
    await this.#restartWal();
    return (await this.#checkpoint('NOOP')).frames < last.frames;
  }

  /**
   * Makes the first commit after a complete checkpoint. It overwrites the WAL from its start, and must sync
   * the new header before anything else, or a power cut could revive old frames. The worker makes the commit,
   * so that the event loop doesn't wait for the sync. `externalCommits` would take it for another process's
   * commit and has to ignore it; the worker compares the data version instead.
   */
  async #restartWal(): Promise<void> {
    const { checkpointWorker, externalCommits, stats, endTurn } = this.#options;
    endTurn();
    const [versionBefore] = await checkpointWorker.run('PRAGMA data_version');
    const bytesMax = Math.floor(this.#checkpointAtFrames * frameBytes); // a longer file is truncated
    await checkpointWorker.run(`PRAGMA journal_size_limit = ${bytesMax}`);
    await externalCommits.ignoreDuring(() => checkpointWorker.run(emptyCommitSql));
    const [versionAfter] = await checkpointWorker.run('PRAGMA data_version');
    if (versionAfter?.[0] !== versionBefore?.[0]) externalCommits.assumeChanged();
    stats.checkpoints += 1;
  }

  async #checkpoint(mode: 'NOOP' | 'PASSIVE'): Promise<{ frames: number; isAll: boolean }> {
    const [row] = await this.#options.checkpointWorker.run(`PRAGMA wal_checkpoint(${mode})`);
    const [busy, frames, checkpointed] = row ?? [];
    this.#options.stats.walBytes = Number(frames) * frameBytes;
    return { frames: Number(frames), isAll: busy === 0 && frames === checkpointed };
  }

  #retryLater(): void {
    if (this.#isClosed) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.checkpointIfDue();
    }, retryMilliseconds).unref();
  }

  /**
   * Handles a failed checkpoint. A full disk, a lock, or a lack of descriptors or threads is transient; after
   * any other error, as after a failed sync, the state of the disk is unknown.
   */
  async #onError(error: unknown): Promise<void> {
    const { commits, externalCommits, log } = this.#options;
    const isTransientError = error instanceof ThreadError || isTransient(error);
    if (!isTransientError || performance.now() >= this.#nextWarningAt) {
      this.#nextWarningAt = performance.now() + warningMilliseconds;
      log(isTransientError ? 'warn' : 'error', 'a checkpoint of the WAL failed', { cause: String(error) });
    }
    if (!isTransientError) return commits.fail(error instanceof Error ? error : new Error(String(error)));
    this.#retryLater();
    await commits.synced().catch(() => {}); // before the sync reads may see the old state
    externalCommits.assumeChanged(); // the watcher may have missed a commit
  }
}
