// The form that changes an order: its items while it is open, its customer and delivery until it is shipped, and its
// note always.
import type { Order } from '../parts/api-types.ts';
import { saverOf } from '../parts/conflicts.ts';
import { notify } from '../parts/dialogs.ts';
import { type Child, fill, h } from '../parts/elements.ts';
import { addressLines, money } from '../parts/formats.ts';
import { throwIfInvalid } from '../parts/forms.ts';
import { nameOf, stages } from '../parts/statuses.ts';
import { t } from '../parts/texts.ts';
import { goTo, setPageTitle, type Page, reloadable, skeleton } from '../parts/view.ts';
import { orderForm } from './order-form.ts';
import { type LoadedOrder, readOrder } from './order-view.ts';

export function changeOrderView(page: Page): void {
  const { main, id } = page;
  const content = h('div.narrow', skeleton(8));
  fill(main, setPageTitle(t('Change order {id}', { id })), content);
  reloadable(page, content, { load: readOrder, draw: (loaded) => changeForm(page, loaded) });
}

function changeForm(page: Page, { order, etag, customer }: LoadedOrder): Child {
  const { id, status } = order;
  const idempotencyKey = crypto.randomUUID();
  let { customerId } = order;
  const back = h('a.button', { href: `#/orders/${id}` }, t('Cancel'));
  const fields = orderForm(page, {
    idempotencyKey,
    changed: { order, customer },
    submit: t('Save'),
    others: back,
    async run(): Promise<void> {
      await fields.settle();
      throwIfInvalid(fields.issues(false));
      customerId = await fields.customerId(customerId);
      await save();
      notify(t('Order {id} is changed.', { id }));
      goTo(page.scans.isHolding ? '/new' : `/orders/${id}`);
    },
  });
  const save = saverOf({
    client: page.client,
    path: `/orders/${id}`,
    known: { value: order, etag },
    read: () => ({ customerId, ...fields.read() }),
    idempotencyKey,
    inWords: (now: Order) => inWords(now).slice(firstWord[stages[status].changes]),
    checkPossible(now, mine) {
      if (!fixedMembers[stages[now.status].changes].some((name) => Object.hasOwn(mine, name))) return;
      back.textContent = t('Back');
      throw new Error(
        t('Order {id} is {status} now. What you have changed can’t be changed any more.', {
          id,
          status: nameOf(now.status),
        }),
      );
    },
  });
  fields.takeScans();
  return fields.body;
}

const priceMembers = ['items', 'currency'];
/** What can't be changed any more, by what can. */
const fixedMembers = {
  all: [],
  delivery: priceMembers,
  note: [...priceMembers, 'customerId', 'shippingAddress'],
} as const;

/** Where the words begin of what the form shows. */
const firstWord = { all: 0, delivery: 2, note: 4 } as const;

function inWords({ status, customerId, items, currency, shippingAddress, note }: Order): [string, string][] {
  const texts = items.map(
    ({ quantity, name, unitPrice }) => `${quantity} × ${name}, ${money(unitPrice, currency)}`,
  );
  return [
    [t('Status'), nameOf(status)],
    [t('Items'), texts.join('; ')],
    [t('Customer'), t('number {id}', { id: customerId })],
    [t('Address'), shippingAddress === null ? t('picked up') : addressLines(shippingAddress).join(', ')],
    [t('Note'), note ?? t('none')],
  ];
}
