// The buttons that make the steps of orders: no order is paid without its payment.
import { type Order, type Payment, payments, type Status } from '../words/api-types.ts';
import { openDialog } from '../forms/dialogs.ts';
import { type Attributes, button, h } from '../browser/elements.ts';
import { paymentNames } from '../words/column-names.ts';
import { count, money } from '../words/formats.ts';
import { action } from '../forms/forms.ts';
import { t } from '../words/texts.ts';
import type { Page } from '../page/view.ts';

/** A button for each payment, with the `present` one marked. The button that replaces them has the same key. */
export function payButtons(
  key: string,
  pay: (payment: Payment) => Promise<void>,
  present: Payment | null = null,
): readonly HTMLElement[] {
  return payments.map((by) => {
    const label = t('Paid: {payment}', { payment: paymentNames[by] });
    const attributes = {
      'aria-label': label,
      'aria-pressed': present && String(by === present),
      'data-key': key,
    };
    return action(paymentNames[by], () => pay(by), attributes);
  });
}

/** Asks how the orders were paid, where there is no room for the buttons. */
export function askPayment(orders: readonly Order[], pay: (by: Payment) => Promise<void>): void {
  const [first, ...others] = orders;
  if (first === undefined) return;
  const about = { id: first.id, amount: money(first.total, first.currency), count: count(orders.length) };
  const one = t('Order {id}: how were {amount} paid?', about);
  const title = others.length === 0 ? one : t('How were these {count} orders paid?', about);
  const payAndClose = async (by: Payment): Promise<void> => {
    await pay(by);
    dialog.close();
  };
  const present = others.length === 0 ? first.payment : null;
  const cancel = button(t('Cancel'), () => dialog.close(), { class: 'quiet' });
  const buttons = h('div.buttons', payButtons('paid', payAndClose, present), cancel);
  const dialog = openDialog(title, buttons, () => undefined);
}

type Step = { readonly orders: readonly Order[]; readonly to: Status; readonly label: string };

export function stepButton(
  { steps }: Page,
  { orders, to, label }: Step,
  attributes: Attributes,
): HTMLElement {
  const step = async (): Promise<void> =>
    to === 'paid' ? askPayment(orders, (by) => steps.make(orders, to, by)) : steps.make(orders, to);
  return action(label, step, attributes);
}
