// A bound that all clients share, with smaller bounds for one address and for one network of addresses, so
// that no client takes all of it.
import { networkOf } from '../network/address-buckets.ts';

export type Bounds = {
  readonly total: number;
  readonly perAddress: number;
  /** For the addresses that one customer of a provider may have: a /48 of IPv6, a /24 of IPv4. */
  readonly perNetwork: number;
};

export class SharedBound {
  readonly #bounds: Bounds;
  /** By address and by network, whose names differ. */
  readonly #used = new Map<string, number>();
  #total = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  get used(): number {
    return this.#total;
  }

  /**
   * Reserves `amount` for an address (a bucket of `addressBucket`; undefined for one without a bound of its
   * own) until `release`; or returns which bound that would exceed.
   */
  reserve(address: string | undefined, amount: number): keyof Bounds | undefined {
    const exceeded = this.#exceededBy(address, amount);
    if (exceeded === undefined) this.#add(address, amount);
    return exceeded;
  }

  release(address: string | undefined, amount: number): void {
    this.#add(address, -amount);
  }

  #exceededBy(address: string | undefined, amount: number): keyof Bounds | undefined {
    const { total, perAddress, perNetwork } = this.#bounds;
    if (this.#total + amount > total) return 'total';
    if (address === undefined) return undefined;
    if (this.#usedBy(address) + amount > perAddress) return 'perAddress';
    return this.#usedBy(networkOf(address)) + amount > perNetwork ? 'perNetwork' : undefined;
  }

  #usedBy(name: string): number {
    return this.#used.get(name) ?? 0;
  }

  #add(address: string | undefined, amount: number): void {
    this.#total += amount;
    if (address === undefined) return;
    for (const name of [address, networkOf(address)]) {
      const used = this.#usedBy(name) + amount;
      if (used > 0) this.#used.set(name, used);
      else this.#used.delete(name);
    }
  }
}
