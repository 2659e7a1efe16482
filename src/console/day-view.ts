// The end of the day: the money that was received, and the orders that were placed, by currency, for printing.
import { query } from './api-client.ts';
import { type Figures, type Sales, type Status, statuses } from './api-types.ts';
import { reloadable, emptyState, setPageTitle, type Page, skeleton } from './view.ts';
import { type Child, fill, h, icon, icons } from './elements.ts';
import { addDays, count, dayName, fullDay, money } from './formats.ts';
import { csvButton } from './list-file.ts';
import { pill } from './order-status.ts';
import {
  currenciesOf,
  figuresOf,
  incompleteText,
  isSale,
  readSales,
  receivedOf,
  sumOf,
  whatCounts,
} from './sales-figures.ts';
import { numbered, t } from './texts.ts';

type DaySales = { readonly placed: Sales; readonly received: Sales };

export function dayView(page: Page): void {
  const { main, parameters } = page;
  const [year = 0, month = 1, date = 1] = (parameters.get('date') ?? dayName(new Date()))
    .split('-')
    .map(Number);
  const day = new Date(year, month - 1, date);
  const content = h('div', {}, skeleton(6));
  const range = { from: day, before: addDays(day, 1), by: 'day' } as const;
  reloadable<DaySales>(page, content, {
    async load(loading) {
      const [placed, received] = await Promise.all([
        readSales(loading, { of: 'placed', ...range }),
        readSales(loading, { of: 'received', ...range }),
      ]);
      return { placed, received };
    },
    draw: (sales) => dayContent(sales, day),
    concerns: ({ subject }) => subject.startsWith('/orders/'),
  });
  const input = h('input', { type: 'date', value: dayName(day), 'aria-label': t('Day'), 'data-key': 'day' });
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
    t('Print'),
  );
  fill(
    main,
    setPageTitle(
      t('Day’s end'),
      input,
      csvButton(page, () => `/orders?${list}`, `orders-${dayName(day)}.csv`),
      print,
    ),
    content,
  );
}

function dayContent({ placed, received }: DaySales, day: Date): Child {
  const [orders, payments] = [figuresOf(placed), figuresOf(received)];
  const incomplete = incompleteText(received, day);
  if (orders.length === 0 && payments.length === 0)
    return emptyState(
      t('Nothing happened'),
      t('No order was placed, paid or refunded on {day}.', { day: fullDay(day) }),
      incomplete,
    );
  return h(
    'section',
    { class: 'card day' },
    h('h2', {}, fullDay(day)),
    currenciesOf([...payments, ...orders]).map((currency) => dayTable({ orders, payments }, currency)),
    incomplete !== undefined && h('p', {}, incomplete),
    h(
      'p',
      { class: 'soft' },
      t(
        'Received is what was marked as paid on this day, less what was given back on it, whenever the orders were placed:',
      ),
      ' ',
      t('it should match the drawer and the card terminal.'),
      ` ${whatCounts} `,
      t('A summary for the shop, not a fiscal report.'),
    ),
  );
}

type DayFigures = { readonly orders: readonly Figures[]; readonly payments: readonly Figures[] };

function dayTable({ orders, payments }: DayFigures, currency: string): HTMLElement {
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
        h('td', {}),
        h('th', { scope: 'col', class: 'number wide' }, t('Orders')),
        h('th', { scope: 'col', class: 'number' }, t('Amount')),
      ),
    ),
    receivedRows(payments, currency),
    placedRows(orders, currency),
  );
}

/** What becomes of an order when money is taken or given back. */
const paymentNames: Readonly<Partial<Record<Status, string>>> = {
  paid: t('Paid'),
  refunded: t('Refunded'),
  open: t('Marked as paid by mistake'),
};

function receivedRows(payments: readonly Figures[], currency: string): HTMLElement {
  const own = payments.filter((each) => each.currency === currency);
  const rows = Object.entries(paymentNames).flatMap(([status, name]) =>
    own
      .filter((each) => each.status === status)
      .map(({ orders, total }) => row(name, orders, money(total, currency))),
  );
  const { received } = receivedOf(own, currency);
  return h(
    'tbody',
    {},
    heading(t('Money')),
    rows,
    sumRow(t('Received'), undefined, money(received, currency)),
  );
}

function placedRows(figures: readonly Figures[], currency: string): HTMLElement {
  const own = figures.filter((each) => each.currency === currency);
  const rows = statuses.flatMap((status) =>
    own
      .filter((each) => each.status === status)
      .map(({ orders, total }) => row(pill(status), orders, money(total, currency))),
  );
  const orders = own.filter(isSale).reduce((sum, each) => sum + each.orders, 0);
  const sum = sumRow(t('Sold'), orders, money(sumOf(own, currency), currency));
  return h('tbody', {}, heading(t('Orders placed, by their status now')), rows, sum);
}

function heading(text: string): HTMLElement {
  return h('tr', {}, h('th', { scope: 'rowgroup', colspan: 3 }, text));
}

function row(name: Child, orders: number, amount: string): HTMLElement {
  return h('tr', {}, h('td', {}, name, ordersText(orders)), numberCells(orders, amount));
}

function sumRow(name: string, orders: number | undefined, amount: string): HTMLElement {
  const below = orders !== undefined && ordersText(orders);
  return h('tr', { class: 'total-row' }, h('th', { scope: 'row' }, name, below), numberCells(orders, amount));
}

/** The number of orders on phones, where its column has no room. */
function ordersText(orders: number): HTMLElement {
  return h(
    'span',
    { class: 'phone soft' },
    t(numbered(orders, '1 order', '{count} orders'), { count: count(orders) }),
  );
}

function numberCells(orders: number | undefined, amount: string): Child {
  const shown = orders === undefined ? '' : count(orders);
  return [h('td', { class: 'number wide' }, shown), h('td', { class: 'number' }, amount)];
}
