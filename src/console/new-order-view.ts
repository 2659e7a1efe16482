// A new order for an existing or a new customer. Sending the form again places no second order.
import type { Customer, Order } from './api-types.ts';
import { explainReusedKey } from './conflicts.ts';
import { CustomerChoice } from './customer-choice.ts';
import { notify } from './dialogs.ts';
import { fill, h } from './elements.ts';
import { discardInput, form, throwIfInvalid } from './forms.ts';
import { OrderFields } from './order-fields.ts';
import { goTo, setPageTitle, type Page, skeleton } from './view.ts';

export function newOrderView(page: Page): void {
  const { main, client } = page;
  const fields = new OrderFields(client);
  fields.delivery.beginAsUsual();
  const choice = new CustomerChoice(page, {
    walkIn: () => fields.delivery.walkIn(),
    suggest: (address) => fields.delivery.suggest(address),
    scanned: (code) => fields.scanned(code),
    next: () => fields.focus(),
  });
  const idempotencyKey = crypto.randomUUID();
  const isCopy = page.parameters.has('copy'); // nothing can be entered before it is filled in
  async function run(pressed: HTMLElement | null): Promise<void> {
    await fields.settled;
    throwIfInvalid([...choice.issues(), ...fields.issues()]);
    const content = fields.read();
    const customerId = await choice.createOrGetId(fields.delivery.read());
    const options = { idempotencyKey, body: { customerId, ...content } };
    const sent = client.send<Order>('POST', '/orders', options);
    const { value: order } = await sent.catch(explainPlacedBefore);
    const path = `/orders/${order.id}`;
    notify([h('a', { href: `#${path}` }, `Order ${order.id}`), ' is placed.']);
    if (pressed === next) startOver(body);
    else goTo(path);
  }
  const next = h('button', { type: 'submit' }, 'Place it and enter the next');
  const clear = h('button', { type: 'button', class: 'quiet', onclick: () => startOver(body) }, 'Start over');
  const body = form([choice.element, fields.cards], {
    submit: 'Place order',
    lead: fields.total,
    others: next,
    isLong: true,
    run,
  });
  const content = h('div', { class: 'narrow' }, isCopy ? skeleton(8) : body);
  fill(main, setPageTitle('New order', clear), content);
  void prepare(page, fields, choice).then(() => isCopy && fill(content, body));
  choice.focus();
}

/** Draws an empty form, also where this one was left and found again. */
function startOver(body: HTMLFormElement): void {
  discardInput(body);
  history.replaceState(null, '', '#/new');
  window.dispatchEvent(new Event('hashchange'));
  window.scrollTo(0, 0);
}

const explainPlacedBefore = explainReusedKey(
  'This order was placed the first time, before you changed it: see Orders.',
);

/** Fills in the form from the URL: `customer=7`, or `copy=12` for the items and the customer of an order. */
async function prepare(page: Page, fields: OrderFields, choice: CustomerChoice): Promise<void> {
  const { parameters } = page;
  const copied = parameters.get('copy');
  void fields.loadSuggestions();
  const order = await found<Order>(page, 'orders', copied);
  const customer = await found<Customer>(page, 'customers', order?.customerId ?? parameters.get('customer'));
  if (order !== undefined) fields.fillItems(order);
  if (customer !== undefined) choice.suggest(customer);
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
