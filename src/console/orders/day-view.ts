// The end of the day: the money that was received, and the orders that were placed, by currency, for printing.
import { query } from '../parts/api-client.ts';
import { type Figures, type Sales, type Status, statuses } from '../parts/api-types.ts';
import {
  emptyState,
  goTo,
  type Page,
  printButton,
  reloadable,
  setPageTitle,
  skeleton,
} from '../parts/view.ts';
import { type Child, fill, h } from '../parts/elements.ts';
import { addDays, count, dayName, dayOf, fullDay, startOfDay } from '../parts/formats.ts';
import { dayInput } from '../parts/list-tools.ts';
import { csvButton } from '../parts/list-file.ts';
import { pill } from './order-status.ts';
import {
  currenciesOf,
  figuresOf,
  incompleteText,
  isSale,
  ordersOf,
  readSales,
  receivedOf,
  sumOf,
  whatCounts,
} from './sales-figures.ts';
import { tableHead, wrappingMoney } from '../parts/tables.ts';
import { numbered, t } from '../parts/texts.ts';

type DaySales = { readonly placed: Sales; readonly received: Sales };

export function dayView(page: Page): void {
  const { main, parameters } = page;
  const day = dayOf(parameters.get('date')) ?? startOfDay(new Date());
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
  const input = dayInput(dayName(day), (name) => name !== '' && goTo(`/day?date=${name}`));
  input.ariaLabel = t('Day');
  input.dataset['key'] = 'day';
  const list = query({
    createdFrom: range.from.toISOString(),
    createdBefore: range.before.toISOString(),
    include: 'customer',
  });
  fill(
    main,
    setPageTitle(
      t('Day’s end'),
      input,
      csvButton(page, () => `/orders?${list}`, `orders-${dayName(day)}.csv`),
      printButton(t('Print'), { class: 'primary' }),
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
    tableHead([[''], [t('Orders'), 'number wide'], [t('Amount'), 'number']]),
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
  const rows = Object.entries(paymentNames).map(([status, name]) => rowsOf(own, status, name));
  const { received } = receivedOf(own, currency);
  return group(t('Money'), rows, sumRow(t('Received'), undefined, wrappingMoney(received, currency)));
}

function placedRows(figures: readonly Figures[], currency: string): HTMLElement {
  const own = figures.filter((each) => each.currency === currency);
  const rows = statuses.map((status) => rowsOf(own, status, pill(status)));
  const sum = sumRow(t('Sold'), ordersOf(own.filter(isSale)), wrappingMoney(sumOf(own, currency), currency));
  return group(t('Orders placed, by their status now'), rows, sum);
}

function group(title: string, rows: Child, sum: HTMLElement): HTMLElement {
  const heading = h('tr', {}, h('th', { scope: 'rowgroup', colspan: 3 }, title));
  return h('tbody', {}, heading, rows, sum);
}

function rowsOf(figures: readonly Figures[], status: string, name: Child): Child {
  return figures
    .filter((each) => each.status === status)
    .map(({ orders, total, currency }) =>
      h('tr', {}, h('td', {}, name, ordersText(orders)), numberCells(orders, wrappingMoney(total, currency))),
    );
}

function sumRow(name: string, orders: number | undefined, amount: Child): HTMLElement {
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

function numberCells(orders: number | undefined, amount: Child): Child {
  const shown = orders === undefined ? '' : count(orders);
  return [h('td', { class: 'number wide' }, shown), h('td', { class: 'number' }, amount)];
}
