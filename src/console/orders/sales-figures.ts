// The service's sales figures by currency: orders that were placed in a time, and money that was received in it. With
// the table that shows sums.
import { query } from '../service/api-client.ts';
import type { Figures, Sales, Status } from '../words/api-types.ts';
import { type Child, h, svg } from '../browser/elements.ts';
import { count, dateTime, money, priceText, shopCurrency, shopDays } from '../words/formats.ts';
import { isFinal, statusTitle } from '../words/statuses.ts';
import { tableHead } from '../lists/tables.ts';
import { t } from '../words/texts.ts';
import type { Page } from '../page/view.ts';

type Sums = {
  /** Orders by their status now. */
  readonly placed: readonly Figures[];
  /** Money by the step that moved it, as in `moneyNames`; refunds and corrections are negative. */
  readonly moved: readonly Figures[];
  /** Cancelled and refunded orders don't count as sold. */
  readonly orders: number;
  readonly sold: number;
  readonly received: number;
};
type Of = (currency: string) => Sums;
/** Orders by when they were placed, and money by when it was paid and given back: in all, and in days, months or years. */
export type Sold = {
  /** The shop's own first, then the one with the most orders. */
  readonly currencies: readonly string[];
  readonly of: Of;
  readonly buckets: readonly { readonly from: string; readonly before: string; readonly of: Of }[];
  /** Says from when the payments are known; undefined if all of the time are. */
  readonly incomplete: string | undefined;
};
type Range = { readonly from: Date; readonly before: Date; readonly by: 'day' | 'month' | 'year' };

export async function readSold({ client, signal }: Page, { from, before, by }: Range): Promise<Sold> {
  const range = { from: from.toISOString(), before: before.toISOString(), by, timeZone: shopDays().zone };
  const read = (of: string): Promise<Sales> => client.get(`/sales?${query({ of, ...range })}`, signal);
  const [placed, received] = await Promise.all([read('placed'), read('received')]);
  const allPlaced = placed.buckets.flatMap(({ figures }) => figures);
  const allMoved = received.buckets.flatMap(({ figures }) => figures);
  const { completeFrom } = received;
  const isComplete = completeFrom === null || Date.parse(completeFrom) <= from.getTime();
  return {
    currencies: currenciesOf([...allPlaced, ...allMoved]),
    of: sumsIn(allPlaced, allMoved),
    buckets: placed.buckets.map((bucket, index) => {
      return { ...bucket, of: sumsIn(bucket.figures, received.buckets[index]?.figures) };
    }),
    incomplete: isComplete
      ? undefined
      : t('Payments before {time} are no longer known.', { time: dateTime(completeFrom) }),
  };
}

function sumsIn(allPlaced: readonly Figures[], allMoved: readonly Figures[] = []): Of {
  return (currency) => {
    const isOwn = (each: Figures): boolean => each.currency === currency;
    const [placed, moved] = [allPlaced.filter(isOwn), allMoved.filter(isOwn)];
    const sales = placed.filter(isSale);
    return { placed, moved, orders: ordersOf(sales), sold: totalOf(sales), received: totalOf(moved) };
  };
}

function currenciesOf(figures: readonly Figures[]): readonly string[] {
  const orders = new Map<string, number>();
  for (const { currency, orders: more } of figures) orders.set(currency, (orders.get(currency) ?? 0) + more);
  const own = shopCurrency();
  const place = ([currency, count]: [string, number]): number => (currency === own ? Infinity : count);
  return [...orders].sort((a, b) => place(b) - place(a)).map(([currency]) => currency);
}

export function isSale({ status }: Figures): boolean {
  return !isFinal(status);
}

export function ordersOf(figures: readonly Pick<Figures, 'orders'>[]): number {
  return figures.reduce((sum, { orders }) => sum + orders, 0);
}

/** The figures are of one currency. */
export function totalOf(figures: readonly Pick<Figures, 'total'>[]): number {
  return figures.reduce((sum, { total }) => sum + (total ?? 0), 0);
}

/** What moves money, by the status that the order gets: it is open again when it was marked as paid by mistake. */
export const moneyNames = [
  ['paid', statusTitle('paid')],
  ['refunded', statusTitle('refunded')],
  ['open', t('Marked as paid by mistake')],
] as const satisfies readonly (readonly [Status, string])[];

export type SumRow = {
  /** In the file, and on the page unless there is a label. */
  readonly name: string;
  readonly label?: Child;
  /** Drawn as a bar beside the name: a part of 1. */
  readonly share?: number;
  /** A number, then amounts in the currency's minor unit; undefined where none is shown. */
  readonly cells: readonly (number | null | undefined)[];
  readonly isSum?: boolean;
};
/** A table of sums in one currency. What has no room as a column of the kind `wide` is said below the name. */
export type SumTable = {
  readonly currency: string;
  readonly columns: readonly (readonly [label: string, kind: 'number' | 'number wide'])[];
  readonly groups: readonly { readonly title?: string; readonly rows: readonly SumRow[] }[];
};

export function sumTable({ currency, columns, groups }: SumTable): HTMLElement {
  const hasBars = groups.some(({ rows }) => rows.some(({ share }) => share !== undefined));
  const row = ({ name, label = name, share = 0, cells, isSum = false }: SumRow): HTMLElement => {
    const texts = cells.map((cell, index) => {
      if (cell === undefined) return '';
      return index === 0 ? count(cell ?? 0) : money(cell, currency);
    });
    const below = columns.flatMap(([title, kind], index) => {
      return kind === 'number wide' && texts[index] !== '' ? [`${title}\u00a0${texts[index]}`] : [];
    });
    return h(
      'tr',
      { class: isSum && 'total-row' },
      h('th', { scope: 'row' }, label, h('span.phone.soft', below.join(' · '))),
      hasBars && h('td.wide.share', shareBar(share)),
      columns.map(([, kind], index) => h('td', { class: kind }, texts[index])),
    );
  };
  const width = columns.length + (hasBars ? 2 : 1);
  const bodies = groups.map(({ title, rows }) => {
    const heading = h('th', { scope: 'rowgroup', colspan: width }, title);
    return h('tbody', title !== undefined && h('tr', heading), rows.map(row));
  });
  const head = tableHead([[''], ...(hasBars ? ([['', 'wide']] as const) : []), ...columns]);
  return h('table.plain', h('caption', currency), head, bodies);
}

function shareBar(share: number): SVGElement {
  const box = { viewBox: '0 0 100 10', preserveAspectRatio: 'none', 'aria-hidden': 'true' };
  return svg('svg', box, svg('rect', { width: 100 * share, height: 10 }));
}

/** The rows for a spreadsheet: currency, the title of the group if it has one, name, and cells. */
export function fileRowsOf(tables: readonly SumTable[]): readonly (readonly string[])[] {
  const text = (cell: number | null | undefined, index: number, currency: string): string => {
    if (cell === null || cell === undefined) return '';
    return index === 0 ? String(cell) : priceText(cell, currency);
  };
  return tables.flatMap(({ currency, groups }) =>
    groups.flatMap(({ title, rows }) =>
      rows.map(({ name, cells }) => {
        const texts = cells.map((cell, index) => text(cell, index, currency));
        return [currency, ...(title === undefined ? [] : [title]), name, ...texts];
      }),
    ),
  );
}
