// Divides long work, such as a document or a delivery, so that it never holds the event loop for long.
//
// Node waits for events, runs the callbacks of all events that have come, and waits again: a *turn* of the event
// loop. A *task* takes a few milliseconds. Tasks run in the order in which they came, at the end of a turn, for
// `turnMillisecondsMax` at most; the rest waits for the next turn. Longer work is a generator that yields after
// each *step*; `runSteps` makes each step a task.
import { performance } from 'node:perf_hooks';

/** The time for which tasks run in one turn of the event loop. */
export const turnMillisecondsMax = 5;
/** The time after which work that measures itself ends a step. */
export const stepMillisecondsMax = 2;

type Task = () => void;

export class Turns {
  readonly #waiting: Task[] = [];
  #isScheduled = false;

  /** Runs the task at the end of this or a later turn. It must not throw. */
  runLater(task: Task): void {
    this.#waiting.push(task);
    this.#schedule();
  }

  /** Runs the steps at the ends of turns, and resolves with the iterator's result. */
  runSteps<T>(steps: Iterator<void, T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const step = (): void => {
      try {
        const { done, value } = steps.next();
        if (done === true) resolve(value);
        else this.runLater(step);
      } catch (error) {
        reject(error);
      }
    };
    this.runLater(step);
    return promise;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#runTurn());
  }

  #runTurn(): void {
    const end = performance.now() + turnMillisecondsMax;
    do this.#waiting.shift()?.();
    while (this.#waiting.length > 0 && performance.now() < end);
    this.#isScheduled = false;
    if (this.#waiting.length > 0) this.#schedule();
  }
}
