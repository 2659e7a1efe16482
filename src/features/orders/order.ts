// An order: the schemas of queries, and the rules of changes.
import { isDeepStrictEqual } from 'node:util';
import { isStaff, type Caller } from '../../auth/access.ts';
import { counted } from '../../base/counted.ts';
import { listed } from '../../base/listed.ts';
import { Problem, forbidden, requireValid } from '../../problem.ts';
import { mergePatch } from '../../schema/json-objects.ts';
import {
  currency,
  id,
  readOnlyIssues,
  sentTimestamp,
  withdrawnCurrencyIssues,
} from '../../schema/members.ts';
import { parseMerged } from '../../schema/schema-check.ts';
import {
  array,
  integer,
  named,
  object,
  oneOf,
  optional,
  type Infer,
  type Issue,
  type ObjectOf,
  type Schema,
} from '../../schema/schema.ts';
import { searchParameter } from '../../schema/searching.ts';
import { metadataParameter } from '../../storage/metadata.ts';
import { contentIn, readOnlyNames } from '../../storage/resource.ts';
import {
  orderContentOf,
  orderMembers,
  PatchedOrder,
  status,
  type OrderContent,
  type Order,
  type OrderPatch,
} from './order-members.ts';
import {
  isCorrection,
  overTheCounterStatuses,
  payableStatuses,
  payments,
  stages,
  statuses,
  type OrderStatus,
} from './order-status.ts';

/** The number of newest matching customers whose orders a search includes. */
export const searchedCustomersMax = 10_000;
/** The number of newest orders whose items are searched: a tenth of a second allows no more. */
export const searchedOrdersMax = 40_000;

export const orderSorts = [
  'createdAt',
  '-createdAt',
  'id',
  '-id',
  'updatedAt',
  '-updatedAt',
  'status',
  '-status',
  'total',
  '-total',
] as const;
/** The filters of a list of orders, beside their status. */
export const orderFilters = {
  customerId: optional(id),
  userId: optional(id),
  payment: optional(oneOf(payments), { description: 'Only orders that were paid so.' }),
  currency: optional(currency, { description: 'Only orders in this currency (ISO 4217).' }),
  createdFrom: optional(sentTimestamp, { description: 'Only orders created at this time or later.' }),
  createdBefore: optional(sentTimestamp, { description: 'Only orders created before this time.' }),
  updatedFrom: optional(sentTimestamp, { description: 'Only orders changed at this time or later.' }),
  updatedBefore: optional(sentTimestamp, { description: 'Only orders last changed before this time.' }),
  metadata: metadataParameter,
};
/** The parameters of a list of orders. */
export const orderListParameters = {
  status: optional(
    array(status, {
      minItems: 1,
      maxItems: statuses.length,
      description: 'One or more, separated by commas.',
      examples: [['open', 'paid']],
    }),
  ),
  ...orderFilters,
  sort: optional(
    named(
      'OrderSort',
      oneOf(orderSorts, { description: 'A leading `-` means descending; `-createdAt` by default.' }),
    ),
  ),
};
/** The parameters of a list that can also be searched. */
export const orderQuery = {
  q: searchParameter(
    'An order’s id; its total, with all decimals of its currency; the barcode of a product; or words that ' +
      'are all in its customer’s name, e-mail address, phone number or city, in the SKU and name of one ' +
      'item, or in the city it is sent to. Words of one or two characters are beginnings of words. By ' +
      `customer, the orders of the newest ${counted(searchedCustomersMax, 'customer')} that match are ` +
      `found. By item and city, the newest ${counted(searchedOrdersMax, 'order')} that pass the other filters are ` +
      'searched, for a second at most. An API key needs `customers:read` to find orders by customer.',
  ),
  ...orderListParameters,
};

export type OrderListQuery = Omit<ObjectOf<typeof orderQuery>, 'status'> & {
  readonly status?: readonly OrderStatus[];
};

const inStatus = integer({ minimum: 0, description: 'How many have this status now.', examples: [3] });

export const OrderCounts = named(
  'OrderCounts',
  object({
    open: inStatus,
    paid: inStatus,
    shipped: inStatus,
    delivered: inStatus,
    cancelled: inStatus,
    refunded: inStatus,
  } satisfies Record<OrderStatus, Schema<number>>),
);
export type OrderCounts = Infer<typeof OrderCounts>;

const currentContent = contentIn(orderMembers);
const readOnly = readOnlyNames(orderMembers);

/** Merges a PATCH into the current order. The current total doesn't count as sent. */
export function mergeOrder(current: Order, patch: OrderPatch, caller: Caller): OrderContent {
  const { total: _computed, ...content } = currentContent(current);
  const target = patch.status ?? current.status;
  const { payment: allowed } = stages[target];
  const payment = allowed === 'none' ? null : current.payment; // a correction back to open empties it
  const issues = readOnlyIssues(current, patch, readOnly);
  issues.push(...withdrawnCurrencyIssues(current.currency, patch.currency));
  const needsReason = isStaff(caller) && isCorrection(current.status, patch.status);
  const isBlank = (patch.reason ?? '').trim() === '';
  if (needsReason && isBlank) issues.push(missingReason);
  const changesPayment = patch.payment !== undefined && patch.payment !== current.payment;
  if (changesPayment && allowed === 'final') issues.push(finalPayment);
  const merged = mergePatch({ ...content, payment }, patch);
  return orderContentOf(requireValid(parseMerged(PatchedOrder, merged, issues)));
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

/** Throws if a caller who isn't staff says how the order was paid, or places it as more than open. */
export function checkMayPay(order: Pick<Order, 'status' | 'payment'>, caller: Caller): void {
  if (isStaff(caller) || (order.status === 'open' && order.payment === null)) return;
  const placed = listed(overTheCounterStatuses, 'or');
  throw forbidden(`Only staff may place an order as ${placed}, or say how it was paid.`);
}

/** Throws if a member changes that may not change any more: what is paid for, and to whom it was shipped. */
export function checkOpen(order: Order, wanted: OrderContent): void {
  if (order.status === 'open') return;
  const isPaid = order.status === 'paid';
  const fixed = isPaid ? priceMembers : ([...priceMembers, 'customerId', 'shippingAddress'] as const);
  const changed = fixed.filter((name) => !isDeepStrictEqual(order[name], wanted[name]));
  if (changed.length === 0) return;
  const isPrice = changed.some((name) => priceMembers.some((each) => each === name));
  throw new Problem(
    'order-not-open',
    `Order ${order.id} is ${order.status}; its ${changed.join(' and ')} can only be changed ` +
      (isPrice ? 'while it is open.' : 'until it is shipped.'),
  );
}

const priceMembers = ['items', 'currency'] as const;
