// Sales: the number and the totals of orders or payments in each bucket, a span of time, by currency and
// status.
import { counted } from '../../base/message-words.ts';
import { dayMilliseconds } from '../../base/durations.ts';
import { currency, sentTimestamp, timestamp } from '../../schema/members.ts';
import { firstTime, lastTime, timeAtOrAfter } from '../../schema/rfc3339.ts';
import {
  array,
  integer,
  named,
  nullable,
  object,
  oneOf,
  optional,
  string,
  type Infer,
  type Issue,
  type ObjectOf,
} from '../../schema/schema.ts';
import { payments, statuses } from '../orders/order-status.ts';
import { timeZoneIssue } from '../shop/shop.ts';
import { bucketBoundaries, LocalClock, spans, salesBucketsMax } from './sales-buckets.ts';

export const salesFiguresMax = 20_000;

const timeZoneMembers = {
  maxLength: 64,
  pattern: '^(?:[A-Za-z][A-Za-z0-9_+\\-]*(?:/[A-Za-z0-9_+\\-]+)*|[+\\-]\\d\\d:\\d\\d)$',
  reportsFormatForLength: true,
  mustBe: 'a time zone such as Europe/Berlin or +01:00',
  description:
    'Whose hours, days, weeks, months and years: a name of the IANA time zone database, or an offset.',
  examples: ['Europe/Berlin'],
} as const;

const counts = oneOf(['placed', 'received'], {
  description:
    '`placed` (the default) counts orders when they were placed, by the status that they have now. ' +
    '`received` counts money by the time of payments, refunds and corrections of payments.',
});

export const timesQuery = {
  from: optional(sentTimestamp, { description: 'Inclusive; 30 days before `before` by default.' }),
  before: optional(sentTimestamp, { description: 'Exclusive; now by default.' }),
};

export const salesQuery = {
  of: optional(counts),
  ...timesQuery,
  by: optional(
    oneOf(spans, { description: 'The buckets; `day` by default. Weeks begin on Monday (ISO 8601).' }),
  ),
  timeZone: optional(string({ ...timeZoneMembers, rule: timeZoneIssue }), {
    description: 'By default the shop’s, or else `UTC`.',
  }),
};

const total = nullable(integer({ minimum: -Number.MAX_SAFE_INTEGER, examples: [4494] }), {
  description:
    'Of these orders, in the currency’s minor unit. What was given back of money `received` is negative, ' +
    `so that the sum is what stays. Null beyond ${Number.MAX_SAFE_INTEGER}.`,
});
const orders = integer({ description: 'How many; an order paid again counts again.', examples: [3] });

const byPayment = object({
  payment: nullable(oneOf(payments), { description: 'As the order has it now; null if nobody said.' }),
  orders,
  total,
});
const Figures = object({
  currency,
  status: oneOf(statuses, {
    description:
      'Of orders `placed`, the present one; of money `received`, what the orders became: `paid`, ' +
      '`refunded`, or `open` again by a correction.',
  }),
  orders,
  total,
  byPayment: optional(
    array(byPayment, {
      maxItems: payments.length + 1,
      description: 'Only of money `received`: how it was paid.',
    }),
  ),
});
const figures = array(named('SalesFigures', Figures), {
  maxItems: salesFiguresMax,
  description: 'By currency and status, of what happened in this time.',
});
const Bucket = named('SalesBucket', object({ from: timestamp, before: timestamp, figures }));

export const Sales = named(
  'Sales',
  object({
    from: timestamp,
    before: timestamp,
    of: counts,
    by: oneOf(spans),
    timeZone: string(timeZoneMembers),
    completeFrom: nullable(timestamp, {
      description:
        'Money `received` before this time isn’t shown completely, since events were removed for their age; ' +
        'null if none were removed, and for orders `placed`.',
      examples: [null],
    }),
    buckets: array(Bucket, {
      maxItems: salesBucketsMax,
      description: 'All, in order; those without figures are empty.',
    }),
  }),
);
export type Sales = Infer<typeof Sales>;

export type SalesRequest = Pick<Sales, 'of' | 'by' | 'timeZone'> & {
  /** The beginning of each bucket and the end of the last one, in milliseconds since 1970. */
  readonly boundaries: readonly number[];
};

const defaultMilliseconds = 30 * dayMilliseconds;

type SalesQuery = ObjectOf<typeof salesQuery>;
type SalesContext = { readonly now: number; readonly shopTimeZone: string | null };

/** Returns an issue if the range is empty or has too many buckets. */
export function salesIssues(query: SalesQuery, context: SalesContext): Issue[] {
  const issues = timesIssues(timesOf(query, context.now));
  if (issues.length > 0) return issues;
  const { by, boundaries } = salesRequestOf(query, context);
  return boundaries.length - 1 <= salesBucketsMax ? [] : [tooMany(by, salesBucketsMax)];
}

/** Sets defaults in a query whose times have no issues, and computes its buckets. */
export function salesRequestOf(query: SalesQuery, { now, shopTimeZone }: SalesContext): SalesRequest {
  const { of = 'placed', by = 'day', timeZone = shopTimeZone ?? 'UTC' } = query;
  const clock = new LocalClock(timeZone); // the schema of the query, or of the shop, has found it
  return { of, by, timeZone, boundaries: bucketBoundaries({ ...timesOf(query, now), by, clock }) };
}

/** In milliseconds since 1970. */
export type Times = { readonly from: number; readonly before: number };

/** Applies defaults, rounds both times up, and limits them to times that a response can show. */
export function timesOf(query: ObjectOf<typeof timesQuery>, now: number): Times {
  const before = query.before === undefined ? now : Math.min(timeAtOrAfter(query.before), lastTime);
  const from =
    query.from === undefined
      ? Math.max(before - defaultMilliseconds, firstTime)
      : Math.min(timeAtOrAfter(query.from), lastTime);
  return { from, before };
}

export function timesIssues({ from, before }: Times): Issue[] {
  const detail = 'before (default: now) must be later than from.';
  return from < before ? [] : [{ parameter: 'before', code: 'range', detail }];
}

export function tooMany(what: string, max: number): Issue {
  const detail = `At most ${counted(max, what)} per request; shorten the range, or use a longer \`by\`.`;
  return { parameter: 'by', code: 'too-many', detail };
}

/**
 * Returns the SQL of the sum of a column of integers, or of null if the sum can't be shown exactly. total() computes
 * with doubles, and with what each addition rounds away (Kahan and Babuška), so that it doesn't overflow.
 */
export function exactSum(column: string): string {
  return `iif(abs(total(${column})) <= ${Number.MAX_SAFE_INTEGER}, CAST(total(${column}) AS INTEGER), NULL)`;
}
