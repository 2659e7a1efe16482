// Figures: sales and money by month or year, and what sold best in one of them.
import { query } from '../service/api-client.ts';
import type { SoldItems } from '../words/api-types.ts';
import { headedCard } from '../page/cards.ts';
import { type Child, fill, h } from '../browser/elements.ts';
import { count, dateTime, priceText, shopDays, timeText, today } from '../words/formats.ts';
import { action } from '../forms/forms.ts';
import { saveTable } from '../lists/list-file.ts';
import { now } from '../words/service-clock.ts';
import { withoutFormulas } from '../lists/table-text.ts';
import { tabLinks } from '../lists/tables.ts';
import { t } from '../words/texts.ts';
import { emptyState, type Page, reloadable, setPageTitle, skeleton } from '../page/view.ts';
import { fileRowsOf, readSold, type Sold, type SumRow, type SumTable, sumTable } from './sales-figures.ts';

const spans = {
  month: { by: 'month', start: 'startOfMonth', shown: 24 },
  year: { by: 'year', start: 'startOfYear', shown: 10 },
} as const;
type Span = (typeof spans)[keyof typeof spans];

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
  const time = parameters.get('time');
  const content = h('div', skeleton(8));
  reloadable<FiguresData>(page, content, {
    async load(loading) {
      const { by, shown, start } = span;
      const [from, before] = [shopDays()[start](now(), 1 - shown), shopDays()[start](now(), 1)];
      const sold = await readSold(loading, { from, before, by });
      const chosen = sold.buckets.find(({ from }) => from === time) ?? sold.buckets.at(-1);
      const path = `/sales/items?${query({ from: chosen?.from, before: chosen?.before })}`;
      const items = await loading.client.get<SoldItems>(path, loading.signal);
      return { sold, chosen: chosen?.from ?? '', items };
    },
    draw(shown) {
      const tables = shown.sold.currencies
        .map((currency) => salesTable(shown, currency, span))
        .filter(hasRows);
      if (tables.length === 0) return emptyState(t('No figures yet'), t('They come with the first order.'));
      const sales = salesCard(tables, `${span.by}s.csv`, shown.sold.incomplete);
      // on a phone the items of a time that somebody has asked for are above the sales
      const columns = h('div.columns.figures', h('div', sales), h('div', itemsCard(shown, span)));
      columns.classList.toggle('chosen', time !== null);
      return columns;
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

const salesColumns: SumTable['columns'] = [
  [t('Orders'), 'number wide'],
  [t('Sold'), 'number'],
  [t('Received'), 'number wide'],
];

/** The months or years of one currency in which something happened, the newest first. */
function salesTable({ sold, chosen }: FiguresData, currency: string, { by }: Span): SumTable {
  const buckets = sold.buckets.map(({ from, of }) => ({ from, ...of(currency) }));
  const most = Math.max(1, ...buckets.map((each) => each.sold));
  const rows = buckets
    .filter(({ orders, moved }) => orders + moved.length > 0)
    .map(({ from, orders, sold: amount, received }): SumRow => {
      const href = `#/figures?${query({ by, time: from })}`;
      return {
        name: shopDays().dayName(new Date(from)),
        label: h('a', { href, 'aria-current': from === chosen && 'true' }, timeText(from, by)),
        share: amount / most,
        cells: [orders, amount, received],
      };
    });
  return { currency, columns: salesColumns, groups: [{ rows: rows.reverse() }] };
}

function hasRows({ groups }: SumTable): boolean {
  return groups.some(({ rows }) => rows.length > 0);
}

function salesCard(tables: readonly SumTable[], fileName: string, incomplete?: string): HTMLElement {
  const others = tables.length - currenciesShown;
  const heading = [t('Currency'), t('From'), ...salesColumns.map(([name]) => name)];
  const hint = (text: string): HTMLElement => h('p.hint', text);
  return headedCard(
    [h('h2', t('Sales')), fileButton(t('Save the sales as CSV'), fileName, [heading, ...fileRowsOf(tables)])],
    tables.slice(0, currenciesShown).map(sumTable),
    others > 0 && hint(t('The file has {count} more currencies.', { count: count(others) })),
    incomplete !== undefined && h('p', incomplete),
    hint(
      t('Sums count the orders placed in this time, paid or not; cancelled and refunded ones are left out.'),
    ),
    hint(
      t(
        'Received is what was marked as paid here: an order that was imported as paid is sold, and not received.',
      ),
    ),
  );
}

function fileButton(label: string, name: string, rows: readonly (readonly string[])[]): HTMLElement {
  return action(t('CSV'), async () => saveTable(name, rows), { 'aria-label': label });
}

const itemColumns: SumTable['columns'] = [
  [t('Quantity'), 'number'],
  [t('Amount'), 'number'],
];

function itemsCard({ sold: { currencies }, items: found, chosen }: FiguresData, { by }: Span): HTMLElement {
  const { items, completeFrom } = found;
  const heading = [t('Currency'), t('SKU'), t('Name'), t('Orders'), t('Quantity'), t('Amount')];
  const fileRows = items.map(({ currency, sku, name, orders, quantity, total }) => {
    const amount = total === null ? '' : priceText(total, currency);
    return [currency, ...[sku ?? '', name].map(withoutFormulas), String(orders), String(quantity), amount];
  });
  const save = fileButton(t('Save the items as CSV'), `items-${today()}.csv`, [heading, ...fileRows]);
  const own = currencies.filter((currency) => items.some((item) => item.currency === currency));
  const tables = own.slice(0, currenciesShown).map((currency) => {
    const sold = items.filter((item) => item.currency === currency).slice(0, itemsShown);
    const rows = sold.map(({ sku, name, quantity, total }) => {
      const code: Child = sku !== null && [' ', h('span.sku', sku)];
      return { name, label: [h('span', { dir: 'auto' }, name), code], cells: [quantity, total] };
    });
    return sumTable({ currency, columns: itemColumns, groups: [{ rows }] });
  });
  return headedCard(
    [h('h2', t('What sold best, {span}', { span: timeText(chosen, by) })), items.length > 0 && save],
    items.length === 0 && h('p.soft', t('Nothing was sold in this time.')),
    tables,
    completeFrom !== null &&
      h('p.hint', t('Orders before {time} aren’t counted.', { time: dateTime(completeFrom) })),
  );
}
