// Hashes passwords for the services of tests: one pool of threads for all, with a cost of next to nothing.
import type { Place } from '../src/auth/hashing-places.ts';
import { createPasswordHasher, type PasswordHasher } from '../src/auth/password.ts';

let shared: PasswordHasher | undefined;
let services = 0;

/** Threads and real costs would take most of the suite's time. Closing leaves the threads to others. */
export function cheapHasher(): PasswordHasher {
  const hasher = (shared ??= createPasswordHasher({ cost: { ln: 4, r: 1, p: 1 } }));
  const service = (services += 1);
  /** User 1 of one service is not user 1 of another, nor holds their places. */
  const own = (place: Place | undefined): Place | undefined =>
    place && {
      ...place,
      holders: place.holders.map((holder) => ({ ...holder, name: `${service} ${holder.name}` })),
    };
  return {
    ...hasher,
    hash: (password, place) => hasher.hash(password, own(place)),
    verify: (password, phc, place) => hasher.verify(password, phc, own(place)),
    get waiting() {
      return hasher.waiting;
    },
    close: () => Promise.resolve(),
  };
}
