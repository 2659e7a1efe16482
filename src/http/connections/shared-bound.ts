// A bound that all clients share, with a smaller bound for each client, so that no client can exhaust the
// whole.

export type Bounds = { readonly total: number; readonly perClient: number };

export class SharedBound {
  readonly #bounds: Bounds;
  /** The amounts used by each client. */
  readonly #used = new Map<string, number>();
  #total = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  get used(): number {
    return this.#total;
  }

  /**
   * Reserves `amount` until `release`, or returns the bound that it would exceed. `client` is a result of
   * `networkOf`, or undefined for a client that only the total limits.
   */
  reserve(client: string | undefined, amount: number): 'reserved' | keyof Bounds {
    if (this.#total + amount > this.#bounds.total) return 'total';
    if (client !== undefined && this.usedBy(client) + amount > this.#bounds.perClient) return 'perClient';
    this.#add(client, amount);
    return 'reserved';
  }

  release(client: string | undefined, amount: number): void {
    this.#add(client, -amount);
  }

  usedBy(client: string): number {
    return this.#used.get(client) ?? 0;
  }

  #add(client: string | undefined, amount: number): void {
    this.#total += amount;
    if (client === undefined) return;
    const used = this.usedBy(client) + amount;
    if (used > 0) this.#used.set(client, used);
    else this.#used.delete(client);
  }
}
