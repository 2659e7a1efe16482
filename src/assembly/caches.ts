// The caches of the database: representations of orders and customers, pages of them, and callers.
import { CallerCache } from '../auth/caller-cache.ts';
import { BoundedMap } from '../bounded-map.ts';
import { PageCache } from '../http/page-cache.ts';
import { estimateBytes, type Representation } from '../http/representation.ts';
import type { Invalidation } from '../invalidation.ts';
import type { Customer } from '../resources/customers/customer.ts';
import type { Order } from '../resources/orders/order.ts';

const ordersShare = 0.8;
const customersShare = 0.1;

export class Caches {
  readonly orders: BoundedMap<number, Representation<Order>>;
  readonly customers: BoundedMap<number, Representation<Customer>>;
  readonly pages: PageCache;
  readonly callers = new CallerCache();

  constructor(bytesMax: number) {
    this.orders = new BoundedMap<number, Representation<Order>>(bytesMax * ordersShare, estimateBytes);
    this.customers = new BoundedMap<number, Representation<Customer>>(
      bytesMax * customersShare,
      estimateBytes,
    );
    this.pages = new PageCache(bytesMax * (1 - ordersShare - customersShare));
  }

  /** Drops the entries that a commit made stale; called once it is on disk, before the next read. */
  invalidate(invalidations: readonly Invalidation[]): void {
    this.pages.clear();
    for (const invalidation of invalidations) this.#drop(invalidation);
  }

  clear(): void {
    this.orders.clear();
    this.customers.clear();
    this.pages.clear();
    this.callers.clear();
  }

  #drop(invalidation: Invalidation): void {
    switch (invalidation.kind) {
      case 'order':
        this.orders.delete(invalidation.id);
        break;
      case 'customer':
        this.customers.delete(invalidation.id);
        break;
      case 'session':
        this.callers.sessions.delete(invalidation.id);
        break;
      case 'key':
        this.callers.keys.delete(invalidation.id);
        break;
      case 'user':
        this.callers.clear();
        break;
      case 'webhook':
        break; // not cached: deliveries read it again
      case 'everything':
        this.clear();
        break;
      default:
        invalidation satisfies never; // a new kind doesn't compile without its case
    }
  }
}
