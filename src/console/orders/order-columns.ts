// The columns of lists of orders, and how their rows stay where they are.
import type { Order } from '../parts/api-types.ts';
import { customerName } from '../customers/customer-words.ts';
import type { Page } from '../parts/view.ts';
import { h } from '../parts/elements.ts';
import { dateTime, money, shortTime } from '../parts/formats.ts';
import { action } from '../parts/forms.ts';
import type { LatestOrder } from '../parts/order-steps.ts';
import { pill } from './order-status.ts';
import { stages, stepNames, usualStep } from '../parts/statuses.ts';
import { type Column, inPlace, rowLink } from '../parts/tables.ts';
import { t } from '../parts/texts.ts';

/** Marks orders whose status has changed: the button of their next step must not come where the last one was. */
export function holdOrders(shown: readonly LatestOrder[], loaded: readonly Order[]): readonly LatestOrder[] {
  return inPlace<LatestOrder>(shown, loaded).map((order, index) => {
    const before = shown[index];
    return { ...order, isMoved: before?.isMoved === true || before?.status !== order.status };
  });
}

const number: Column<Order> = {
  label: t('No.'),
  kind: 'tight',
  cell: ({ id }) => rowLink(`#/orders/${id}`, `#${id}`),
};
const placed: Column<Order> = {
  label: t('Placed'),
  kind: 'tight wide',
  cell: ({ createdAt }) =>
    h('time', { datetime: createdAt, title: dateTime(createdAt) }, shortTime(createdAt)),
};
const customer: Column<Order> = {
  label: t('Customer'),
  cell: (order) => [
    h('span', { class: 'clip', dir: 'auto' }, customerName(order)),
    h('span', { class: 'phone' }, pill(order.status)),
  ],
};
const items: Column<Order> = {
  label: t('Items'),
  kind: 'wide',
  cell: (order) => h('span', { class: 'clip soft', dir: 'auto' }, itemsText(order.items)),
};
const status: Column<Order> = {
  label: t('Status'),
  kind: 'tight wide',
  cell: (order) => pill(order.status),
};
const total: Column<Order> = {
  label: t('Total'),
  kind: 'number',
  cell: (order) => money(order.total, order.currency),
};
/** The columns of lists of orders. */
export const orderColumns = { number, placed, customer, items, status, total };

function itemsText([first, ...others]: Order['items']): string {
  if (first === undefined) return '';
  const times = first.quantity === 1 ? '' : `${first.quantity} × `;
  return `${times}${first.name}${others.length === 0 ? '' : `, +${others.length}`}`;
}

/** A button for the usual next step; the order's page has the others. */
export function stepColumn({ steps }: Page): Column<LatestOrder> {
  return {
    label: t('Next step'),
    kind: 'action',
    cell(order) {
      const { id, status, isMoved = false } = order;
      const key = { 'data-key': `step-${id}` };
      if (steps.nextStatusOf(id) !== undefined) return steps.undoButton(id);
      if (isMoved)
        return h('span', { class: 'action' }, h('span', { tabindex: -1, ...key }, stages[status].name));
      const to = usualStep(status);
      if (to === undefined) return undefined;
      const label = t('{step}: order {id}', { step: stepNames[to], id });
      return action(stepNames[to], async () => steps.begin(order, to), { ...key, 'aria-label': label });
    },
  };
}
