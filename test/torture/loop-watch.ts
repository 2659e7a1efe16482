// Preloaded into a service (`node --import`): records how late timers fire and when the WAL was reset, and
// writes both to a file at the end.
import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';

/** Times are milliseconds since 1970; `delays` has how late each timer of 1 ms was. */
export type Watched = {
  readonly delays: readonly (readonly [at: number, milliseconds: number])[];
  readonly walResets: readonly number[];
};

const { LOOP_WATCH_WAL: wal, LOOP_WATCH_OUT: out } = process.env;
if (wal !== undefined && out !== undefined) watch(wal, out);

function watch(walFile: string, outFile: string): void {
  const delays: [number, number][] = [];
  const walResets: number[] = [];
  let last = performance.now();
  let salt = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    delays.push([performance.timeOrigin + now, Math.max(0, now - last - 1)]);
    if (delays.length % 10 === 0 && salt !== (salt = saltOf(walFile)))
      walResets.push(performance.timeOrigin + now);
    last = performance.now();
  }, 1);
  timer.unref();
  process.on('exit', () =>
    writeFileSync(outFile, JSON.stringify({ delays, walResets: walResets } satisfies Watched)),
  );
}

/** The first salt in the WAL's header, which each reset changes. */
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
