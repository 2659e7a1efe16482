// One order: its items, customer, status and history, and the changes that are allowed.
import { customerName } from '../customers/customer-words.ts';
import { query } from '../service/api-client.ts';
import type { Customer, Item, Order, Payment, Status } from '../words/api-types.ts';
import { addressBlock, card } from '../page/cards.ts';
import { mailLinkOf } from '../words/contact-links.ts';
import { ask } from '../forms/dialogs.ts';
import { Drawing } from '../browser/drawing.ts';
import { type Child, fill, h, icon, icons } from '../browser/elements.ts';
import { eventList, type NamedEvent, readHistory } from '../page/event-list.ts';
import { paymentNames } from '../words/column-names.ts';
import { addressLines, count, dateTime, money, phoneText } from '../words/formats.ts';
import { action, field, textOf } from '../forms/forms.ts';
import {
  type FinalStatus,
  followersOf,
  isFinal,
  isHandedOver,
  isPickup,
  isTaken,
  pickupText,
  stages,
  stepLabel,
  statusTitle,
  usualWay,
} from '../words/statuses.ts';
import { shopOfPage } from '../words/page-meta.ts';
import { tableHead } from '../lists/tables.ts';
import { t } from '../words/texts.ts';
import {
  isStaff,
  type Page,
  printButton,
  type Reload,
  reloadable,
  setPageTitle,
  skeleton,
} from '../page/view.ts';
import { pill } from './order-columns.ts';
import { askPayment, payButtons } from './order-payment.ts';
import { orderConfirmation, packingSlip, printSheets } from './packing-slip.ts';

type LoadedOrder = {
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
    async load(loading) {
      const history = readHistory(loading, `/orders/${id}`);
      const [loaded, events] = await Promise.all([readOrder(loading), history]);
      const order = { ...loaded.order, customer: loaded.customer ?? null };
      return { ...loaded, order, events };
    },
    draw(loaded, again) {
      const newer = page.steps.newer(loaded.order);
      const shown = newer === undefined ? loaded : { ...loaded, order: newer.value, etag: newer.etag };
      head.show(orderHeading(page, shown.order));
      return orderContent(page, shown, again);
    },
    concerns: ({ subject }) => subject === `/orders/${id}`,
  });
  fill(main, head.element, content);
}

/** Reads the order without `include`, with which the ETag would not be that of the order alone. */
export async function readOrder({ client, id, signal }: Page): Promise<LoadedOrder> {
  const { value: order, etag } = await client.read<Order>(`/orders/${id}`, signal);
  const ofCustomer = `/customers/${order.customerId}`;
  const customer = await client.get<Customer>(ofCustomer, signal).catch(() => undefined);
  return { order, etag, customer };
}

function orderHeading(page: Page, order: Order): HTMLElement {
  const { id } = order;
  const edit = h('a.button', { href: `#/orders/${id}/change` }, t('Change'));
  const head = setPageTitle(t('Order {id}', { id }), h('span.next', nextSteps(page, order)), edit);
  head.firstElementChild?.after(pill(order.status, [order]));
  return head;
}

/** The usual step first, which for an open order is its payment; the step back last, away from the usual one. */
function nextSteps(page: Page, order: Order): Child {
  const { steps } = page;
  const { id, status } = order;
  if (!isStaff(page)) return status === 'open' && endButton(page, order, 'cancelled');
  const key = `step-${id}`;
  const buttons = followersOf(status).map((to) => {
    if (isFinal(to)) return endButton(page, order, to);
    if (to === 'paid') {
      const payments = payButtons(key, (by) => steps.make([order], to, by));
      return [h('span', t('Pay by:')), h('span.payments', payments)];
    }
    return action(stepLabel(to, order), () => steps.make([order], to), { class: 'primary', 'data-key': key });
  });
  return [buttons, steps.stepBackButton(order)];
}

/** A step that can't be taken back opens a dialog that names the amount. */
function endButton({ steps }: Page, order: Order, to: FinalStatus): HTMLElement {
  const { id } = order;
  const amount = money(order.total, order.currency);
  const [label, title, text, submit] =
    to === 'refunded'
      ? [
          t('Refund …'),
          t('Refund {amount}?', { amount }),
          t('The money itself is returned elsewhere.'),
          t('Refund {amount}', { amount }),
        ]
      : [
          t('Cancel order …'),
          t('Cancel order {id} for {amount}?', { id, amount }),
          t('It can’t be reopened.'),
          t('Cancel the order'),
        ];
  const question = async (): Promise<void> => {
    const hint = t('Kept in the history. Optional.');
    const reason = field({ label: t('Reason'), pointer: '/reason', hint });
    const content = [h('p', text), reason.element];
    const run = (): Promise<void> => steps.end(order, to, textOf(reason));
    await ask({ title, content, submit, isDangerous: true, dismiss: t('Keep it'), run });
  };
  return action(label, question, { 'data-key': `to-${to}` });
}

function orderContent(page: Page, shown: OrderDetails, again: Reload): Child {
  const { order, customer, events } = shown;
  const { id, customerId, shippingAddress: address, note, createdAt, status } = order;
  const name = customerName({ customer: customer ?? null, customerId });
  const confirm = async (): Promise<void> => printSheets(page.main, [orderConfirmation(order, name)]);
  const papers = !isFinal(status) && [
    printButton(t('Packing slip')),
    action([icon(icons.print), t('Order confirmation')], confirm),
  ];
  const noSender = t('Papers name no sender until the shop’s name is entered under “Shop”.');
  const hint = papers && shopOfPage().name === null && h('p.hint', noSender);
  const repeat = h('a.button', { href: `#/new?${query({ copy: id })}` }, t('Order again'));
  const items = card(t('Items'), itemsTable(order), h('div.buttons', papers, repeat), hint);
  const history = card(t('History'), eventList(events, { currency: order.currency }));
  const placed = h('p.soft', t('Placed {time}', { time: dateTime(createdAt) }));
  const link = h('a', { href: `#/customers/${customerId}` }, h('bdi', name));
  const noteText = note === null ? t('Add a note') : t('Change the note');
  const change = h('a', { href: `#/orders/${id}/change` }, noteText);
  const details = [
    card(t('Status'), statusPath(order), placed, paymentLine(page, shown, again)),
    card(t('Customer'), h('p', link), contactLines(customer)),
    address !== null && card(t('Ships to'), addressBlock(addressLines(address, name))),
    isPickup(order) && card(t('Delivery'), h('p.soft', pickupText(order))),
    card(t('Note'), note !== null && h('p.text', { dir: 'auto' }, note), change),
  ];
  const columns = h('div.columns.order', items, h('div', details), history);
  return [columns, !isFinal(status) && packingSlip(order, name)];
}

/** The path of an order through its statuses, with the current one marked; what ended it is no step of that path. */
function statusPath(order: Order): HTMLElement {
  const { status } = order;
  const way = usualWay.filter((name) => name !== 'shipped' || !(isHandedOver(order) || isTaken(order)));
  const step = (name: Status): HTMLElement => {
    const isHere = name === status;
    return h(
      'li',
      { class: isHere && `here ${name}`, 'aria-current': isHere && 'step' },
      statusTitle(name, [order]),
    );
  };
  return h('ol.states', (isFinal(status) ? [status] : way).map(step));
}

/** How the order was paid, with the button that corrects it. */
function paymentLine(page: Page, { order, etag }: LoadedOrder, again: Reload): Child {
  const { id, status, payment } = order;
  const mayCorrect = isStaff(page) && stages[status].isPaid;
  if (payment === null && !mayCorrect) return undefined;
  const correct = async (by: Payment): Promise<void> => {
    await page.client.send('PATCH', `/orders/${id}`, { body: { payment: by }, etag });
    await again();
  };
  const label = t('Change the payment …');
  const change = action(label, async () => askPayment([order], correct), { 'data-key': 'payment' });
  const said = payment === null ? t('Not said') : paymentNames[payment];
  return [h('p', t('Payment: {payment}', { payment: said })), mayCorrect && change];
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
    const [times, price] = [`${count(quantity)} ×`, money(unitPrice, currency)];
    return h(
      'tr',
      h('td', h('bdi', name), sku !== null && h('span.sku', sku), h('span.phone.soft', `${times} ${price}`)),
      h('td.number.wide', times),
      h('td.number.wide', price),
      h('td.number', money(sum, currency)),
    );
  };
  const head = tableHead([[t('Item')], [t('Quantity'), 'wide'], [t('Price'), 'wide'], [t('Sum')]]);
  head.className = 'hidden';
  const sum = [
    h('th', { scope: 'row' }, t('Total')),
    h('td.wide', { colspan: 2 }),
    h('td.number', money(total, currency)),
  ];
  return h('table.plain', head, h('tbody', items.map(row)), h('tfoot', h('tr', sum)));
}
