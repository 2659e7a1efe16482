// The queues of password hashing, one of them for sign-ins, bounded in total and for each client.
import { Problem, unavailable } from '../problem.ts';

/** Jobs of password hashing, running or waiting, of one user or address. */
const hashingJobsPerClientMax = 2;
const signInsWaitingMax = 24;
const newPasswordsWaitingMax = 8;

export type HashingJob = {
  readonly queue: 'sign-in' | 'new-password';
  /** The user and the address for which the job counts. */
  readonly clients: readonly string[];
};

const waitingMax = { 'sign-in': signInsWaitingMax, 'new-password': newPasswordsWaitingMax } as const;
/** The order in which the queues are served while both have jobs, so that neither can hold up the other. */
const schedule = ['sign-in', 'sign-in', 'sign-in', 'new-password'] as const;

export function createJobQueue<Thread>() {
  /** Gives a thread to a waiting job. */
  type Start = (thread: Thread) => void;
  const reserved = new Map<string, number>();
  const queues = { 'sign-in': [] as Start[], 'new-password': [] as Start[] };
  let step = 0;

  /** Reserves a job of each client, and returns a function that releases them. Throws `quota-exceeded`. */
  function reserve({ clients }: HashingJob): () => void {
    if (clients.some((client) => (reserved.get(client) ?? 0) >= hashingJobsPerClientMax))
      throw quotaReached();
    for (const client of clients) reserved.set(client, (reserved.get(client) ?? 0) + 1);
    return () => clients.forEach(release);
  }

  function release(client: string): void {
    const count = (reserved.get(client) ?? 0) - 1;
    if (count > 0) reserved.set(client, count);
    else reserved.delete(client);
  }

  /** Waits for a thread. Throws `unavailable` if too many jobs of that queue are already waiting. */
  function wait({ queue }: HashingJob): Promise<Thread> {
    if (queues[queue].length >= waitingMax[queue])
      throw unavailable('Too many passwords are being hashed; retry in a moment.');
    return new Promise((start) => queues[queue].push(start));
  }

  /** Returns the next job to be given a thread; undefined if none is waiting. */
  function next(): Start | undefined {
    const queue = schedule[step % schedule.length] ?? 'sign-in';
    step += 1;
    return queues[queue].shift() ?? queues['sign-in'].shift() ?? queues['new-password'].shift();
  }

  return {
    reserve,
    wait,
    next,
    get waiting() {
      return queues['sign-in'].length + queues['new-password'].length;
    },
  };
}

/** 429, not 503: the service has room, but this client already has its share of it. */
function quotaReached(): Problem {
  const detail = 'Your earlier passwords are still being hashed; wait for those responses first.';
  return new Problem('quota-exceeded', detail, { retryAfterSeconds: 1, violated: ['password-hashing'] });
}
