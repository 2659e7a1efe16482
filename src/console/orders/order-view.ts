// One order: its items, customer, status and history, and the changes that are allowed.
import { query } from '../parts/api-client.ts';
import type { Customer, Item, Order, Status } from '../parts/api-types.ts';
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
import { mailLinkOf } from '../parts/contact-links.ts';
import { ask } from '../parts/dialogs.ts';
import { Drawing } from '../parts/drawing.ts';
import { type Child, fill, h, icon, icons } from '../parts/elements.ts';
import { addressLines, count, dateTime, money } from '../parts/formats.ts';
import { action, field, type Field, textOf } from '../parts/forms.ts';
import { changeNote, type ShownOrder } from './order-changes.ts';
import { paymentLine } from './order-payment.ts';
import { orderConfirmation, packingSlip, printSheets } from './packing-slip.ts';
import { eventList } from '../parts/event-list.ts';
import { type NamedEvent, readHistory } from '../parts/named-events.ts';
import { pill, statusPath } from './order-status.ts';
import { type FinalStatus, followersOf, isFinal, nameOf, stages, stepNames } from '../parts/statuses.ts';
import { tableHead } from '../parts/tables.ts';
import { t } from '../parts/texts.ts';

export type LoadedOrder = ShownOrder & {
  /** Undefined if the customer belongs to another user. */
  readonly customer: Customer | undefined;
};
type OrderDetails = LoadedOrder & {
  readonly events: readonly NamedEvent[];
  /** The order whose steps are offered, while it is another version than `order`. */
  readonly offered?: Order;
};

export function orderView(page: Page): void {
  const { main, id } = page;
  const content = h('div', {}, skeleton(8));
  const head = new Drawing(h('div', {}, setPageTitle(t('Order {id}', { id }))));
  reloadable<OrderDetails>(page, content, {
    load,
    draw(shown, again) {
      head.show(orderHeading(page, shown));
      return orderContent(page, shown, again);
    },
    hold: holdSteps,
    concerns: ({ subject }) => subject === `/orders/${id}`,
  });
  fill(main, head.element, content);
}

/** The buttons of the next steps must not come where those of the last ones were. */
function holdSteps(shown: OrderDetails, loaded: OrderDetails): OrderDetails {
  const { offered = shown.order } = shown;
  return offered.status === loaded.order.status ? loaded : { ...loaded, offered };
}

async function load(page: Page): Promise<OrderDetails> {
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
  const { id, status } = page.steps.latest(shown.order);
  const print = printButton(t('Packing slip'));
  const confirm =
    !isFinal(status) &&
    action([icon(icons.print), t('Order confirmation')], async () =>
      printSheets(page.main, [orderConfirmation(shown.order, nameOfCustomer(shown))]),
    );
  const repeat = h('a', { class: 'button', href: `#/new?${query({ copy: id })}` }, t('Order again'));
  const { offered = shown.order } = shown; // or the buttons of the steps would move under the pointer
  const edit =
    offered.status === 'open' && h('a', { class: 'button', href: `#/orders/${id}/change` }, t('Change'));
  const steps = h('span', { class: 'next', 'data-still': 'pointer' }, nextSteps(page, shown));
  const head = setPageTitle(t('Order {id}', { id }), print, confirm, repeat, edit, steps);
  head.firstElementChild?.after(pill(status));
  return head;
}

function nameOfCustomer({ order: { customerId }, customer }: OrderDetails): string {
  return customerName({ customer: customer ?? null, customerId });
}

/** While a step waits or has just been made, its place has nothing else to press, and the others can't be. */
function nextSteps(page: Page, shown: OrderDetails): Child {
  const { steps } = page;
  const { order, offered = order } = shown;
  const { id, status } = offered;
  const now = steps.latest(order).status;
  const waiting = steps.nextStatusOf(id);
  const disabled = waiting !== undefined || now !== status;
  const allowed = followersOf(status).filter((to) => isStaff(page) || to === 'cancelled');
  const back = isStaff(page) ? stages[status].before : null;
  const buttons = allowed.toReversed().map((to) => {
    if (to === waiting) return steps.undoButton(id);
    if (to === now) return madeStep(id, to);
    if (isFinal(to)) return endButton(page, order, { to, disabled });
    const attributes = { class: 'primary', disabled, 'data-key': `step-${id}` };
    return action(stepNames[to], async () => steps.begin(offered, to), attributes);
  });
  return [back !== null && backButton(page, order, { to: back, disabled }), buttons];
}

/** Keeps the focus of the button that began the step, for the button of the next one. */
function madeStep(id: number, to: Status): HTMLElement {
  const attributes = { class: 'button made', tabindex: -1, 'data-key': `step-${id}` };
  return h('span', attributes, t('Marked as {status}', { status: nameOf(to) }));
}

/** For a slip of the hand: the step that was made last is taken back, with a reason for the history. */
function backButton({ steps }: Page, order: Order, { to, disabled }: StepOptions<Status>): HTMLElement {
  const { id, status } = order;
  const question = async (): Promise<void> => {
    const reason = reasonField(t('Kept in the history.'));
    const text = t('It was marked as {status} by mistake, and will be {to} again.', {
      status: nameOf(status),
      to: nameOf(to),
    });
    await ask({
      title: t('Take order {id} back to {to}?', { id, to: nameOf(to) }),
      content: [h('p', {}, text), reason.element],
      submit: t('Back to {to}', { to: nameOf(to) }),
      run: () => steps.make(order, to, textOf(reason)),
    });
  };
  return action(t('Back to {to} …', { to: nameOf(to) }), question, { disabled, 'data-key': 'back' });
}

function reasonField(hint: string): Field {
  return field({ label: t('Reason'), pointer: '/reason', hint, attributes: { maxlength: 200 } });
}

type StepOptions<To extends Status> = { readonly to: To; readonly disabled: boolean };
type EndWords = {
  readonly label: string;
  readonly title: string;
  readonly text: string;
  readonly submit: string;
};

/** A step that can't be undone opens a dialog that names the amount. */
function endButton({ steps }: Page, order: Order, { to, disabled }: StepOptions<FinalStatus>): HTMLElement {
  const { label, title, text, submit } = endWords(order)[to];
  const question = async (): Promise<void> => {
    const reason = reasonField(t('Kept in the history. Optional.'));
    await ask({
      title,
      content: [h('p', {}, text), reason.element],
      submit,
      isDangerous: true,
      dismiss: t('Keep it'),
      run: () => steps.make(order, to, textOf(reason)),
    });
  };
  return action(label, question, { disabled, 'data-key': `to-${to}` });
}

function endWords({ id, total, currency }: Order): Readonly<Record<FinalStatus, EndWords>> {
  const amount = money(total, currency);
  return {
    cancelled: {
      label: t('Cancel order …'),
      title: t('Cancel order {id}?', { id }),
      text: t('Order {id} for {amount} will be cancelled. It can’t be reopened.', { id, amount }),
      submit: t('Cancel the order'),
    },
    refunded: {
      label: t('Refund …'),
      title: t('Refund {amount}?', { amount }),
      text: t('Order {id} will be marked as refunded ({amount}). The money itself is returned elsewhere.', {
        id,
        amount,
      }),
      submit: t('Refund {amount}', { amount }),
    },
  };
}

function orderContent(page: Page, shown: OrderDetails, again: Reload): Child {
  const { order, customer, events } = shown;
  const { customerId, shippingAddress, note, createdAt } = order;
  const name = nameOfCustomer(shown);
  return [
    h(
      'div',
      { class: 'columns order' },
      h(
        'div',
        {},
        card(t('Items'), itemsTable(order)),
        h('section', { class: 'card last' }, h('h2', {}, t('History')), eventList(events, order.currency)),
      ),
      h(
        'div',
        {},
        card(
          t('Status'),
          statusPath(order.status, events),
          h('p', { class: 'soft' }, t('Placed {time}', { time: dateTime(createdAt) })),
          paymentLine(page, shown, again),
        ),
        card(
          t('Customer'),
          h('p', {}, h('a', { href: `#/customers/${customerId}` }, h('bdi', {}, name))),
          contactLines(customer),
        ),
        card(
          t('Ships to'),
          shippingAddress === null
            ? h('p', { class: 'soft' }, t('No address: it is picked up.'))
            : addressBlock(addressLines(shippingAddress, name)),
        ),
        card(
          t('Note'),
          note !== null && h('p', { class: 'text', dir: 'auto' }, note),
          action(
            note === null ? t('Add a note …') : t('Change the note …'),
            () => changeNote(page, shown, again),
            { 'data-key': 'note' },
          ),
        ),
      ),
    ),
    packingSlip(order, name),
  ];
}

function contactLines(customer: Customer | undefined): Child {
  const { phone = null, email = null, note = null } = customer ?? {};
  return [
    phone !== null && h('p', {}, h('a', { href: `tel:${phone}` }, phone)),
    email !== null && h('p', {}, h('a', { href: mailLinkOf(email) }, email)),
    note !== null && h('p', { class: 'text hint', dir: 'auto' }, note),
  ];
}

function itemsTable({ items, currency, total }: Order): HTMLElement {
  const row = ({ sku, name, quantity, unitPrice, total: sum }: Item): HTMLElement => {
    const factors = `${count(quantity)} × ${money(unitPrice, currency)}`;
    const below = h('span', { class: 'phone soft' }, factors);
    return h(
      'tr',
      {},
      h('td', {}, h('bdi', {}, name), sku !== null && h('span', { class: 'sku' }, sku), below),
      h('td', { class: 'number wide' }, factors),
      h('td', { class: 'number' }, money(sum, currency)),
    );
  };
  const head = tableHead([[t('Item')], [t('Quantity and price'), 'wide'], [t('Sum')]]);
  head.className = 'hidden';
  return h(
    'table',
    { class: 'plain' },
    head,
    h('tbody', {}, items.map(row)),
    h(
      'tfoot',
      {},
      h(
        'tr',
        {},
        h('th', { scope: 'row' }, t('Total')),
        h('td', { class: 'wide' }),
        h('td', { class: 'number' }, money(total, currency)),
      ),
    ),
  );
}
