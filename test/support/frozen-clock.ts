// A clock that stands still until a test moves it, and timers that follow it.
import type { Timers } from '../../src/base/timers.ts';

type Timer = { readonly at: number; readonly milliseconds: number; readonly callback: () => void };
type Wait = {
  readonly min: number;
  readonly max: number;
  readonly found: (milliseconds: number) => void;
};

export class FrozenClock implements Timers {
  now: number;
  readonly #timers = new Set<Timer>();
  readonly #waits = new Set<Wait>();

  constructor(now: number) {
    this.now = now;
  }

  /** Moves the clock forward, and runs the timers that become due, in the order of their times. */
  advance(milliseconds: number): void {
    const end = this.now + milliseconds;
    for (let next = this.#nextUntil(end); next !== undefined; next = this.#nextUntil(end)) {
      this.#timers.delete(next);
      this.now = Math.max(this.now, next.at);
      next.callback();
    }
    this.now = end;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.now + milliseconds, milliseconds, callback };
    this.#timers.add(timer);
    for (const wait of this.#waits) {
      if (milliseconds < wait.min || milliseconds > wait.max) continue;
      this.#waits.delete(wait);
      wait.found(milliseconds);
    }
    return () => this.#timers.delete(timer);
  }

  /** Whether a timer with this delay is running. */
  hasTimer(milliseconds: number): boolean {
    return [...this.#timers].some((timer) => timer.milliseconds === milliseconds);
  }

  /** Resolves with the delay of a running timer within these bounds, or of the next one that starts. */
  timer(min: number, max = min): Promise<number> {
    const running = [...this.#timers].find(({ milliseconds }) => milliseconds >= min && milliseconds <= max);
    if (running !== undefined) return Promise.resolve(running.milliseconds);
    return new Promise((found) => this.#waits.add({ min, max, found }));
  }

  #nextUntil(end: number): Timer | undefined {
    const due = [...this.#timers].filter(({ at }) => at <= end);
    return due.sort((a, b) => a.at - b.at)[0];
  }
}
