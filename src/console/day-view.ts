// The end of the day: sums by currency and status, for printing.
import { query } from './api-client.ts';
import { type Figures, statuses } from './api-types.ts';
import { reloadable, emptyState, setPageTitle, type Page, skeleton } from './view.ts';
import { type Child, fill, h, icon, icons } from './elements.ts';
import { addDays, count, dayName, fullDay, money } from './formats.ts';
import { csvButton } from './list-tools.ts';
import { pill } from './order-status.ts';
import { currenciesOf, isSale, readSales, sumOf, whatCounts } from './sales-figures.ts';

/** Shows sums by currency and status of the orders that were placed on a day. */
export function dayView(page: Page): void {
  const { main, parameters } = page;
  const [year = 0, month = 1, date = 1] = (parameters.get('date') ?? dayName(new Date()))
    .split('-')
    .map(Number);
  const day = new Date(year, month - 1, date);
  const content = h('div', {}, skeleton(6));
  const range = { from: day, before: addDays(day, 1) };
  reloadable(page, content, {
    load: (loading) => readSales(loading, { ...range, by: 'day' }),
    draw: ({ buckets }) =>
      dayContent(
        buckets.flatMap(({ figures }) => figures),
        day,
      ),
    concerns: ({ subject }) => subject.startsWith('/orders/'),
  });
  const input = h('input', { type: 'date', value: dayName(day), 'aria-label': 'Day', 'data-key': 'day' });
  input.addEventListener('change', () => {
    // while a year is typed, its first digits are years as well
    if (input.value >= '1000') location.hash = `/day?date=${input.value}`;
  });
  const list = query({
    createdFrom: range.from.toISOString(),
    createdBefore: range.before.toISOString(),
    include: 'customer',
  });
  const print = h(
    'button',
    { type: 'button', class: 'primary', onclick: () => window.print() },
    icon(icons.print),
    'Print',
  );
  fill(
    main,
    setPageTitle('Day’s end', input, csvButton(page, `/orders?${list}`, `orders-${dayName(day)}.csv`), print),
    content,
  );
}

function dayContent(figures: readonly Figures[], day: Date): Child {
  if (figures.length === 0) return emptyState('No orders', `None was placed on ${fullDay(day)}.`);
  return h(
    'section',
    { class: 'card day' },
    h('h2', {}, `Orders of ${fullDay(day)}`),
    currenciesOf(figures).map((currency) => dayTable(figures, currency)),
    h('p', { class: 'soft' }, `${whatCounts} A summary for the shop, not a fiscal report.`),
  );
}

function dayTable(figures: readonly Figures[], currency: string): HTMLElement {
  const own = figures.filter((each) => each.currency === currency);
  const lines = statuses.flatMap((status) => own.filter((each) => each.status === status));
  const rows = lines.map(({ status, orders, total }) =>
    h('tr', {}, h('td', {}, pill(status), ordersText(orders)), numberCells(orders, money(total, currency))),
  );
  const orders = own.filter(isSale).reduce((sum, each) => sum + each.orders, 0);
  const sum = numberCells(orders, money(sumOf(own, currency), currency));
  return h(
    'table',
    { class: 'plain' },
    h('caption', {}, currency),
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        h('th', { scope: 'col' }, 'Status now'),
        h('th', { scope: 'col', class: 'number wide' }, 'Orders'),
        h('th', { scope: 'col', class: 'number' }, 'Total'),
      ),
    ),
    h('tbody', {}, rows),
    h('tfoot', {}, h('tr', {}, h('th', { scope: 'row' }, 'Sum', ordersText(orders)), sum)),
  );
}

/** The number of orders on phones, where its column has no room. */
function ordersText(orders: number): HTMLElement {
  return h('span', { class: 'phone soft' }, orders === 1 ? '1 order' : `${count(orders)} orders`);
}

function numberCells(orders: number, total: string): Child {
  return [h('td', { class: 'number wide' }, count(orders)), h('td', { class: 'number' }, total)];
}
