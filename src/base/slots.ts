// Fair waiting for scarce things, such as a thread.
//
// A *slot* is room for one job that runs. A job that finds no free slot waits; while both kinds wait, three of
// four slots go to *urgent* jobs, and among the jobs of a kind clients take turns. There are three bounds: on
// running jobs, on waiting jobs (one bound for each kind, so that one kind leaves room for the other), and on the
// jobs of one client, running or waiting. A job beyond a bound is *refused* at once.
//
// A *client* is any name, such as the name of a user or of a network. A job may count for several clients; it
// takes the turn of the first one. Only the other two bounds apply to a job without clients. ARCHITECTURE.md has a
// table of the bounds on what one client may hold.
import assert from 'node:assert';

/** The urgent jobs that get a slot in a row while others wait. */
const urgentInRowMax = 3;

/** For whom a job runs, and whether it is urgent. */
export type SlotClaim = { readonly clients?: readonly string[]; readonly isUrgent?: boolean };

type SlotsOptions = {
  readonly running: number;
  readonly waiting: number;
  /** The urgent jobs that may wait; by default the same number as of other jobs. */
  readonly waitingUrgent?: number;
  readonly perClient?: number;
  /** Returns what is thrown for a job that would exceed this bound. */
  readonly refuse: (bound: 'waiting' | 'perClient') => unknown;
};

/** A job that waits. In each round, every client with waiting jobs has one turn. */
type Waiting = { readonly client: string; readonly round: number; readonly begin: () => void };

export class Slots {
  readonly #options: SlotsOptions;
  readonly #urgent: Waiting[] = [];
  readonly #others: Waiting[] = [];
  /** The number of jobs of each client, running or waiting. */
  readonly #jobs = new Map<string, number>();
  #running = 0;
  #urgentInRow = 0;
  #onIdle = (): void => {};

  constructor(options: SlotsOptions) {
    assert(options.running > 0 && options.waiting >= 0);
    this.#options = options;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#urgent.length + this.#others.length;
  }

  /** Throws if `run` would refuse a job. */
  checkRoom({ clients = [], isUrgent = false }: SlotClaim = {}): void {
    const { running, waiting, waitingUrgent = waiting, perClient = Infinity, refuse } = this.#options;
    if (clients.some((client) => (this.#jobs.get(client) ?? 0) >= perClient)) throw refuse('perClient');
    if (this.#running < running) return;
    if (isUrgent ? this.#urgent.length >= waitingUrgent : this.#others.length >= waiting)
      throw refuse('waiting');
  }

  /** Runs the job as soon as a slot is free. The job holds the slot until its promise is settled. */
  async run<T>(claim: SlotClaim, job: () => T | Promise<T>): Promise<T> {
    this.checkRoom(claim);
    this.#count(claim, 1);
    try {
      if (this.#running < this.#options.running) this.#running += 1;
      else await this.#slotFor(claim);
      try {
        return await job();
      } finally {
        this.#passOn();
      }
    } finally {
      this.#count(claim, -1);
    }
  }

  /** Resolves when no job is running or waiting. Call it once. */
  whenIdle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => (this.#onIdle = resolve));
  }

  /** Resolves when the job has a slot: one round after its client's last waiting job. */
  #slotFor({ clients: [client = ''] = [], isUrgent = false }: SlotClaim): Promise<void> {
    const line = isUrgent ? this.#urgent : this.#others;
    const own = line.findLast((job) => job.client === client)?.round ?? (line[0]?.round ?? 0) - 1;
    const round = own + 1;
    const behind = line.findIndex((job) => job.round > round);
    return new Promise((begin) =>
      line.splice(behind === -1 ? line.length : behind, 0, { client, round, begin }),
    );
  }

  /** Gives the slot of a job that has ended to the next job. */
  #passOn(): void {
    const mayBeUrgent = this.#others.length === 0 || this.#urgentInRow < urgentInRowMax;
    const isUrgent = mayBeUrgent && this.#urgent.length > 0;
    this.#urgentInRow = isUrgent && this.#others.length > 0 ? this.#urgentInRow + 1 : 0;
    const next = isUrgent ? this.#urgent.shift() : this.#others.shift();
    if (next !== undefined) return next.begin();
    this.#running -= 1;
    if (this.#running === 0) this.#onIdle();
  }

  #count({ clients = [] }: SlotClaim, change: 1 | -1): void {
    for (const client of clients) {
      const jobs = (this.#jobs.get(client) ?? 0) + change;
      if (jobs > 0) this.#jobs.set(client, jobs);
      else this.#jobs.delete(client);
    }
  }
}
