// Work on requests in slices: what arrives together may not keep the event loop from others.
import { performance } from 'node:perf_hooks';
import { turnMillisecondsMax } from '../limits.ts';

export type Work = () => void;

/** Runs work in order, as much in each turn of the event loop as fits into `turnMillisecondsMax`. */
export class TurnScheduler {
  readonly #queue: Work[] = [];
  #isScheduled = false;
  /** When this turn's time is used up; 0 before its first work. */
  #turnEnd = 0;

  /** At once, while this turn has time left and nothing waits; else in a later turn. */
  run(work: Work): void {
    if (this.#queue.length === 0 && this.#hasTime()) return work();
    this.add(work);
  }

  /** In a later turn. */
  add(work: Work): void {
    this.#queue.push(work);
    this.#schedule();
  }

  #hasTime(): boolean {
    const now = performance.now();
    if (this.#turnEnd === 0) {
      this.#turnEnd = now + turnMillisecondsMax;
      this.#schedule();
    }
    return now < this.#turnEnd;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#runSlice());
  }

  #runSlice(): void {
    this.#isScheduled = false;
    this.#turnEnd = 0;
    const end = performance.now() + turnMillisecondsMax;
    while (this.#queue.length > 0 && performance.now() < end) this.#queue.shift()?.();
    if (this.#queue.length > 0) this.#schedule();
  }
}
