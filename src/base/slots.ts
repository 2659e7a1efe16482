// Fair waiting for scarce things, such as a thread.
//
// A *slot* is room for one job that runs. A job that finds no free slot waits, and free slots go to waiting
// jobs in the order of `FairQueue`: clients take turns, and *urgent* jobs get three of four slots. There are
// three bounds: on running jobs, on waiting jobs (one bound for each kind, so that one kind leaves room for
// the other), and on the jobs of one client, running or waiting. A job beyond a bound is *refused* at once.
//
// A *client* is any name, such as the name of a user or of a network. A job may count for several clients; it
// takes the turn of the first one. Only the other two bounds apply to a job without clients. ARCHITECTURE.md has a
// table of all bounds.
import assert from 'node:assert';
import { FairQueue } from './fair-queue.ts';

/** For whom a job runs. */
export type Place = { readonly clients?: readonly string[]; readonly isUrgent?: boolean };

type SlotsOptions = {
  readonly running: number;
  readonly waiting: number;
  /** The urgent jobs that may wait; by default the same number as of other jobs. */
  readonly waitingUrgent?: number;
  readonly perClient?: number;
  /** Returns what is thrown for a job that would exceed this bound. */
  readonly refuse: (bound: 'waiting' | 'perClient') => unknown;
};

export class Slots {
  readonly #options: SlotsOptions;
  readonly #queue = new FairQueue<() => void>();
  /** The number of jobs of each client, running or waiting. */
  readonly #jobs = new Map<string, number>();
  #running = 0;
  #onIdle = (): void => {};

  constructor(options: SlotsOptions) {
    assert(options.running > 0 && options.waiting >= 0);
    this.#options = options;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** Throws if `run` would refuse a job. */
  checkRoom({ clients = [], isUrgent = false }: Place = {}): void {
    const { running, waiting, waitingUrgent = waiting, perClient = Infinity, refuse } = this.#options;
    if (clients.some((client) => (this.#jobs.get(client) ?? 0) >= perClient)) throw refuse('perClient');
    if (this.#running < running) return;
    if (isUrgent ? this.#queue.urgent.size >= waitingUrgent : this.#queue.others.size >= waiting)
      throw refuse('waiting');
  }

  /** Runs the job as soon as a slot is free. The job holds the slot until its promise is settled. */
  async run<T>(place: Place, job: () => T | Promise<T>): Promise<T> {
    this.checkRoom(place);
    this.#count(place, 1);
    try {
      if (this.#running < this.#options.running) this.#running += 1;
      else await this.#turnOf(place);
      try {
        return await job();
      } finally {
        this.#passOn();
      }
    } finally {
      this.#count(place, -1);
    }
  }

  /** Resolves when no job is running or waiting. Call it once. */
  whenIdle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => (this.#onIdle = resolve));
  }

  /** Resolves when the job has a slot. */
  #turnOf({ clients: [client = ''] = [], isUrgent = false }: Place): Promise<void> {
    const line = isUrgent ? this.#queue.urgent : this.#queue.others;
    return new Promise((resolve) => line.add(client, resolve));
  }

  /** Gives the slot of a job that has ended to the next job. */
  #passOn(): void {
    const startNext = this.#queue.take();
    if (startNext !== undefined) return startNext();
    this.#running -= 1;
    if (this.#running === 0) this.#onIdle();
  }

  #count({ clients = [] }: Place, change: 1 | -1): void {
    for (const client of clients) {
      const jobs = (this.#jobs.get(client) ?? 0) + change;
      if (jobs > 0) this.#jobs.set(client, jobs);
      else this.#jobs.delete(client);
    }
  }
}
