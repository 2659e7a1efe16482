// One order: its items, customer, status and history, and the changes that are allowed.
import { query } from '../parts/api-client.ts';
import type { Customer, Item, Order } from '../parts/api-types.ts';
import { addressBlock, card } from '../parts/cards.ts';
import { customerName } from '../customers/customer-words.ts';
import {
  isStaff,
  type Page,
  printButton,
  type Reload,
  reloadable,
  setPageTitle,
  skeleton,
} from '../parts/view.ts';
import { mailLinkOf, phoneText } from '../parts/contact-links.ts';
import { ask } from '../parts/dialogs.ts';
import { Drawing } from '../parts/drawing.ts';
import { type Child, fill, h, icon, icons } from '../parts/elements.ts';
import { addressLines, count, dateTime, money } from '../parts/formats.ts';
import { action, field, textOf } from '../parts/forms.ts';
import { payButtons, paymentLine } from './order-payment.ts';
import { orderConfirmation, packingSlip, printSheets } from './packing-slip.ts';
import { eventList } from '../parts/event-list.ts';
import { type NamedEvent, readHistory } from '../parts/named-events.ts';
import { pill, statusPath } from './order-status.ts';
import { type FinalStatus, followersOf, isFinal, stages, stepNames } from '../parts/statuses.ts';
import { tableHead } from '../parts/tables.ts';
import { t } from '../parts/texts.ts';

export type LoadedOrder = {
  readonly order: Order;
  readonly etag: string | undefined;
  /** Undefined if the customer belongs to another user. */
  readonly customer: Customer | undefined;
};
type OrderDetails = LoadedOrder & { readonly events: readonly NamedEvent[] };

export function orderView(page: Page): void {
  const { main, id } = page;
  const content = h('div', skeleton(8));
  const head = new Drawing(h('div', setPageTitle(t('Order {id}', { id }))));
  reloadable<OrderDetails>(page, content, {
    load: loadOrder,
    draw(shown, again) {
      head.show(orderHeading(page, shown));
      return orderContent(page, shown, again);
    },
    concerns: ({ subject }) => subject === `/orders/${id}`,
  });
  fill(main, head.element, content);
}

async function loadOrder(page: Page): Promise<OrderDetails> {
  const [loaded, events] = await Promise.all([readOrder(page), readHistory(page, `/orders/${page.id}`)]);
  return { ...loaded, events };
}

/** Reads the order without `include`, with which the ETag would not be that of the order alone. */
export async function readOrder({ client, id, signal }: Page): Promise<LoadedOrder> {
  const { value: order, etag } = await client.read<Order>(`/orders/${id}`, signal);
  const ofCustomer = `/customers/${order.customerId}`;
  const customer = await client.get<Customer>(ofCustomer, signal).catch(() => undefined);
  return { order, etag, customer };
}

function orderHeading(page: Page, shown: OrderDetails): HTMLElement {
  const { id, status } = shown.order;
  const print = !isFinal(status) && printButton(t('Packing slip'));
  const confirm =
    !isFinal(status) &&
    action([icon(icons.print), t('Order confirmation')], async () =>
      printSheets(page.main, [orderConfirmation(shown.order, nameOfCustomer(shown))]),
    );
  const repeat = h('a.button', { href: `#/new?${query({ copy: id })}` }, t('Order again'));
  const edit = h('a.button', { href: `#/orders/${id}/change` }, t('Change'));
  const steps = h('span.next', nextSteps(page, shown.order));
  const head = setPageTitle(t('Order {id}', { id }), steps, edit, repeat, print, confirm);
  head.firstElementChild?.after(pill(status));
  return head;
}

function nameOfCustomer({ order: { customerId }, customer }: OrderDetails): string {
  return customerName({ customer: customer ?? null, customerId });
}

/** The usual step first: the ways of payment of an order that is open. */
function nextSteps(page: Page, order: Order): Child {
  const { steps } = page;
  const { id, status } = order;
  if (!isStaff(page)) return status === 'open' && endButton(page, order, 'cancelled');
  const buttons = followersOf(status).map((to) => {
    if (isFinal(to)) return endButton(page, order, to);
    const key = `step-${id}`;
    if (to === 'paid')
      return [
        h('span', t('Paid:')),
        payButtons(
          () => key,
          (by) => steps.make([order], to, by),
        ),
      ];
    return action(stepNames[to], () => steps.make([order], to), { class: 'primary', 'data-key': key });
  });
  const [usual, ...ends] = isFinal(followersOf(status)[0] ?? status) ? [undefined, ...buttons] : buttons;
  return [usual, stages[status].before !== null && steps.takeBackButton([order]), ends];
}

/** A step that can't be taken back opens a dialog that names the amount. */
function endButton({ steps }: Page, order: Order, to: FinalStatus): HTMLElement {
  const { id } = order;
  const amount = money(order.total, order.currency);
  const isRefund = to === 'refunded';
  const text = isRefund
    ? t('Order {id} will be marked as refunded ({amount}). The money itself is returned elsewhere.', {
        id,
        amount,
      })
    : t('Order {id} for {amount} will be cancelled. It can’t be reopened.', { id, amount });
  const question = async (): Promise<void> => {
    const reason = field({
      label: t('Reason'),
      pointer: '/reason',
      hint: t('Kept in the history. Optional.'),
    });
    await ask({
      title: isRefund ? t('Refund {amount}?', { amount }) : t('Cancel order {id}?', { id }),
      content: [h('p', text), reason.element],
      submit: isRefund ? t('Refund {amount}', { amount }) : t('Cancel the order'),
      isDangerous: true,
      dismiss: t('Keep it'),
      run: () => steps.end(order, to, textOf(reason)),
    });
  };
  const label = isRefund ? t('Refund …') : t('Cancel order …');
  return action(label, question, { 'data-key': `to-${to}` });
}

function orderContent(page: Page, shown: OrderDetails, again: Reload): Child {
  const { order, customer, events } = shown;
  const { id, customerId, shippingAddress, note, createdAt } = order;
  const name = nameOfCustomer(shown);
  return [
    h(
      'div.columns.order',
      h(
        'div',
        card(t('Items'), itemsTable(order)),
        h('section.card.last', h('h2', t('History')), eventList(events, order.currency)),
      ),
      h(
        'div',
        card(
          t('Status'),
          statusPath(order.status),
          h('p.soft', t('Placed {time}', { time: dateTime(createdAt) })),
          paymentLine(page, shown, again),
        ),
        card(
          t('Customer'),
          h('p', h('a', { href: `#/customers/${customerId}` }, h('bdi', name))),
          contactLines(customer),
        ),
        card(
          t('Ships to'),
          shippingAddress === null
            ? h('p.soft', t('No address: it is picked up.'))
            : addressBlock(addressLines(shippingAddress, name)),
        ),
        card(
          t('Note'),
          note !== null && h('p.text', { dir: 'auto' }, note),
          h('a', { href: `#/orders/${id}/change` }, note === null ? t('Add a note') : t('Change the note')),
        ),
      ),
    ),
    !isFinal(order.status) && packingSlip(order, name),
  ];
}

function contactLines(customer: Customer | undefined): Child {
  const { phone = null, email = null, note = null } = customer ?? {};
  return [
    phone !== null && h('p', h('a', { href: `tel:${phone}` }, phoneText(phone))),
    email !== null && h('p', h('a', { href: mailLinkOf(email) }, email)),
    note !== null && h('p.text.hint', { dir: 'auto' }, note),
  ];
}

function itemsTable({ items, currency, total }: Order): HTMLElement {
  const row = ({ sku, name, quantity, unitPrice, total: sum }: Item): HTMLElement => {
    const factors = `${count(quantity)} × ${money(unitPrice, currency)}`;
    const below = h('span.phone.soft', factors);
    return h(
      'tr',
      h('td', h('bdi', name), sku !== null && h('span.sku', sku), below),
      h('td.number.wide', factors),
      h('td.number', money(sum, currency)),
    );
  };
  const head = tableHead([[t('Item')], [t('Quantity and price'), 'wide'], [t('Sum')]]);
  head.className = 'hidden';
  return h(
    'table.plain',
    head,
    h('tbody', items.map(row)),
    h(
      'tfoot',
      h('tr', h('th', { scope: 'row' }, t('Total')), h('td.wide'), h('td.number', money(total, currency))),
    ),
  );
}
