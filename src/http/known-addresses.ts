// From which addresses each account was used, so that failures elsewhere don't count against it there.
import { BoundedMap } from '../bounded-map.ts';
import { knownAddressesPerUserMax, usersWithKnownAddressesMax } from '../limits.ts';

/** In memory: a restart forgets it. One user's addresses displace none of another's. */
export class KnownAddresses {
  readonly #byUser = new BoundedMap<number, readonly string[]>(usersWithKnownAddressesMax);

  has(userId: number, address: string): boolean {
    return this.#byUser.get(userId)?.includes(address) === true;
  }

  /** As the newest of that user's; those beyond the bound are forgotten, the one used longest ago first. */
  add(userId: number, address: string): void {
    const others = (this.#byUser.get(userId) ?? []).filter((each) => each !== address);
    this.#byUser.set(userId, [...others, address].slice(-knownAddressesPerUserMax));
  }
}
