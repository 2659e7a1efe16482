// The figures of sales, from an index of orders.
import { salesFiguresMax } from '../../limits.ts';
import type { Database } from '../../storage/database.ts';
import { statuses } from './order.ts';
import { totalLowBits, type FiguresRow, type SalesRequest } from './sales.ts';

/**
 * Finds the figures by bucket, currency and status, and of more than `salesFiguresMax` one more than that.
 * Each figure is a range of one covering index, so orders are neither sorted nor grouped.
 */
export function findFigures(
  database: Pick<Database, 'readInWorker'>,
  { boundaries }: SalesRequest,
): Promise<FiguresRow[]> {
  const buckets = boundaries.slice(0, -1).map((from, index) => [from, boundaries[index + 1]]);
  return database.readInWorker<FiguresRow>(sql, [JSON.stringify(buckets), JSON.stringify(statuses)]);
}

const lowMask = 2 ** totalLowBits - 1;

const sql = `
WITH RECURSIVE used (currency) AS (
  SELECT min(currency) FROM orders
  UNION ALL
  SELECT (SELECT min(currency) FROM orders WHERE currency > used.currency) FROM used
  WHERE currency IS NOT NULL
),
cells AS MATERIALIZED (
  SELECT bucket.key AS bucket, used.currency AS currency, status.key AS position, status.value AS status, (
    SELECT json_array(count(*), sum(total >> ${totalLowBits}), sum(total & ${lowMask})) FROM orders
    WHERE orders.currency = used.currency AND orders.status = status.value
    AND createdAt >= bucket.value ->> 0 AND createdAt < bucket.value ->> 1
  ) AS figures
  FROM used CROSS JOIN json_each(?2) AS status CROSS JOIN json_each(?1) AS bucket
  WHERE used.currency IS NOT NULL
)
SELECT bucket, currency, status, figures ->> 0, figures ->> 1, figures ->> 2 FROM cells
WHERE figures ->> 0 > 0 ORDER BY bucket, currency, position LIMIT ${salesFiguresMax + 1}`;
