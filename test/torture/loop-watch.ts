// Preloaded into a service (`node --import`): notes how late timers come, and when the log was begun anew.
// Writes it down at the end.
import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';

/** Milliseconds since 1970; of `delays`, how much later than a timer of 1 ms should. */
export type Watched = {
  readonly delays: readonly (readonly [at: number, milliseconds: number])[];
  readonly begunAnew: readonly number[];
};

const { LOOP_WATCH_LOG: log, LOOP_WATCH_OUT: out } = process.env;
if (log !== undefined && out !== undefined) watch(log, out);

function watch(logFile: string, outFile: string): void {
  const delays: [number, number][] = [];
  const begunAnew: number[] = [];
  let last = performance.now();
  let salt = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    delays.push([performance.timeOrigin + now, Math.max(0, now - last - 1)]);
    if (delays.length % 10 === 0 && salt !== (salt = saltOf(logFile)))
      begunAnew.push(performance.timeOrigin + now);
    last = performance.now();
  }, 1);
  timer.unref();
  process.on('exit', () => writeFileSync(outFile, JSON.stringify({ delays, begunAnew } satisfies Watched)));
}

/** The first salt in the log's header changes each time. */
function saltOf(file: string): number {
  try {
    const header = Buffer.alloc(32);
    const descriptor = openSync(file, 'r');
    readSync(descriptor, header, 0, 32, 0);
    closeSync(descriptor);
    return header.readUInt32BE(16);
  } catch {
    return 0;
  }
}
