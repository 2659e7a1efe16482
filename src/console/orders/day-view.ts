// The end of the day: the money that was received, also by payment, and the orders that were placed, by currency,
// for printing and as a file.
import { type Figures, payments, type Status, statuses } from '../parts/api-types.ts';
import { type Child, fill, h } from '../parts/elements.ts';
import { paymentNames } from '../parts/column-names.ts';
import {
  addDays,
  count,
  dayName,
  dayOf,
  fullDay,
  money,
  priceText,
  startOfDay,
  timeZone,
} from '../parts/formats.ts';
import { action, dayInput } from '../parts/forms.ts';
import { saveTable } from '../parts/list-file.ts';
import { now } from '../parts/service-clock.ts';
import { stages } from '../parts/statuses.ts';
import { tableHead } from '../parts/tables.ts';
import { numbered, t } from '../parts/texts.ts';
import {
  emptyState,
  goTo,
  type Page,
  printButton,
  reloadable,
  setPageTitle,
  skeleton,
} from '../parts/view.ts';
import { pill } from './order-columns.ts';
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

type Line = {
  readonly name: string;
  /** Of orders with this status now. */
  readonly status?: Status;
  /** Undefined where orders would be counted twice. */
  readonly orders?: number;
  /** In the currency's minor unit. */
  readonly total: number | null;
  readonly isSum?: boolean;
};
type Report = {
  readonly currency: string;
  readonly groups: readonly { readonly title: string; readonly lines: readonly Line[] }[];
};

export function dayView(page: Page): void {
  const { main, parameters } = page;
  const day = dayOf(parameters.get('date')) ?? startOfDay(now());
  // it stays the one that was asked for if the shop gets another time zone meanwhile
  const range = { from: day, before: addDays(day, 1), by: 'day' } as const;
  const content = h('div', skeleton(6));
  let reports: readonly Report[] = [];
  reloadable<Sold>(page, content, {
    load: (loading) => readSold(loading, range),
    draw(sold) {
      reports = reportsOf(sold);
      return dayContent(reports, day, incompleteText(sold, day));
    },
    concerns: ({ subject }) => subject.startsWith('/orders/'),
  });
  const input = dayInput(dayName(day), (name) => name !== '' && goTo(`/day?date=${name}`));
  input.ariaLabel = t('Day');
  input.dataset['key'] = 'day';
  const save = async (): Promise<void> => saveTable(`day-${dayName(day)}.csv`, fileRows(reports, day));
  const print = printButton(t('Print'), { class: 'primary' });
  fill(main, setPageTitle(t('Day’s end'), input, print, action(t('CSV'), save)), content);
}

/** One for each currency; none if nothing happened. */
function reportsOf({ placed, received }: Sold): readonly Report[] {
  const [orders, moved] = [figuresOf(placed), figuresOf(received)];
  return currenciesOf([...moved, ...orders]).map((currency) => {
    const ownMoved = ofCurrency(moved, currency);
    const groups = [
      { title: t('Money'), lines: moneyLines(ownMoved) },
      { title: t('Received, by payment'), lines: paymentLines(ownMoved) },
      { title: t('Orders placed, by their status now'), lines: orderLines(ofCurrency(orders, currency)) },
    ];
    return { currency, groups: groups.filter(({ lines }) => lines.length > 0) };
  });
}

function moneyLines(figures: readonly Figures[]): readonly Line[] {
  const lines = moneyNames.flatMap(([status, name]) =>
    figures.filter((each) => each.status === status).map(({ orders, total }) => ({ name, orders, total })),
  );
  return [...lines, { name: t('Received'), total: totalOf(figures), isSum: true }];
}

/** What the card terminal, the drawer and the bank should each say. */
function paymentLines(figures: readonly Figures[]): readonly Line[] {
  const all = figures.flatMap(({ byPayment = [] }) => byPayment);
  return [...payments, null].flatMap((payment): readonly Line[] => {
    const own = all.filter((each) => each.payment === payment);
    const name = payment === null ? t('Not said') : paymentNames[payment];
    return own.length === 0 ? [] : [{ name, total: totalOf(own) }];
  });
}

function orderLines(figures: readonly Figures[]): readonly Line[] {
  const lines = statuses.flatMap((status) =>
    figures
      .filter((each) => each.status === status)
      .map(({ orders, total }) => ({ name: stages[status].name, status, orders, total })),
  );
  const sumLine = (name: string, isPaid: boolean): Line => {
    const own = figures.filter((each) => isSale(each) && stages[each.status].isPaid === isPaid);
    return { name, orders: ordersOf(own), total: totalOf(own), isSum: true };
  };
  return [...lines, sumLine(t('Sold and paid'), true), sumLine(t('Sold, not yet paid'), false)];
}

/** The lines for a spreadsheet. */
function fileRows(reports: readonly Report[], day: Date): readonly (readonly string[])[] {
  const rows = reports.flatMap(({ currency, groups }) =>
    groups.flatMap(({ title, lines }) =>
      lines.map(({ name, orders, total }) => {
        const amount = total === null ? '' : priceText(total, currency);
        return [dayName(day), currency, title, name, String(orders ?? ''), amount];
      }),
    ),
  );
  return [[t('Day'), t('Currency'), t('Group'), t('Name'), t('Orders'), t('Amount')], ...rows];
}

function dayContent(reports: readonly Report[], day: Date, incomplete: string | undefined): Child {
  if (reports.length === 0)
    return emptyState(
      t('Nothing happened'),
      t('No order was placed, paid or refunded on {day}.', { day: fullDay(day) }),
      incomplete,
    );
  const rules = [
    t(
      'Received is what was marked as paid on this day, less refunds and corrections on it, whenever the orders were placed:',
    ),
    t('it should match the drawer and the card terminal.'),
    t('Cancelled and refunded orders don’t count as sold.'),
    t('A summary for the shop, not a fiscal report.'),
  ];
  return h(
    'section.card.day',
    h('h2', fullDay(day)),
    h('p.soft', t('From midnight to midnight in {timeZone}', { timeZone: timeZone() })),
    reports.map(reportTable),
    incomplete !== undefined && h('p', incomplete),
    h('p.soft', rules.join(' ')),
  );
}

function reportTable({ currency, groups }: Report): HTMLElement {
  const bodies = groups.map(({ title, lines }) =>
    h(
      'tbody',
      h('tr', h('th', { scope: 'rowgroup', colspan: 3 }, title)),
      lines.map((line) => lineRow(line, currency)),
    ),
  );
  const head = tableHead([[''], [t('Orders'), 'number wide'], [t('Amount'), 'number']]);
  return h('table.plain', h('caption', currency), head, bodies);
}

function lineRow({ name, status, orders, total, isSum = false }: Line, currency: string): HTMLElement {
  const number = orders === undefined ? '' : count(orders);
  const onPhone = orders !== undefined && t(numbered(orders, '1 order', '{count} orders'), { count: number });
  const label = [status === undefined ? name : pill(status), onPhone && h('span.phone.soft', onPhone)];
  return h(
    'tr',
    { class: isSum && 'total-row' },
    isSum ? h('th', { scope: 'row' }, label) : h('td', label),
    h('td.number.wide', number),
    h('td.number', money(total, currency)),
  );
}
