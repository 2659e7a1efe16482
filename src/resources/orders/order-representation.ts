// How orders are represented: their text, and an ETag that names its version.
import { represent, representText, type Representation } from '../../http/representation.ts';
import type { Connection } from '../../storage/connection.ts';
import { findOrderText, findOrderTexts, type OrderText } from './order-store.ts';
import type { Order } from './order.ts';

/** Represents an order from the text that SQLite makes of its row. */
export function findRepresentation(db: Connection, id: number): Representation<Order> | undefined {
  const order = findOrderText(db, id);
  return order === undefined ? undefined : representOrderText(order);
}

/** Returns the representations of the orders that exist, in any order. */
export function findRepresentations(db: Connection, ids: readonly number[]): Representation<Order>[] {
  return findOrderTexts(db, ids).map(representOrderText);
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

/** A release that represents the same rows differently has to raise it. */
const textVersion = 1;

type OrderVersion = Pick<OrderText, 'id' | 'ownerId' | 'updatedAt'>;

/** A strong ETag of the version. It includes the owner, whose removal leaves `updatedAt` unchanged. */
function orderTag({ id, ownerId, updatedAt }: OrderVersion): string {
  return `"v${textVersion}-${id}-${updatedAt}-${ownerId ?? ''}"`;
}
