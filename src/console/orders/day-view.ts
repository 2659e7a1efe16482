// The end of the day: the money that was received, also by payment, and the orders that were placed, by currency,
// for printing and as a file.
import {
  emptyState,
  goTo,
  type Page,
  printButton,
  reloadable,
  setPageTitle,
  skeleton,
} from '../parts/view.ts';
import { notify } from '../parts/dialogs.ts';
import { type Child, fill, h } from '../parts/elements.ts';
import { addDays, count, dayName, dayOf, fullDay, money, startOfDay, timeZone } from '../parts/formats.ts';
import { action, dayInput } from '../parts/forms.ts';
import { now } from '../parts/service-clock.ts';
import { dayFile, type DayLine, dayReports, type DaySales } from './day-figures.ts';
import { pill } from './order-status.ts';
import { incompleteText, readSales } from './sales-figures.ts';
import { saveFile } from '../parts/saved-file.ts';
import { tableHead } from '../parts/tables.ts';
import { numbered, t } from '../parts/texts.ts';

type DayReport = ReturnType<typeof dayReports>[number];

export function dayView(page: Page): void {
  const { main, parameters } = page;
  const day = dayOf(parameters.get('date')) ?? startOfDay(now());
  const content = h('div', skeleton(6));
  const range = { from: day, before: addDays(day, 1), by: 'day' } as const;
  let shown: DaySales | undefined;
  reloadable<DaySales>(page, content, {
    async load(loading) {
      const [placed, received] = await Promise.all([
        readSales(loading, { of: 'placed', ...range }),
        readSales(loading, { of: 'received', ...range }),
      ]);
      return { placed, received };
    },
    draw(sales) {
      shown = sales;
      return dayContent(sales, day);
    },
    concerns: ({ subject }) => subject.startsWith('/orders/'),
  });
  const input = dayInput(dayName(day), (name) => name !== '' && goTo(`/day?date=${name}`));
  input.ariaLabel = t('Day');
  input.dataset['key'] = 'day';
  const save = async (): Promise<void> => {
    if (shown === undefined) return;
    const name = `day-${dayName(day)}.csv`;
    saveFile(name, dayFile(shown, day));
    notify(t('{name} was saved.', { name }));
  };
  fill(
    main,
    setPageTitle(
      t('Day’s end'),
      input,
      action(t('CSV'), save),
      printButton(t('Print'), { class: 'primary' }),
    ),
    content,
  );
}

function dayContent(sales: DaySales, day: Date): Child {
  const reports = dayReports(sales);
  const incomplete = incompleteText(sales.received, day);
  if (reports.length === 0)
    return emptyState(
      t('Nothing happened'),
      t('No order was placed, paid or refunded on {day}.', { day: fullDay(day) }),
      incomplete,
    );
  return h(
    'section.card.day',
    h('h2', fullDay(day)),
    h('p.soft', t('From midnight to midnight in {timeZone}', { timeZone: timeZone() })),
    reports.map(dayTable),
    incomplete !== undefined && h('p', incomplete),
    h(
      'p.soft',
      t(
        'Received is what was marked as paid on this day, less refunds and corrections on it, whenever the orders were placed:',
      ),
      ' ',
      t('it should match the drawer and the card terminal.'),
      ' ',
      t('Cancelled and refunded orders don’t count as sold.'),
      ' ',
      t('A summary for the shop, not a fiscal report.'),
    ),
  );
}

function dayTable({ currency, groups }: DayReport): HTMLElement {
  return h(
    'table.plain',
    h('caption', currency),
    tableHead([[''], [t('Orders'), 'number wide'], [t('Amount'), 'number']]),
    groups.map(({ title, lines }) => {
      const heading = h('tr', h('th', { scope: 'rowgroup', colspan: 3 }, title));
      return h(
        'tbody',
        heading,
        lines.map((line) => lineRow(line, currency)),
      );
    }),
  );
}

function lineRow({ name, status, orders, total, isSum = false }: DayLine, currency: string): HTMLElement {
  const below = orders !== undefined && ordersText(orders);
  const label = status === undefined ? name : pill(status);
  return h(
    'tr',
    { class: isSum && 'total-row' },
    isSum ? h('th', { scope: 'row' }, label, below) : h('td', label, below),
    h('td.number.wide', orders === undefined ? '' : count(orders)),
    h('td.number', money(total, currency)),
  );
}

/** The number of orders on phones, where its column has no room. */
function ordersText(orders: number): HTMLElement {
  return h('span.phone.soft', t(numbered(orders, '1 order', '{count} orders'), { count: count(orders) }));
}
