// What sold best: the items of the orders of a time, added up by article.
import { dayMilliseconds } from '../../base/durations.ts';
import { timestampOf } from '../../base/timestamp.ts';
import { currency, sentTimestamp, timestamp } from '../../schema/members.ts';
import { firstTime, lastTime, timeAtOrAfter } from '../../schema/rfc3339.ts';
import {
  array,
  integer,
  named,
  nullable,
  object,
  optional,
  string,
  type Infer,
  type Issue,
  type ObjectOf,
} from '../../schema/schema.ts';
import { joinedHalves } from './sales.ts';

/** The items of one response, of each currency. */
export const soldItemsMax = 100;
const currenciesMax = 200;
/** The orders whose items are added up; a search reads as many, and the read worker serves both. */
export const soldOrdersMax = 40_000;

const defaultMilliseconds = 30 * dayMilliseconds;

export const soldItemsQuery = {
  from: optional(sentTimestamp, { description: 'Inclusive; 30 days before `before` by default.' }),
  before: optional(sentTimestamp, { description: 'Exclusive; now by default.' }),
};
type SoldItemsQuery = ObjectOf<typeof soldItemsQuery>;

const SoldItem = named(
  'SoldItem',
  object({
    currency,
    sku: nullable(string({ maxLength: 64, examples: ['TEA-250'] })),
    name: string({ maxLength: 200, description: 'As in the newest order.', examples: ['Green tea, 250 g'] }),
    orders: integer({ description: 'In how many orders.', examples: [3] }),
    quantity: integer({ examples: [4] }),
    total: nullable(integer({ examples: [2996] }), {
      description: `In the currency’s minor unit. Null beyond ${Number.MAX_SAFE_INTEGER}.`,
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
      maxItems: soldItemsMax * currenciesMax,
      description: `By currency and \`total\`, the highest first: at most ${soldItemsMax} of each currency.`,
    }),
  }),
);
export type SoldItems = Infer<typeof SoldItems>;

/** Times are in milliseconds since 1970. */
export type SoldItemsRequest = { readonly from: number; readonly before: number };

export function soldItemsIssues(query: SoldItemsQuery, now: number): Issue[] {
  const { from, before } = soldItemsRequest(query, now);
  const detail = 'before (default: now) must be later than from.';
  return from < before ? [] : [{ parameter: 'before', code: 'range', detail }];
}

/** Applies defaults, and rounds both times up. */
export function soldItemsRequest(query: SoldItemsQuery, now: number): SoldItemsRequest {
  const before = query.before === undefined ? now : Math.min(timeAtOrAfter(query.before), lastTime);
  const from =
    query.from === undefined
      ? Math.max(before - defaultMilliseconds, firstTime)
      : Math.min(timeAtOrAfter(query.from), lastTime);
  return { from, before };
}

/** Totals are summed in two halves, since SQLite's sum of integers could overflow. */
export type SoldItemRow = readonly [
  currency: string,
  sku: string | null,
  name: string,
  orders: number,
  quantity: number,
  totalHigh: number,
  totalLow: number,
];

export type SoldItemsFound = {
  readonly rows: readonly SoldItemRow[];
  /** Milliseconds since 1970; null if all orders were counted. */
  readonly completeFrom: number | null;
};

export function soldItemsOf(request: SoldItemsRequest, { rows, completeFrom }: SoldItemsFound): SoldItems {
  const items = rows.map(([rowCurrency, sku, name, orders, quantity, high, low]) => ({
    currency: rowCurrency,
    sku,
    name,
    orders,
    quantity,
    total: joinedHalves(high, low),
  }));
  return {
    from: timestampOf(request.from),
    before: timestampOf(request.before),
    completeFrom: completeFrom === null ? null : timestampOf(completeFrom),
    items,
  };
}
