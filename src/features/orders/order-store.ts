// The rows of orders.
import { rowAccessOf } from '../../auth/access.ts';
import { timestampOf } from '../../base/timestamp.ts';
import { rowIssues } from '../../resource/declared-resource.ts';
import { assertOwnerExists, ownerIsKnownSql, ownerSql } from '../../resource/owner-store.ts';
import { columnsOf, contentNames, namesInEvents } from '../../resource/resource-members.ts';
import { indexMetadata, noMetadata } from '../../storage/metadata.ts';
import type { ObjectSource, Owned } from '../../storage/object-access.ts';
import type { Permit } from '../../storage/permit.ts';
import { changeTime, computedColumn, table, booleanColumn } from '../../storage/table.ts';
import { recordEvent } from '../events/event-store.ts';
import { changesBetween, receivedBy, type Changes, type EventType } from '../events/event.ts';
import { storedMetadata, unlessErasedSql, type PersonalName } from './customer-erasure-store.ts';
import { Order, PatchedOrder, orderMembers, type OrderContent } from './order-members.ts';
import { isCorrection, type OrderStatus } from './order-status.ts';

const columns = columnsOf(orderMembers);
const orders = table('orders', columns);
const unlessErased = {
  shippingAddress: computedColumn(unlessErasedSql('shippingAddress'), columns.shippingAddress),
  note: computedColumn(unlessErasedSql('note'), columns.note),
  metadata: computedColumn(unlessErasedSql('metadata'), columns.metadata),
} satisfies Record<PersonalName, unknown>;
const rows = orders.select({
  ...columns,
  ...unlessErased,
  userId: computedColumn(ownerSql('orders'), columns.userId),
});
const contentColumns = contentNames(orderMembers).filter((name) => name !== 'customerId');
const replaceContent = orders.update([...contentColumns, 'updatedAt']);
/** A separate statement: otherwise each change would write the customer's index, and the customer rarely changes. */
const assignCustomer = orders.update(['customerId']);
const membersInEvents = namesInEvents(orderMembers);

export const orderSource: ObjectSource<Order> = {
  name: 'order',
  find: rows.find,
  ownerIdOf: ({ userId }) => userId,
  accessOf: rowAccessOf,
};

type NewOrderRow = OrderContent & { readonly userId: number };
/** Times are milliseconds since 1970. */
type OrderHistory = {
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The time of the order's first event, if it isn't `createdAt`. */
  readonly recordedAt?: number;
  /** If there are any, the order was created `open`, then went through these steps. */
  readonly steps?: readonly OrderStep[];
};

/** A later status of an order, and the time of the change. */
export type OrderStep = { readonly status: OrderStatus; readonly at: number };

export function addOrder(permit: Permit, order: NewOrderRow, history: OrderHistory): Order {
  const { createdAt, updatedAt } = history;
  assertOwnerExists(permit, order.userId);
  const id = orders.insert(permit.writer, { ...order, createdAt, updatedAt });
  indexMetadata(permit.writer, 'orders', { id, before: noMetadata, after: order.metadata });
  const added = rows.written({ ...order, id, createdAt, updatedAt });
  recordPlaced(permit, added, history);
  return added;
}

function recordPlaced(permit: Permit, order: Order, history: OrderHistory): void {
  const { id: subjectId, userId: ownerId, currency, total } = order;
  const { createdAt, recordedAt = createdAt, steps = [] } = history;
  const first = steps.length === 0 ? order.status : 'open';
  const made: Changes = { status: [null, first], currency: [null, currency], total: [null, total] };
  recordEvent(permit, { type: 'order.created', subjectId, ownerId, changes: made, createdAt: recordedAt });
  let before: OrderStatus = 'open';
  for (const { status, at } of steps) {
    const type = changeTypeOf(before, status);
    const changes: Record<string, Changes[string]> = { status: [before, status] };
    if (status === 'paid' && order.payment !== null) changes['payment'] = [null, order.payment];
    const money = moneyOf(type, { status, currency, total });
    recordEvent(permit, { type, subjectId, ownerId, changes, money, createdAt: at });
    before = status;
  }
}

type OrderReplacement = OrderContent & { readonly reason?: string | undefined };

/** Returns the changed order. */
export function replaceOrder(permit: Permit, current: Owned<Order>, wanted: OrderReplacement): Order {
  const { reason, ...content } = wanted;
  const { customerId } = content;
  const { id } = current;
  const type = changeTypeOf(current.status, content.status);
  const updatedAt = changeTime(current, permit.origin.now);
  const metadataBefore = storedMetadata(permit.writer, id) ?? current.metadata;
  replaceContent(permit.writer, { ...content, updatedAt }, id);
  indexMetadata(permit.writer, 'orders', { id, before: metadataBefore, after: content.metadata });
  if (customerId !== current.customerId) assignCustomer(permit.writer, { customerId }, id);
  recordEvent(permit, {
    type,
    subjectId: id,
    ownerId: current.userId,
    changes: changesBetween(current, content, membersInEvents),
    reason,
    money: moneyOf(type, content),
  });
  permit.writer.invalidate({ table: 'orders', id });
  return { ...current, ...content, updatedAt: timestampOf(updatedAt) };
}

function changeTypeOf(from: OrderStatus, to: OrderStatus): EventType {
  if (from === to) return 'order.changed';
  if (to === 'open' || isCorrection(from, to)) return 'order.corrected';
  return `order.${to}`;
}

/**
 * Returns the money of an event, with the order's present total, which may change after the correction of a
 * payment.
 */
function moneyOf(type: EventType, { status, currency, total }: Pick<Order, 'status' | 'currency' | 'total'>) {
  const received = receivedBy(type, status, total);
  return received === null ? undefined : { currency, received };
}

/** Verifies each order by `rowIssues`. That its total is the sum of its items is a rule of its schema. */
export const orderAudit = orders.audit({
  thing: 'order',
  columns: { ...columns, ownerIsKnown: computedColumn(ownerIsKnownSql('orders'), booleanColumn) },
  issues: (row) => rowIssues(row, { names: Object.keys(columns), Shown: Order, Replacement: PatchedOrder }),
});
