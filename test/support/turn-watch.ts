// The duration of the event loop's turns during a part of a test.
import assert from 'node:assert/strict';
import {
  constants,
  PerformanceObserver,
  type PerformanceEntry,
  type PerformanceNodeEntry,
} from 'node:perf_hooks';

/** No turn may take 50 ms; beside other tests a processor was measured to need twice the time for the same. */
const turnMillisecondsMax = 2 * 50;
/** While one client does its worst, others are answered within this time. */
export const floodMillisecondsMax = 1_000;

/**
 * The longest turn of this thread's event loop, in CPU time, since elapsed time depends on other processes. Full
 * collections of garbage don't count: here they take 50 to 180 ms, since the tests of other files share the heap.
 */
export class TurnWatch {
  readonly #turns: { readonly from: number; readonly to: number; readonly milliseconds: number }[] = [];
  readonly #collections: PerformanceEntry[] = [];
  readonly #observer = new PerformanceObserver((list) => this.#collections.push(...list.getEntries()));
  #isOver = false;

  constructor() {
    this.#observer.observe({ type: 'gc' });
    this.#watch(performance.now(), cpuMilliseconds());
  }

  #watch(from: number, before: number): void {
    setImmediate(() => {
      const [to, now] = [performance.now(), cpuMilliseconds()];
      this.#turns.push({ from, to, milliseconds: now - before });
      if (!this.#isOver) this.#watch(to, now);
    }).unref();
  }

  end(): number {
    this.#isOver = true;
    this.#collections.push(...this.#observer.takeRecords());
    this.#observer.disconnect();
    const full = this.#collections.filter(isFullCollection);
    const own = this.#turns.map(({ from, to, milliseconds }) => {
      const within = full.filter(({ startTime }) => startTime >= from && startTime < to);
      return milliseconds - within.reduce((sum, { duration }) => sum + duration, 0);
    });
    return Math.max(0, ...own);
  }
}

function isFullCollection(entry: PerformanceEntry): boolean {
  // every entry of type gc is one
  return (entry as PerformanceNodeEntry).detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}

function cpuMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

export function assertShort(watch: TurnWatch, milliseconds = turnMillisecondsMax): void {
  const longest = watch.end();

  assert(longest <= milliseconds, `a turn took ${longest.toFixed(1)} ms on the processor`);
}
