// How orders were paid: the buttons that mark them as paid, and what is said of it later.
import { type Order, type Payment, payments } from '../parts/api-types.ts';
import { openDialog } from '../parts/dialogs.ts';
import { type Child, h } from '../parts/elements.ts';
import { money, paymentNames } from '../parts/formats.ts';
import { action } from '../parts/forms.ts';
import { changePayment, paymentText, type ShownOrder } from './order-changes.ts';
import { stages } from '../parts/statuses.ts';
import { t } from '../parts/texts.ts';
import { isStaff, type Page, type Reload } from '../parts/view.ts';

/** How the order was paid, with the button that corrects it. */
export function paymentLine(page: Page, shown: ShownOrder, reload: Reload): Child {
  const { status, payment } = shown.order;
  const mayCorrect = isStaff(page) && stages[status].isPaid;
  if (payment === null && !mayCorrect) return undefined;
  const label = payment === null ? t('Say how it was paid …') : t('Change the payment …');
  const change = action(label, () => changePayment(page, shown, reload), { 'data-key': 'payment' });
  return [h('p', {}, t('Payment: {payment}', { payment: paymentText(payment) })), mayCorrect && change];
}

/** A button for each way of payment; no order is paid without one. */
export function payButtons(
  keyOf: (payment: Payment) => string,
  pay: (payment: Payment) => Promise<void>,
): readonly HTMLElement[] {
  return payments.map((by) => {
    const label = t('Paid: {payment}', { payment: paymentNames[by] });
    const attributes = { class: 'primary', 'aria-label': label, 'data-key': keyOf(by) };
    return action(paymentNames[by], () => pay(by), attributes);
  });
}

/** Asks how the order was paid, where its row has no room for the buttons. */
export function askPayment({ steps }: Page, order: Order): void {
  const amount = money(order.total, order.currency);
  const buttons = payButtons(
    (by) => by,
    async (by) => {
      close();
      await steps.make([order], 'paid', by);
    },
  );
  const close = (): void => dialog.close();
  const content = h('div', { class: 'buttons' }, buttons);
  const dialog = openDialog(t('Order {id}: how were {amount} paid?', { id: order.id, amount }), content, () =>
    window.removeEventListener('hashchange', close),
  );
  window.addEventListener('hashchange', close);
}
