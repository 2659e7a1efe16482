// The end of a day: sums by currency and status, to print.
import { query } from './api-client.ts';
import { type Figures, statuses } from './api-types.ts';
import { reloadable, emptyState, heading, type Page, skeleton } from './console-app.ts';
import { type Child, fill, h, icon, icons } from './elements.ts';
import { addDays, count, dayName, fullDay, money } from './formats.ts';
import { csvButton, pill } from './parts.ts';
import { currenciesOf, isSale, readSales, sumOf } from './sales-figures.ts';

/** Sums by currency and status, of the orders that were placed on a day. */
export function dayView(page: Page): void {
  const { main, signal, parameters, live } = page;
  const [year = 0, month = 1, date = 1] = (parameters.get('date') ?? dayName(new Date()))
    .split('-')
    .map(Number);
  const day = new Date(year, month - 1, date);
  const content = h('div', {}, skeleton(6));
  const range = { from: day, before: addDays(day, 1) };
  const reload = reloadable(content, signal, {
    load: () => readSales(page, { ...range, by: 'day' }),
    draw: ({ buckets }) =>
      dayContent(
        buckets.flatMap(({ figures }) => figures),
        day,
      ),
  });
  const input = h('input', { type: 'date', value: dayName(day), 'aria-label': 'Day', 'data-key': 'day' });
  input.addEventListener('change', () => {
    if (input.value !== '') location.hash = `/day?date=${input.value}`;
  });
  const list = query({ createdFrom: range.from.toISOString(), createdBefore: range.before.toISOString() });
  const print = h(
    'button',
    { type: 'button', class: 'primary', onclick: () => window.print() },
    icon(icons.print),
    'Print',
  );
  fill(
    main,
    heading('Day’s end', input, csvButton(page, `/orders?${list}`, `orders-${dayName(day)}.csv`), print),
    content,
  );
  live.watch(signal, (events) => {
    if (events.length === 0) void reload();
  });
  void reload();
}

function dayContent(figures: readonly Figures[], day: Date): Child {
  if (figures.length === 0) return emptyState('No orders', `None was placed on ${fullDay(day)}.`);
  const currencies = currenciesOf(figures);
  const rows = currencies.flatMap((currency) => {
    const of = figures.filter((each) => each.currency === currency);
    const lines = statuses.flatMap((status) => of.filter((each) => each.status === status));
    return [
      ...lines.map(({ status, orders, total }) =>
        h(
          'tr',
          {},
          h('td', {}, currency),
          h('td', {}, pill(status)),
          h('td', { class: 'number' }, count(orders)),
          h('td', { class: 'number' }, money(total, currency)),
        ),
      ),
      h(
        'tr',
        { class: 'sum' },
        h('th', { scope: 'row' }, currency),
        h('td', {}, 'Sum'),
        h('td', { class: 'number' }, count(of.filter(isSale).reduce((sum, { orders }) => sum + orders, 0))),
        h('td', { class: 'number' }, money(sumOf(of, currency), currency)),
      ),
    ];
  });
  const head = ['Currency', 'Status now', 'Orders', 'Total'].map((label, index) =>
    h('th', { scope: 'col', class: index > 1 && 'number' }, label),
  );
  return h(
    'section',
    { class: 'card day' },
    h('h2', {}, `Orders of ${fullDay(day)}`),
    h('table', { class: 'plain' }, h('thead', {}, h('tr', {}, head)), h('tbody', {}, rows)),
    h(
      'p',
      { class: 'soft' },
      'Sums are without cancelled and refunded orders. A summary for the shop, not a fiscal report.',
    ),
  );
}
