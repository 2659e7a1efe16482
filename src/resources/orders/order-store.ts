// The rows of orders.
import { allows, type RowAccess } from '../../auth/access.ts';
import type { Selection } from '../../http/list.ts';
import { representText, type Representation } from '../../http/representation.ts';
import { timestampOf } from '../../schema/members.ts';
import { check, fits } from '../../schema/schema-check.ts';
import { unless, type Audit } from '../../storage/audit.ts';
import type { Connection, SqlValue } from '../../storage/connection.ts';
import {
  andOrNone,
  equals,
  matchAll,
  and,
  withoutIndex,
  type Condition,
  type Stream,
} from '../../storage/keyset.ts';
import { ownedBy, ownerGone, ownerIsKnown, ownerOf } from '../users/user-store.ts';
import {
  Order,
  OrderReplacement,
  statuses,
  type OrderCore,
  type OrderFilter,
  type OrderStatus,
} from './order.ts';

type OrderRow = readonly [
  id: number,
  status: OrderStatus,
  customerId: number,
  userId: number | null,
  currency: string,
  items: string,
  total: number,
  shippingAddress: string | null,
  note: string | null,
  createdAt: number,
  updatedAt: number,
];
const columns =
  'id, status, customerId, userId, currency, items, total, shippingAddress, note, createdAt, updatedAt';

const shownColumns = columns.replace('userId', ownerOf('orders'));

/** The representation as it is in the database: JSON columns go into the text as they are. */
export function findOrder(db: Connection, reach: RowAccess, id: number): Representation<Order> | undefined {
  const row = db.get<OrderRow>(`SELECT ${shownColumns} FROM orders WHERE id = ?`, id);
  if (row === undefined || !allows(reach, row[3])) return undefined;
  return representOrder(row);
}

function representOrder(row: OrderRow): Representation<Order> {
  return representText(orderText(row), { id: row[0], ownerId: row[3] });
}

function orderText([
  id,
  status,
  customerId,
  userId,
  currency,
  items,
  total,
  shippingAddress,
  note,
  createdAt,
  updatedAt,
]: readonly [...OrderRow, ...SqlValue[]]): string {
  const created = timestampOf(createdAt);
  const updated = updatedAt === createdAt ? created : timestampOf(updatedAt);
  const noteText = note === null ? 'null' : JSON.stringify(note);
  return (
    `{"id":${id},"status":"${status}","customerId":${customerId},"userId":${userId}` +
    `,"currency":"${currency}","items":${items},"total":${total},"shippingAddress":${shippingAddress}` +
    `,"note":${noteText},"createdAt":"${created}","updatedAt":"${updated}"}`
  );
}

export function addOrder(
  db: Connection,
  order: OrderCore,
  customerId: number,
  userId: number,
  now: number,
  updatedAt = now,
): Representation<Order> {
  const { status, currency, total, note } = order;
  const items = JSON.stringify(order.items);
  const shippingAddress = order.shippingAddress === null ? null : JSON.stringify(order.shippingAddress);
  const sql =
    'INSERT INTO orders (status, customerId, userId, currency, items, total, shippingAddress, note, ' +
    'createdAt, updatedAt) ' +
    'SELECT ?, ?, id, ?, ?, ?, ?, ?, ?, ? FROM users WHERE id = ?';
  const { changes, lastId } = db.run(
    sql,
    status,
    customerId,
    currency,
    items,
    total,
    shippingAddress,
    note,
    now,
    updatedAt,
    userId,
  );
  if (changes === 0) throw ownerGone();
  return representOrder([
    lastId,
    status,
    customerId,
    userId,
    currency,
    items,
    total,
    shippingAddress,
    note,
    now,
    updatedAt,
  ]);
}

export function replaceOrder(
  db: Connection,
  id: number,
  { status, currency, items, total, shippingAddress, note }: OrderCore,
  now: number,
): void {
  const address = shippingAddress === null ? null : JSON.stringify(shippingAddress);
  db.run(
    'UPDATE orders SET status = ?, currency = ?, items = ?, total = ?, shippingAddress = ?, note = ?, ' +
      'updatedAt = max(?, createdAt) WHERE id = ?',
    status,
    currency,
    JSON.stringify(items),
    total,
    address,
    note,
    now,
    id,
  );
  db.invalidate({ kind: 'order', id });
}

/** A step of `forgetRemovedUsers`. */
export function disownOrders(db: Connection, userId: number, rowsMax: number): number {
  const sql = 'UPDATE orders SET userId = NULL WHERE id IN (SELECT id FROM orders WHERE userId = ? LIMIT ?)';
  return db.run(sql, userId, rowsMax).changes;
}

/** An order is what the description says, its sums are right, and its address would be taken today. */
export const orderAudit: Audit<readonly [...OrderRow, ownerIsKnown: number]> = {
  thing: 'order',
  table: 'orders',
  columns: `${columns}, ${ownerIsKnown('orders')}`,
  issues(row) {
    const order: unknown = JSON.parse(orderText(row));
    if (!fits(Order, order)) return check(Order, order);
    return [
      ...check(OrderReplacement, order),
      ...unless(order.createdAt <= order.updatedAt, '/updatedAt', 'updatedAt is before createdAt.'),
      ...unless(row[11] === 1, '/userId', `There is no user ${order.userId}.`),
    ];
  },
};

/**
 * Which orders a list shows, and in what order. The first of customer, user and (by `createdAt` only)
 * currency chooses the family of indexes (see the migration), each status is a stream of it, and what is
 * left is tested entry by entry.
 */
export function orderListing(
  reach: RowAccess,
  filter: OrderFilter,
  place: { readonly customerId?: number } = {},
): Selection {
  const { sort = '-createdAt', status = statuses } = filter;
  const key = sort.replace('-', '');
  const customers = distinct([place.customerId, filter.customerId]);
  const owners = distinct([filter.userId, reach === 'everyone' ? undefined : reach.userId]);
  const equalities = equalitiesOf(customers, owners, filter.currency);
  const isOwned = customers.length > 0 || owners.length > 0;
  const hasFamily = isOwned || key === 'createdAt'; // else all are walked, and a currency is tested
  const indexed: Condition[] = [];
  const residual: Condition[] = [];
  if (hasFamily) {
    indexed.push(...equalities.slice(0, 1));
    residual.push(...equalities.slice(1).map(withoutIndex));
  } else {
    residual.push(...equalities);
  }
  if (key === 'createdAt') indexed.push(...createdRange(filter));
  else residual.push(...createdRange(filter));
  const isPlain = indexed.length === 0 && residual.length === 0 && filter.status === undefined;
  const streamOf = (each: OrderStatus): Stream => {
    const condition = and([...indexed, equals('status', each)]);
    return key === 'status' ? { ...condition, at: each } : condition;
  };
  return {
    table: 'orders',
    key,
    isDescending: sort.startsWith('-'),
    owners,
    streams: key === 'id' && isPlain ? [matchAll] : [...new Set(status)].map(streamOf),
    sortsInMemory: isOwned && key !== 'createdAt',
    residual: andOrNone(residual),
  };
}

/** The first chooses the family of indexes. */
/** Two that differ are a list without elements. */
function distinct(ids: readonly (number | undefined)[]): number[] {
  return [...new Set(ids)].filter((each) => each !== undefined);
}

function equalitiesOf(
  customers: readonly number[],
  owners: readonly number[],
  currency: string | undefined,
): Condition[] {
  const equalities: Condition[] = [];
  for (const customer of customers) equalities.push(equals('customerId', customer));
  for (const owner of owners) equalities.push(ownedBy(owner));
  if (currency !== undefined) equalities.push(equals('currency', currency));
  return equalities;
}

function createdRange({ createdFrom, createdBefore }: OrderFilter): Condition[] {
  const range: Condition[] = [];
  if (createdFrom !== undefined) range.push({ sql: 'createdAt >= ?', params: [Date.parse(createdFrom)] });
  if (createdBefore !== undefined) range.push({ sql: 'createdAt < ?', params: [Date.parse(createdBefore)] });
  return range;
}
