// The buttons that mark orders as paid, one for each way of payment.
import { type Order, type Payment, payments } from '../parts/api-types.ts';
import { openDialog } from '../parts/dialogs.ts';
import { h } from '../parts/elements.ts';
import { paymentNames } from '../parts/column-names.ts';
import { money } from '../parts/formats.ts';
import { action } from '../parts/forms.ts';
import { t } from '../parts/texts.ts';

/** A button for each payment, since no order is paid without one. The button that replaces them has the same key. */
export function payButtons(key: string, pay: (payment: Payment) => Promise<void>): readonly HTMLElement[] {
  return payments.map((by) => {
    const label = t('Paid: {payment}', { payment: paymentNames[by] });
    const attributes = { class: 'primary', 'aria-label': label, 'data-key': key };
    return action(paymentNames[by], () => pay(by), attributes);
  });
}

/** Asks how the order was paid, where there is no room for the buttons. */
export function askPayment({ id, total, currency }: Order, pay: (by: Payment) => Promise<void>): void {
  const buttons = payButtons('paid', async (by) => {
    await pay(by);
    dialog.close();
  });
  const title = t('Order {id}: how were {amount} paid?', { id, amount: money(total, currency) });
  const dialog = openDialog(title, h('div.buttons', buttons), () => undefined);
}
