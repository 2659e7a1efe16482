// The dialogs that change the note or the payment of an order, whatever its status.
import { type Order, type Payment, payments } from '../parts/api-types.ts';
import { saverOf } from '../parts/conflicts.ts';
import { ask, notify } from '../parts/dialogs.ts';
import { paymentNames } from '../parts/formats.ts';
import { choice, field, noteField, textOf } from '../parts/forms.ts';
import { t } from '../parts/texts.ts';
import type { Page, Reload } from '../parts/view.ts';

export type ShownOrder = { readonly order: Order; readonly etag: string | undefined };

export function changeNote(page: Page, shown: ShownOrder, reload: Reload): Promise<void> {
  const { id } = shown.order;
  const note = noteField({
    rows: 4,
    value: shown.order.note,
    hint: t('It is printed on the packing slip. Leave it empty for none.'),
  });
  return changeMember(page, shown, {
    title: t('Note of order {id}', { id }),
    element: note.element,
    body: () => ({ note: textOf(note) }),
    inWords: (order) => [t('note'), order.note ?? t('none')],
    saved: t('The note is saved.'),
    reload,
  });
}

export function changePayment(page: Page, shown: ShownOrder, reload: Reload): Promise<void> {
  const { id, payment } = shown.order;
  const names = payments.map((each) => [each, paymentNames[each]] as const);
  const control = choice([...names, ['', t('Not said')]], payment ?? '');
  const { element } = field({ label: t('Payment'), pointer: '/payment', control });
  return changeMember(page, shown, {
    title: t('Payment of order {id}', { id }),
    element,
    body: () => ({ payment: control.value === '' ? null : control.value }),
    inWords: (order) => [t('payment'), paymentText(order.payment)],
    saved: t('The payment is saved.'),
    reload,
  });
}

export function paymentText(payment: Payment | null): string {
  return payment === null ? t('Not said') : paymentNames[payment];
}

type MemberChange = {
  readonly title: string;
  readonly element: HTMLElement;
  readonly body: () => object;
  readonly inWords: (order: Order) => readonly [name: string, text: string];
  readonly saved: string;
  readonly reload: Reload;
};

async function changeMember(
  { client }: Page,
  { order, etag }: ShownOrder,
  { title, element, body, inWords, saved, reload }: MemberChange,
): Promise<void> {
  const save = saverOf({
    client,
    path: `/orders/${order.id}`,
    before: { value: order, etag },
    body,
    idempotencyKey: crypto.randomUUID(),
    inWords: (now) => [inWords(now)],
  });
  await ask({
    title,
    content: element,
    submit: t('Save'),
    async run() {
      await save();
      notify(saved);
      await reload();
    },
  });
}
