// Keeps the write-ahead log short: checkpoints it on a thread, so that the event loop never stalls.
import { fstatSync } from 'node:fs';
import { emptyCommitSql } from './database-file.ts';
import { isTransient } from './storage-error.ts';
import type { ForeignWatch } from './foreign-watch.ts';
import type { GroupCommit } from './group-commit.ts';
import { ThreadError, type QueryWorker } from './query-worker.ts';
import type { StorageStats } from './storage-stats.ts';

const frameBytes = 4096 + 24;
const checkpointFrames = (16 * 1024 ** 2) / frameBytes;
/** From this length on, writes are held back even if much is left to checkpoint. */
const longFrames = 4 * checkpointFrames;
/** Frames written during the last pass that may be left for when writes are held back. */
const tailFramesMax = (2 * 1024 ** 2) / frameBytes;
const checkMilliseconds = 50;
const retryMilliseconds = 250;

type Options = {
  readonly walDescriptor: number;
  readonly worker: QueryWorker;
  /** Paused during a checkpoint: their snapshots would keep the WAL in use. */
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
  walDescriptor: walDescriptor,
  worker,
  slowReads,
  commits,
  foreign,
  stats,
  endRead,
  log,
}: Options) {
  let working: Promise<void> | undefined;
  let nextCheckAt = 0;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;

  /**
   * Called after each sync. The file keeps its length when the WAL restarts, as overwriting is faster than
   * extending.
   */
  function check(): void {
    const now = performance.now();
    if (now < nextCheckAt || working !== undefined || retry !== undefined || isClosed) return;
    nextCheckAt = now + checkMilliseconds;
    const { size, nlink } = fstatSync(walDescriptor);
    if (nlink === 0) return commits.fail(new Error('The WAL was deleted under the running service.'));
    if (size < checkpointFrames * frameBytes) stats.walBytes = size;
    else
      working = checkpointIfLong()
        .catch(onError)
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

  async function checkpointIfLong(): Promise<void> {
    const { frames } = await checkpoint('NOOP');
    if (frames < checkpointFrames) return;
    await slowReads.pause();
    try {
      if (!(await checkpointWal())) retryLater();
    } finally {
      commits.release();
      slowReads.resume();
    }
  }

  /**
   * Most of it while writes go on, the rest while they are held back. False when a reader's snapshot keeps
   * part of the WAL in use.
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
    await restartWal();
    return (await checkpoint('NOOP')).frames < frames;
  }

  /**
   * The first commit after a complete checkpoint overwrites the WAL from its start, and must sync the new
   * header before anything else, or a power cut could revive old frames. The worker makes that commit, so the
   * event loop doesn't wait for the sync. The foreign watch would take it for another process's, so it is
   * suspended, and the worker compares the data version instead.
   */
  async function restartWal(): Promise<void> {
    endRead();
    const [versionBefore] = await worker.query('PRAGMA data_version');
    await foreign.ignoreDuring(() => worker.query(emptyCommitSql));
    const [versionAfter] = await worker.query('PRAGMA data_version');
    if (versionAfter?.[0] !== versionBefore?.[0]) foreign.onChange();
    stats.checkpoints += 1;
  }

  async function checkpoint(mode: 'NOOP' | 'PASSIVE'): Promise<{ frames: number; isAll: boolean }> {
    const [row] = await worker.query(`PRAGMA wal_checkpoint(${mode})`);
    const [busy, frames, checkpointed] = row ?? [];
    stats.walBytes = Number(frames) * frameBytes;
    return { frames: Number(frames), isAll: busy === 0 && frames === checkpointed };
  }

  function retryLater(): void {
    if (isClosed) return;
    retry = setTimeout(() => {
      retry = undefined;
      check();
    }, retryMilliseconds).unref();
  }

  /**
   * A full disk, a lock, or a lack of descriptors or threads is transient; after any other error it is
   * unknown what is on disk, as after a failed sync.
   */
  function onError(error: unknown): void {
    const isTransientError = error instanceof ThreadError || isTransient(error);
    log(isTransientError ? 'warn' : 'error', 'a checkpoint of the WAL failed', { cause: String(error) });
    foreign.onChange(); // it may have missed a commit
    if (isTransientError) retryLater();
    else commits.fail(error instanceof Error ? error : new Error(String(error)));
  }

  return { check, close };
}
