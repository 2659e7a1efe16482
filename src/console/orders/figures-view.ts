// Figures: sales and money by month or year, and what sold best in one of them.
import { query } from '../parts/api-client.ts';
import type { SoldItem, SoldItems } from '../parts/api-types.ts';
import { headedCard } from '../parts/cards.ts';
import { barPlot } from '../parts/charts.ts';
import { notify } from '../parts/dialogs.ts';
import { type Child, fill, h } from '../parts/elements.ts';
import {
  compactMoney,
  count,
  dateTime,
  money,
  monthLabel,
  startOfMonth,
  startOfYear,
  today,
  yearLabel,
} from '../parts/formats.ts';
import { action } from '../parts/forms.ts';
import { saveFile } from '../parts/saved-file.ts';
import { now } from '../parts/service-clock.ts';
import { tableHead, tabLinks } from '../parts/tables.ts';
import { t } from '../parts/texts.ts';
import { emptyState, type Page, reloadable, setPageTitle, skeleton } from '../parts/view.ts';
import { figuresFile, figuresRows, soldItemsFile, type SpanSales } from './figures-rows.ts';
import { currenciesOf, figuresOf, incompleteText, isSale, readSales, whatCounts } from './sales-figures.ts';

type Span = {
  readonly by: 'month' | 'year';
  readonly name: string;
  /** The beginning of the first month or year that is shown, and the end of the last one. */
  readonly from: (now: Date) => Date;
  readonly before: (now: Date) => Date;
  readonly label: (iso: string) => string;
};

const monthsShown = 24;
const yearsShown = 10;

const spans: readonly Span[] = [
  {
    by: 'month',
    name: t('Months'),
    from: (now) => startOfMonth(now, 1 - monthsShown),
    before: (now) => startOfMonth(now, 1),
    label: monthLabel,
  },
  {
    by: 'year',
    name: t('Years'),
    from: (now) => startOfYear(now, 1 - yearsShown),
    before: (now) => startOfYear(now, 1),
    label: yearLabel,
  },
];

/** The shop's own and two others; the file has all. */
const currenciesShown = 3;
/** Of each currency; the file has more. */
const itemsShown = 20;

type FiguresData = {
  readonly sales: SpanSales;
  readonly currencies: readonly string[];
  /** The month or year whose items are shown. */
  readonly chosen: { readonly from: string; readonly before: string };
  readonly sold: SoldItems;
};

export function figuresView(page: Page): void {
  const { main, parameters } = page;
  const span = spans.find(({ by }) => by === parameters.get('by')) ?? spans[0];
  if (span === undefined) return;
  const content = h('div', skeleton(8));
  reloadable<FiguresData>(page, content, {
    load: (loading) => loadFigures(loading, span),
    draw: (shown) => figuresContent(shown, { span, isChosen: parameters.has('time') }),
    concerns: ({ subject }) => subject.startsWith('/orders/'),
  });
  const tabs = spans.map(({ by, name }) => [by, name] as const);
  const href = (by: string): string => `#/figures?${query({ by })}`;
  fill(main, setPageTitle(t('Figures'), tabLinks(t('Time'), tabs, { current: span.by, href })), content);
}

async function loadFigures(page: Page, { by, from, before }: Span): Promise<FiguresData> {
  const range = { from: from(now()), before: before(now()), by };
  const [placed, received] = await Promise.all([
    readSales(page, { of: 'placed', ...range }),
    readSales(page, { of: 'received', ...range }),
  ]);
  const last = { from: placed.from, before: placed.before };
  const wanted = page.parameters.get('time');
  const chosen = placed.buckets.find((bucket) => bucket.from === wanted) ?? placed.buckets.at(-1) ?? last;
  const path = `/sales/items?${query({ from: chosen.from, before: chosen.before })}`;
  const sold = await page.client.get<SoldItems>(path, page.signal);
  const currencies = currenciesOf([...figuresOf(placed).filter(isSale), ...figuresOf(received)]);
  return { sales: { placed, received }, currencies, chosen, sold };
}

type Shown = {
  readonly span: Span;
  /** Whether somebody has asked for the items of a month: on a phone they are above the table then. */
  readonly isChosen: boolean;
};

function figuresContent({ sales, currencies, chosen, sold }: FiguresData, { span, isChosen }: Shown): Child {
  if (currencies.length === 0) return emptyState(t('No figures yet'), t('They come with the first order.'));
  const save = async (): Promise<void> => saveAs(`${span.by}s.csv`, figuresFile(sales, currencies));
  const incomplete = incompleteText(sales.received, new Date(sales.received.from));
  const figures = headedCard(
    [h('h2', t('Sales')), action(t('CSV'), save, { 'aria-label': t('Save the sales as CSV') })],
    currencies
      .slice(0, currenciesShown)
      .map((currency) => [plotOf(sales, currency, span), tableOf(sales, currency, { span, chosen })]),
    currencies.length > currenciesShown &&
      h(
        'p.hint',
        t('The file has {count} more currencies.', { count: count(currencies.length - currenciesShown) }),
      ),
    incomplete !== undefined && h('p', incomplete),
    h('p.hint', whatCounts),
    h(
      'p.hint',
      t(
        'Received is what was marked as paid here: an order that was imported as paid is sold, and not received.',
      ),
    ),
  );
  const items = itemsCard(sold, span.label(chosen.from));
  const classes = `columns even figures${isChosen ? ' chosen' : ''}`;
  return h('div', { class: classes }, h('div', figures), h('div', items));
}

function saveAs(name: string, parts: readonly string[]): void {
  saveFile(name, parts);
  notify(t('{name} was saved.', { name }));
}

function plotOf(sales: SpanSales, currency: string, { label }: Span): HTMLElement {
  const rows = [...figuresRows(sales, currency)].reverse();
  const bars = rows.map(({ from, sold }) => ({
    label: label(from),
    value: sold,
    text: money(sold, currency),
  }));
  return barPlot(t('Sold in {currency}', { currency }), bars, (value) => compactMoney(value, currency));
}

type Choice = { readonly span: Span; readonly chosen: FiguresData['chosen'] };

function tableOf(sales: SpanSales, currency: string, { span, chosen }: Choice): HTMLElement {
  const rows = figuresRows(sales, currency).map(({ from, orders, sold, received }) => {
    const href = `#/figures?${query({ by: span.by, time: from })}`;
    const isChosen = from === chosen.from;
    const below = h('span.phone.soft', t('Received'), ' ', money(received, currency));
    return h(
      'tr',
      h(
        'th',
        { scope: 'row' },
        h('a', { href, 'aria-current': isChosen && 'true' }, span.label(from)),
        below,
      ),
      h('td.number.wide', count(orders)),
      h('td.number', money(sold, currency)),
      h('td.number.wide', money(received, currency)),
    );
  });
  const head = [
    [''],
    [t('Orders'), 'number wide'],
    [t('Sold'), 'number'],
    [t('Received'), 'number wide'],
  ] as const;
  return h('table.plain', h('caption', currency), tableHead(head), h('tbody', rows));
}

function itemsCard({ items, completeFrom }: SoldItems, span: string): HTMLElement {
  const save = async (): Promise<void> => saveAs(`items-${today()}.csv`, soldItemsFile(items));
  const currencies = [...new Set(items.map(({ currency }) => currency))].slice(0, currenciesShown);
  return headedCard(
    [
      h('h2', t('What sold best, {span}', { span })),
      items.length > 0 && action(t('CSV'), save, { 'aria-label': t('Save the items as CSV') }),
    ],
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
  return h(
    'table.plain',
    h('caption', currency),
    tableHead([[t('Item')], [t('Quantity'), 'number'], [t('Amount'), 'number']]),
    h('tbody', rows),
  );
}
