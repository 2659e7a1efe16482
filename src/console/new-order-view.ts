// A new order: for a customer who is found or new, with items, placed once however often it is sent.
import { Rejection } from './api-client.ts';
import type { Customer, Order } from './api-types.ts';
import { addressBlock, card, checkRow } from './cards.ts';
import { heading, type Page } from './console-app.ts';
import { customerBody, customerFields } from './customer-form.ts';
import { CustomerPicker } from './customer-picker.ts';
import { notify } from './dialogs.ts';
import { fill, h } from './elements.ts';
import { addressLines, currencies } from './formats.ts';
import { choice, type Control, field, form, textOf } from './forms.ts';
import { loadSoldArticles, OrderLines } from './order-form.ts';
import { openOrder } from './parts.ts';

/** One order, and one customer, however often the form is sent. */
type Draft = { customer?: Customer; readonly customerKey: string; readonly orderKey: string };

export function newOrderView(page: Page): void {
  const { main, client, parameters } = page;
  const draft: Draft = { customerKey: crypto.randomUUID(), orderKey: crypto.randomUUID() };
  const chosen = h('div', { class: 'chosen', 'aria-live': 'polite' });
  const picker = new CustomerPicker(page, (customer) => choose(draft, customer, chosen));
  const newCustomer = customerFields('/customer');
  const isNew = h('input', { type: 'checkbox', id: 'is-new-customer' });
  const newRows = h('div', { class: 'fields', hidden: true }, newCustomer.rows);
  isNew.addEventListener('change', () => {
    newRows.hidden = !isNew.checked;
    picker.element.hidden = isNew.checked;
    chosen.hidden = isNew.checked;
  });
  const lines = new OrderLines();
  const currency = field({
    label: 'Currency',
    pointer: '/currency',
    control: choice(currencyChoices(), 'EUR'),
  });
  currency.control.addEventListener('change', () => (lines.currency = currency.control.value));
  const isPickup = h('input', { type: 'checkbox', id: 'is-pickup' });
  const note = field({
    label: 'Note',
    pointer: '/note',
    isWide: true,
    control: h('textarea', { rows: 2, maxlength: 2000 }),
  });
  async function run(): Promise<void> {
    const items = lines.read();
    if (items === undefined) return;
    if (isNew.checked) {
      picker.choose(await addCustomer(page, draft.customerKey, customerBody(newCustomer)));
      isNew.click(); // from now on the customer is one of those that can be found
    }
    const { customer } = draft;
    if (customer === undefined) throw noCustomer();
    const { address } = customer;
    const sent = client.send<Order>('POST', '/orders', {
      idempotencyKey: draft.orderKey,
      body: {
        customerId: customer.id,
        currency: currency.control.value,
        items,
        note: textOf(note),
        shippingAddress: isPickup.checked ? null : address,
      },
    });
    const { value: order } = await sent.catch(explainReusedKey);
    notify(`Order ${order.id} is placed.`);
    openOrder(order.id);
  }
  const body = form(
    [
      card('Customer', picker.element, chosen, checkRow(isNew, 'A new customer'), newRows),
      card('Items', h('div', { class: 'short' }, currency.row), lines.element),
      card('Delivery', checkRow(isPickup, 'Picked up: no shipping address'), note.row),
    ],
    { submit: 'Place order', run },
  );
  fill(main, heading('New order'), h('div', { class: 'narrow' }, body));
  void prepare(page, { lines, currency: currency.control, picker, parameters });
  picker.control.focus();
}

function choose(draft: Draft, customer: Customer | undefined, chosen: HTMLElement): void {
  if (customer === undefined) delete draft.customer;
  else draft.customer = customer;
  const lines = customer?.address == null ? [] : addressLines(customer.address, customer.name);
  fill(
    chosen,
    customer !== undefined &&
      (lines.length > 0 ? addressBlock(lines) : h('p', { class: 'soft' }, 'No address is known.')),
  );
}

async function addCustomer({ client }: Page, idempotencyKey: string, body: object): Promise<Customer> {
  const sent = client.send<Customer>('POST', '/customers', { idempotencyKey, body });
  const { value } = await sent.catch((error: unknown) => {
    throw error instanceof Rejection ? within('/customer', error) : error;
  });
  return value;
}

/** The same rejection, its pointers prefixed with this one. */
function within(pointer: string, { code, status, message: detail, issues }: Rejection): Rejection {
  const errors = issues.map((issue) => ({
    ...issue,
    pointer: `#${pointer}${(issue.pointer ?? '').replace('#', '')}`,
  }));
  return new Rejection({ code, status, detail, errors });
}

/** The key stays that of the form, so an order whose response was lost is not placed again with changes. */
function explainReusedKey(error: unknown): never {
  if (!(error instanceof Rejection && error.code === 'idempotency-key-reused')) throw error;
  throw new Error('This order was placed the first time, before you changed it: see Orders.');
}

function noCustomer(): Rejection {
  const detail = 'Choose a customer from the list, or enter a new one.';
  return new Rejection({
    code: 'validation-failed',
    status: 422,
    detail,
    errors: [{ pointer: '#/customerId', detail }],
  });
}

type Parts = {
  readonly lines: OrderLines;
  readonly currency: Control;
  readonly picker: CustomerPicker;
  readonly parameters: URLSearchParams;
};

/** Fills in what the URL asks for: `customer=7`, or `copy=12` for the items and the customer of an order. */
async function prepare(page: Page, { lines, currency, picker, parameters }: Parts): Promise<void> {
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
