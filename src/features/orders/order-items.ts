// The items of an order and their sums, in the currency's minor unit.
import { directionIssue, plainZero, singleLine, unitPrice } from '../../schema/members.ts';
import {
  array,
  integer,
  named,
  nullable,
  object,
  optional,
  ruleFor,
  type Infer,
  type Issue,
  type Schema,
} from '../../schema/schema.ts';

/** The total of an order, which is never negative. */
export function orderTotal(description: string): Schema<number> {
  return integer({ minimum: 0, description, examples: [1498] });
}

function itemTotal(description: string): Schema<number> {
  return integer({ minimum: itemTotalMin, description, examples: [1498] });
}

const itemTotalMin = -Number.MAX_SAFE_INTEGER;
const isComputed = 'Computed by the service; if sent, it must be correct.';
export const sentTotal = optional(orderTotal(isComputed));
const sentItemTotal = optional(itemTotal(isComputed));
const priced = {
  quantity: integer({ minimum: 1, maximum: 1_000_000, examples: [2] }),
  unitPrice,
};
const itemMembers = {
  sku: nullable(singleLine(64, 'The shop’s article number.', 'TEA-250')),
  name: singleLine(200, 'The article’s name.', 'Green tea, 250 g'),
  ...priced,
};

const sentName = singleLine(200, 'The article’s name.', 'Green tea, 250 g', directionIssue);

export const OrderItem = named(
  'OrderItem',
  object({ ...itemMembers, total: itemTotal('quantity × unitPrice.') }),
);
type OrderItem = Infer<typeof OrderItem>;
export const NewItem = named(
  'NewOrderItem',
  object({ ...itemMembers, name: sentName, sku: optional(itemMembers.sku), total: sentItemTotal }, {}, [
    ruleFor({ ...priced, total: sentItemTotal }, ({ quantity, unitPrice, total }) =>
      sumIssues({ sum: quantity * unitPrice, minimum: itemTotalMin }, total),
    ),
  ]),
);
export type NewItem = Infer<typeof NewItem>;

export const newItems = array(NewItem, { minItems: 1, maxItems: 100 });

/** Checks the sum of the items. Only the prices have to be valid, not the items' other members. */
export const totalRule = ruleFor(
  { items: array(object(priced), { minItems: 1, maxItems: 100 }), total: sentTotal },
  ({ items, total }) => {
    const totals = items.map(({ quantity, unitPrice }) => quantity * unitPrice);
    const charged = sumOf(totals.filter((each) => each > 0));
    if (charged > Number.MAX_SAFE_INTEGER) return [tooMuch]; // discounts don't count: sums on the way stay exact
    return sumIssues({ sum: sumOf(totals), minimum: 0 }, total);
  },
);

/** Returns the items with their totals, and the sum of the totals. */
export function priceItems(sent: readonly NewItem[]): { items: OrderItem[]; total: number } {
  const items = sent.map(({ sku = null, name, quantity, unitPrice: sentPrice }): OrderItem => {
    const unitPrice = plainZero(sentPrice);
    return { sku, name, quantity, unitPrice, total: quantity * unitPrice };
  });
  return { items, total: sumOf(items.map(({ total }) => total)) };
}

function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, each) => sum + each, 0);
}

type Computed = { readonly sum: number; readonly minimum: number };

/** A sum that was sent must equal the computed one. */
function sumIssues({ sum, minimum }: Computed, sent: number | undefined): Issue[] {
  if (sum > Number.MAX_SAFE_INTEGER) return [tooMuch];
  if (sum < minimum)
    return [
      { pointer: '/total', code: 'minimum', detail: `The total must be at least ${minimum}, but is ${sum}.` },
    ];
  if (sent === undefined || sent === sum) return [];
  return [{ pointer: '/total', code: 'total', detail: `total must be ${sum}, or omitted.` }];
}

const tooMuch: Issue = {
  pointer: '/total',
  code: 'maximum',
  detail: `The total exceeds ${Number.MAX_SAFE_INTEGER}.`,
};
