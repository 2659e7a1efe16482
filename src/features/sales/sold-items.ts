// What sold best: the items of the orders of a time, added up by article.
import { currency, timestamp } from '../../schema/members.ts';
import { array, integer, named, nullable, object, string, type Infer } from '../../schema/schema.ts';

/** The items of one response: of each currency, and of all. The event loop turns all of them into text at once. */
export const soldItemsOfCurrencyMax = 100;
export const soldItemsMax = 2_000;
/** The orders whose items are added up; a search reads as many, and the read worker serves both. */
export const soldOrdersMax = 40_000;

const SoldItem = named(
  'SoldItem',
  object({
    currency,
    sku: nullable(string({ maxLength: 64, examples: ['TEA-250'] })),
    name: string({ maxLength: 200, description: 'As in the newest order.', examples: ['Green tea, 250 g'] }),
    orders: integer({ description: 'In how many orders.', examples: [3] }),
    quantity: integer({ examples: [4] }),
    total: nullable(integer({ minimum: -Number.MAX_SAFE_INTEGER, examples: [2996] }), {
      description: `In the currency’s minor unit; below 0 for discounts. Null beyond ${Number.MAX_SAFE_INTEGER}.`,
    }),
  }),
);

export const SoldItems = named(
  'SoldItems',
  object({
    from: timestamp,
    before: timestamp,
    completeFrom: nullable(timestamp, {
      description:
        `Orders before this time aren’t counted, since a response counts the newest ${soldOrdersMax} of the ` +
        'currency; null if all are.',
      examples: [null],
    }),
    items: array(SoldItem, {
      maxItems: soldItemsMax,
      description:
        `By currency and \`total\`, the highest first: at most ${soldItemsOfCurrencyMax} of each currency, and fewer ` +
        `of each where there are more than ${soldItemsMax} in all.`,
    }),
  }),
);
export type SoldItems = Infer<typeof SoldItems>;
