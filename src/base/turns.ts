// Shares the event loop among all that happens in the service, so that nothing holds it for long.
//
// Node waits for events, runs the callbacks of all events that have come, and waits again. This is one *turn*
// of the event loop; whatever arrives during a turn waits for its end. At that end tasks run, for
// `turnMillisecondsMax` at most. A *task* runs as a whole, in a millisecond or less. A task that finds
// no time waits for a later turn in the order of `FairQueue`: clients take turns, tasks that begin or resume
// something (`run`) are urgent, and tasks that follow others of their client (`runLater`) are not.
//
// No task runs where its request was read, even if nothing waits: if all that has arrived is parsed first and then
// handled, most requests take up to a third less time (see `docs/performance.md`).
//
// Longer work is a generator that yields after each *step*; `runSteps` makes each step a task.
//
// Node also reads and parses what arrives, outside of tasks. `noteArrival` measures the time for this; if it
// takes far too long, the turn is *overrun*, and `onOverrun` may stop the reading.
import { performance } from 'node:perf_hooks';
import { FairQueue } from './fair-queue.ts';

/** The time for which tasks run in one turn of the event loop. */
export const turnMillisecondsMax = 5;
/** The time after which work that measures itself ends a step. */
export const stepMillisecondsMax = 2;

export type Task = () => void;

/** A turn is overrun once its arrivals have taken this long. */
const arrivalMillisecondsMax = 2 * turnMillisecondsMax;

export class Turns {
  /** Called once in a turn that is overrun. */
  onOverrun = (): void => {};
  readonly #waiting = new FairQueue<Task>();
  #isScheduled = false;
  /** When the first arrival of this turn came; 0 before that. */
  #turnStart = 0;
  #isAccepting = false;
  #isOverrun = false;

  /** Runs the task at the end of this turn, or in a later one. */
  run(client: string, task: Task): void {
    this.#waiting.urgent.add(client, task);
    this.noteArrival();
  }

  /** Runs the task as `run` does, as a continuation of earlier tasks of its client. */
  runLater(client: string, task: Task): void {
    this.#waiting.others.add(client, task);
    this.#schedule();
  }

  /** Runs the steps in later turns, and resolves with the iterator's result. */
  runSteps<T>(client: string, steps: Iterator<void, T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const step = (): void => {
      try {
        const { done, value } = steps.next();
        if (done === true) resolve(value);
        else this.runLater(client, step);
      } catch (error) {
        reject(error);
      }
    };
    this.runLater(client, step);
    return promise;
  }

  /**
   * Called for work outside of tasks: a read, a piece of a body, a waiting request, a rejection. Every one is
   * measured, since TLS may process dozens of empty records before a read of one byte. Reports a turn that is
   * overrun, once.
   */
  noteArrival(): void {
    const now = performance.now();
    if (this.#turnStart === 0) this.#turnStart = now;
    this.#schedule();
    if (now - this.#turnStart <= arrivalMillisecondsMax || this.#isOverrun) return;
    this.#isOverrun = true;
    this.onOverrun();
  }

  /**
   * Called when a connection is accepted: this turn then runs only one more task. Node accepts one connection
   * in each turn, and every connection behind it would wait for a whole turn of tasks.
   */
  yieldToConnections(): void {
    this.#isAccepting = true;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#runTurn());
  }

  #runTurn(): void {
    const milliseconds = this.#isAccepting ? 0 : turnMillisecondsMax;
    this.#isScheduled = false;
    this.#turnStart = 0;
    this.#isAccepting = false;
    this.#isOverrun = false;
    this.#runUntil(performance.now() + milliseconds);
  }

  /**
   * Each task has its own tick, so that work which a task defers to the next tick, such as a TLS handshake,
   * is measured with the task.
   */
  #runUntil(end: number): void {
    this.#waiting.take()?.();
    if (this.#waiting.size === 0) return;
    process.nextTick(() => {
      if (performance.now() < end) this.#runUntil(end);
      else this.#schedule();
    });
  }
}
