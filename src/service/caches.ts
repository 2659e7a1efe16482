// The caches of the service: representations of orders and customers, and callers.
import { CallerCache } from '../auth/caller-cache.ts';
import { BoundedMap } from '../base/bounded-map.ts';
import type { Customer } from '../features/customers/customers.ts';
import type { Order } from '../features/orders/order-members.ts';
import type { RepresentationCache } from '../http/responses/representation-cache.ts';
import { estimateBytes, type Representation } from '../http/responses/representation.ts';
import type { Invalidation } from '../storage/connection.ts';

/** The shares of the bytes. */
const shares = { orders: 0.95, customers: 0.05 };

export class Caches {
  readonly orders: RepresentationCache<Order>;
  readonly customers: RepresentationCache<Customer>;
  readonly callers = new CallerCache();

  constructor(bytesMax: number) {
    this.orders = new BoundedMap<number, Representation<Order>>(bytesMax * shares.orders, estimateBytes);
    this.customers = new BoundedMap<number, Representation<Customer>>(
      bytesMax * shares.customers,
      estimateBytes,
    );
  }

  /** Drops the entries that a change made stale. Called once the change is on disk, before the next read. */
  invalidate(invalidation: Invalidation): void {
    if (invalidation === 'everything') {
      this.orders.clear();
      this.customers.clear();
      return this.callers.clear();
    }
    const { table, id } = invalidation;
    if (table === 'orders') this.orders.delete(id);
    if (table === 'customers') this.customers.delete(id);
    if (table === 'sessions') this.callers.sessions.delete(id);
    if (table === 'apiKeys') this.callers.keys.delete(id);
    if (table === 'users') this.callers.clear(); // each caller holds the rights of a user
  }
}
