// The figures of sales, each from a covering index of orders, or of the events of payments and refunds.
import { timestampOf, timestampOrNull } from '../../base/timestamp.ts';
import { invalid } from '../../problem.ts';
import type { DatabaseReads } from '../../storage/database.ts';
import type { EventType } from '../events/event.ts';
import { feedCompleteFrom } from '../events/feed-store.ts';
import { payments, statuses, type OrderStatus, type Payment } from '../orders/order-status.ts';
import { exactSum, salesFiguresMax, tooMany, type Sales, type SalesRequest } from './sales.ts';

/** The rows that a figure counts: rows with this value, shown as this status; for money, of one kind of payment. */
type Counted = readonly [value: OrderStatus | EventType, status: OrderStatus, payment?: Payment | null];

const placed = statuses.map((status): Counted => [status, status]);
const moneyOf: readonly (readonly [EventType, OrderStatus])[] = [
  ['order.paid', 'paid'],
  ['order.refunded', 'refunded'],
  ['order.corrected', 'open'],
];
const received = moneyOf.flatMap(([type, status]) =>
  [null, ...payments].map((payment): Counted => [type, status, payment]),
);

/** The figures of a bucket. The total is null if it can't be shown exactly. */
type FiguresRow = readonly [
  bucket: number,
  currency: string,
  status: OrderStatus,
  orders: number,
  total: number | null,
  payment: Payment | null,
];

/**
 * Finds the figures by bucket, currency and status. Each figure is a range of one covering index, so rows are neither
 * sorted nor grouped. Throws if there are too many figures for one response.
 */
export async function findSales(database: DatabaseReads, request: SalesRequest): Promise<Sales> {
  const { of, by, timeZone, boundaries } = request;
  const times = boundaries.map(timestampOf);
  const spans = JSON.stringify(boundaries.slice(0, -1).map((from, index) => [from, boundaries[index + 1]]));
  const [sql, counted] = of === 'placed' ? [placedSql, placed] : [receivedSql, received];
  const rows = await database.readInWorker<FiguresRow>(sql, [spans, JSON.stringify(counted)]);
  const completeFrom = of === 'placed' ? null : feedCompleteFrom(database.read); // last: cleanup runs meanwhile
  if (rows.length > salesFiguresMax) throw invalid([tooMany('figure', salesFiguresMax)]);
  const buckets = times.slice(0, -1).map((from, index): TimeBucket => {
    return { from, before: times[index + 1] ?? from, figures: [] };
  });
  for (const [bucket, currency, status, orders, total, payment] of rows) {
    const figures = buckets[bucket]?.figures ?? [];
    const last = figures.at(-1);
    if (of === 'placed') figures.push({ currency, status, orders, total });
    else if (last?.currency === currency && last.status === status) {
      last.orders += orders;
      last.total = sumOf(last.total, total);
      last.byPayment?.push({ payment, orders, total });
    } else figures.push({ currency, status, orders, total, byPayment: [{ payment, orders, total }] });
  }
  const [from = '', before = ''] = [times[0], times.at(-1)];
  return { from, before, of, by, timeZone, completeFrom: timestampOrNull(completeFrom), buckets };
}

type TimeBucket = Sales['buckets'][number];

function sumOf(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return null;
  return Number.isSafeInteger(a + b) ? a + b : null;
}

type Source = {
  readonly table: 'orders' | 'events';
  readonly counted: 'status' | 'type';
  readonly amount: 'total' | 'received';
  /** A further condition on the rows. */
  readonly of: string;
};

const placedSql = figuresSql({ table: 'orders', counted: 'status', amount: 'total', of: '' });
const receivedSql = figuresSql({
  table: 'events',
  counted: 'type',
  amount: 'received',
  of: 'AND (SELECT payment FROM orders WHERE id = events.topicId) IS counted.value ->> 2',
});

function figuresSql({ table, counted, amount, of }: Source): string {
  return `
WITH RECURSIVE used (currency) AS (
  SELECT min(currency) FROM ${table} WHERE currency IS NOT NULL
  UNION ALL
  SELECT (SELECT min(currency) FROM ${table} WHERE currency > used.currency) FROM used
  WHERE currency IS NOT NULL
),
cells AS MATERIALIZED (
  SELECT bucket.key AS bucket, used.currency AS currency, counted.key AS position, counted.value ->> 1 AS status,
    counted.value ->> 2 AS payment, (
    SELECT json_array(count(*), ${exactSum(amount)}) FROM ${table}
    WHERE ${table}.currency = used.currency AND ${table}.${counted} = counted.value ->> 0
    AND createdAt >= bucket.value ->> 0 AND createdAt < bucket.value ->> 1 ${of}
  ) AS figures
  FROM used CROSS JOIN json_each(?2) AS counted CROSS JOIN json_each(?1) AS bucket
  WHERE used.currency IS NOT NULL
)
SELECT bucket, currency, status, figures ->> 0, figures ->> 1, payment FROM cells
WHERE figures ->> 0 > 0 ORDER BY bucket, currency, position LIMIT ${salesFiguresMax + 1}`;
}
