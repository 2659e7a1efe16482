// The service's sales figures by currency: orders that were placed in a time, and money that was received in it.
import { query } from '../parts/api-client.ts';
import type { Figures, Sales, Status } from '../parts/api-types.ts';
import type { Page } from '../parts/view.ts';
import { dateTime, shopCurrency, timeZone } from '../parts/formats.ts';
import { isFinal } from '../parts/statuses.ts';
import { t } from '../parts/texts.ts';

type SalesRange = {
  /** Orders by when they were placed, or money by when it was paid and given back. */
  readonly of: 'placed' | 'received';
  readonly from: Date;
  readonly before: Date;
  readonly by: 'hour' | 'day' | 'month' | 'year';
};

export function readSales({ client, signal }: Page, { of, from, before, by }: SalesRange): Promise<Sales> {
  const range = { of, from: from.toISOString(), before: before.toISOString(), by, timeZone: timeZone() };
  return client.get<Sales>(`/sales?${query(range)}`, signal);
}

export function figuresOf({ buckets }: Pick<Sales, 'buckets'>): readonly Figures[] {
  return buckets.flatMap(({ figures }) => figures);
}

export function ordersOf(figures: readonly Figures[]): number {
  return figures.reduce((sum, { orders }) => sum + orders, 0);
}

/** Cancelled and refunded orders don't count. */
export function isSale({ status }: Pick<Figures, 'status'>): boolean {
  return !isFinal(status);
}

/** The rule of `isSale` in words, shown with sums of what was sold. */
export const whatCounts = t(
  'Sums count the orders placed in this time, paid or not; cancelled and refunded ones are left out.',
);

/** Returns the currencies: the shop's own first, then the one with the most orders. */
export function currenciesOf(figures: readonly Figures[]): string[] {
  const orders = new Map<string, number>();
  for (const { currency, orders: more } of figures) orders.set(currency, (orders.get(currency) ?? 0) + more);
  const own = shopCurrency();
  const place = ([currency, count]: [string, number]): number => (currency === own ? Infinity : count);
  return [...orders].sort((a, b) => place(b) - place(a)).map(([currency]) => currency);
}

/** The figures are of one currency. */
export function totalOf(figures: readonly Pick<Figures, 'total'>[]): number {
  return figures.reduce((sum, { total }) => sum + (total ?? 0), 0);
}

/** Money of one currency, in minor units; what was refunded or corrected is negative. */
export type Received = {
  readonly paid: number;
  readonly refunded: number;
  /** Marked as paid by mistake. */
  readonly corrected: number;
  readonly received: number;
};

export function receivedOf(figures: readonly Figures[], currency: string): Received {
  const own = figures.filter((each) => each.currency === currency);
  const ofStatus = (wanted: Status): number => totalOf(own.filter(({ status }) => status === wanted));
  return {
    paid: ofStatus('paid'),
    refunded: ofStatus('refunded'),
    corrected: ofStatus('open'),
    received: totalOf(own),
  };
}

/** Says from when the payments are known; undefined if all of the time are. */
export function incompleteText({ completeFrom }: Sales, from: Date): string | undefined {
  if (completeFrom === null || Date.parse(completeFrom) <= from.getTime()) return undefined;
  return t('Payments before {time} are no longer known.', { time: dateTime(completeFrom) });
}
