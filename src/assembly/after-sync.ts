// The listeners that run once changes are on disk: event streams and the deliveries of webhooks.
import type { Invalidation } from '../invalidation.ts';

type Listener = (invalidations: readonly Invalidation[]) => void;

/** The database is opened before the listening parts exist, so they are added later. */
export class AfterSync {
  readonly #listeners: Listener[] = [];

  add(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /**
   * Called once reads see the changes. Listeners must return immediately: the requests that made the changes
   * are answered after them.
   */
  notify(invalidations: readonly Invalidation[]): void {
    for (const listener of this.#listeners) listener(invalidations);
  }
}
