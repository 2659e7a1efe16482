// Keeps the write-ahead log (WAL) short. At a certain length, a thread copies it into the database while writes go on
// (PASSIVE), then copies the rest and begins the WAL anew (RESTART). The event loop never waits for copying.
import { fstatSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { freeDiskBytes } from '../base/capacity.ts';
import { ThreadError } from '../base/thread.ts';
import { emptyCommitSql } from './database-file.ts';
import type { SqlWorker } from './sql-worker.ts';
import { isTransient } from './storage-error.ts';
import type { StorageStats } from './storage-stats.ts';
import type { Transactions } from './transactions.ts';

/**
 * Litestream copies the WAL frame by frame and does its own checkpoints; if the WAL restarts in between, it
 * has to begin a new generation with a snapshot of the whole database.
 */
export type CheckpointsBy = 'own' | 'litestream';

const frameBytes = 4096 + 24;
/**
 * The length at which the WAL is checkpointed, and from then on overwritten. While the file still grows, a sync waits
 * for two flushes of the disk (of its content, and of the file system's journal), and afterwards for one. A checkpoint
 * copies a page once for any number of changes, so a longer WAL means fewer copies.
 */
const checkpointAtBytes: Readonly<Record<CheckpointsBy, number>> = {
  own: 8 * 1024 ** 2,
  litestream: 256 * 1024 ** 2,
};
/** With little free space the WAL is checkpointed earlier, but never below this length. */
const checkpointAtBytesMin = 512 * 1024;
/**
 * The part that the WAL may have of the room that it and the free space have together: a checkpoint needs
 * room for its pages in the database.
 */
const walPart = 1 / 3;
/** Writes wait during RESTART, so it has to copy at most this many frames. */
const restFramesMax = (2 * 1024 ** 2) / frameBytes;
/** The length of the WAL is read this long after a sync, once the writes were answered. */
const inspectMilliseconds = 50;
/** While a long query or another process reads the WAL, writes wait for a tenth of this time at most. */
const retryMilliseconds = 1_000;

/** Otherwise the WAL would fill the disk. */
const litestreamWarning =
  'Litestream has not checkpointed the WAL: the service does, and Litestream starts a new generation';
const failure = 'a checkpoint of the WAL failed';

type CheckpointerOptions = {
  readonly folder: string;
  /** The writing connection. */
  readonly sqlite: DatabaseSync;
  readonly walDescriptor: number;
  readonly worker: SqlWorker;
  readonly transactions: Pick<Transactions, 'whileWritesPaused' | 'fail'>;
  readonly stats: StorageStats;
  readonly checkpoints: CheckpointsBy;
  log(level: 'warn' | 'error', message: string, fields: object): void;
};

export class Checkpointer {
  readonly #options: CheckpointerOptions;
  /** The timer of the next inspection, until that has ended. */
  #next: NodeJS.Timeout | undefined;
  #inspecting: Promise<void> | undefined;
  #isClosed = false;
  #emptiesSoon = false;
  /** The warnings since the WAL was short, each logged once: on a full disk every retry fails. */
  readonly #warnings = new Set<string>();

  constructor(options: CheckpointerOptions) {
    this.#options = options;
  }

  /** Called after each sync. */
  inspectSoon(milliseconds = inspectMilliseconds): void {
    if (this.#isClosed) return;
    this.#next ??= setTimeout(() => (this.#inspecting = this.#inspect()), milliseconds).unref();
  }

  /**
   * Checkpoints the WAL at any length, and truncates it, so that no erased data stay in it. Litestream's
   * WAL is left alone.
   */
  emptySoon(): void {
    this.#emptiesSoon = this.#options.checkpoints === 'own';
    this.inspectSoon();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#next);
    await this.#inspecting;
    await this.#options.worker.close();
  }

  async #inspect(): Promise<void> {
    let isDone: boolean | undefined;
    try {
      const atBytes = this.#dueAtBytes();
      if (atBytes !== undefined) isDone = await this.#checkpoint(atBytes);
    } catch (error) {
      this.#onError(error);
      isDone = false;
    }
    this.#next = undefined;
    if (isDone !== undefined) this.inspectSoon(isDone ? inspectMilliseconds : retryMilliseconds);
  }

  /** Returns the length that the WAL has passed, if it is to be checkpointed. */
  #dueAtBytes(): number | undefined {
    const { folder, walDescriptor, sqlite, stats, checkpoints } = this.#options;
    const { size, nlink } = fstatSync(walDescriptor);
    if (nlink === 0) return undefined; // the WAL was deleted: `replaced-files.ts` saves the changes
    const [, frames] = Object.values(sqlite.prepare('PRAGMA wal_checkpoint(NOOP)').get() ?? {});
    stats.walBytes = Number(frames) * frameBytes;
    const roomBytes = Math.max(checkpointAtBytesMin, (size + freeDiskBytes(folder)) * walPart);
    const atBytes = this.#emptiesSoon ? 0 : Math.floor(Math.min(checkpointAtBytes[checkpoints], roomBytes));
    if (stats.walBytes >= atBytes) return atBytes;
    this.#warnings.clear();
    return undefined;
  }

  /** Returns false if a reader keeps part of the WAL in use, or if it is written faster than copied. */
  async #checkpoint(atBytes: number): Promise<boolean> {
    const { worker, transactions, stats, checkpoints } = this.#options;
    if (checkpoints === 'litestream') this.#warnOnce(litestreamWarning, { bytes: atBytes });
    let restFrames = Infinity;
    while (restFrames > restFramesMax) {
      const before = restFrames;
      ({ restFrames } = await this.#copy('PASSIVE')); // meanwhile writes add frames
      if (restFrames >= before) return false;
    }
    return transactions.whileWritesPaused(async () => {
      if ((await this.#copy('RESTART')).isBusy) return false;
      await worker.run(`PRAGMA journal_size_limit = ${atBytes}`); // a longer file is truncated
      // the first commit after RESTART syncs the WAL's new header, so that a power cut revives no old frames
      await worker.run(emptyCommitSql);
      stats.checkpoints += 1;
      if (atBytes === 0) this.#emptiesSoon = false;
      return true;
    });
  }

  async #copy(mode: 'PASSIVE' | 'RESTART'): Promise<{ isBusy: boolean; restFrames: number }> {
    const [row = []] = await this.#options.worker.run(`PRAGMA wal_checkpoint(${mode})`);
    const [busy, frames, copied] = row;
    return { isBusy: busy !== 0, restFrames: Number(frames) - Number(copied) };
  }

  #warnOnce(message: string, fields: object): void {
    if (!this.#warnings.has(message)) this.#options.log('warn', message, fields);
    this.#warnings.add(message);
  }

  /**
   * Handles a failed checkpoint. A full disk, a lock, or a lack of descriptors or threads is transient; after
   * any other error, as after a failed sync, the state of the disk is unknown.
   */
  #onError(error: unknown): void {
    const { transactions, log } = this.#options;
    const fields = { cause: String(error) };
    if (error instanceof ThreadError || isTransient(error)) return this.#warnOnce(failure, fields);
    log('error', failure, fields);
    transactions.fail(error instanceof Error ? error : new Error(String(error)));
  }
}
