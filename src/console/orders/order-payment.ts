// How orders were paid: the buttons that mark them as paid, and what is said of it later.
import { type Order, type Payment, payments } from '../parts/api-types.ts';
import { openDialog } from '../parts/dialogs.ts';
import { type Child, h } from '../parts/elements.ts';
import { money, paymentNames } from '../parts/formats.ts';
import { action } from '../parts/forms.ts';
import { stages } from '../parts/statuses.ts';
import { t } from '../parts/texts.ts';
import { isStaff, type Page, type Reload } from '../parts/view.ts';

type Shown = { readonly order: Order; readonly etag: string | undefined };

/** How the order was paid, with the button that corrects it. */
export function paymentLine(page: Page, { order, etag }: Shown, reload: Reload): Child {
  const { id, status, payment } = order;
  const mayCorrect = isStaff(page) && stages[status].isPaid;
  if (payment === null && !mayCorrect) return undefined;
  const correct = async (by: Payment): Promise<void> => {
    await page.client.send('PATCH', `/orders/${id}`, { body: { payment: by }, etag });
    await reload();
  };
  const change = action(t('Change the payment …'), async () => askPayment(order, correct), {
    'data-key': 'payment',
  });
  const said = payment === null ? t('Not said') : paymentNames[payment];
  return [h('p', t('Payment: {payment}', { payment: said })), mayCorrect && change];
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

/** Asks how the order was paid, where there is no room for the buttons. */
export function askPayment({ id, total, currency }: Order, pay: (by: Payment) => Promise<void>): void {
  const buttons = payButtons(
    (by) => by,
    async (by) => {
      await pay(by);
      dialog.close();
    },
  );
  const title = t('Order {id}: how were {amount} paid?', { id, amount: money(total, currency) });
  const dialog = openDialog(title, h('div.buttons', buttons), () => undefined);
}
