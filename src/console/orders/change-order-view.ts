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

function changeForm(page: Page, { order, etag, customer: owner }: LoadedOrder): Child {
  const { id, status } = order;
  const { changes } = stages[status];
  const idempotencyKey = crypto.randomUUID();
  const [hasItems, hasDelivery] = [changes === 'all', changes !== 'note'];
  const hasCustomer = owner !== undefined && hasDelivery;
  const fields = orderForm(page, {
    has: [hasCustomer && 'customer', hasItems && 'items', hasDelivery && 'delivery'],
    idempotencyKey,
    changed: { order, customer: owner },
    submit: t('Save'),
    others: h('a.button', { href: `#/orders/${id}` }, t('Cancel')),
    async run(): Promise<void> {
      await fields.settle();
      throwIfInvalid(fields.issues(false));
      if (hasCustomer) customerId = await fields.customer.id();
      await save();
      notify(t('Order {id} is changed.', { id }));
      goTo(page.scans.isHolding ? '/new' : `/orders/${id}`);
    },
  });
  let { customerId } = order;
  const save = saverOf({
    client: page.client,
    path: `/orders/${id}`,
    known: { value: order, etag },
    read() {
      const { note, shippingAddress, ...items } = fields.read();
      return { note, ...(hasDelivery && { customerId, shippingAddress }), ...(hasItems && items) };
    },
    idempotencyKey,
    inWords: (now: Order) => inWords(now).slice(firstWord[changes]),
  });
  fields.takeScans();
  return fields.body;
}

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
