// The members of an order, each declared once (`resource/resource-members.ts`), and the schemas made of them.
import { listed } from '../../base/message-words.ts';
import {
  contentReader,
  postedIn,
  sentIn,
  shownIn,
  type ContentOf,
  type PersonalOrNot,
} from '../../resource/resource-members.ts';
import { identity, times } from '../../resource/usual-members.ts';
import { activeCurrency, currency, id, multiLine } from '../../schema/members.ts';
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
} from '../../schema/schema.ts';
import { metadataMember } from '../../storage/metadata.ts';
import * as column from '../../storage/table.ts';
import { addressMember } from '../customers/address.ts';
import { customerResource } from '../customers/customers.ts';
import { reason } from '../events/event.ts';
import { OrderItem, newItems, orderTotal, priceItems, sentTotal, totalRule } from './order-items.ts';
import {
  correctableStatuses,
  overTheCounterStatuses,
  payableStatuses,
  payments,
  stages,
  statuses,
  statusesThat,
  type OrderStatus,
  type Payment,
} from './order-status.ts';

const transitions = statusesThat(({ next }) => next.length > 0).map((from) => {
  return `${from} → ${stages[from].next.join(' | ')}`;
});
const takenBack = listed(inCode(correctableStatuses), 'and');
const payable = listed(inCode(payableStatuses), 'or');
const overTheCounter = listed(inCode(overTheCounterStatuses), 'or');
export const status = named(
  'OrderStatus',
  oneOf(statuses, {
    description: `${transitions.join(', ')}. Staff may take ${takenBack} back by one step, with a \`reason\`.`,
  }),
);
const payment = nullable(named('Payment', oneOf(payments)), {
  description:
    'How it was paid; null if nobody said, and always before `paid`. Set by staff, with the step to `paid` or ' +
    `while the order is ${payable}; a correction back to \`open\` empties it.`,
});
const customerId = integer({ description: 'The customer who orders.', examples: [7] });
const owner = nullable(id, { description: 'The user who owns the order; null once that user is deleted.' });
const note = nullable(multiLine(2000, 'A note for the shop.', 'Please ring twice.'));
const placedStatus = oneOf(
  statusesThat(({ stepsWhenPlaced }) => stepsWhenPlaced !== null),
  {
    description:
      `\`open\` by default. Staff may place an order as ${overTheCounter}: it passes the steps between, ` +
      'with an event for each.',
  },
);

/** An order that is sent without a status has this one. */
const statusByDefault: OrderStatus = 'open';

export const orderMembers = {
  ...identity,
  status: {
    shown: status,
    posted: optional(placedStatus),
    sent: optional(status),
    absent: statusByDefault,
    column: column.textColumn<OrderStatus>(),
    hasValuesInEvents: true,
  },
  payment: {
    shown: payment,
    sent: optional(payment),
    column: column.nullableColumn(column.textColumn<Payment>()),
    hasValuesInEvents: true,
  },
  customerId: { shown: customerId, sent: customerId, column: column.integerColumn, isPersonal: false },
  userId: {
    shown: owner,
    posted: optional(id, { description: 'The owner, if that is another user; only staff may set it.' }),
    readOnly: optional(owner),
    column: column.nullableColumn(column.integerColumn),
    isPersonal: false,
  },
  currency: {
    shown: currency,
    posted: activeCurrency,
    sent: currency,
    column: column.textColumn(),
    hasValuesInEvents: true,
  },
  items: {
    shown: array(OrderItem, { minItems: 1, maxItems: 100 }),
    sent: newItems,
    column: column.jsonColumn<Infer<typeof OrderItem>[]>(),
    hasValuesInEvents: true,
  },
  total: {
    shown: orderTotal('The sum of the items’ totals, in the currency’s minor unit.'),
    sent: sentTotal,
    column: column.integerColumn,
    hasValuesInEvents: true,
  },
  shippingAddress: { ...addressMember, isPersonal: true },
  note: {
    shown: note,
    sent: optional(note),
    column: column.nullableColumn(column.textColumn()),
    isPersonal: true,
  },
  metadata: { ...metadataMember, isPersonal: true },
  ...times,
} satisfies PersonalOrNot;

const IncludedCustomer = named(
  'IncludedCustomer',
  object({ id, name: customerResource.Shown.properties.name }),
);

export const Order = named(
  'Order',
  object({
    ...shownIn(orderMembers),
    customer: optional(nullable(IncludedCustomer), {
      description: 'Only with `include=customer`; null if it belongs to somebody else.',
    }),
  }),
);
export type Order = Infer<typeof Order>;

/** A payment needs a status of an order that was paid. */
export const paymentRule = ruleFor(
  { status: optional(oneOf(statuses)), payment: optional(payment) },
  ({ status: sent = statusByDefault, payment: by = null }) =>
    by !== null && stages[sent].payment === 'none' ? [earlyPayment] : [],
);
const earlyPayment: Issue = {
  pointer: '/payment',
  code: 'conflict',
  detail: 'payment must be null: the order is not paid.',
};

export const NewOrder = named(
  'NewOrder',
  object(
    postedIn(orderMembers),
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
/** The status of an imported order, which was created in another system. */
export const importedStatus = oneOf(statuses, { description: 'Any; `open` by default.' });

/** The schema of an order after a PATCH was merged. Read-only members may be sent unchanged. */
export const PatchedOrder = object(
  {
    ...sentIn(orderMembers),
    reason: optional(nullable(reason), {
      description: 'Why: stored with the event alone. Required to take the status back by one step.',
    }),
  },
  {},
  [totalRule, paymentRule],
);
export const OrderPatch = named(
  'OrderPatch',
  partial(PatchedOrder, {
    description:
      'A JSON Merge Patch (RFC 7396). Items are replaced as a whole. They and the currency change only ' +
      'while the order is open, the customer and the address until it is shipped, cancelled or refunded.',
    examples: [{ status: 'paid' }],
  }),
);
export type OrderPatch = Infer<typeof OrderPatch>;

/** The members that a PATCH may change, and the sums. */
export type OrderContent = ContentOf<typeof orderMembers>;

type SentOrder = Omit<NewOrder, 'status' | 'userId'> & { readonly status?: OrderStatus };

const readContent = contentReader(orderMembers);

/** Returns the content of an order as requests send it, with its sums. */
export function orderContentOf(order: SentOrder): OrderContent {
  return { ...readContent(order), ...priceItems(order.items) };
}

function inCode(words: readonly string[]): string[] {
  return words.map((word) => `\`${word}\``);
}
