// The form that changes an open order: its items, delivery and note.
import { changedIn, explainSavedBefore, saverOf } from './conflicts.ts';
import type { Order } from './api-types.ts';
import { emptyState, goTo, setPageTitle, type Page, reloadable, skeleton } from './view.ts';
import { notify } from './dialogs.ts';
import { type Child, fill, h } from './elements.ts';
import { addressLines, money, nameOf, statusNames } from './formats.ts';
import { form, throwIfInvalid } from './forms.ts';
import { OrderFields } from './order-fields.ts';

type LoadedOrder = {
  readonly order: Order;
  readonly etag: string | undefined;
};

export function changeOrderView(page: Page): void {
  const { main, id } = page;
  const content = h('div', { class: 'narrow' }, skeleton(8));
  fill(main, setPageTitle(`Change order ${id}`), content);
  reloadable(page, content, {
    load,
    draw: (loaded) => changeForm(page, loaded),
  });
}

async function load({ client, id, signal }: Page): Promise<LoadedOrder> {
  const { value: order, etag } = await client.read<Order>(`/orders/${id}`, signal);
  return { order, etag };
}

function changeForm({ client }: Page, { order, etag }: LoadedOrder): Child {
  const { id, status } = order;
  const back = (label: string): HTMLElement => h('a', { class: 'button', href: `#/orders/${id}` }, label);
  if (status !== 'open') {
    const text =
      `Only the note of an order that is ${statusNames[status].toLowerCase()} can be changed, ` +
      'on the page of the order.';
    return emptyState('Too late', text, back(`To order ${id}`));
  }
  const fields = new OrderFields(client);
  fields.fillItems(order);
  void fields.loadSuggestions();
  fields.delivery.repeat(order.shippingAddress);
  fields.note = order.note;
  const idempotencyKey = crypto.randomUUID();
  const path = `/orders/${id}`;
  const before = fields.read();
  const save = saverOf({
    what: 'order',
    before: { value: order, etag },
    load: () => client.read<Order>(path),
    send(version) {
      const body = changedIn(fields.read(), before);
      return client.send('PATCH', path, { body, etag: version, idempotencyKey }).catch(explainSavedBefore);
    },
    inWords,
  });
  async function run(): Promise<void> {
    await fields.settled;
    throwIfInvalid(fields.issues());
    await save();
    notify(`Order ${id} is changed.`);
    goTo(`/orders/${id}`);
  }
  return form(fields.cards, {
    submit: 'Save',
    lead: fields.total,
    others: back('Cancel'),
    isLong: true,
    run,
  });
}

function inWords({ status, items, currency, shippingAddress, note }: Order): [string, string][] {
  const texts = items.map(
    ({ quantity, name, unitPrice }) => `${quantity} × ${name}, ${money(unitPrice, currency)}`,
  );
  return [
    ['status', nameOf(status)],
    ['items', texts.join('; ')],
    ['address', shippingAddress === null ? 'picked up' : addressLines(shippingAddress).join(', ')],
    ['note', note ?? 'none'],
  ];
}
