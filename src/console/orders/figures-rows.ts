// The rows of the figures of months and years, and of what sold best, as tables show them and files have them.
import type { Sales, SoldItem } from '../parts/api-types.ts';
import { dayName, priceText } from '../parts/formats.ts';
import { tableFile } from '../parts/list-file.ts';
import { withoutFormulas } from '../parts/table-text.ts';
import { t } from '../parts/texts.ts';
import { isSale, ordersOf, type Received, receivedOf, totalOf } from './sales-figures.ts';

/** Sales by when orders were placed and by when money was received, in the same buckets. */
export type SpanSales = { readonly placed: Sales; readonly received: Sales };

type FiguresRow = Received & {
  /** The beginning of the month or year, and its end. */
  readonly from: string;
  readonly before: string;
  readonly orders: number;
  readonly sold: number;
};

/** Returns the rows of one currency, the newest first, without those in which nothing happened. */
export function figuresRows({ placed, received }: SpanSales, currency: string): readonly FiguresRow[] {
  const rows = placed.buckets.map(({ from, before, figures }, index): FiguresRow & { isEmpty: boolean } => {
    const orders = figures.filter((each) => each.currency === currency && isSale(each));
    const money = (received.buckets[index]?.figures ?? []).filter((each) => each.currency === currency);
    return {
      from,
      before,
      orders: ordersOf(orders),
      sold: totalOf(orders),
      ...receivedOf(money, currency),
      isEmpty: orders.length + money.length === 0,
    };
  });
  return rows.filter(({ isEmpty }) => !isEmpty).reverse();
}

/** The rows of all currencies as a file for a spreadsheet. */
export function figuresFile(sales: SpanSales, currencies: readonly string[]): readonly string[] {
  const heading = [
    t('From'),
    t('Currency'),
    t('Orders'),
    t('Sold'),
    t('Paid'),
    t('Refunded'),
    t('Marked as paid by mistake'),
    t('Received'),
  ];
  const rows = currencies.flatMap((currency) =>
    figuresRows(sales, currency).map(({ from, orders, sold, paid, refunded, corrected, received }) => {
      const amounts = [sold, paid, refunded, corrected, received].map((sum) => priceText(sum, currency));
      return [dayName(new Date(from)), currency, String(orders), ...amounts];
    }),
  );
  return tableFile([heading, ...rows]);
}

export function soldItemsFile(items: readonly SoldItem[]): readonly string[] {
  const heading = [t('Currency'), t('SKU'), t('Name'), t('Orders'), t('Quantity'), t('Amount')];
  const rows = items.map(({ currency, sku, name, orders, quantity, total }) => [
    currency,
    withoutFormulas(sku ?? ''),
    withoutFormulas(name),
    String(orders),
    String(quantity),
    total === null ? '' : priceText(total, currency),
  ]);
  return tableFile([heading, ...rows]);
}
