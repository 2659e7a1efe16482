// Runs requests in slices of a turn of the event loop, so that many that arrive together don't block others.
import { performance } from 'node:perf_hooks';
import { FairQueue } from '../base/fair-queue.ts';

/** The time for which requests that arrived together run in one turn of the event loop. */
export const turnMillisecondsMax = 5;

export type Task = () => void;

/** A turn is overrun once its arrivals have taken this long. */
const arrivalMillisecondsMax = 2 * turnMillisecondsMax;

/**
 * Runs tasks: in each turn of the event loop as many as fit into `turnMillisecondsMax`, the others in later
 * turns, in the order of `FairQueue`.
 */
export class TurnScheduler<Source> {
  readonly #bucketOf: (source: Source) => string;
  readonly #onOverrun: () => void;
  readonly #waiting = new FairQueue<Task>();
  #isScheduled = false;
  /** When this turn's first task arrived; 0 before that. */
  #turnStart = 0;
  #isAccepting = false;
  #isOverrun = false;

  /** `bucketOf` is called for tasks that have to wait, `onOverrun` once in a turn that is overrun. */
  constructor(bucketOf: (source: Source) => string, onOverrun = (): void => {}) {
    this.#bucketOf = bucketOf;
    this.#onOverrun = onOverrun;
  }

  /** Runs the task immediately if this turn has time left and nothing waits; otherwise in a later turn. */
  run(source: Source, task: Task): void {
    if (this.#hasTime() && this.#waiting.size === 0) return task();
    this.#waiting.urgent.add(this.#bucketOf(source), task);
    this.#schedule();
  }

  /** Runs the task in a later turn, as a continuation of earlier tasks of its client. */
  addFollowing(source: Source, task: Task): void {
    this.#waiting.others.add(this.#bucketOf(source), task);
    this.#schedule();
  }

  /**
   * Called for work that takes time without a task: a read, a piece of a body, a waiting request, a
   * rejection. Each is measured: before a read of one byte TLS may have processed dozens of records that
   * carry nothing.
   */
  noteArrival(): void {
    this.#measureTurn();
  }

  /**
   * Called when a connection is accepted: this turn then runs only one more task. Node accepts one connection
   * in a turn, and each of those behind it would wait for a whole slice.
   */
  yieldToConnections(): void {
    this.#isAccepting = true;
    this.#schedule();
  }

  #hasTime(): boolean {
    return this.#measureTurn() < turnMillisecondsMax && !this.#isAccepting;
  }

  /** Returns the milliseconds since this turn's first task arrived; reports a turn that is overrun, once. */
  #measureTurn(): number {
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
    return milliseconds;
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
    this.#runUntil(performance.now() + milliseconds);
  }

  /** Each task has a tick of its own, so that what it leaves to the next tick counts: a TLS handshake. */
  #runUntil(end: number): void {
    this.#waiting.take()?.();
    if (this.#waiting.size === 0) return;
    process.nextTick(() => {
      if (performance.now() < end) this.#runUntil(end);
      else this.#schedule();
    });
  }
}
