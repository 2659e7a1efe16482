// The duration of the event loop's turns during a part of a test.
import assert from 'node:assert/strict';

/** No turn may take 50 ms; beside other tests a processor was measured to need twice the time for the same. */
const turnMillisecondsMax = 2 * 50;
/** While one client does its worst, others are answered within this time. */
export const floodMillisecondsMax = 1_000;

/**
 * The longest turn of this thread's event loop, in CPU time, since elapsed time depends on other processes.
 */
export class TurnWatch {
  #longest = 0;
  #isOver = false;

  constructor() {
    this.#watch(cpuMilliseconds());
  }

  #watch(before: number): void {
    setImmediate(() => {
      const now = cpuMilliseconds();
      this.#longest = Math.max(this.#longest, now - before);
      if (!this.#isOver) this.#watch(now);
    }).unref();
  }

  end(): number {
    this.#isOver = true;
    return this.#longest;
  }
}

function cpuMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

export function assertShort(watch: TurnWatch, milliseconds = turnMillisecondsMax): void {
  const longest = watch.end();

  assert(longest <= milliseconds, `a turn took ${longest.toFixed(1)} ms on the processor`);
}
