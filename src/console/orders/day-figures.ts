// The lines of the report for the end of a day, as its table shows them and its file has them.
import { type Figures, payments, type Sales, type Status, statuses } from '../parts/api-types.ts';
import { dayName, paymentNames, priceText } from '../parts/formats.ts';
import { tableFile } from '../parts/list-file.ts';
import { stages } from '../parts/statuses.ts';
import { t } from '../parts/texts.ts';
import { currenciesOf, figuresOf, isSale, ordersOf, totalOf } from './sales-figures.ts';

export type DaySales = { readonly placed: Sales; readonly received: Sales };

export type DayLine = {
  readonly name: string;
  /** Of orders with this status now. */
  readonly status?: Status;
  /** Undefined where orders would be counted twice. */
  readonly orders?: number;
  /** In the currency's minor unit. */
  readonly total: number | null;
  readonly isSum?: boolean;
};
type DayGroup = { readonly title: string; readonly lines: readonly DayLine[] };
type DayReport = { readonly currency: string; readonly groups: readonly DayGroup[] };

/** Returns the lines by currency; none if nothing happened. */
export function dayReports({ placed, received }: DaySales): readonly DayReport[] {
  const [orders, payments] = [figuresOf(placed), figuresOf(received)];
  return currenciesOf([...payments, ...orders]).map((currency) => {
    const ofCurrency = (each: Figures): boolean => each.currency === currency;
    const money = payments.filter(ofCurrency);
    const groups = [moneyGroup(money), paymentGroup(money), ordersGroup(orders.filter(ofCurrency))];
    return { currency, groups: groups.filter(({ lines }) => lines.length > 0) };
  });
}

/** The status that an order gets when money is taken or given back; open, when it was marked as paid by mistake. */
const moneyStatuses: readonly Status[] = [...statuses.filter((status) => status !== 'open'), 'open'];

function moneyGroup(figures: readonly Figures[]): DayGroup {
  const lines = moneyStatuses.flatMap((status) => {
    const name = status === 'open' ? t('Marked as paid by mistake') : stages[status].name;
    return figures
      .filter((each) => each.status === status)
      .map(({ orders, total }): DayLine => ({ name, orders, total }));
  });
  const received: DayLine = { name: t('Received'), total: totalOf(figures), isSum: true };
  return { title: t('Money'), lines: [...lines, received] };
}

/** What the card terminal, the drawer and the bank should each say. */
function paymentGroup(figures: readonly Figures[]): DayGroup {
  const all = figures.flatMap(({ byPayment = [] }) => byPayment);
  const lines = [...payments, null].flatMap((payment): readonly DayLine[] => {
    const own = all.filter((each) => each.payment === payment);
    const name = payment === null ? t('Not said') : paymentNames[payment];
    return own.length === 0 ? [] : [{ name, total: totalOf(own) }];
  });
  return { title: t('Received, by payment'), lines };
}

function ordersGroup(figures: readonly Figures[]): DayGroup {
  const lines = statuses.flatMap((status) =>
    figures
      .filter((each) => each.status === status)
      .map(({ orders, total }): DayLine => ({ name: stages[status].name, status, orders, total })),
  );
  const sold = figures.filter(isSale);
  const paid = sold.filter(({ status }) => status !== 'open');
  const unpaid = sold.filter(({ status }) => status === 'open');
  const sums: DayLine[] = [
    { name: t('Sold and paid'), orders: ordersOf(paid), total: totalOf(paid), isSum: true },
    { name: t('Sold, not yet paid'), orders: ordersOf(unpaid), total: totalOf(unpaid), isSum: true },
  ];
  return { title: t('Orders placed, by their status now'), lines: [...lines, ...sums] };
}

/** The lines as a file for a spreadsheet. */
export function dayFile(sales: DaySales, day: Date): readonly string[] {
  const heading = [t('Day'), t('Currency'), t('Group'), t('Name'), t('Orders'), t('Amount')];
  const rows = dayReports(sales).flatMap(({ currency, groups }) =>
    groups.flatMap(({ title, lines }) =>
      lines.map(({ name, orders, total }) => {
        const amount = total === null ? '' : priceText(total, currency);
        return [dayName(day), currency, title, name, String(orders ?? ''), amount];
      }),
    ),
  );
  return tableFile([heading, ...rows]);
}
