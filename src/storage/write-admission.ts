// Decides whether a write is accepted.
import type { StorageStats } from './storage-stats.ts';

const waitingWritesMax = 10_000;
const walBytesMax = 1024 ** 3;

export type AdmissionState = 'open' | 'closing' | 'failed';

export const closedReasons = {
  open: undefined,
  closing: 'The service is stopping.',
  failed: 'The storage failed; the service is stopping.',
} as const;

/** Reported when a write fails since the disk is full. */
export const fullReason =
  'The disk is full: nothing can be saved until there is space on it. Then the service continues by itself.';

/** Reported when the storage fails a write, or rolls back its whole group. */
export const unwritableReason = 'Writes are temporarily unavailable.';

/** Returns why an open database accepts no write now; undefined if it accepts writes. */
export function overloadReason(stats: StorageStats): string | undefined {
  if (stats.waitingWrites >= waitingWritesMax) return 'Too many changes are waiting for the disk.';
  if (stats.walBytes >= walBytesMax) return 'The write-ahead log is full until it can be checkpointed.';
  return undefined;
}
