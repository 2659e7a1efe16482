// The form that changes an order: its items while it is open, its customer and delivery until it is shipped, and its
// note always.
import { changedIn, saverOf } from '../parts/conflicts.ts';
import type { Order } from '../parts/api-types.ts';
import { CustomerChoice } from './customer-choice.ts';
import { goTo, setPageTitle, type Page, reloadable, skeleton } from '../parts/view.ts';
import { notify } from '../parts/dialogs.ts';
import { type Child, fill, h } from '../parts/elements.ts';
import { addressLines, money } from '../parts/formats.ts';
import { form, throwIfInvalid } from '../parts/forms.ts';
import { OrderFields } from './order-fields.ts';
import { holdScans, takeScans } from './order-scans.ts';
import { type LoadedOrder, readOrder } from './order-view.ts';
import { nameOf, stages } from '../parts/statuses.ts';
import { t } from '../parts/texts.ts';

export function changeOrderView(page: Page): void {
  const { main, id } = page;
  const content = h('div', { class: 'narrow' }, skeleton(8));
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
  const fields = new OrderFields(client, order.note);
  fields.lines.replace(order);
  const idempotencyKey = crypto.randomUUID();
  const choice = new CustomerChoice(page, { idempotencyKey, fields });
  if (customer !== undefined) choice.suggest(customer);
  fields.delivery.keep(order.shippingAddress);
  const hasCustomer = customer !== undefined && changes !== 'note';
  let customerId = order.customerId;
  const entered = (): object => {
    const { note, shippingAddress, ...items } = fields.read();
    const delivery = changes !== 'note' && { customerId, shippingAddress };
    return { note, ...delivery, ...(changes === 'all' && items) };
  };
  const before = entered();
  const save = saverOf({
    client,
    path: `/orders/${id}`,
    before: { value: order, etag },
    body: () => changedIn(entered(), before),
    idempotencyKey,
    inWords: (now: Order) => inWords(now).slice(firstWord[changes]),
  });
  async function run(): Promise<void> {
    if (hasCustomer) await choice.settle();
    await fields.lines.settle();
    throwIfInvalid([
      ...(hasCustomer ? choice.issues() : []),
      ...(changes === 'all' ? fields.issues({ isSold: false }) : []),
      ...(changes === 'delivery' ? fields.delivery.issues() : []),
    ]);
    if (hasCustomer) customerId = await choice.createOrGetId(fields.delivery.read());
    await save();
    notify(t('Order {id} is changed.', { id }));
    goTo(page.scans.isHolding ? '/new' : `/orders/${id}`);
  }
  const body = form([hasCustomer && choice.element, fields.cards(changes)], {
    submit: t('Save'),
    lead: changes === 'all' && fields.lines.total,
    others: h('a', { class: 'button', href: `#/orders/${id}` }, t('Cancel')),
    isLong: true,
    chosen: () => choice.entered,
    run: () => holdScans(body, page.scans, run),
  });
  if (changes === 'all') takeScans(body, page.scans, { choice, fields });
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
