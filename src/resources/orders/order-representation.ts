// How orders are represented: their text, and an ETag that names its version.
import { represent, representText, type Representation } from '../../http/representation.ts';
import type { Connection } from '../../storage/connection.ts';
import { readOrderText, readOrderTexts, type OrderText } from './order-store.ts';
import type { Order } from './order.ts';

/** Represents an order from the text that SQLite makes of its row. */
export function findRepresentation(db: Connection, id: number): Representation<Order> | undefined {
  const order = readOrderText(db, id);
  return order === undefined ? undefined : representOrderText(order);
}

/** The representations of those orders that exist, in any order. */
export function findRepresentations(db: Connection, ids: readonly number[]): Representation<Order>[] {
  return readOrderTexts(db, ids).map(representOrderText);
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

/** To be raised by a release that represents the same rows differently. */
const textVersion = 1;

type OrderVersion = Pick<OrderText, 'id' | 'ownerId' | 'updatedAt'>;

/** A strong ETag: each change of an order is later than the one before it, and its owner may be removed. */
function orderTag({ id, ownerId, updatedAt }: OrderVersion): string {
  return `"v${textVersion}-${id}-${updatedAt}-${ownerId ?? ''}"`;
}
