// A bound that all clients share, with smaller bounds for one address and one network, so that no client can
// exhaust it.
import { networkOf } from '../network/address-buckets.ts';

export type Bounds = {
  readonly total: number;
  readonly perAddress: number;
  /** The bound of the addresses that one customer may have: a /48 of IPv6, a /24 of IPv4. */
  readonly perNetwork: number;
};

export class SharedBound {
  readonly #bounds: Bounds;
  /** The amounts used by addresses and by networks, whose names differ. */
  readonly #used = new Map<string, number>();
  #total = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  get used(): number {
    return this.#total;
  }

  /**
   * Reserves `amount` until `release`, or returns the bound that it would exceed. `address` is a result of
   * `addressBucket`, or undefined for a client that only the total limits.
   */
  reserve(address: string | undefined, amount: number): 'reserved' | keyof Bounds {
    const exceeded = this.#exceededBy(address, amount);
    if (exceeded !== undefined) return exceeded;
    this.#add(address, amount);
    return 'reserved';
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
