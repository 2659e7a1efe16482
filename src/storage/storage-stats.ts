// What the storage counts about itself, as plain numbers for /metrics.

export const syncSecondsBounds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1] as const;

export type StorageStats = {
  /** Transactions and the writes in them that are committed. */
  commits: number;
  writes: number;
  syncs: number;
  syncSecondsSum: number;
  /** How many syncs took up to each of `syncSecondsBounds`; the last entry counts the longer ones. Not cumulative. */
  readonly syncSecondsCounts: number[];
  logBytes: number;
  /** Writes that were taken and not answered yet. */
  waitingWrites: number;
  checkpoints: number;
  /** Writes answered with `unavailable`. */
  refusals: number;
  /** Whether the last write could be committed, as far as the storage is concerned. */
  canWrite: boolean;
};

export function newStats(): StorageStats {
  return {
    commits: 0, writes: 0, syncs: 0, syncSecondsSum: 0, syncSecondsCounts: Array<number>(syncSecondsBounds.length + 1).fill(0),
    logBytes: 0, waitingWrites: 0, checkpoints: 0, refusals: 0, canWrite: true,
  };
}

export function countSync(stats: StorageStats, seconds: number): void {
  const index = syncSecondsBounds.findIndex((bound) => seconds <= bound);
  const slot = index === -1 ? syncSecondsBounds.length : index;
  stats.syncs += 1;
  stats.syncSecondsSum += seconds;
  stats.syncSecondsCounts[slot] = (stats.syncSecondsCounts[slot] ?? 0) + 1;
}
