// Keeps the write-ahead log short: folds it into the database on a thread, so that the event loop never stalls.
import { fstatSync } from 'node:fs';
import { sqliteCode, touch } from './data-folder.ts';
import type { ForeignWatch } from './foreign-watch.ts';
import type { GroupCommit } from './group-commit.ts';
import type { QueryWorker } from './query-worker.ts';
import type { StorageStats } from './storage-stats.ts';

const frameBytes = 4096 + 24;
const foldFrames = 16 * 1024 ** 2 / frameBytes;
/** From here on writes are held back even if much is left to fold in. */
const longFrames = 4 * foldFrames;
/** What may have come during the last pass and is left for when writes are held back. */
const tailFramesMax = 2 * 1024 ** 2 / frameBytes;
const lookMilliseconds = 50;
const retryMilliseconds = 250;

export type LogKeeperOptions = {
  readonly logDescriptor: number;
  readonly worker: QueryWorker;
  /** Paused while folding: their snapshots would keep the log in use. */
  readonly slowReads: QueryWorker;
  readonly commits: GroupCommit;
  readonly foreign: ForeignWatch;
  readonly stats: StorageStats;
  /** Ends this turn's snapshot. */
  endRead(): void;
  log(level: 'warn' | 'error', message: string, fields: object): void;
};

export class LogKeeper {
  readonly #options: LogKeeperOptions;
  #working: Promise<void> | undefined;
  #nextLook = 0;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: LogKeeperOptions) {
    this.#options = options;
  }

  /** Called after each sync. The file keeps its length when the log starts anew, as writing over it is faster than making it longer. */
  look(): void {
    const now = performance.now();
    if (now < this.#nextLook || this.#working !== undefined || this.#retry !== undefined || this.#closed) return;
    this.#nextLook = now + lookMilliseconds;
    const { size, nlink } = fstatSync(this.#options.logDescriptor);
    if (nlink === 0) return this.#options.commits.fail(new Error('The log was deleted under the running service.'));
    if (size < foldFrames * frameBytes) this.#options.stats.logBytes = size;
    else this.#working = this.#measure().catch((error: unknown) => this.#failed(error)).finally(() => { this.#working = undefined; });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    await this.#working;
    await this.#options.worker.close();
  }

  async #measure(): Promise<void> {
    const { frames } = await this.#checkpoint('NOOP');
    if (frames < foldFrames) return;
    const { slowReads, commits } = this.#options;
    await slowReads.pause();
    try {
      if (!(await this.#fold())) this.#later();
    } finally {
      commits.release();
      slowReads.resume();
    }
  }

  /** Most of it while writes go on, the rest while they are held back. False when a reader's snapshot keeps part of the log in use. */
  async #fold(): Promise<boolean> {
    for (let grown = Infinity, before = 0; grown > tailFramesMax && before < longFrames;) {
      const { frames, isAll } = await this.#checkpoint('PASSIVE');
      if (!isAll) return false;
      grown = frames - before;
      before = frames;
    }
    this.#options.commits.hold();
    const { frames, isAll } = await this.#checkpoint('PASSIVE');
    if (!isAll) return false;
    await this.#startAnew();
    return (await this.#checkpoint('NOOP')).frames < frames;
  }

  /**
   * The first commit after all is folded in writes over the log from its start, and must sync the new header before
   * anything else, lest a power cut revive old frames. The worker makes that commit, so the event loop doesn't wait for
   * the sync. The service would take it for another process's: so it looks away, and the worker looks instead.
   */
  async #startAnew(): Promise<void> {
    const { worker, foreign, stats, endRead } = this.#options;
    endRead();
    const [before] = await worker.query('PRAGMA data_version');
    foreign.pause();
    try {
      await worker.query(touch);
    } finally {
      foreign.resume();
    }
    const [after] = await worker.query('PRAGMA data_version');
    if (after?.[0] !== before?.[0]) foreign.changed();
    stats.checkpoints += 1;
  }

  async #checkpoint(mode: 'NOOP' | 'PASSIVE'): Promise<{ frames: number; isAll: boolean }> {
    const [row] = await this.#options.worker.query(`PRAGMA wal_checkpoint(${mode})`);
    const [busy, frames, folded] = row ?? [];
    this.#options.stats.logBytes = Number(frames) * frameBytes;
    return { frames: Number(frames), isAll: busy === 0 && frames === folded };
  }

  #later(): void {
    if (this.#closed) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.look();
    }, retryMilliseconds).unref();
  }

  /** A full disk or a lock passes; after any other error what is on disk is unknown, as after a failed sync. */
  #failed(error: unknown): void {
    const passes = [5, 6, 7, 13].includes(sqliteCode(error));
    this.#options.log(passes ? 'warn' : 'error', "the log couldn't be folded into the database", { cause: String(error) });
    this.#options.foreign.changed(); // it may have looked away
    if (passes) this.#later();
    else this.#options.commits.fail(error instanceof Error ? error : new Error(String(error)));
  }
}
