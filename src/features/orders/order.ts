// An order: the schemas of requests and responses, and the transitions of its status.
import { isDeepStrictEqual } from 'node:util';
import { isStaff, type Caller } from '../../auth/access.ts';
import { counted } from '../../base/counted.ts';
import { Problem, forbidden, requireValid } from '../../problem.ts';
import { mergePatch } from '../../schema/json-objects.ts';
import { currency, id, readOnlyIssues, sentTimestamp, text, timestamp } from '../../schema/members.ts';
import { parse } from '../../schema/schema-check.ts';
import {
  array,
  integer,
  named,
  nullable,
  object,
  oneOf,
  optional,
  partial,
  ruleFor,
  type Infer,
  type Issue,
  type ObjectOf,
  type Schema,
} from '../../schema/schema.ts';
import { reason } from '../events/event.ts';
import { searchParameter } from '../../schema/searching.ts';
import { Address, NewAddress, normalizeAddress } from '../customers/address.ts';
import { IncludedCustomer } from './included-customer.ts';
import { OrderItem, amount, newItems, priceItems, sentTotal, totalRule } from './order-items.ts';

/** The number of newest matching customers whose orders a search includes. */
export const searchedCustomersMax = 10_000;
/** The number of newest orders whose items are searched: a tenth of a second allows no more. */
export const searchedOrdersMax = 40_000;

export const statuses = ['open', 'paid', 'shipped', 'delivered', 'cancelled', 'refunded'] as const;
export type OrderStatus = (typeof statuses)[number];

/** The statuses that may follow each status; a status without followers is final. */
export const transitions: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  open: ['paid', 'cancelled'],
  paid: ['shipped', 'refunded'],
  shipped: ['delivered', 'refunded'],
  delivered: ['refunded'],
  cancelled: [],
  refunded: [],
};

/**
 * The status before each status. Staff may take an order back to it, if the present status was set by
 * mistake.
 */
const corrections: Readonly<Record<OrderStatus, OrderStatus | null>> = {
  open: null,
  paid: 'open',
  shipped: 'paid',
  delivered: 'shipped',
  cancelled: null,
  refunded: null,
};

/** How an order was paid: a note, since orderly is no till. */
export const payments = ['cash', 'card', 'transfer', 'other'] as const;
export type Payment = (typeof payments)[number];

/** The statuses in which staff may say, or correct, how the order was paid. */
const paidStatuses: ReadonlySet<OrderStatus> = new Set(['paid', 'shipped', 'delivered']);

/** The statuses that an order passes at its creation, for what is sold over the counter. */
const stepsAtCreation = {
  open: [],
  paid: ['paid'],
  delivered: ['paid', 'shipped', 'delivered'],
} as const satisfies Partial<Record<OrderStatus, readonly OrderStatus[]>>;
type CreatedStatus = keyof typeof stepsAtCreation;

export function stepsTo(status: CreatedStatus): readonly OrderStatus[] {
  return stepsAtCreation[status];
}

export function isCorrection(from: OrderStatus, to: OrderStatus | undefined): boolean {
  return corrections[from] === to;
}

const status = named(
  'OrderStatus',
  oneOf(statuses, {
    description:
      'open → paid | cancelled, paid → shipped | refunded, shipped → delivered | refunded, ' +
      'delivered → refunded. Staff may take `paid`, `shipped` and `delivered` back by one step, with a ' +
      '`reason`.',
  }),
);
const payment = nullable(named('Payment', oneOf(payments)), {
  description:
    'How it was paid; null if nobody said, and always before `paid`. Set by staff, with the step to `paid` or ' +
    'while the order is `paid`, `shipped` or `delivered`; a correction back to `open` empties it.',
});
/** The status of an imported order, which was created in another system. */
export const importedStatus = oneOf(statuses, { description: 'Any; `open` by default.' });
const owner = nullable(id, { description: 'The user who owns the order; null once that user is deleted.' });
const customerId = integer({ description: 'The customer who orders.', examples: [7] });
const note = nullable(text(2000, 'A note for the shop.', 'Please ring twice.'));

export const Order = named(
  'Order',
  object({
    id,
    status,
    payment,
    customerId,
    userId: owner,
    currency,
    items: array(OrderItem, { minItems: 1, maxItems: 100 }),
    total: amount('The sum of the items’ totals, in the currency’s minor unit.', 1498),
    shippingAddress: nullable(Address),
    note,
    createdAt: timestamp,
    updatedAt: timestamp,
    customer: optional(nullable(IncludedCustomer), {
      description: 'Only with `include=customer`; null if it belongs to somebody else.',
    }),
  }),
);
export type Order = Infer<typeof Order>;

/** A payment needs a status of an order that was paid. */
export const paymentRule = ruleFor(
  { status: optional(oneOf(statuses)), payment: optional(payment) },
  ({ status: sent = 'open', payment: by = null }) => {
    const isPaid = paidStatuses.has(sent) || sent === 'refunded';
    return by === null || isPaid ? [] : [earlyPayment];
  },
);
const earlyPayment: Issue = {
  pointer: '/payment',
  code: 'conflict',
  detail: 'payment must be null: the order is not paid.',
};

export const NewOrder = named(
  'NewOrder',
  object(
    {
      customerId,
      currency,
      items: newItems,
      status: optional(oneOf(['open', 'paid', 'delivered']), {
        description:
          '`open` by default. Staff may place an order as `paid` or `delivered`: it passes the steps between, ' +
          'with an event for each.',
      }),
      payment: optional(payment),
      total: sentTotal,
      shippingAddress: optional(nullable(NewAddress)),
      note: optional(note),
      userId: optional(id, { description: 'The owner, if that is another user; only staff may set it.' }),
    },
    {
      examples: [
        {
          customerId: 1,
          currency: 'EUR',
          items: [{ sku: 'TEA-250', name: 'Green tea, 250 g', quantity: 2, unitPrice: 749 }],
          note: 'Please ring twice.',
        },
      ],
    },
    [totalRule, paymentRule],
  ),
);
export type NewOrder = Infer<typeof NewOrder>;

/** The schema of an order after a PATCH was merged. Read-only members may be sent unchanged. */
export const PatchedOrder = object(
  {
    status,
    payment,
    items: newItems,
    currency,
    shippingAddress: nullable(NewAddress),
    note,
    total: sentTotal,
    reason: optional(reason, {
      description: 'Why: stored with the event alone. Required to take the status back by one step.',
    }),
    id,
    customerId,
    userId: owner,
    createdAt: sentTimestamp,
    updatedAt: sentTimestamp,
  },
  {},
  [totalRule, paymentRule],
);
export const OrderPatch = named(
  'OrderPatch',
  partial(PatchedOrder, {
    description:
      'A JSON Merge Patch (RFC 7396). Items are replaced as a whole. They, the customer, the currency and the ' +
      'address change only while the order is open.',
    examples: [{ status: 'paid' }],
  }),
);
export type PatchedOrder = Infer<typeof PatchedOrder>;
export type OrderPatch = Infer<typeof OrderPatch>;

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
    'An order’s id; or words that are all in its customer’s name, e-mail address or phone number, or all ' +
      'in the SKU and name of one item. Words of one or two characters are beginnings of words. By ' +
      `customer, the orders of the newest ${counted(searchedCustomersMax, 'customer')} that match are ` +
      `found. By item, the newest ${counted(searchedOrdersMax, 'order')} that pass the other filters are ` +
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

/** The members that requests set, and the sums. */
export type OrderContent = Pick<
  Order,
  'status' | 'payment' | 'currency' | 'items' | 'total' | 'shippingAddress' | 'note'
>;

/** The content of an order as requests send it. */
type SentOrder = Pick<NewOrder, 'payment' | 'currency' | 'items' | 'shippingAddress' | 'note'> & {
  readonly status?: OrderStatus;
};

/** Sets absent members to null, and computes the sums. */
export function orderContentOf({
  status = 'open',
  payment = null,
  currency,
  items,
  shippingAddress = null,
  note = null,
}: SentOrder): OrderContent {
  const sums = priceItems(items);
  return { status, payment, currency, ...sums, shippingAddress: normalizeAddress(shippingAddress), note };
}

/** The members that a PATCH may change. */
export type ChangedOrder = OrderContent & Pick<Order, 'customerId'>;

const readOnly = ['id', 'userId', 'createdAt', 'updatedAt'];

/** Merges a PATCH into the current order. The current total doesn't count as sent. */
export function mergeOrder(current: Order, patch: OrderPatch, caller: Caller): ChangedOrder {
  const { total: _computed, ...members } = current;
  const target = patch.status ?? current.status;
  const staysPaid = target !== 'open' || patch.payment !== undefined;
  const payment = staysPaid ? current.payment : null; // a correction back to open empties it
  const issues = readOnlyIssues(current, patch, readOnly);
  const needsReason = isStaff(caller) && isCorrection(current.status, patch.status);
  const isBlank = patch.reason === undefined || patch.reason.trim() === '';
  if (needsReason && isBlank) issues.push(missingReason);
  const isPaymentFixed =
    patch.payment !== undefined && patch.payment !== current.payment && target === 'refunded';
  if (isPaymentFixed) issues.push(fixedPayment);
  const merged = mergePatch({ ...members, payment }, patch);
  const patched = requireValid(parse(PatchedOrder, merged, issues));
  return { ...orderContentOf(patched), customerId: patched.customerId };
}

const fixedPayment: Issue = {
  pointer: '/payment',
  code: 'conflict',
  detail: 'payment can be changed only while the order is paid, shipped or delivered.',
};

const missingReason: Issue = {
  pointer: '/reason',
  code: 'required',
  detail: 'reason is required to take the status back.',
};

/** Throws unless the caller may change the order's status to this one. */
export function checkTransition(order: Order, to: OrderStatus, caller: Caller): void {
  const { id, status: from } = order;
  if (from === to) return;
  if (!transitions[from].includes(to) && !isCorrection(from, to)) {
    const allowed = stepsFrom(from, caller);
    const possible = allowed.length === 0 ? 'that status is final' : `it can become ${allowed.join(' or ')}`;
    const detail = `Order ${id} is ${from} and can’t become ${to}; ${possible}.`;
    throw new Problem('invalid-transition', detail, { transition: { from, to, allowed } });
  }
  if (!isStaff(caller) && to !== 'cancelled')
    throw forbidden(`Only staff may set an order to ${to}; its owner may cancel it while it is open.`);
}

/** Throws if a caller who isn't staff says how the order was paid, or places it as more than open. */
export function checkMayPay(order: Pick<Order, 'status' | 'payment'>, caller: Caller): void {
  if (isStaff(caller) || (order.status === 'open' && order.payment === null)) return;
  throw forbidden('Only staff may place an order as paid or delivered, or say how it was paid.');
}

/** Returns the statuses that may follow; for staff also the status before. */
function stepsFrom(from: OrderStatus, caller: Caller): readonly OrderStatus[] {
  const before = corrections[from];
  return isStaff(caller) && before !== null ? [...transitions[from], before] : transitions[from];
}

/** Throws if the order isn't open, and a member changes that may change only while it is. */
export function checkOpen(order: Order, wanted: ChangedOrder): void {
  if (order.status === 'open') return;
  const fixed = ['customerId', 'items', 'currency', 'shippingAddress'] as const;
  const changed = fixed.filter((name) => !isDeepStrictEqual(order[name], wanted[name]));
  if (changed.length === 0) return;
  throw new Problem(
    'order-not-open',
    `Order ${order.id} is ${order.status}; ` +
      `its ${changed.join(' and ')} can only be changed while it is open.`,
  );
}
