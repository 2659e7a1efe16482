// One order: its items, customer, status and history, and the changes that are allowed.
import { query } from './api-client.ts';
import { type Customer, type Item, type Order, type Status, steps } from './api-types.ts';
import { addressBlock, card } from './cards.ts';
import { Rejection } from './request-errors.ts';
import { reloadable, setPageTitle, isStaff, type Page, skeleton } from './view.ts';
import { ask, notify } from './dialogs.ts';
import { Drawing } from './drawing.ts';
import { type Child, fill, h, icon, icons } from './elements.ts';
import { addressLines, count, dateTime, money, statusNames, stepNames } from './formats.ts';
import { action, field, textOf } from './forms.ts';
import { changeNote } from './order-note.ts';
import { packingSlip } from './packing-slip.ts';
import { eventList } from './event-list.ts';
import { eventText } from './event-words.ts';
import type { NamedEvent } from './histories.ts';
import { pill, statusPicture } from './order-status.ts';

type OrderDetails = {
  readonly order: Order;
  readonly etag: string | undefined;
  /** Undefined if the customer belongs to another user. */
  readonly customer: Customer | undefined;
  readonly events: readonly NamedEvent[];
};

export function orderView(page: Page): void {
  const { main, client, id } = page;
  const conflict = h('div', { role: 'alert' });
  const content = h('div', {}, skeleton(8));
  const head = new Drawing(h('div', {}, setPageTitle(`Order ${id}`)));
  let current: OrderDetails | undefined;
  const reload = reloadable(page, content, {
    load,
    draw(shown, again) {
      current = shown;
      head.show(orderHeading(page, shown, change));
      return orderContent(shown, () => changeNote(page, shown, again));
    },
    concerns: ({ subject }) => subject === `/orders/${id}`,
  });
  async function change(to: Status, reason: string | null): Promise<void> {
    const { order, etag } = current ?? {};
    if (order === undefined) return;
    fill(conflict);
    const body = reason === null ? { status: to } : { status: to, reason };
    const idempotencyKey = `console-${id}-${to}-${order.updatedAt}`;
    try {
      await client.send('PATCH', `/orders/${id}`, { body, etag, idempotencyKey });
      notify(`Order ${id} is ${statusNames[to].toLowerCase()}.`);
    } catch (error) {
      if (!(error instanceof Rejection && error.status === 412)) throw error;
      await reload();
      fill(conflict, conflictNotice(order, current));
      return;
    }
    await reload();
  }
  fill(main, head.element, conflict, content);
}

/** Reads the order without `include`, with which the ETag would not be that of the order alone. */
async function load({ client, histories, id, signal }: Page): Promise<OrderDetails> {
  const path = `/orders/${id}`;
  const [{ value: order, etag }, events] = await Promise.all([
    client.read<Order>(path, signal),
    histories.of(path, signal),
  ]);
  const ofCustomer = `/customers/${order.customerId}`;
  const customer = await client.get<Customer>(ofCustomer, signal).catch(() => undefined);
  return { order, etag, customer, events };
}

/** Lists the changes by others since the order was loaded here. */
function conflictNotice(before: Order, now: OrderDetails | undefined): Child {
  const since = now?.events.filter(({ createdAt }) => createdAt > before.updatedAt) ?? [];
  const changes = since.map((event) => {
    const by = event.by === undefined ? '' : `, by ${event.by}`;
    return h('li', {}, `${eventText(event)}${by}, ${dateTime(event.createdAt)}`);
  });
  return h(
    'div',
    { class: 'banner' },
    h('p', {}, 'Somebody changed this order meanwhile, so nothing was done. It now looks as below.'),
    h('ul', {}, changes),
  );
}

type StatusChange = (to: Status, reason: string | null) => Promise<void>;

function orderHeading(page: Page, { order }: OrderDetails, change: StatusChange): HTMLElement {
  const { id, status } = order;
  const print = h(
    'button',
    { type: 'button', onclick: () => window.print() },
    icon(icons.print),
    'Packing slip',
  );
  const repeat = h('a', { class: 'button', href: `#/new?${query({ copy: id })}` }, 'Order again');
  const edit = status === 'open' && h('a', { class: 'button', href: `#/orders/${id}/change` }, 'Change');
  const allowed = steps[status].filter((to) => isStaff(page) || to === 'cancelled');
  const head = setPageTitle(
    `Order ${id}`,
    print,
    repeat,
    edit,
    allowed.map((to) => stepButton(order, to, change)),
  );
  head.firstElementChild?.after(pill(status));
  return head;
}

/** A step that can't be undone opens a dialog that names the amount. */
function stepButton({ id, total, currency }: Order, to: Status, change: StatusChange): HTMLElement {
  const isEnding = to === 'cancelled' || to === 'refunded';
  if (!isEnding)
    return action(stepNames[to], () => change(to, null), { class: 'primary', 'data-key': `to-${to}` });
  const label = to === 'refunded' ? 'Refund …' : 'Cancel order …';
  const question = async (): Promise<void> => {
    const reason = field({
      label: 'Reason',
      pointer: '/reason',
      hint: 'Kept in the history. Optional.',
      attributes: { maxlength: 200 },
    });
    const amount = money(total, currency);
    const text =
      to === 'refunded'
        ? `Order ${id} will be marked as refunded (${amount}). The money itself is returned elsewhere.`
        : `Order ${id} for ${amount} will be cancelled. It can’t be reopened.`;
    await ask({
      title: to === 'refunded' ? `Refund ${amount}?` : `Cancel order ${id}?`,
      content: [h('p', {}, text), reason.row],
      submit: to === 'refunded' ? `Refund ${amount}` : 'Cancel the order',
      isDangerous: true,
      dismiss: 'Keep it',
      run: () => change(to, textOf(reason)),
    });
  };
  return action(label, question, { 'data-key': `to-${to}` });
}

function orderContent(shown: OrderDetails, changeNote: () => Promise<void>): Child {
  const { order, customer, events } = shown;
  const { customerId, shippingAddress, note, createdAt } = order;
  const name = customer?.name ?? `Customer ${customerId}`;
  return [
    h(
      'div',
      { class: 'columns' },
      h('div', {}, card('Items', itemsTable(order)), card('History', eventList(events))),
      h(
        'div',
        {},
        card(
          'Status',
          statusPicture(order.status, events),
          h('p', { class: 'soft' }, `Placed ${dateTime(createdAt)}`),
        ),
        card('Customer', h('p', {}, h('a', { href: `#/customers/${customerId}` }, name))),
        card(
          'Ships to',
          shippingAddress === null
            ? h('p', { class: 'soft' }, 'No address: it is picked up.')
            : addressBlock(addressLines(shippingAddress, name)),
        ),
        card(
          'Note',
          note !== null && h('p', { class: 'text' }, note),
          action(note === null ? 'Add a note …' : 'Change the note …', changeNote, { 'data-key': 'note' }),
        ),
      ),
    ),
    packingSlip(order, name),
  ];
}

function itemsTable({ items, currency, total }: Order): HTMLElement {
  const row = ({ sku, name, quantity, unitPrice, total: sum }: Item): HTMLElement => {
    const factors = `${count(quantity)} × ${money(unitPrice, currency)}`;
    const below = h('span', { class: 'phone soft' }, factors);
    return h(
      'tr',
      {},
      h('td', {}, name, sku !== null && h('span', { class: 'sku' }, sku), below),
      h('td', { class: 'number wide' }, factors),
      h('td', { class: 'number' }, money(sum, currency)),
    );
  };
  return h(
    'table',
    { class: 'plain' },
    h(
      'thead',
      { class: 'hidden' },
      h(
        'tr',
        {},
        ['Item', 'Quantity and price', 'Sum'].map((label, index) =>
          h('th', { scope: 'col', class: index === 1 && 'wide' }, label),
        ),
      ),
    ),
    h('tbody', {}, items.map(row)),
    h(
      'tfoot',
      {},
      h(
        'tr',
        {},
        h('th', { scope: 'row' }, 'Total'),
        h('td', { class: 'wide' }),
        h('td', { class: 'number' }, money(total, currency)),
      ),
    ),
  );
}
