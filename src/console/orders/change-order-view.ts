// The form that changes an open order: its customer, items, delivery and note.
import { changedIn, saverOf } from '../parts/conflicts.ts';
import type { Order } from '../parts/api-types.ts';
import { CustomerChoice } from './customer-choice.ts';
import { emptyState, goTo, setPageTitle, type Page, reloadable, skeleton } from '../parts/view.ts';
import { notify } from '../parts/dialogs.ts';
import { type Child, fill, h } from '../parts/elements.ts';
import { addressLines, money } from '../parts/formats.ts';
import { form, throwIfInvalid } from '../parts/forms.ts';
import { OrderFields } from './order-fields.ts';
import { holdScans, takeScans } from './order-scans.ts';
import { type LoadedOrder, readOrder } from './order-view.ts';
import { nameOf } from '../parts/statuses.ts';
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
  const back = (label: string): HTMLElement => h('a', { class: 'button', href: `#/orders/${id}` }, label);
  if (status !== 'open') {
    const text = t('Only the note of an order that is {status} can be changed, on the page of the order.', {
      status: nameOf(status),
    });
    return emptyState(t('Too late'), text, back(t('To order {id}', { id })));
  }
  const fields = new OrderFields(client);
  fields.fillItems(order);
  void fields.loadSuggestions();
  const idempotencyKey = crypto.randomUUID();
  const choice = new CustomerChoice(page, { idempotencyKey, fields });
  if (customer !== undefined) choice.suggest(customer);
  fields.delivery.keep(order.shippingAddress);
  fields.note = order.note;
  let customerId: number | undefined = order.customerId;
  const entered = (): object => ({ ...fields.read(), customerId });
  const before = entered();
  const save = saverOf({
    client,
    path: `/orders/${id}`,
    before: { value: order, etag },
    body: () => changedIn(entered(), before),
    idempotencyKey,
    inWords,
  });
  async function run(): Promise<void> {
    await fields.settled;
    throwIfInvalid([...(customer === undefined ? [] : choice.issues()), ...fields.issues()]);
    if (customer !== undefined) customerId = await choice.createOrGetId(fields.delivery.read());
    await save();
    notify(t('Order {id} is changed.', { id }));
    goTo(page.scans.isHolding ? '/new' : `/orders/${id}`);
  }
  const body = form([customer !== undefined && choice.element, fields.cards], {
    submit: t('Save'),
    lead: fields.total,
    others: back(t('Cancel')),
    isLong: true,
    chosen: () => choice.entered,
    run: () => holdScans(body, page.scans, run),
  });
  takeScans(body, page.scans, { choice, fields });
  return body;
}

function inWords({ status, customerId, items, currency, shippingAddress, note }: Order): [string, string][] {
  const texts = items.map(
    ({ quantity, name, unitPrice }) => `${quantity} × ${name}, ${money(unitPrice, currency)}`,
  );
  return [
    [t('status'), nameOf(status)],
    [t('customer'), t('number {id}', { id: customerId })],
    [t('items'), texts.join('; ')],
    [t('address'), shippingAddress === null ? t('picked up') : addressLines(shippingAddress).join(', ')],
    [t('note'), note ?? t('none')],
  ];
}
