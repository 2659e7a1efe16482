// Hashes passwords for the services of tests: one queue for all of them, and almost no cost.
import { scryptSync } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DeriveKey } from '../../src/auth/scrypt-pool.ts';
import type { SlotClaim } from '../../src/base/slots.ts';
import { createPasswordHasher, type PasswordHasher } from '../../src/auth/password.ts';

let shared: PasswordHasher | undefined;
let services = 0;

/**
 * Real costs would take most of the suite's time. Closing doesn't end the queue, which others
 * use.
 */
export function cheapHasher(): PasswordHasher {
  const hasher = (shared ??= createPasswordHasher({ cost: { ln: 4, r: 1, p: 1 }, deriveKey }));
  const service = (services += 1);
  /** User 1 of one service is another client than user 1 of another service. */
  const own = ({ clients = [], ...place }: SlotClaim = {}): SlotClaim => ({
    ...place,
    clients: clients.map((client) => `${service} ${client}`),
  });
  return {
    ...hasher,
    hash: (password, place) => hasher.hash(password, own(place)),
    verify: (password, phc, place) => hasher.verify(password, phc, own(place)),
    get waiting() {
      return hasher.waiting;
    },
    close() {},
  };
}

/** In a later turn, as with a thread. */
export const deriveKey: DeriveKey = async ({ password, salt, keyBytes, ln, r, p }) => {
  await nextTurn();
  return scryptSync(password, salt, keyBytes, { N: 2 ** ln, r, p });
};
