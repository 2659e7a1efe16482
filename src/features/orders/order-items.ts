// The items of an order and their sums, in the currency's minor unit.
import { directionIssue, singleLine, unitPrice } from '../../schema/members.ts';
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

export function amount(description: string, example: number): Schema<number> {
  return integer({ minimum: 0, description, examples: [example] });
}

export const sentTotal = optional(amount('Computed by the service; if sent, it must be correct.', 1498));
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
  object({ ...itemMembers, total: amount('quantity × unitPrice.', 1498) }),
);
type OrderItem = Infer<typeof OrderItem>;
export const NewItem = named(
  'NewOrderItem',
  object({ ...itemMembers, name: sentName, sku: optional(itemMembers.sku), total: sentTotal }, {}, [
    ruleFor({ ...priced, total: sentTotal }, ({ quantity, unitPrice, total }) =>
      sumIssues(quantity * unitPrice, total),
    ),
  ]),
);
export type NewItem = Infer<typeof NewItem>;

export const newItems = array(NewItem, { minItems: 1, maxItems: 100 });

/** Checks the sum of the items. Only the prices have to be valid, not the items' other members. */
export const totalRule = ruleFor(
  { items: array(object(priced), { minItems: 1, maxItems: 100 }), total: sentTotal },
  ({ items, total }) =>
    sumIssues(
      items.reduce((sum, { quantity, unitPrice }) => sum + quantity * unitPrice, 0),
      total,
    ),
);

/** Returns the items with their totals, and the sum of the totals. */
export function priceItems(sent: readonly NewItem[]): { items: OrderItem[]; total: number } {
  const items = sent.map(({ sku = null, name, quantity, unitPrice: sentPrice }): OrderItem => {
    const unitPrice = Math.abs(sentPrice); // JSON has -0, which is stored as 0
    return { sku, name, quantity, unitPrice, total: quantity * unitPrice };
  });
  return { items, total: items.reduce((sum, { total }) => sum + total, 0) };
}

/** A sum that was sent must equal the computed one. */
function sumIssues(computed: number, sent: number | undefined): Issue[] {
  if (!Number.isSafeInteger(computed))
    return [{ pointer: '/total', code: 'maximum', detail: `The total exceeds ${Number.MAX_SAFE_INTEGER}.` }];
  if (sent === undefined || sent === computed) return [];
  return [{ pointer: '/total', code: 'total', detail: `total must be ${computed}, or omitted.` }];
}
