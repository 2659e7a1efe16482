// How orders are represented: the text of an order, and an ETag that names the version of the text.
import { represent, representText, type Representation } from '../../http/responses/representation.ts';
import {
  cachedRepresentations,
  lookupOf,
  type Lookup,
  type RepresentationCache,
  type Representations,
} from '../../http/responses/representation-cache.ts';
import type { Connection } from '../../storage/connection.ts';
import { findOrder, findOrderTexts, type OrderText } from './order-store.ts';
import { orderMembers, type Order } from './order-members.ts';

/** Reads orders that are on disk, through the cache. */
export function orderRepresentations(cache: RepresentationCache<Order>): Representations<Order> {
  return cachedRepresentations('order', cache, orderLookup);
}

/** Reads orders without the cache. */
const orderLookup: Lookup<Order> = {
  ...lookupOf({ find: findOrder, represent: representOrder }),
  findAll: findRepresentations,
};

/** Represents the orders of a list by the texts that SQLite makes of their rows, in a quarter of the time. */
function findRepresentations(db: Connection, ids: readonly number[]): (Representation<Order> | undefined)[] {
  const found = new Map<number, Representation<Order>>();
  for (const order of findOrderTexts(db, ids)) found.set(order.id, representOrderText(order));
  return ids.map((id) => found.get(id));
}

function representOrderText(order: OrderText): Representation<Order> {
  const { id, json, ownerId } = order;
  return representText(json, { id, ownerId, etag: orderTag(order) });
}

/** Represents the order from its members. */
export function representOrder(order: Order): Representation<Order> {
  const { id, userId: ownerId } = order;
  const updatedAt = Date.parse(order.updatedAt);
  return represent(order, { id, ownerId, etag: orderTag({ id, ownerId, updatedAt }) });
}

/** A member more changes it. A release that represents the same members differently has to, too. */
const textVersion = Object.keys(orderMembers).length;

type OrderVersion = Pick<OrderText, 'id' | 'ownerId' | 'updatedAt'>;

/**
 * Returns a strong ETag of the version. The tag includes the owner, since removing a user leaves `updatedAt`
 * unchanged. `join` makes one string; a template would keep its pieces, 120 bytes more of each cached order.
 */
function orderTag({ id, ownerId, updatedAt }: OrderVersion): string {
  return [`"v${textVersion}`, id, updatedAt, `${ownerId ?? ''}"`].join('-');
}
