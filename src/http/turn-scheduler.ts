// Work on requests in slices: what arrives together may not keep the event loop from others.
import { performance } from 'node:perf_hooks';
import { turnMillisecondsMax } from '../limits.ts';
import { FairQueue } from '../fair-queue.ts';

export type Work = () => void;

/** A time that has passed. */
const past = 1;

/**
 * Runs work, as much in each turn of the event loop as fits into `turnMillisecondsMax`, and what has to wait
 * in the order of `FairQueue`.
 */
export class TurnScheduler<Source> {
  readonly #clientOf: (source: Source) => string;
  readonly #waiting = new FairQueue<Work>();
  #isScheduled = false;
  /** When this turn's time is used up; 0 before its first work. */
  #turnEnd = 0;
  #isAccepting = false;

  /** `clientOf` is called for work that has to wait. */
  constructor(clientOf: (source: Source) => string) {
    this.#clientOf = clientOf;
  }

  /** At once, while this turn has time left and nothing waits; else in a later turn. */
  run(source: Source, work: Work): void {
    if (this.#waiting.size === 0 && this.#hasTime()) return work();
    this.#waiting.add(this.#clientOf(source), work);
    this.#schedule();
  }

  /** In a later turn, as what follows earlier work of that client. */
  addFollowing(source: Source, work: Work): void {
    this.#waiting.addFollowing(this.#clientOf(source), work);
    this.#schedule();
  }

  /**
   * A connection was accepted: this turn runs one more piece of work only. Node accepts one connection a
   * turn, and those behind it would each wait for a whole slice.
   */
  yieldToConnections(): void {
    this.#isAccepting = true;
    this.#turnEnd = past;
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
    const milliseconds = this.#isAccepting ? 0 : turnMillisecondsMax;
    this.#isAccepting = false;
    const end = performance.now() + milliseconds;
    do this.#waiting.take()?.();
    while (this.#waiting.size > 0 && performance.now() < end);
    if (this.#waiting.size > 0) this.#schedule();
  }
}
