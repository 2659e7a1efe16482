// Work on requests in slices: what arrives together may not keep the event loop from others.
import { performance } from 'node:perf_hooks';
import { turnMillisecondsMax } from '../limits.ts';
import { FairQueue } from '../fair-queue.ts';

export type Work = () => void;

/** A turn is overrun once what arrives in it has taken so long. */
const arrivalMillisecondsMax = 2 * turnMillisecondsMax;
/** The clock is read once for so many arrivals, of a few microseconds each. */
const arrivalsPerLook = 64;

/**
 * Runs work, as much in each turn of the event loop as fits into `turnMillisecondsMax`, and what has to wait
 * in the order of `FairQueue`.
 */
export class TurnScheduler<Source> {
  readonly #clientOf: (source: Source) => string;
  readonly #onOverrun: () => void;
  readonly #waiting = new FairQueue<Work>();
  #isScheduled = false;
  /** When this turn's first work came; 0 before it. */
  #turnStart = 0;
  #isAccepting = false;
  #isOverrun = false;
  #arrivals = 0;

  /**
   * `clientOf` is called for work that has to wait; `onOverrun` once in a turn in which what arrives takes
   * too long.
   */
  constructor(clientOf: (source: Source) => string, onOverrun = (): void => {}) {
    this.#clientOf = clientOf;
    this.#onOverrun = onOverrun;
  }

  /** At once, while this turn has time left and nothing waits; else in a later turn. */
  run(source: Source, work: Work): void {
    if (this.#hasTime() && this.#waiting.size === 0) return work();
    this.#waiting.add(this.#clientOf(source), work);
    this.#schedule();
  }

  /** In a later turn, as what follows earlier work of that client. */
  addFollowing(source: Source, work: Work): void {
    this.#waiting.addFollowing(this.#clientOf(source), work);
    this.#schedule();
  }

  /** What arrived and is not run at once takes time as well: pieces of bodies, pipelined requests. */
  noteArrival(): void {
    this.#arrivals += 1;
    if (this.#arrivals % arrivalsPerLook === 0) this.#hasTime();
  }

  /**
   * A connection was accepted: this turn runs one more piece of work only. Node accepts one connection a
   * turn, and those behind it would each wait for a whole slice.
   */
  yieldToConnections(): void {
    this.#isAccepting = true;
    this.#schedule();
  }

  #hasTime(): boolean {
    const now = performance.now();
    if (this.#turnStart === 0) {
      this.#turnStart = now;
      this.#schedule();
    }
    const milliseconds = now - this.#turnStart;
    if (milliseconds > arrivalMillisecondsMax && !this.#isOverrun) {
      this.#isOverrun = true;
      this.#onOverrun();
    }
    return milliseconds < turnMillisecondsMax && !this.#isAccepting;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#runSlice());
  }

  #runSlice(): void {
    const milliseconds = this.#isAccepting ? 0 : turnMillisecondsMax;
    this.#isScheduled = false;
    this.#turnStart = 0;
    this.#isAccepting = false;
    this.#isOverrun = false;
    const end = performance.now() + milliseconds;
    do this.#waiting.take()?.();
    while (this.#waiting.size > 0 && performance.now() < end);
    if (this.#waiting.size > 0) this.#schedule();
  }
}
