// What the storage counts and knows about itself: for /metrics, for readiness, and to decide which writes are
// accepted (transactions.ts).
import { Distribution } from '../base/prometheus.ts';

const syncSecondsBounds = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1,
] as const;

export type StorageStats = ReturnType<typeof newStats>;

export function newStats() {
  return {
    /** Committed transactions, and the writes in them. */
    commits: 0,
    writes: 0,
    syncSeconds: new Distribution(syncSecondsBounds),
    walBytes: 0,
    /** Accepted writes that are not settled yet. */
    waitingWrites: 0,
    checkpoints: 0,
    /** Writes rejected with `unavailable`. */
    rejections: 0,
    /** False after a write that the storage failed, until a page could be written again. */
    canWrite: true,
  };
}
