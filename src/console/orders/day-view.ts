// The end of the day: the money that was received, also by payment, and the orders that were placed, by currency,
// for printing and as a file.
import { type Figures, payments, type Status, statuses } from '../words/api-types.ts';
import { paymentNames } from '../words/column-names.ts';
import { type Child, fill, h } from '../browser/elements.ts';
import { dateTime, dayOf, shopDays, timeText } from '../words/formats.ts';
import { action, dayInput } from '../forms/forms.ts';
import { saveTable } from '../lists/list-file.ts';
import { shopOfPage } from '../words/page-meta.ts';
import { now } from '../words/service-clock.ts';
import { stages, statusTitle } from '../words/statuses.ts';
import { t } from '../words/texts.ts';
import {
  emptyState,
  goTo,
  type Page,
  printButton,
  reloadable,
  setPageTitle,
  skeleton,
} from '../page/view.ts';
import { pill } from './order-columns.ts';
import {
  fileRowsOf,
  isSale,
  moneyNames,
  ordersOf,
  readSold,
  type Sold,
  type SumRow,
  type SumTable,
  sumTable,
  totalOf,
} from './sales-figures.ts';

export function dayView(page: Page): void {
  const { main, parameters, signal } = page;
  const day = dayOf(parameters.get('date')) ?? shopDays().startOfDay(now());
  // it stays the one that was asked for if the shop gets another time zone meanwhile
  const range = { from: day, before: shopDays().startOfDay(day, 1), by: 'day' } as const;
  const content = h('div', skeleton(6));
  let reports: readonly SumTable[] = [];
  const onPaper = h('p.on-paper');
  const sayTime = (): void =>
    fill(onPaper, [shopOfPage().name, dateTime(now().toISOString())].filter(Boolean).join(' · '));
  window.addEventListener('beforeprint', sayTime, { signal });
  reloadable<Sold>(page, content, {
    load: (loading) => readSold(loading, range),
    draw(sold) {
      reports = reportsOf(sold);
      return dayContent(reports, day, sold.incomplete);
    },
    concerns: ({ subject }) => subject.startsWith('/orders/'),
  });
  const input = dayInput(shopDays().dayName(day), (name) => name !== '' && goTo(`/day?date=${name}`));
  input.ariaLabel = t('Day');
  input.dataset['key'] = 'day';
  const heading = [t('Day'), t('Currency'), t('Group'), t('Name'), t('Orders'), t('Amount')];
  const save = async (): Promise<void> => {
    const rows = fileRowsOf(reports).map((row) => [shopDays().dayName(day), ...row]);
    saveTable(`day-${shopDays().dayName(day)}.csv`, [heading, ...rows]);
  };
  const print = printButton(t('Print'), { class: 'primary' });
  fill(main, setPageTitle(t('Day’s end'), input, print, action(t('CSV'), save)), onPaper, content);
}

/** Returns a table for each currency in which something happened. */
function reportsOf({ currencies, of }: Sold): readonly SumTable[] {
  return currencies.map((currency) => {
    const { placed, moved, received } = of(currency);
    const ofStatus = (figures: readonly Figures[], status: Status): readonly Figures[] =>
      figures.filter((each) => each.status === status);
    // what was refunded, or marked as paid by mistake, is in neither the number nor the amount
    const paidBy = moved.flatMap(({ status, byPayment = [] }) =>
      byPayment.map((each) => ({ ...each, orders: status === 'paid' ? each.orders : -each.orders })),
    );
    const sold = (isPaid: boolean): readonly Figures[] =>
      placed.filter((each) => isSale(each) && stages[each.status].isPaid === isPaid);
    const moneyRows = [
      ...moneyNames.flatMap(([status, name]) => dayRows(name, ofStatus(moved, status))),
      { name: t('Received'), cells: [undefined, received], isSum: true },
    ];
    // what the card terminal, the drawer and the bank should each say
    const paymentRows = [...payments, null].flatMap((payment): SumRow[] => {
      const own = paidBy.filter((each) => each.payment === payment);
      const name = payment === null ? t('Not said') : paymentNames[payment];
      return own.length === 0 ? [] : [{ name, cells: [ordersOf(own), totalOf(own)] }];
    });
    const orderRows = [
      ...statuses.flatMap((status) => dayRows(statusTitle(status), ofStatus(placed, status), pill(status))),
      { ...dayRow(t('Sold and paid'), sold(true)), isSum: true },
      { ...dayRow(t('Sold, not yet paid'), sold(false)), isSum: true },
    ];
    const groups = [
      { title: t('Money'), rows: moneyRows },
      { title: t('Received, by payment'), rows: paymentRows },
      { title: t('Orders placed, by their status now'), rows: orderRows },
    ];
    return { currency, columns: dayColumns, groups: groups.filter(({ rows }) => rows.length > 0) };
  });
}

const dayColumns: SumTable['columns'] = [
  [t('Orders'), 'number wide'],
  [t('Amount'), 'number'],
];

/** Returns one row, or none if there are no figures. */
function dayRows(name: string, figures: readonly Figures[], label: Child = name): SumRow[] {
  return figures.length === 0 ? [] : [{ ...dayRow(name, figures), label }];
}

/** Without a sum where one is too large. */
function dayRow(name: string, figures: readonly Figures[]): SumRow {
  const orders = ordersOf(figures);
  const isKnown = figures.every(({ total }) => total !== null);
  return { name, cells: [orders, isKnown ? totalOf(figures) : null] };
}

function dayContent(reports: readonly SumTable[], day: Date, incomplete: string | undefined): Child {
  if (reports.length === 0)
    return emptyState(
      t('Nothing happened'),
      t('No order was placed, paid or refunded on {day}.', { day: timeText(day, 'fullDay') }),
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
    h('h2', timeText(day, 'fullDay')),
    h('p.soft', t('From midnight to midnight in {timeZone}', { timeZone: shopDays().zone })),
    reports.map(sumTable),
    incomplete !== undefined && h('p', incomplete),
    h('p.soft', rules.join(' ')),
  );
}
