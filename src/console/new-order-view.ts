// A new order: for a customer who is found or new, with items, placed once however often it is sent.
import { Rejection } from './api-client.ts';
import type { Customer, Issue, Order } from './api-types.ts';
import { card, checkRow } from './cards.ts';
import { heading, type Page } from './console-app.ts';
import { ContactFields } from './customer-form.ts';
import { CustomerPicker } from './customer-picker.ts';
import { DeliveryFields } from './delivery-fields.ts';
import { notify } from './dialogs.ts';
import { fill, h } from './elements.ts';
import { currencies } from './formats.ts';
import { choice, type Control, field, form, textOf } from './forms.ts';
import { loadSoldArticles, OrderLines } from './order-form.ts';
import { openOrder } from './parts.ts';

/** One order, and one customer, however often the form is sent. */
type Draft = { customer?: Customer; readonly customerKey: string; readonly orderKey: string };

export function newOrderView(page: Page): void {
  const { main, client } = page;
  const draft: Draft = { customerKey: crypto.randomUUID(), orderKey: crypto.randomUUID() };
  const delivery = new DeliveryFields();
  const picker = new CustomerPicker(page, (customer) => {
    if (customer === undefined) delete draft.customer;
    else draft.customer = customer;
    if (customer !== undefined) delivery.suggest(customer.address);
  });
  const contact = new ContactFields('/customer');
  const isNew = h('input', { type: 'checkbox', id: 'is-new-customer' });
  const hint = h('p', { class: 'hint' }, 'The delivery address below becomes theirs.');
  const newRows = h(
    'div',
    { class: 'fields', hidden: true },
    h('div', { class: 'grid' }, contact.rows),
    hint,
  );
  isNew.addEventListener('change', () => {
    newRows.hidden = !isNew.checked;
    picker.element.hidden = isNew.checked;
    delivery.suggest(isNew.checked ? null : (draft.customer?.address ?? null));
  });
  const lines = new OrderLines();
  const currency = field({
    label: 'Currency',
    pointer: '/currency',
    control: choice(currencyChoices(), 'EUR'),
  });
  currency.control.addEventListener('change', () => (lines.currency = currency.control.value));
  const note = field({
    label: 'Note',
    pointer: '/note',
    isWide: true,
    control: h('textarea', { rows: 2, maxlength: 2000 }),
  });
  async function run(): Promise<void> {
    const isChosen = isNew.checked || draft.customer !== undefined;
    throwIfInvalid([...(isChosen ? [] : [noCustomer]), ...lines.issues(), ...delivery.issues()]);
    const shippingAddress = delivery.read();
    if (isNew.checked) {
      const customer = { ...contact.read(), address: shippingAddress };
      picker.choose(await addCustomer(page, draft.customerKey, customer));
      isNew.click(); // from now on the customer is one of those that can be found
    }
    const sent = client.send<Order>('POST', '/orders', {
      idempotencyKey: draft.orderKey,
      body: {
        customerId: draft.customer?.id,
        currency: currency.control.value,
        items: lines.read(),
        note: textOf(note),
        shippingAddress,
      },
    });
    const { value: order } = await sent.catch(explainReusedKey);
    notify(`Order ${order.id} is placed.`);
    openOrder(order.id);
  }
  const body = form(
    [
      card('Customer', picker.element, checkRow(isNew, 'A new customer'), newRows),
      card('Items', h('div', { class: 'short' }, currency.row), lines.element),
      card('Delivery', delivery.element, note.row),
    ],
    { submit: 'Place order', run },
  );
  fill(main, heading('New order'), h('div', { class: 'narrow' }, body));
  void prepare(page, { lines, currency: currency.control, picker, delivery });
  picker.control.focus();
}

async function addCustomer({ client }: Page, idempotencyKey: string, body: object): Promise<Customer> {
  const sent = client.send<Customer>('POST', '/customers', { idempotencyKey, body });
  const { value } = await sent.catch((error: unknown) => {
    throw error instanceof Rejection ? inForm(error) : error;
  });
  return value;
}

/** The same about the form's fields, where the customer's address is that of the delivery. */
function inForm({ code, status, message: detail, issues }: Rejection): Rejection {
  const errors = issues.map((issue) => {
    const path = (issue.pointer ?? '').replace('#', '');
    const isAddress = path.startsWith('/address/');
    const pointer = isAddress ? path.replace('/address', '/shippingAddress') : `/customer${path}`;
    return { ...issue, pointer: `#${pointer}` };
  });
  return new Rejection({ code, status, detail, errors });
}

/** The key stays that of the form, so an order whose response was lost is not placed again with changes. */
function explainReusedKey(error: unknown): never {
  if (!(error instanceof Rejection && error.code === 'idempotency-key-reused')) throw error;
  throw new Error('This order was placed the first time, before you changed it: see Orders.');
}

const noCustomer: Issue = {
  pointer: '/customerId',
  detail: 'Choose a customer from the list, or enter a new one.',
};

function throwIfInvalid(errors: readonly Issue[]): void {
  const detail = 'The form is not complete.';
  if (errors.length > 0) throw new Rejection({ code: 'validation-failed', status: 422, detail, errors });
}

type Parts = {
  readonly lines: OrderLines;
  readonly currency: Control;
  readonly picker: CustomerPicker;
  readonly delivery: DeliveryFields;
};

/** Fills in what the URL asks for: `customer=7`, or `copy=12` for the items and the customer of an order. */
async function prepare(page: Page, { lines, currency, picker, delivery }: Parts): Promise<void> {
  const { parameters } = page;
  const copied = parameters.get('copy');
  const [known, order] = await Promise.all([
    loadSoldArticles(page).catch(() => undefined),
    found<Order>(page, 'orders', copied),
  ]);
  const customer = await found<Customer>(page, 'customers', order?.customerId ?? parameters.get('customer'));
  chooseCurrency(currency, order?.currency ?? known?.currency ?? 'EUR');
  lines.currency = currency.value;
  lines.articles = known?.articles ?? [];
  if (order !== undefined) lines.replace(order.items);
  if (customer !== undefined) picker.choose(customer);
  if (order !== undefined) delivery.repeat(order.shippingAddress);
  const isMissing = copied !== null && order === undefined && !page.signal.aborted;
  if (isMissing) notify(`Order ${copied} can’t be read, so the form is empty.`);
}

async function found<T>(
  { client, signal }: Page,
  kind: 'orders' | 'customers',
  id: string | number | null,
): Promise<T | undefined> {
  if (id === null) return undefined;
  return client.get<T>(`/${kind}/${Number(id)}`, signal).catch(() => undefined);
}

function currencyChoices(): (readonly [string, string])[] {
  return currencies.map((code) => [code, code]);
}

/**
 * A currency that the service no longer accepts can still be chosen: the service then says so beside the
 * field.
 */
function chooseCurrency(control: Control, code: string): void {
  if (!currencies.includes(code)) control.append(h('option', { value: code }, code));
  control.value = code;
}
