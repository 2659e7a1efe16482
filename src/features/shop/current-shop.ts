// The shop in effect, in memory: the checks of bodies and of access ask for it, also inside writes.
import type { Config } from '../../config/config.ts';
import type { Connection } from '../../storage/connection.ts';
import type { Invalidation } from '../../storage/invalidation.ts';
import { shopInEffect, type Shop } from './shop.ts';
import { findShop } from './shop-store.ts';

export class CurrentShop {
  readonly #read: Connection;
  readonly #config: Config;
  #shop: Shop;

  constructor(read: Connection, config: Config) {
    this.#read = read;
    this.#config = config;
    this.#shop = shopInEffect(findShop(read), config);
  }

  get now(): Shop {
    return this.#shop;
  }

  /** Returns the country whose phone numbers may be sent in national form. */
  get country(): string | undefined {
    return this.#shop.country ?? undefined;
  }

  onSync(invalidations: readonly Invalidation[]): void {
    const isStale = invalidations.some(
      (each) => each.kind === 'everything' || (each.kind === 'other' && each.feature === 'shop'),
    );
    if (isStale) this.#shop = shopInEffect(findShop(this.#read), this.#config);
  }
}
