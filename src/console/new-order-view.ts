// A new order: for a customer who is found or new, with items, placed once however often it is sent.
import { Rejection } from './api-client.ts';
import type { Customer, Issue, Order } from './api-types.ts';
import { card } from './cards.ts';
import { explainReusedKey } from './conflicts.ts';
import { goTo, heading, type Page } from './view.ts';
import { ContactFields } from './customer-fields.ts';
import { CustomerPicker } from './customer-picker.ts';
import { notify } from './dialogs.ts';
import { fill, h } from './elements.ts';
import { checkRow, form, throwIfInvalid } from './forms.ts';
import { OrderFields } from './order-fields.ts';
import { loadSoldArticles } from './order-lines.ts';

/** One order, and one customer, however often the form is sent. */
type Draft = { customer?: Customer; readonly customerKey: string; readonly orderKey: string };

export function newOrderView(page: Page): void {
  const { main, client } = page;
  const draft: Draft = { customerKey: crypto.randomUUID(), orderKey: crypto.randomUUID() };
  const fields = new OrderFields();
  const { delivery } = fields;
  const picker = new CustomerPicker(page, (customer) => {
    if (customer === undefined) delete draft.customer;
    else draft.customer = customer;
    if (customer !== undefined) delivery.suggest(customer.address);
  });
  const contact = new ContactFields('/customer');
  const isNew = h('input', { type: 'checkbox', id: 'is-new-customer' });
  const hint = h('p', { class: 'hint' }, 'The delivery address below becomes theirs.');
  const newRows = h('div', { hidden: true }, h('div', { class: 'grid' }, contact.rows), hint);
  isNew.addEventListener('change', () => {
    newRows.hidden = !isNew.checked;
    picker.element.hidden = isNew.checked;
    delivery.suggest(isNew.checked ? null : (draft.customer?.address ?? null));
  });
  async function run(): Promise<void> {
    const isChosen = isNew.checked || draft.customer !== undefined;
    throwIfInvalid([...(isChosen ? [] : [noCustomer]), ...fields.issues()]);
    if (isNew.checked) {
      const customer = { ...contact.read(), address: delivery.read() };
      picker.choose(await addCustomer(page, draft.customerKey, customer));
      isNew.click(); // from now on the customer is one of those that can be found
    }
    const sent = client.send<Order>('POST', '/orders', {
      idempotencyKey: draft.orderKey,
      body: { customerId: draft.customer?.id, ...fields.read() },
    });
    const { value: order } = await sent.catch(explainPlacedBefore);
    notify(`Order ${order.id} is placed.`);
    goTo(`/orders/${order.id}`);
  }
  const body = form(
    [card('Customer', picker.element, checkRow(isNew, 'A new customer'), newRows), fields.cards],
    { submit: 'Place order', run },
  );
  fill(main, heading('New order'), h('div', { class: 'narrow' }, body));
  void prepare(page, fields, picker);
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

const explainPlacedBefore = explainReusedKey(
  'This order was placed the first time, before you changed it: see Orders.',
);

const noCustomer: Issue = {
  pointer: '/customerId',
  detail: 'Choose a customer from the list, or enter a new one.',
};

/** Fills in what the URL asks for: `customer=7`, or `copy=12` for the items and the customer of an order. */
async function prepare(page: Page, fields: OrderFields, picker: CustomerPicker): Promise<void> {
  const { parameters } = page;
  const copied = parameters.get('copy');
  const [sold, order] = await Promise.all([
    loadSoldArticles(page).catch(() => undefined),
    found<Order>(page, 'orders', copied),
  ]);
  const customer = await found<Customer>(page, 'customers', order?.customerId ?? parameters.get('customer'));
  fields.fillItems(sold, order);
  if (customer !== undefined) picker.choose(customer);
  if (order !== undefined) fields.delivery.repeat(order.shippingAddress);
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
