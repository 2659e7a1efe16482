// What goes on from changes once they are on disk: the event streams, for example.
import type { Invalidation } from '../invalidation.ts';

type Listener = (invalidations: readonly Invalidation[]) => void;

/** The database is opened before there are any listeners. */
export class AfterSync {
  readonly #listeners: Listener[] = [];

  add(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /** Called when reads see what changed. Listeners only note it: the writers are yet to be answered. */
  run(invalidations: readonly Invalidation[]): void {
    for (const listener of this.#listeners) listener(invalidations);
  }
}
