// The form that changes an order: its items while it is open, its customer and delivery until it is shipped, and its
// note always.
import { saverOf } from '../parts/conflicts.ts';
import type { Order } from '../parts/api-types.ts';
import { goTo, setPageTitle, type Page, reloadable, skeleton } from '../parts/view.ts';
import { notify } from '../parts/dialogs.ts';
import { type Child, fill, h } from '../parts/elements.ts';
import { addressLines, money } from '../parts/formats.ts';
import { form, throwIfInvalid } from '../parts/forms.ts';
import { chooseCustomer, customerEntered, customerIdFor } from './order-customer.ts';
import { repeatDelivery } from './order-delivery.ts';
import {
  holdScans,
  orderCards,
  orderForm,
  orderIssues,
  readOrderForm,
  settle,
  takeScans,
  totalLine,
} from './order-form.ts';
import { fillLines } from './order-lines.ts';
import { type LoadedOrder, readOrder } from './order-view.ts';
import { nameOf, stages } from '../parts/statuses.ts';
import { t } from '../parts/texts.ts';

export function changeOrderView(page: Page): void {
  const { main, id } = page;
  const content = h('div.narrow', skeleton(8));
  fill(main, setPageTitle(t('Change order {id}', { id })), content);
  reloadable(page, content, {
    load: readOrder,
    draw: (loaded) => changeForm(page, loaded),
  });
}

function changeForm(page: Page, { order, etag, customer }: LoadedOrder): Child {
  const { client } = page;
  const { id, status } = order;
  const { changes } = stages[status];
  const idempotencyKey = crypto.randomUUID();
  const hasCustomer = customer !== undefined && changes !== 'note';
  const has = [
    hasCustomer && 'customer',
    changes === 'all' && 'items',
    changes !== 'note' && 'delivery',
  ] as const;
  const fields = orderForm(page, { idempotencyKey, has, note: order.note });
  fillLines(fields, order);
  if (customer !== undefined) chooseCustomer(fields, customer);
  repeatDelivery(fields, order.shippingAddress);
  fields.isAddressTyped = true; // no other address replaces it unasked
  let { customerId } = order;
  const read = () => {
    const { note, shippingAddress, ...items } = readOrderForm(fields);
    const delivery = changes !== 'note' && { customerId, shippingAddress };
    return { note, ...delivery, ...(changes === 'all' && items) };
  };
  const save = saverOf({
    client,
    path: `/orders/${id}`,
    known: { value: order, etag },
    read,
    idempotencyKey,
    inWords: (now: Order) => inWords(now).slice(firstWord[changes]),
  });
  async function run(): Promise<void> {
    await settle(fields);
    throwIfInvalid(orderIssues(fields, { isSold: false }));
    if (hasCustomer) customerId = await customerIdFor(fields);
    await save();
    notify(t('Order {id} is changed.', { id }));
    goTo(page.scans.isHolding ? '/new' : `/orders/${id}`);
  }
  const body = form(orderCards(fields), {
    submit: t('Save'),
    lead: changes === 'all' && totalLine(fields),
    others: h('a.button', { href: `#/orders/${id}` }, t('Cancel')),
    isLong: true,
    chosen: () => customerEntered(fields),
    run: () => holdScans(body, page.scans, run),
  });
  if (changes === 'all') takeScans(body, page.scans, fields);
  return body;
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
