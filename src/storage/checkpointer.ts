// Keeps the write-ahead log short: folds it into the database on a thread, so that the event loop never
// stalls.
import { fstatSync } from 'node:fs';
import { isPassing, emptyCommitSql } from './data-folder.ts';
import type { ForeignWatch } from './foreign-watch.ts';
import type { GroupCommit } from './group-commit.ts';
import { ThreadError, type QueryWorker } from './query-worker.ts';
import type { StorageStats } from './storage-stats.ts';

const frameBytes = 4096 + 24;
const checkpointFrames = (16 * 1024 ** 2) / frameBytes;
/** From here on writes are held back even if much is left to fold in. */
const longFrames = 4 * checkpointFrames;
/** What may have come during the last pass and is left for when writes are held back. */
const tailFramesMax = (2 * 1024 ** 2) / frameBytes;
const lookMilliseconds = 50;
const retryMilliseconds = 250;

type Options = {
  readonly walDescriptor: number;
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

export type Checkpointer = ReturnType<typeof createCheckpointer>;

export function createCheckpointer({
  walDescriptor: logDescriptor,
  worker,
  slowReads,
  commits,
  foreign,
  stats,
  endRead,
  log,
}: Options) {
  let working: Promise<void> | undefined;
  let nextLook = 0;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;

  /**
   * Called after each sync. The file keeps its length when the log starts anew, as writing over it is faster
   * than making it longer.
   */
  function look(): void {
    const now = performance.now();
    if (now < nextLook || working !== undefined || retry !== undefined || isClosed) return;
    nextLook = now + lookMilliseconds;
    const { size, nlink } = fstatSync(logDescriptor);
    if (nlink === 0) return commits.fail(new Error('The WAL was deleted under the running service.'));
    if (size < checkpointFrames * frameBytes) stats.walBytes = size;
    else
      working = measure()
        .catch(failed)
        .finally(() => {
          working = undefined;
        });
  }

  async function close(): Promise<void> {
    isClosed = true;
    clearTimeout(retry);
    await working;
    await worker.close();
  }

  async function measure(): Promise<void> {
    const { frames } = await checkpoint('NOOP');
    if (frames < checkpointFrames) return;
    await slowReads.pause();
    try {
      if (!(await checkpointWal())) later();
    } finally {
      commits.release();
      slowReads.resume();
    }
  }

  /**
   * Most of it while writes go on, the rest while they are held back. False when a reader's snapshot keeps
   * part of the log in use.
   */
  async function checkpointWal(): Promise<boolean> {
    for (let grown = Infinity, before = 0; grown > tailFramesMax && before < longFrames;) {
      const { frames, isAll } = await checkpoint('PASSIVE');
      if (!isAll) return false;
      grown = frames - before;
      before = frames;
    }
    commits.hold();
    const { frames, isAll } = await checkpoint('PASSIVE');
    if (!isAll) return false;
    await startAnew();
    return (await checkpoint('NOOP')).frames < frames;
  }

  /**
   * The first commit after all is folded in writes over the log from its start, and must sync the new header
   * before anything else, lest a power cut revive old frames. The worker makes that commit, so the event loop
   * doesn't wait for the sync. The service would take it for another process's: so it looks away, and the
   * worker looks instead.
   */
  async function startAnew(): Promise<void> {
    endRead();
    const [before] = await worker.query('PRAGMA data_version');
    await foreign.lookAway(() => worker.query(emptyCommitSql));
    const [after] = await worker.query('PRAGMA data_version');
    if (after?.[0] !== before?.[0]) foreign.changed();
    stats.checkpoints += 1;
  }

  async function checkpoint(mode: 'NOOP' | 'PASSIVE'): Promise<{ frames: number; isAll: boolean }> {
    const [row] = await worker.query(`PRAGMA wal_checkpoint(${mode})`);
    const [busy, frames, folded] = row ?? [];
    stats.walBytes = Number(frames) * frameBytes;
    return { frames: Number(frames), isAll: busy === 0 && frames === folded };
  }

  function later(): void {
    if (isClosed) return;
    retry = setTimeout(() => {
      retry = undefined;
      look();
    }, retryMilliseconds).unref();
  }

  /**
   * A full disk, a lock or a want of descriptors passes, and so does that of a thread; after any other error
   * what is on disk is unknown, as after a failed sync.
   */
  function failed(error: unknown): void {
    const passes = error instanceof ThreadError || isPassing(error);
    log(passes ? 'warn' : 'error', 'a checkpoint of the WAL failed', { cause: String(error) });
    foreign.changed(); // it may have looked away
    if (passes) later();
    else commits.fail(error instanceof Error ? error : new Error(String(error)));
  }

  return { look, close };
}
