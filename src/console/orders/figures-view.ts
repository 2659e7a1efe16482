// Figures: sales and money by month or year, and what sold best in one of them.
import { query } from '../parts/api-client.ts';
import type { SoldItem, SoldItems } from '../parts/api-types.ts';
import { headedCard } from '../parts/cards.ts';
import { barPlot } from '../parts/charts.ts';
import { type Child, fill, h } from '../parts/elements.ts';
import {
  compactMoney,
  count,
  dateTime,
  dayName,
  money,
  monthLabel,
  priceText,
  startOfMonth,
  startOfYear,
  today,
  yearLabel,
} from '../parts/formats.ts';
import { action } from '../parts/forms.ts';
import { saveTable } from '../parts/list-file.ts';
import { now } from '../parts/service-clock.ts';
import { withoutFormulas } from '../parts/table-text.ts';
import { tableHead, tabLinks } from '../parts/tables.ts';
import { t } from '../parts/texts.ts';
import { emptyState, type Page, reloadable, setPageTitle, skeleton } from '../parts/view.ts';
import {
  currenciesOf,
  figuresOf,
  incompleteText,
  isSale,
  moneyNames,
  ofCurrency,
  ordersOf,
  readSold,
  type Sold,
  totalOf,
} from './sales-figures.ts';

type Span = {
  readonly by: 'month' | 'year';
  readonly name: string;
  /** The beginning of the month or year so many later. */
  readonly start: (time: Date, later: number) => Date;
  readonly shown: number;
  readonly label: (iso: string) => string;
};

const months: Span = { by: 'month', name: t('Months'), start: startOfMonth, shown: 24, label: monthLabel };
const years: Span = { by: 'year', name: t('Years'), start: startOfYear, shown: 10, label: yearLabel };

/** The shop's own and two others; the file has all. */
const currenciesShown = 3;
/** Of each currency; the file has more. */
const itemsShown = 20;

type FiguresData = {
  readonly sold: Sold;
  readonly currencies: readonly string[];
  /** The beginning of the month or year whose items are shown. */
  readonly chosen: string;
  readonly items: SoldItems;
};

export function figuresView(page: Page): void {
  const { main, parameters } = page;
  const span = parameters.get('by') === 'year' ? years : months;
  const content = h('div', skeleton(8));
  reloadable<FiguresData>(page, content, {
    load: (loading) => loadFigures(loading, span),
    draw: (shown) => figuresContent(shown, { span, isChosen: parameters.has('time') }),
    concerns: ({ subject }) => subject.startsWith('/orders/'),
  });
  const tabs = [months, years].map(({ by, name }) => [by, name] as const);
  const href = (by: string): string => `#/figures?${query({ by })}`;
  fill(main, setPageTitle(t('Figures'), tabLinks(t('Time'), tabs, { current: span.by, href })), content);
}

async function loadFigures(page: Page, { by, start, shown }: Span): Promise<FiguresData> {
  const sold = await readSold(page, { from: start(now(), 1 - shown), before: start(now(), 1), by });
  const { placed, received } = sold;
  const wanted = page.parameters.get('time');
  const { from, before } =
    placed.buckets.find((bucket) => bucket.from === wanted) ?? placed.buckets.at(-1) ?? placed;
  const items = await page.client.get<SoldItems>(`/sales/items?${query({ from, before })}`, page.signal);
  const currencies = currenciesOf([...figuresOf(placed).filter(isSale), ...figuresOf(received)]);
  return { sold, currencies, chosen: from, items };
}

/** `isChosen` says whether somebody has asked for the items of a month: on a phone they are above the table then. */
type Shown = { readonly span: Span; readonly isChosen: boolean };

function figuresContent({ sold, currencies, chosen, items }: FiguresData, { span, isChosen }: Shown): Child {
  if (currencies.length === 0) return emptyState(t('No figures yet'), t('They come with the first order.'));
  const others = currencies.length - currenciesShown;
  const incomplete = incompleteText(sold, new Date(sold.received.from));
  const save = fileButton(t('Save the sales as CSV'), `${span.by}s.csv`, salesFile(sold, currencies));
  const figures = headedCard(
    [h('h2', t('Sales')), save],
    currencies.slice(0, currenciesShown).map((currency) => {
      const rows = figuresRows(sold, currency);
      return [plotOf(rows, currency, span), tableOf(rows, currency, { span, chosen })];
    }),
    others > 0 && h('p.hint', t('The file has {count} more currencies.', { count: count(others) })),
    incomplete !== undefined && h('p', incomplete),
    h(
      'p.hint',
      t('Sums count the orders placed in this time, paid or not; cancelled and refunded ones are left out.'),
    ),
    h(
      'p.hint',
      t(
        'Received is what was marked as paid here: an order that was imported as paid is sold, and not received.',
      ),
    ),
  );
  const classes = `columns even figures${isChosen ? ' chosen' : ''}`;
  return h('div', { class: classes }, h('div', figures), h('div', itemsCard(items, span.label(chosen))));
}

function fileButton(label: string, name: string, rows: readonly (readonly string[])[]): HTMLElement {
  return action(t('CSV'), async () => saveTable(name, rows), { 'aria-label': label });
}

type Row = {
  /** The beginning of the month or year. */
  readonly from: string;
  readonly orders: number;
  readonly sold: number;
  /** By what moved it, as in `moneyNames`; what was given back is negative. */
  readonly moved: readonly number[];
  readonly received: number;
};

/** Returns the rows of one currency, the newest first, without those in which nothing happened. */
function figuresRows({ placed, received }: Sold, currency: string): readonly Row[] {
  const rows = placed.buckets.flatMap(({ from, figures }, index): readonly Row[] => {
    const orders = ofCurrency(figures, currency).filter(isSale);
    const taken = ofCurrency(received.buckets[index]?.figures ?? [], currency);
    if (orders.length + taken.length === 0) return [];
    const moved = moneyNames.map(([status]) => totalOf(taken.filter((each) => each.status === status)));
    return [{ from, orders: ordersOf(orders), sold: totalOf(orders), moved, received: totalOf(taken) }];
  });
  return rows.reverse();
}

/** The rows of all currencies for a spreadsheet. */
function salesFile(sold: Sold, currencies: readonly string[]): readonly (readonly string[])[] {
  const movedBy = moneyNames.map(([, name]) => name);
  const heading = [t('From'), t('Currency'), t('Orders'), t('Sold'), ...movedBy, t('Received')];
  const rows = currencies.flatMap((currency) =>
    figuresRows(sold, currency).map(({ from, orders, sold: sum, moved, received }) => {
      const amounts = [sum, ...moved, received].map((each) => priceText(each, currency));
      return [dayName(new Date(from)), currency, String(orders), ...amounts];
    }),
  );
  return [heading, ...rows];
}

function plotOf(rows: readonly Row[], currency: string, { label }: Span): HTMLElement {
  const bars = rows.map(({ from, sold }) => ({
    label: label(from),
    value: sold,
    text: money(sold, currency),
  }));
  const axis = (value: number): string => compactMoney(value, currency);
  return barPlot(t('Sold in {currency}', { currency }), bars.reverse(), axis);
}

type Choice = { readonly span: Span; readonly chosen: string };

function tableOf(rows: readonly Row[], currency: string, { span, chosen }: Choice): HTMLElement {
  const cells = rows.map(({ from, orders, sold, received }) => {
    const href = `#/figures?${query({ by: span.by, time: from })}`;
    const link = h('a', { href, 'aria-current': from === chosen && 'true' }, span.label(from));
    const below = h('span.phone.soft', t('Received'), ' ', money(received, currency));
    return h(
      'tr',
      h('th', { scope: 'row' }, link, below),
      h('td.number.wide', count(orders)),
      h('td.number', money(sold, currency)),
      h('td.number.wide', money(received, currency)),
    );
  });
  const head = tableHead([
    [''],
    [t('Orders'), 'number wide'],
    [t('Sold'), 'number'],
    [t('Received'), 'number wide'],
  ]);
  return h('table.plain', h('caption', currency), head, h('tbody', cells));
}

function itemsCard({ items, completeFrom }: SoldItems, span: string): HTMLElement {
  const save = fileButton(t('Save the items as CSV'), `items-${today()}.csv`, itemsFile(items));
  const currencies = [...new Set(items.map(({ currency }) => currency))].slice(0, currenciesShown);
  return headedCard(
    [h('h2', t('What sold best, {span}', { span })), items.length > 0 && save],
    items.length === 0 && h('p.soft', t('Nothing was sold in this time.')),
    currencies.map((currency) => soldTable(currency, items)),
    completeFrom !== null &&
      h('p.hint', t('Orders before {time} aren’t counted.', { time: dateTime(completeFrom) })),
  );
}

function soldTable(currency: string, items: readonly SoldItem[]): HTMLElement {
  const own = items.filter((item) => item.currency === currency).slice(0, itemsShown);
  const rows = own.map(({ sku, name, quantity, total }) =>
    h(
      'tr',
      h('td', h('span', { dir: 'auto' }, name), sku !== null && [' ', h('span.sku', sku)]),
      h('td.number', count(quantity)),
      h('td.number', money(total, currency)),
    ),
  );
  const head = tableHead([[t('Item')], [t('Quantity'), 'number'], [t('Amount'), 'number']]);
  return h('table.plain', h('caption', currency), head, h('tbody', rows));
}

function itemsFile(items: readonly SoldItem[]): readonly (readonly string[])[] {
  const rows = items.map(({ currency, sku, name, orders, quantity, total }) => [
    currency,
    withoutFormulas(sku ?? ''),
    withoutFormulas(name),
    String(orders),
    String(quantity),
    total === null ? '' : priceText(total, currency),
  ]);
  return [[t('Currency'), t('SKU'), t('Name'), t('Orders'), t('Quantity'), t('Amount')], ...rows];
}
