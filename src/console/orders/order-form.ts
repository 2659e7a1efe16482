// The form of an order: its customer, items, delivery and note. The fields have the texts; all else that is known is in
// one object, and `draw` shows what follows from both, after each event of the form.
import type { Issue } from '../parts/api-types.ts';
import { card } from '../parts/cards.ts';
import { combobox } from '../parts/combobox.ts';
import { button, type Child, h, icon, icons } from '../parts/elements.ts';
import { checkbox, field, textOf } from '../parts/forms.ts';
import { cardIdOf, type Scans } from '../parts/scans.ts';
import { rich, t } from '../parts/texts.ts';
import type { Page } from '../parts/view.ts';
import {
  customerIssues,
  drawCustomer,
  foundCustomers,
  isChosen,
  pressedInCustomer,
  scannedCustomer,
  settleCustomer,
} from './order-customer.ts';
import { deliveryIssues, drawDelivery, isToNobody, readDelivery } from './order-delivery.ts';
import {
  addDiscount,
  addLine,
  drawLines,
  lineIssues,
  readItems,
  scannedItem,
  settleLines,
} from './order-lines.ts';
import { type OrderForm, partsOf } from './order-state.ts';

/** `note` is that of an order that is known. */
type Beginning = Pick<OrderForm, 'idempotencyKey' | 'has'> & { readonly note?: string | null };

export function orderForm({ client, user }: Page, { note = null, ...beginning }: Beginning): OrderForm {
  const form: OrderForm = {
    ...partsOf(client, note),
    ...beginning,
    client,
    userId: user.id,
    search: combobox({
      label: t('Customer'),
      placeholder: t('Nobody, or name, e-mail, phone, number'),
      lookUp: (q, signal) => foundCustomers(form, q, signal),
      onKey: ({ key, shiftKey }, active) => pressedInCustomer(form, { key, shiftKey, active }),
    }),
    draw() {
      drawCustomer(form);
      drawLines(form);
      drawDelivery(form);
    },
    lines: [],
    lookUps: Promise.resolve(),
    chosen: undefined,
    walkIn: Promise.resolve(undefined),
    left: Promise.resolve(),
    isAddressTyped: false,
    isDeliverySaid: false,
  };
  form.search.control.addEventListener('input', () => isChosen(form) && form.search.close());
  form.addressRows.addEventListener('input', () => (form.isAddressTyped = true));
  form.isPickup.addEventListener('change', () => (form.isDeliverySaid = true));
  void form.articles.loadSold().then(form.draw);
  addLine(form);
  return form;
}

/** The cards of what can be entered; `end` stands below the delivery. */
export function orderCards(form: OrderForm, end?: Child): HTMLElement {
  const { has, search, about, contact, currency, list, isPickup, addressRows, offer, note } = form;
  const title = t('Customer');
  const { control } = search;
  const customer = (): Child =>
    card(
      title,
      h('div.titled', field({ label: title, pointer: '/customerId', control }).element),
      search.list,
      h('p.hint', { role: 'status' }, about),
      contact.element,
    );
  const add = button([icon(icons.add), t('Add item')], () => addLine(form).name.focus());
  const discount = button(t('Add discount'), () => addDiscount(form));
  const buttons = h('div.sum.buttons', add, discount, currency.element);
  const delivery = h('div', checkbox(isPickup, t('Picked up')), addressRows, offer, end);
  const element = h(
    'div.cards',
    has.includes('customer') && customer(),
    has.includes('items') && card(t('Items'), h('div.lines', list, buttons)),
    has.includes('delivery') ? card(t('Delivery'), delivery, note.element) : card(t('Note'), note.element),
  );
  // input and change events redraw the cards before the form's own listeners run
  for (const type of ['input', 'change']) element.addEventListener(type, form.draw);
  return element;
}

/** Shown beside the form’s button, so that it is always in sight. */
export function totalLine({ total }: OrderForm): HTMLElement {
  return h('p.sum-up', rich('Total {total}', { total }));
}

/**
 * Resolves once what was typed or scanned is looked up. Throws if a scanned code couldn’t be looked up because the
 * service was unreachable.
 */
export async function settle(form: OrderForm): Promise<void> {
  if (form.has.includes('customer')) await settleCustomer(form);
  await settleLines(form);
}

/** What is sold over the counter needs no address, and no customer if none was entered. */
export function orderIssues(form: OrderForm, { isSold }: { readonly isSold: boolean }): Issue[] {
  const { has } = form;
  return [
    ...(has.includes('customer') && !(isSold && isToNobody(form)) ? customerIssues(form) : []),
    ...(has.includes('items') ? lineIssues(form) : []),
    ...(has.includes('delivery') && !isSold ? deliveryIssues(form) : []),
  ];
}

/** What the order gets, but for its customer. */
export function readOrderForm(
  form: OrderForm,
): Readonly<Record<'currency' | 'items' | 'note' | 'shippingAddress', unknown>> {
  return { ...readItems(form), note: textOf(form.note), shippingAddress: readDelivery(form) };
}

/** Keeps what is scanned until the form is there, in its order. */
export function keepScans(scans: Scans): HTMLElement {
  const place = h('div', { 'data-scans': '' });
  place.addEventListener('scan', (event) => scans.hold(codeOf(event)));
  return place;
}

function codeOf(event: Event): string {
  return event instanceof CustomEvent ? String(event.detail) : '';
}

/** To be called once the form is shown. */
export function takeScans(form: HTMLFormElement, scans: Scans, order: OrderForm): void {
  form.dataset['scans'] = '';
  form.addEventListener('scan', (event) => {
    const code = codeOf(event);
    const id = cardIdOf(code);
    if (form.dataset['scans'] === later) scans.hold(code);
    else if (id === undefined) scannedItem(order, code);
    else void scannedCustomer(order, id);
  });
  scans.deliver();
}

const later = 'later';

/** Sends the form. What is scanned meanwhile is for the next order, or for this one if it isn't placed. */
export async function holdScans(
  form: HTMLFormElement,
  scans: Scans,
  send: () => Promise<void>,
): Promise<void> {
  await scans.settled; // waits until the running scan's characters have arrived in a field
  form.dataset['scans'] = later;
  try {
    await send();
  } catch (error) {
    form.dataset['scans'] = '';
    scans.deliver();
    throw error;
  }
}
