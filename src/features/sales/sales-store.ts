// The figures of sales, each from a covering index of orders, or of the events of payments and refunds.
import type { DatabaseReads } from '../../storage/database.ts';
import { feedCompleteFrom } from '../events/feed-store.ts';
import type { EventType } from '../events/event.ts';
import { payments, statuses, type OrderStatus, type Payment } from '../orders/order-status.ts';
import { exactSum, type FiguresFound, type FiguresRow, type SalesRequest, salesFiguresMax } from './sales.ts';

/** What a figure counts: rows with this value, shown as this status; of money, those of one payment. */
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

/**
 * Finds the figures by bucket, currency and status; at most `salesFiguresMax` and one more. Each figure is a
 * range of one covering index, so rows are neither sorted nor grouped.
 */
export async function findFigures(
  database: DatabaseReads,
  { of, boundaries }: SalesRequest,
): Promise<FiguresFound> {
  const buckets = JSON.stringify(boundaries.slice(0, -1).map((from, index) => [from, boundaries[index + 1]]));
  const [sql, counted] = of === 'placed' ? [placedSql, placed] : [receivedSql, received];
  const rows = await database.readInWorker<FiguresRow>(sql, [buckets, JSON.stringify(counted)]);
  const completeFrom = of === 'placed' ? null : feedCompleteFrom(database.read); // last: cleanup runs meanwhile
  return { rows, completeFrom };
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
