// The best-selling articles: the read worker adds up the items of the orders in a span of time.
import { timestampOf } from '../../base/timestamp.ts';
import { currency, timestamp } from '../../schema/members.ts';
import { array, integer, named, nullable, object, string, type Infer } from '../../schema/schema.ts';
import type { DatabaseReads } from '../../storage/database.ts';
import { statusesThat } from '../orders/order-status.ts';
import { exactSum, type Times } from './sales.ts';

/** The items of one response: of each currency, and of all. The event loop turns all of them into text at once. */
const soldItemsOfCurrencyMax = 100;
const soldItemsMax = 2_000;
/** The orders whose items are added up; a search reads as many, and the read worker serves both. */
const soldOrdersMax = 40_000;

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

/** Items of orders in a final status, cancelled or refunded, don't count as sold. */
const sold = JSON.stringify(statusesThat(({ next }) => next.length > 0));

type SoldItem = SoldItems['items'][number];
type SoldItemRow = readonly [
  currency: string,
  sku: string | null,
  name: string,
  orders: number,
  quantity: number,
  total: number | null,
];

/** Finds the items with the highest sums, of the newest `soldOrdersMax` orders of that time. */
export async function findSoldItems(database: DatabaseReads, { from, before }: Times): Promise<SoldItems> {
  const [[oldest] = [null]] = await database.readInWorker<[number]>(oldestSql, [sold, from, before]);
  const rows = await database.readInWorker<SoldItemRow>(itemsSql, [sold, oldest ?? from, before]);
  const items = rows.map((row): SoldItem => {
    const [currency, sku, name, orders, quantity, total] = row;
    return { currency, sku, name, orders, quantity, total };
  });
  const completeFrom = oldest === null ? null : timestampOf(oldest);
  return { from: timestampOf(from), before: timestampOf(before), completeFrom, items };
}

const selectedSql = `
FROM json_each(?1) AS sold CROSS JOIN orders
ON orders.status = sold.value AND orders.createdAt >= ?2 AND orders.createdAt < ?3`;

/** The time of the oldest order that is counted, if there are more; others of this time are counted with it. */
const oldestSql = `SELECT createdAt ${selectedSql} ORDER BY createdAt DESC LIMIT 1 OFFSET ${soldOrdersMax}`;

/** SQLite takes bare columns from the row of max(): the name is from the row with the greatest id. */
const itemsSql = `
WITH item AS (
  SELECT orders.id AS orderId, orders.currency AS currency, item.value ->> 'sku' AS sku,
    item.value ->> 'name' AS name, item.value ->> 'quantity' AS quantity,
    (item.value ->> 'quantity') * (item.value ->> 'unitPrice') AS total
  ${selectedSql} CROSS JOIN json_each(orders.items) AS item
),
added AS (
  SELECT currency, sku, name, max(orderId) AS newest, count(DISTINCT orderId) AS orders,
    sum(quantity) AS quantity, total(total) AS sum, ${exactSum('total')} AS total
  FROM item GROUP BY currency, lower(sku), iif(sku IS NULL, name, NULL)
),
ranked AS (
  SELECT *, row_number() OVER (
    PARTITION BY currency ORDER BY sum DESC, quantity DESC, newest DESC
  ) AS place FROM added
),
best AS (
  SELECT * FROM ranked WHERE place <= ${soldItemsOfCurrencyMax} ORDER BY place, currency LIMIT ${soldItemsMax}
)
SELECT currency, sku, name, orders, quantity, total FROM best ORDER BY currency, place`;
