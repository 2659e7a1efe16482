// What is called once changes are on disk: the event streams and the deliveries of webhooks.
import type { Invalidation } from '../invalidation.ts';

type Listener = (invalidations: readonly Invalidation[]) => void;

/** The database is opened before the parts that listen exist, so they are added later. */
export class AfterSync {
  readonly #listeners: Listener[] = [];

  add(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /**
   * Called when reads see what changed. Listeners must return at once: the requests that made the changes are
   * answered after this.
   */
  run(invalidations: readonly Invalidation[]): void {
    for (const listener of this.#listeners) listener(invalidations);
  }
}
