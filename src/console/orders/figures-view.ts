// Figures: sales and money by month or year, and what sold best in one of them.
import { query } from '../parts/api-client.ts';
import type { SoldItems } from '../parts/api-types.ts';
import { headedCard } from '../parts/cards.ts';
import { barPlot } from '../parts/charts.ts';
import { fill, h } from '../parts/elements.ts';
import {
  compactMoney,
  count,
  dateTime,
  money,
  priceText,
  shopDays,
  timeText,
  today,
} from '../parts/formats.ts';
import { action } from '../parts/forms.ts';
import { saveTable } from '../parts/list-file.ts';
import { now } from '../parts/service-clock.ts';
import { withoutFormulas } from '../parts/table-text.ts';
import { tabLinks } from '../parts/tables.ts';
import { t } from '../parts/texts.ts';
import { emptyState, type Page, reloadable, setPageTitle, skeleton } from '../parts/view.ts';
import { fileRowsOf, readSold, type Sold, type SumRow, type SumTable, sumTable } from './sales-figures.ts';

const spans = {
  month: { by: 'month', start: 'startOfMonth', shown: 24 },
  year: { by: 'year', start: 'startOfYear', shown: 10 },
} as const;

/** The shop's own and two others; the file has all. */
const currenciesShown = 3;
/** The items shown of each currency; the file has more. */
const itemsShown = 20;

type FiguresData = {
  readonly sold: Sold;
  /** The beginning of the month or year whose items are shown. */
  readonly chosen: string;
  readonly items: SoldItems;
};

export function figuresView(page: Page): void {
  const { main, parameters } = page;
  const span = spans[parameters.get('by') === 'year' ? 'year' : 'month'];
  const content = h('div', skeleton(8));
  /** On a phone the items of a month that somebody has asked for are above the table. */
  const classes = parameters.has('time') ? 'columns even figures chosen' : 'columns even figures';
  reloadable<FiguresData>(page, content, {
    async load({ client, signal }) {
      const { by, shown, start } = span;
      const [from, before] = [shopDays()[start](now(), 1 - shown), shopDays()[start](now(), 1)];
      const sold = await readSold({ ...page, signal }, { from, before, by });
      const { buckets } = sold;
      const chosen = buckets.find(({ from }) => from === parameters.get('time')) ?? buckets.at(-1);
      const time = { from: chosen?.from, before: chosen?.before };
      const items = await client.get<SoldItems>(`/sales/items?${query(time)}`, signal);
      return { sold, chosen: chosen?.from ?? '', items };
    },
    draw({ sold, chosen, items }) {
      const sales = sold.currencies
        .map((currency) => figuresOf(sold, currency, { ...span, chosen }))
        .filter(({ rows }) => rows.length > 0);
      if (sales.length === 0) return emptyState(t('No figures yet'), t('They come with the first order.'));
      const shown = [
        salesCard(sales, `${span.by}s.csv`, sold.incomplete),
        itemsCard(items, timeText(chosen, span.by)),
      ];
      return h(
        'div',
        { class: classes },
        shown.map((each) => h('div', each)),
      );
    },
    concerns: ({ subject }) => subject.startsWith('/orders/'),
  });
  const tabs = [
    ['month', t('Months')],
    ['year', t('Years')],
  ] as const;
  const href = (by: string): string => `#/figures?${query({ by })}`;
  fill(main, setPageTitle(t('Figures'), tabLinks(t('Time'), tabs, { current: span.by, href })), content);
}

function salesCard(sales: readonly Sales[], fileName: string, incomplete?: string): HTMLElement {
  const others = sales.length - currenciesShown;
  const heading = [t('Currency'), t('From'), ...salesColumns.map(([name]) => name)];
  const file = [heading, ...fileRowsOf(sales.map(({ table }) => table))];
  return headedCard(
    [h('h2', t('Sales')), fileButton(t('Save the sales as CSV'), fileName, file)],
    sales.slice(0, currenciesShown).map(({ plot, table }) => [plot, sumTable(table)]),
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
}

function fileButton(label: string, name: string, rows: readonly (readonly string[])[]): HTMLElement {
  return action(t('CSV'), async () => saveTable(name, rows), { 'aria-label': label });
}

const salesColumns: SumTable['columns'] = [
  [t('Orders'), 'number wide'],
  [t('Sold'), 'number'],
  [t('Received'), 'number wide'],
];

type Shown = (typeof spans)[keyof typeof spans] & Pick<FiguresData, 'chosen'>;
type Sales = ReturnType<typeof figuresOf>;

/** The months or years of one currency, without those in which nothing happened: the newest first in the table. */
function figuresOf({ buckets }: Sold, currency: string, { by, chosen }: Shown) {
  const shown = buckets
    .map(({ from, of }) => ({ from, ...of(currency) }))
    .filter(({ orders, moved }) => orders + moved.length > 0);
  const bars = shown.map(({ from, sold }) => {
    return { label: timeText(from, by), value: sold, text: money(sold, currency) };
  });
  const rows = shown.reverse().map(({ from, orders, sold, received }): SumRow => {
    const href = `#/figures?${query({ by, time: from })}`;
    return {
      name: shopDays().dayName(new Date(from)),
      label: h('a', { href, 'aria-current': from === chosen && 'true' }, timeText(from, by)),
      below: [t('Received'), ' ', money(received, currency)],
      cells: [orders, sold, received],
    };
  });
  const table: SumTable = { currency, columns: salesColumns, groups: [{ rows }] };
  const axis = (value: number): string => compactMoney(value, currency);
  return { rows, table, plot: barPlot(t('Sold in {currency}', { currency }), bars, axis) };
}

const itemColumns: SumTable['columns'] = [
  [t('Quantity'), 'number'],
  [t('Amount'), 'number'],
];

function itemsCard({ items, completeFrom }: SoldItems, span: string): HTMLElement {
  const fileRows = items.map(({ currency, sku, name, orders, quantity, total }) => {
    const texts = [sku ?? '', name].map(withoutFormulas);
    const amount = total === null ? '' : priceText(total, currency);
    return [currency, ...texts, String(orders), String(quantity), amount];
  });
  const heading = [t('Currency'), t('SKU'), t('Name'), t('Orders'), t('Quantity'), t('Amount')];
  const file = `items-${today()}.csv`;
  const save = fileButton(t('Save the items as CSV'), file, [heading, ...fileRows]);
  const currencies = [...new Set(items.map(({ currency }) => currency))].slice(0, currenciesShown);
  const tables = currencies.map((currency) => {
    const own = items.filter((item) => item.currency === currency).slice(0, itemsShown);
    const rows = own.map(({ sku, name, quantity, total }) => ({
      name,
      label: [h('span', { dir: 'auto' }, name), sku !== null && [' ', h('span.sku', sku)]],
      cells: [quantity, total],
    }));
    return sumTable({ currency, columns: itemColumns, groups: [{ rows }] });
  });
  return headedCard(
    [h('h2', t('What sold best, {span}', { span })), items.length > 0 && save],
    items.length === 0 && h('p.soft', t('Nothing was sold in this time.')),
    tables,
    completeFrom !== null &&
      h('p.hint', t('Orders before {time} aren’t counted.', { time: dateTime(completeFrom) })),
  );
}
