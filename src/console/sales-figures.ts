// The service's sales figures by currency.
import { query } from './api-client.ts';
import type { Figures, Sales } from './api-types.ts';
import type { Page } from './view.ts';
import { timeZone } from './formats.ts';

type SalesRange = { readonly from: Date; readonly before: Date; readonly by: 'hour' | 'day' };

export function readSales({ client, signal }: Page, { from, before, by }: SalesRange): Promise<Sales> {
  const range = { from: from.toISOString(), before: before.toISOString(), by, timeZone };
  return client.get<Sales>(`/sales?${query(range)}`, signal);
}

/** Cancelled and refunded orders don't count. */
export function isSale({ status }: Figures): boolean {
  return status !== 'cancelled' && status !== 'refunded';
}

/** The rule of `isSale` in words, shown with every sum. */
export const whatCounts =
  'Sums count the orders placed in this time, paid or not; cancelled and refunded ones are left out.';

/** Returns the currencies, the one with the most orders first. */
export function currenciesOf(figures: readonly Figures[]): string[] {
  const orders = new Map<string, number>();
  for (const { currency, orders: more } of figures) orders.set(currency, (orders.get(currency) ?? 0) + more);
  return [...orders].sort(([, a], [, b]) => b - a).map(([currency]) => currency);
}

export function sumOf(figures: readonly Figures[], currency: string): number {
  return figures
    .filter((each) => isSale(each) && each.currency === currency)
    .reduce((sum, { total }) => sum + (total ?? 0), 0);
}
