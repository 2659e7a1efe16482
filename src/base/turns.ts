// Shares the event loop among all that happens in the service, so that nothing holds it for long.
//
// Node waits for events, runs the callbacks of all events that have come, and waits again. This is one *turn*
// of the event loop; whatever arrives during a turn waits for its end. So tasks run for only
// `turnMillisecondsMax` in each turn. A *task* runs as a whole, in a millisecond or less. A task that finds
// no time waits for a later turn in the order of `FairQueue`: clients take turns, tasks that begin or resume
// something (`run`) are urgent, and tasks that follow others of their client (`runLater`) are not.
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

/** The client whose task it is. A function is called only if the task has to wait. */
export type Client = string | (() => string);
export type Task = () => void;

/** A turn is overrun once its arrivals have taken this long. */
const arrivalMillisecondsMax = 2 * turnMillisecondsMax;

export class Turns {
  /** Called once in a turn that is overrun. */
  onOverrun = (): void => {};
  readonly #waiting = new FairQueue<Task>();
  #isScheduled = false;
  /** When this turn's first task arrived; 0 before that. */
  #turnStart = 0;
  #isAccepting = false;
  #isOverrun = false;

  /** Runs the task immediately if this turn has time left and nothing waits; otherwise in a later turn. */
  run(client: Client, task: Task): void {
    if (this.#hasTime() && this.#waiting.size === 0) return task();
    this.#waiting.urgent.add(nameOf(client), task);
    this.#schedule();
  }

  /** Runs the task in a later turn, as a continuation of earlier tasks of its client. */
  runLater(client: Client, task: Task): void {
    this.#waiting.others.add(nameOf(client), task);
    this.#schedule();
  }

  /** Runs the steps in later turns, and resolves with the iterator's result. */
  runSteps<T>(client: Client, steps: Iterator<void, T>): Promise<T> {
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
   * measured, since TLS may process dozens of empty records before a read of one byte.
   */
  noteArrival(): void {
    this.#measureTurn();
  }

  /**
   * Called when a connection is accepted: this turn then runs only one more task. Node accepts one connection
   * in each turn, and every connection behind it would wait for a whole turn of tasks.
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
      this.onOverrun();
    }
    return milliseconds;
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

function nameOf(client: Client): string {
  return typeof client === 'string' ? client : client();
}
