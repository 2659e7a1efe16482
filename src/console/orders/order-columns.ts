// The columns of lists of orders.
import { customerName } from '../customers/customer-words.ts';
import type { Order, Status } from '../words/api-types.ts';
import { type Child, h } from '../browser/elements.ts';
import { paymentNames } from '../words/column-names.ts';
import { dateTime, money, shortTime } from '../words/formats.ts';
import { stepLabel, type StepStatus, statusTitle, usualStep } from '../words/statuses.ts';
import { type Column, rowLink } from '../lists/tables.ts';
import { t } from '../words/texts.ts';
import type { Page } from '../page/view.ts';
import { stepButton } from './order-payment.ts';

/** The name of the status, of these orders if they are given. */
export function pill(status: Status, orders?: readonly Order[]): HTMLElement {
  return h('span', { class: `pill ${status}` }, statusTitle(status, orders));
}

/** With how it was paid, so that a sale booked as the wrong one is found. */
function statusOf(order: Order): Child {
  const { status, payment } = order;
  return [pill(status, [order]), payment !== null && [' ', h('span.soft', paymentNames[payment])]];
}

/** Where there is very little room, the amount is beside the customer’s name instead of in its column. */
export function amountOf({ total: amount, currency }: Order): HTMLElement {
  return h('span.amount', money(amount, currency));
}

export function customerHead(): Child {
  return [h('span.amount', t('Total')), t('Customer')];
}

const number: Column<Order> = {
  label: t('No.'),
  kind: 'tight',
  cell: ({ id, createdAt }) => [
    rowLink(`#/orders/${id}`, `#${id}`),
    h('span.phone.soft', shortTime(createdAt)),
  ],
};
const placed: Column<Order> = {
  label: t('Placed'),
  kind: 'tight wide',
  cell: ({ createdAt }) =>
    h('time', { datetime: createdAt, title: dateTime(createdAt) }, shortTime(createdAt)),
};
const customer: Column<Order> = {
  label: t('Customer'),
  head: customerHead,
  cell: (order) => [
    amountOf(order),
    h('span.clip', { dir: 'auto' }, customerName(order)),
    h(
      'span.phone',
      h('span.about', statusOf(order), h('span.clip.soft', { dir: 'auto' }, itemsText(order.items))),
    ),
  ],
};
const items: Column<Order> = {
  label: t('Items'),
  kind: 'wide',
  cell: (order) => h('span.clip.soft', { dir: 'auto' }, itemsText(order.items)),
};
/** Where the customer is known: phones show the status with the items. */
const bought: Column<Order> = {
  label: t('Items'),
  cell: (order) => [
    h('span.clip.soft', { dir: 'auto' }, itemsText(order.items)),
    h('span.phone', statusOf(order)),
  ],
};
const statusColumn: Column<Order> = {
  label: t('Status'),
  kind: 'tight wide',
  cell: statusOf,
};
const total: Column<Order> = {
  label: t('Total'),
  kind: 'number',
  cell: (order) => money(order.total, order.currency),
};
/** The columns of lists of orders. */
export const orderColumns = { number, placed, customer, items, bought, status: statusColumn, total };

function itemsText([first, ...others]: Order['items']): string {
  if (first === undefined) return '';
  const times = first.quantity === 1 ? '' : `${first.quantity} × `;
  return `${times}${first.name}${others.length === 0 ? '' : `, +${others.length}`}`;
}

/** A button for the usual next step; the order's page has the others. The step just made is taken back beside it. */
export function stepColumn(page: Page): Column<Order> {
  const { steps } = page;
  return {
    label: t('Next step'),
    kind: 'action',
    cell(order) {
      const { id, status } = order;
      const made = steps.offered([id]);
      const to = usualStep(status);
      return [made.length > 0 && steps.takeBackButton(made), to !== undefined && nextButton(page, order, to)];
    },
  };
}

function nextButton(page: Page, order: Order, to: StepStatus): HTMLElement {
  const label = stepLabel(to, order);
  const name = t('{step}: order {id}', { step: label, id: order.id });
  const attributes = { 'data-key': `step-${order.id}`, 'aria-label': name };
  return stepButton(page, { orders: [order], to, label }, attributes);
}
