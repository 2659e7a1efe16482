// The queue of long queries: bounded, fair among clients, and in which staff don't wait for many others.
import { FairQueue } from '../base/fair-queue.ts';

/** Whose query it is: clients take turns, regardless of how many queries each has. */
export type QueryClient = { readonly client?: string; readonly isOfStaff?: boolean };

/** The queries that may wait, of staff and of all others. */
const waitingMax = 100;
const waitingPerClientMax = 25;
/** While others wait as well, one of this many queries is theirs. */
const queriesPerOther = 4;

export class QueryQueue<Query> {
  readonly #ofStaff = new FairQueue<Query>();
  readonly #ofOthers = new FairQueue<Query>();
  #taken = 0;

  hasRoomFor({ client = '', isOfStaff }: QueryClient): boolean {
    const queue = this.#queueOf(isOfStaff);
    return queue.size < waitingMax && queue.sizeOf(client) < waitingPerClientMax;
  }

  /** Adds a query, even if there is no room: the caller asks first. */
  add(query: Query, { client = '', isOfStaff }: QueryClient): void {
    this.#queueOf(isOfStaff).add(client, query);
  }

  /** Returns the next query; undefined if none waits. */
  take(): Query | undefined {
    this.#taken += 1;
    const isForOthers = this.#taken % queriesPerOther === 0;
    const [first, second] = isForOthers ? [this.#ofOthers, this.#ofStaff] : [this.#ofStaff, this.#ofOthers];
    return first.take() ?? second.take();
  }

  #queueOf(isOfStaff = false): FairQueue<Query> {
    return isOfStaff ? this.#ofStaff : this.#ofOthers;
  }
}
