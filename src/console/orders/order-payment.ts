// How an order was paid: the buttons that mark it as paid and say so, and the question that corrects it later.
import { type Order, type Payment, payments } from '../parts/api-types.ts';
import { saverOf } from '../parts/conflicts.ts';
import { ask, notify } from '../parts/dialogs.ts';
import { type Child, h } from '../parts/elements.ts';
import { paymentNames } from '../parts/formats.ts';
import { action, choice, field } from '../parts/forms.ts';
import { stages } from '../parts/statuses.ts';
import { t } from '../parts/texts.ts';
import { isStaff, type Page, type Reload } from '../parts/view.ts';

type Shown = { readonly order: Order; readonly etag: string | undefined };

/** How the order was paid, or the buttons that mark it as paid so. */
export function paymentLine(page: Page, shown: Shown, reload: Reload): Child {
  const { status, payment } = shown.order;
  if (status === 'open') return isStaff(page) && payButtons(page, shown.order);
  const mayCorrect = isStaff(page) && stages[status].isPaid;
  if (payment === null && !mayCorrect) return undefined;
  const label = payment === null ? t('Say how it was paid …') : t('Change the payment …');
  const change = action(label, () => changePayment(page, shown, reload), { 'data-key': 'payment' });
  return [h('p', {}, t('Payment: {payment}', { payment: wordFor(payment) })), mayCorrect && change];
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

async function changePayment({ client }: Page, { order, etag }: Shown, reload: Reload): Promise<void> {
  const names = payments.map((payment) => [payment, paymentNames[payment]] as const);
  const control = choice([...names, ['', t('Not said')]], order.payment ?? '');
  const { row } = field({ label: t('Payment'), pointer: '/payment', control });
  const save = saverOf({
    changed: 'Somebody has changed {members} of this order meanwhile. Nothing was saved yet.',
    client,
    path: `/orders/${order.id}`,
    before: { value: order, etag },
    body: () => ({ payment: control.value === '' ? null : control.value }),
    idempotencyKey: crypto.randomUUID(),
    inWords: ({ payment }) => [[t('payment'), wordFor(payment)]],
  });
  await ask({
    title: t('Payment of order {id}', { id: order.id }),
    content: row,
    submit: t('Save'),
    async run() {
      await save();
      notify(t('The payment is saved.'));
      await reload();
    },
  });
}

function wordFor(payment: Payment | null): string {
  return payment === null ? t('Not said') : paymentNames[payment];
}
