// The service's sales figures by currency: orders that were placed in a time, and money that was received in it.
import { query } from '../parts/api-client.ts';
import type { Figures, Sales, Status } from '../parts/api-types.ts';
import { dateTime, shopCurrency, timeZone } from '../parts/formats.ts';
import { isFinal, stages } from '../parts/statuses.ts';
import { t } from '../parts/texts.ts';
import type { Page } from '../parts/view.ts';

/** Orders by when they were placed, and money by when it was paid and given back, in the same buckets. */
export type Sold = { readonly placed: Sales; readonly received: Sales };

type Range = { readonly from: Date; readonly before: Date; readonly by: 'day' | 'month' | 'year' };

export async function readSold({ client, signal }: Page, { from, before, by }: Range): Promise<Sold> {
  const range = { from: from.toISOString(), before: before.toISOString(), by, timeZone: timeZone() };
  const read = (of: string): Promise<Sales> => client.get(`/sales?${query({ of, ...range })}`, signal);
  const [placed, received] = await Promise.all([read('placed'), read('received')]);
  return { placed, received };
}

export function figuresOf({ buckets }: Sales): readonly Figures[] {
  return buckets.flatMap(({ figures }) => figures);
}

/** Cancelled and refunded orders don't count. */
export function isSale({ status }: Figures): boolean {
  return !isFinal(status);
}

/** Returns the currencies: the shop's own first, then the one with the most orders. */
export function currenciesOf(figures: readonly Figures[]): string[] {
  const orders = new Map<string, number>();
  for (const { currency, orders: more } of figures) orders.set(currency, (orders.get(currency) ?? 0) + more);
  const own = shopCurrency();
  const place = ([currency, count]: [string, number]): number => (currency === own ? Infinity : count);
  return [...orders].sort((a, b) => place(b) - place(a)).map(([currency]) => currency);
}

export function ofCurrency(figures: readonly Figures[], currency: string): readonly Figures[] {
  return figures.filter((each) => each.currency === currency);
}

export function ordersOf(figures: readonly Figures[]): number {
  return figures.reduce((sum, { orders }) => sum + orders, 0);
}

/** The figures are of one currency. */
export function totalOf(figures: readonly Pick<Figures, 'total'>[]): number {
  return figures.reduce((sum, { total }) => sum + (total ?? 0), 0);
}

/** What moves money, by the status that the order gets: it is open again when it was marked as paid by mistake. */
export const moneyNames = [
  ['paid', stages.paid.name],
  ['refunded', stages.refunded.name],
  ['open', t('Marked as paid by mistake')],
] as const satisfies readonly (readonly [Status, string])[];

/** Says from when the payments are known; undefined if all of the time are. */
export function incompleteText({ received: { completeFrom } }: Sold, from: Date): string | undefined {
  if (completeFrom === null || Date.parse(completeFrom) <= from.getTime()) return undefined;
  return t('Payments before {time} are no longer known.', { time: dateTime(completeFrom) });
}
