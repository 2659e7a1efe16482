// Changes many rows in a series of short writes, with other writes in between. The first write of such a change
// has the whole effect that clients can see; the others clean up, even after a restart.
import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';

// A write changes at most `sliceRowsMax` rows, and looks at the clock after every `sliceStepRowsMax` rows,
// since each row may take several reads from a slow disk. The pause after a write is at least as long as the
// write.
export const sliceRowsMax = 1_000;
export const sliceStepRowsMax = 10;
export const sliceMillisecondsMax = 4;
const slicePauseMillisecondsMin = 5;

/** Changes up to `rowsMax` rows and returns how many it changed; 0 if nothing is left to do. */
export type Step = (db: Connection, rowsMax: number) => number;

/**
 * Writes until no step changes anything, or until `shouldStop` returns true and leaves the rest to the next
 * start. Makes at least one write.
 */
export async function inSlices(
  database: Pick<Database, 'write'>,
  steps: readonly Step[],
  shouldStop: () => boolean,
): Promise<void> {
  for (;;) {
    let start = 0;
    const isDone = await database.write((writer) => {
      start = performance.now();
      return !slice(writer, steps);
    });
    if (isDone || shouldStop()) return;
    const taken = performance.now() - start; // includes commit and sync, for which other writes wait, too
    await pause(Math.max(taken, slicePauseMillisecondsMin));
  }
}

/** Makes one write, bounded in rows and in time; returns false if nothing is left to do. */
function slice(db: Connection, steps: readonly Step[]): boolean {
  const until = performance.now() + sliceMillisecondsMax;
  let rows = 0;
  for (const step of steps) {
    let changed: number;
    do {
      if (rows >= sliceRowsMax || (rows > 0 && performance.now() >= until)) return true;
      changed = step(db, sliceStepRowsMax);
      rows += changed;
    } while (changed > 0);
  }
  return rows > 0;
}
