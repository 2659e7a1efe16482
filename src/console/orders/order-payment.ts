// How an order was paid, with the buttons that mark it as paid and say so, or the one that corrects it later.
import { type Order, payments } from '../parts/api-types.ts';
import { type Child, h } from '../parts/elements.ts';
import { paymentNames } from '../parts/formats.ts';
import { action } from '../parts/forms.ts';
import { changePayment, paymentText, type ShownOrder } from './order-changes.ts';
import { stages } from '../parts/statuses.ts';
import { t } from '../parts/texts.ts';
import { isStaff, type Page, type Reload } from '../parts/view.ts';

/** How the order was paid, or the buttons that mark it as paid so. */
export function paymentLine(page: Page, shown: ShownOrder, reload: Reload): Child {
  const { status, payment } = shown.order;
  if (status === 'open') return isStaff(page) && payButtons(page, shown.order);
  const mayCorrect = isStaff(page) && stages[status].isPaid;
  if (payment === null && !mayCorrect) return undefined;
  const label = payment === null ? t('Say how it was paid …') : t('Change the payment …');
  const change = action(label, () => changePayment(page, shown, reload), { 'data-key': 'payment' });
  return [h('p', {}, t('Payment: {payment}', { payment: paymentText(payment) })), mayCorrect && change];
}

function payButtons({ steps }: Page, order: Order): HTMLElement {
  const disabled = steps.nextStatusOf(order.id) !== undefined || steps.latest(order).status !== 'open';
  const buttons = payments.map((by) => {
    const label = t('Paid: {payment}', { payment: paymentNames[by] });
    const attributes = { disabled, 'aria-label': label, 'data-key': `paid-${by}` };
    return action(paymentNames[by], async () => steps.begin(order, 'paid', by), attributes);
  });
  return h('div', { class: 'next' }, h('span', {}, t('Paid:')), buttons);
}
