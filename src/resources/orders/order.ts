// An order: what is sent and shown, its sums, and the steps of its status.
import { isStaff, type Caller } from '../../auth/access.ts';
import { Problem, forbidden } from '../../errors.ts';
import { currency, id, singleLine, text, timestamp } from '../../schema/members.ts';
import {
  array,
  integer,
  named,
  nullable,
  object,
  oneOf,
  optional,
  partial,
  type Infer,
  type Issue,
  type ObjectOf,
} from '../../schema/schema.ts';
import { Address, NewAddress, normalAddress } from '../customers/customer.ts';

export const statuses = ['open', 'paid', 'shipped', 'delivered', 'cancelled', 'refunded'] as const;
export type OrderStatus = (typeof statuses)[number];

/** Contract section 2. What leads nowhere is final. */
export const steps: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  open: ['paid', 'cancelled'],
  paid: ['shipped', 'refunded'],
  shipped: ['delivered', 'refunded'],
  delivered: ['refunded'],
  cancelled: [],
  refunded: [],
};

const status = oneOf(statuses, {
  description:
    'open → paid | cancelled, paid → shipped | refunded, shipped → delivered | refunded, ' +
    'delivered → refunded.',
});
const amount = (description: string, example: number) =>
  integer({ minimum: 0, description, examples: [example] });
const sentTotal = optional(amount('Computed by the service; if sent, it must be correct.', 1498));
const itemMembers = {
  sku: nullable(singleLine(64, 'The shop’s article number.', 'TEA-250')),
  name: singleLine(200, 'The article’s name.', 'Green tea, 250 g'),
  quantity: integer({ minimum: 1, maximum: 1_000_000, examples: [2] }),
  unitPrice: integer({
    minimum: 0,
    maximum: 1e12,
    description: 'In the currency’s minor unit.',
    examples: [749],
  }),
};

const OrderItem = named(
  'OrderItem',
  object({ ...itemMembers, total: amount('quantity × unitPrice.', 1498) }),
);
type OrderItem = Infer<typeof OrderItem>;
const NewItem = named(
  'NewOrderItem',
  object(
    { ...itemMembers, sku: optional(itemMembers.sku), total: sentTotal },
    {},
    ({ quantity, unitPrice, total }) => sumIssues(quantity * unitPrice, total),
  ),
);
export type NewItem = Infer<typeof NewItem>;

const owner = nullable(id, { description: 'The user who owns the order; null once that user is deleted.' });
const customerId = integer({ description: 'The customer who orders.', examples: [7] });
const note = nullable(text(2000, 'A note for the shop.', 'Please ring twice.'));
const items = array(NewItem, { minItems: 1, maxItems: 100 });

export const Order = named(
  'Order',
  object({
    id,
    status,
    customerId,
    userId: owner,
    currency,
    items: array(OrderItem, { minItems: 1, maxItems: 100 }),
    total: amount('The sum of the items’ totals, in the currency’s minor unit.', 1498),
    shippingAddress: nullable(Address),
    note,
    createdAt: timestamp,
    updatedAt: timestamp,
  }),
);
export type Order = Infer<typeof Order>;

export const NewOrder = named(
  'NewOrder',
  object(
    {
      customerId,
      currency,
      items,
      status: optional(oneOf(['open'])),
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
    (order) => sumIssues(priced(order.items).total, order.total),
  ),
);
export type NewOrder = Infer<typeof NewOrder>;

/** What an order is after a PATCH; read-only members may be sent as they are. */
export const OrderReplacement = object(
  {
    status,
    items,
    currency,
    shippingAddress: nullable(NewAddress),
    note,
    total: sentTotal,
    id,
    customerId,
    userId: owner,
    createdAt: timestamp,
    updatedAt: timestamp,
  },
  {},
  (order) => sumIssues(priced(order.items).total, order.total),
);
export const OrderPatch = named(
  'OrderPatch',
  partial(OrderReplacement, {
    description: 'A JSON Merge Patch (RFC 7396). Items are replaced as a whole.',
    examples: [{ status: 'paid' }],
  }),
);
export type OrderReplacement = Infer<typeof OrderReplacement>;

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
/** What a list of orders can be asked for. */
export const orderFilters = {
  status: optional(
    array(oneOf(statuses), {
      minItems: 1,
      maxItems: statuses.length,
      description: 'One or more, separated by commas.',
      examples: [['open', 'paid']],
    }),
  ),
  customerId: optional(id),
  userId: optional(id),
  currency: optional(currency, { description: 'Only orders in this currency (ISO 4217).' }),
  createdFrom: optional(timestamp, { description: 'Only orders created at this time or later.' }),
  createdBefore: optional(timestamp, { description: 'Only orders created before this time.' }),
  sort: optional(
    oneOf(orderSorts, { description: 'A leading `-` means descending; `-createdAt` by default.' }),
  ),
};
export type OrderFilter = Omit<ObjectOf<typeof orderFilters>, 'status'> & {
  readonly status?: readonly OrderStatus[];
};

/** The items with their totals, and the sum of them. */
export function priced(newItems: readonly NewItem[]): { items: OrderItem[]; total: number } {
  let total = 0;
  const items = newItems.map(({ sku = null, name, quantity, unitPrice }): OrderItem => {
    total += quantity * unitPrice;
    return { sku, name, quantity, unitPrice, total: quantity * unitPrice };
  });
  return { items, total };
}

/** A sum that was sent has to be right. */
function sumIssues(right: number, sent: number | undefined): Issue[] {
  if (!Number.isSafeInteger(right))
    return [{ pointer: '/total', code: 'maximum', detail: `The total exceeds ${Number.MAX_SAFE_INTEGER}.` }];
  return sent === undefined || sent === right
    ? []
    : [{ pointer: '/total', code: 'total', detail: `total must be ${right}, or omitted.` }];
}

/** What an order is made of, beside what the service sets. */
export type OrderCore = Pick<Order, 'status' | 'currency' | 'items' | 'total' | 'shippingAddress' | 'note'>;

/** Absent is null, sums are computed. */
export function coreOf({
  status = 'open',
  currency,
  items,
  shippingAddress = null,
  note = null,
}: NewOrder | OrderReplacement): OrderCore {
  return { status, currency, ...priced(items), shippingAddress: normalAddress(shippingAddress), note };
}

/** Throws unless the caller may take the order from its present status to the wanted one. */
export function checkStep(order: Order, to: OrderStatus, caller: Caller): void {
  const { id, status: from } = order;
  if (from === to) return;
  const allowed = steps[from];
  if (!allowed.includes(to)) {
    const could = allowed.length === 0 ? 'that status is final' : `it can become ${allowed.join(' or ')}`;
    throw new Problem('invalid-transition', `Order ${id} is ${from} and can’t become ${to}; ${could}.`, {
      transition: { from, to, allowed },
    });
  }
  if (!isStaff(caller) && to !== 'cancelled')
    throw forbidden(`Only staff may set an order to ${to}; its owner may cancel it while it is open.`);
}

/** Throws if something changes that only changes while the order is open. */
export function checkOpen(order: Order, wanted: OrderCore): void {
  if (order.status === 'open') return;
  const changed = (['items', 'currency', 'shippingAddress'] as const).filter(
    (name) => JSON.stringify(order[name]) !== JSON.stringify(wanted[name]),
  );
  if (changed.length > 0)
    throw new Problem(
      'order-not-open',
      `Order ${order.id} is ${order.status}; ` +
        `its ${changed.join(' and ')} can only be changed while it is open.`,
    );
}
