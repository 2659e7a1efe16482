// Merges a PATCH into an order, and checks which members may change, and who may change them.
import { isDeepStrictEqual } from 'node:util';
import { isStaff, type Caller } from '../../auth/access.ts';
import { listed } from '../../base/message-words.ts';
import { Problem, forbidden, requireFittingMerge } from '../../problem.ts';
import { contentPicker, readOnlyNames } from '../../resource/resource-members.ts';
import { mergePatch } from '../../schema/json-objects.ts';
import { readOnlyIssues, withdrawnCurrencyIssues } from '../../schema/members.ts';
import type { Issue } from '../../schema/schema.ts';
import {
  orderContentOf,
  orderMembers,
  PatchedOrder,
  type OrderContent,
  type Order,
  type OrderPatch,
} from './order-members.ts';
import { isCorrection, overTheCounterStatuses, payableStatuses, stages } from './order-status.ts';

const currentContent = contentPicker(orderMembers);
const readOnly = readOnlyNames(orderMembers);

/** Merges a PATCH into the current order. The current total doesn't count as sent. */
export function mergeOrder(current: Order, patch: OrderPatch, caller: Caller): OrderContent {
  const { total: _computed, ...content } = currentContent(current);
  const target = patch.status ?? current.status;
  const { payment: paymentOfStage } = stages[target];
  const payment = paymentOfStage === 'none' ? null : current.payment; // a correction back to open empties it
  const issues = readOnlyIssues(current, patch, readOnly);
  issues.push(...withdrawnCurrencyIssues(current, patch));
  const needsReason = isStaff(caller) && isCorrection(current.status, patch.status);
  const isBlank = (patch.reason ?? '').trim() === '';
  if (needsReason && isBlank) issues.push(missingReason);
  const changesPayment = patch.payment !== undefined && patch.payment !== current.payment;
  if (changesPayment && paymentOfStage === 'final') issues.push(finalPayment);
  const merged = mergePatch({ ...content, payment }, patch);
  return orderContentOf(requireFittingMerge(PatchedOrder, merged, issues));
}

const finalPayment: Issue = {
  pointer: '/payment',
  code: 'conflict',
  detail: `payment can be changed only while the order is ${listed(payableStatuses, 'or')}.`,
};

const missingReason: Issue = {
  pointer: '/reason',
  code: 'required',
  detail: 'reason is required to take the status back.',
};

/** Throws if a caller who isn't staff says how the order was paid, or places it with a status other than `open`. */
export function checkMayRecordPayment(order: Pick<Order, 'status' | 'payment'>, caller: Caller): void {
  if (isStaff(caller) || (order.status === 'open' && order.payment === null)) return;
  const placed = listed(overTheCounterStatuses, 'or');
  throw forbidden(`Only staff may say how an order was paid, or place it as ${placed}.`);
}

/** Throws if items or currency change when the order isn't open, or customer or address when it isn't open or paid. */
export function checkFixedMembers(order: Order, wanted: OrderContent): void {
  if (order.status === 'open') return;
  const isPaid = order.status === 'paid';
  const fixed = isPaid ? priceMembers : ([...priceMembers, 'customerId', 'shippingAddress'] as const);
  const changed = fixed.filter((name) => !isDeepStrictEqual(order[name], wanted[name]));
  if (changed.length === 0) return;
  const isPrice = changed.some((name) => priceMembers.some((each) => each === name));
  throw new Problem(
    'order-not-open',
    `Order ${order.id} is ${order.status}; its ${listed(changed, 'and')} can only be changed ` +
      `while it is ${isPrice ? 'open' : 'open or paid'}.`,
  );
}

const priceMembers = ['items', 'currency'] as const;
