// Hashes passwords for the services of tests: one pool of threads for all, with a cost of next to nothing.
import type { HashingJob } from '../src/auth/hashing-jobs.ts';
import { createPasswordHasher, type PasswordHasher } from '../src/auth/password.ts';

let shared: PasswordHasher | undefined;
let services = 0;

/** Threads and real costs would take most of the suite's time. Closing leaves the threads to others. */
export function cheapHasher(): PasswordHasher {
  const hasher = (shared ??= createPasswordHasher({ cost: { ln: 4, r: 1, p: 1 } }));
  const service = (services += 1);
  /** User 1 of one service is not user 1 of another, nor draws on their quota. */
  const own = (job: HashingJob | undefined): HashingJob | undefined =>
    job && {
      ...job,
      quotas: job.quotas.map((quota) => ({ ...quota, key: `${service} ${quota.key}` })),
    };
  return {
    ...hasher,
    hash: (password, job) => hasher.hash(password, own(job)),
    verify: (password, phc, job) => hasher.verify(password, phc, own(job)),
    get waiting() {
      return hasher.waiting;
    },
    close: () => Promise.resolve(),
  };
}
