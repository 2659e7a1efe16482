// A new order for an existing or a new customer. Sending the form again places no second order, and what was
// entered survives a reload.
import { type Customer, type Order, type Payment, payments } from '../parts/api-types.ts';
import { soundAlarm } from '../parts/alarm.ts';
import { explainReusedKey } from '../parts/conflicts.ts';
import { CustomerChoice } from './customer-choice.ts';
import { notify, showNotice, warn } from '../parts/dialogs.ts';
import type { Draft, Drafts } from '../parts/drafts.ts';
import { button, type Child, fill, h } from '../parts/elements.ts';
import { money, paymentNames } from '../parts/formats.ts';
import { chosenDelivery, usuallyWalkIn } from './delivery-fields.ts';
import { checkbox, discardInput, type Entered, enterInto, form, throwIfInvalid } from '../parts/forms.ts';
import { OrderFields } from './order-fields.ts';
import { holdScans, takeScans } from './order-scans.ts';
import { nameOf } from '../parts/statuses.ts';
import { Rejection } from '../parts/request-errors.ts';
import { goTo, isStaff, setPageTitle, type Page, skeleton } from '../parts/view.ts';
import { rich, t } from '../parts/texts.ts';

export function newOrderView(page: Page): void {
  const { main, drafts, parameters, signal } = page;
  fill(main, setPageTitle(t('New order')));
  void drafts.open(parameters.toString()).then((draft) => {
    if (!signal.aborted) showForm(page, draft);
  });
}

function showForm(page: Page, draft: Draft): void {
  const { main, client, scans, signal } = page;
  const { idempotencyKey } = draft;
  const fields = new OrderFields(client);
  fields.delivery.beginAsUsual();
  const choice = new CustomerChoice(page, { idempotencyKey, fields });
  const beginAsWalkIn = (): void => choice.beginAsWalkIn();
  if (fields.delivery.isUsuallyWalkIn) beginAsWalkIn();
  async function run(pressed: HTMLElement | null, entered: () => Entered): Promise<void> {
    await fields.settled;
    throwIfInvalid([...choice.issues(), ...fields.issues()]);
    const content = fields.read();
    draft.markSent(true, entered());
    try {
      const customerId = await choice.createOrGetId(fields.delivery.read());
      const payment = pressed?.dataset['payment'];
      const paid = { status: isHandedOver.checked ? 'delivered' : 'paid', payment };
      const end = payment === undefined ? {} : paid;
      const options = { idempotencyKey, body: { customerId, ...content, ...end } };
      const { value: order } = await client.send<Order>('POST', '/orders', options);
      draft.end();
      sayPlaced(order);
      const isAtCounter = payment !== undefined && fields.delivery.isUsuallyWalkIn;
      if (pressed === next || isAtCounter || scans.isHolding) startOver(page.drafts, draft, body);
      else goTo(`/orders/${order.id}`);
    } catch (error) {
      if (error instanceof Rejection) draft.markSent(false, entered());
      explainPlacedBefore(error);
    }
  }
  const next = h('button', { type: 'submit' }, t('Place it and enter the next'));
  const isHandedOver = h('input', {
    type: 'checkbox',
    id: 'is-handed-over',
    checked: fields.delivery.isUsuallyWalkIn,
    'aria-keyshortcuts': 'F9',
  });
  const ends = isStaff(page) ? counterEnds(isHandedOver) : [];
  const body = form([choice.element, fields.cards], {
    submit: t('Place order'),
    lead: fields.total,
    others: [next, ends],
    isLong: true,
    chosen: () => ({ ...choice.entered, items: fields.itemCount }),
    keep: (entered) => draft.keep(entered),
    run: (pressed, entered) => holdScans(body, scans, () => run(pressed, entered)),
  });
  const isFilled = draft.entered === undefined && page.parameters.has('copy'); // before that nobody can enter
  const content = h('div', { class: 'narrow' }, isFilled ? skeleton(8) : body);
  const clear = button(t('Start over'), () => giveUp(page.drafts, draft, body), { class: 'quiet' });
  fill(main, setPageTitle(t('New order'), clear), content);
  void fields.loadSuggestions();
  if (draft.entered === undefined)
    void prepare(page, fields, choice).then(() => isFilled && fill(content, body));
  else restore(draft.entered);
  body.addEventListener(usuallyWalkIn, () => {
    isHandedOver.checked = true;
    beginAsWalkIn();
  });
  body.addEventListener(chosenDelivery, () => {
    isHandedOver.checked = fields.delivery.isUsuallyWalkIn && fields.delivery.isPickup;
  });
  body.addEventListener('submit', () => scans.isHolding && saySending());
  if (fields.delivery.isUsuallyWalkIn) fields.focus();
  else choice.focus();
  takeScans(body, scans, { choice, fields });
  client.addEventListener('reachable', () => fields.lookUpAgain(), { signal });

  function restore(kept: Entered): void {
    fields.addItems(Number(kept['items']));
    enterInto(body, choice.restore(kept));
    fields.lookUpAgain();
    notify(draft.isSent ? maybePlaced() : t('What you had entered is still here.'));
  }
}

/** The keys that end a sale over the counter; undefined for what is only said later. */
const paymentKeys: Readonly<Record<Payment, string | undefined>> = {
  card: 'F2',
  cash: 'F4',
  transfer: 'F8',
  other: undefined,
};

/** Buttons that place an order as it is sold over the counter, each with a key of its own. */
function counterEnds(isHandedOver: HTMLInputElement): readonly Child[] {
  const buttons = payments.map((payment) => {
    const key = paymentKeys[payment];
    if (key === undefined) return undefined;
    const attributes = { type: 'submit', 'data-payment': payment, 'aria-keyshortcuts': key };
    return h('button', attributes, paymentNames[payment], ' ', h('kbd', {}, key));
  });
  const box = checkbox(isHandedOver, t('Handed over'));
  box.append(h('kbd', {}, 'F9'));
  return [h('div', { class: 'ends' }, h('span', {}, t('Paid:')), buttons, box)];
}

/** What a seller has to see before the next customer: how much, and how it was paid. */
function sayPlaced({ id, total, currency, status, payment }: Order): void {
  const order = h('a', { href: `#/orders/${id}` }, t('Order {id}', { id }));
  const amount = h('bdi', {}, money(total, currency));
  if (payment === null) return notify(rich('{order} ({amount}) is placed.', { order, amount }));
  const end = { payment: h('span', {}, paymentNames[payment]), status: h('span', {}, nameOf(status)) };
  notify(rich('{order} ({amount}, {payment}) is {status}.', { order, amount, ...end }));
}

/** The sale after this one can't be ended before it has its form. */
function saySending(): void {
  soundAlarm();
  warn(t('The order before was still being sent: end this one again.'));
}

const maybePlaced = (): Child =>
  rich('What you had entered is still here. It was sent, and may have been placed: see {orders} first.', {
    orders: h('a', { href: '#/orders' }, t('Orders')),
  });

/** Draws an empty form, also where this one was left and found again. Returns what makes the draft again. */
function startOver(drafts: Drafts, draft: Draft, body: HTMLFormElement): () => void {
  const keepAgain = drafts.startOver(draft);
  discardInput(body);
  drawForm();
  window.scrollTo(0, 0);
  return keepAgain;
}

function drawForm(): void {
  history.replaceState(null, '', '#/new');
  window.dispatchEvent(new Event('hashchange'));
}

/** Starts over. What was given up comes back until something else is entered; an order that may exist doesn't. */
function giveUp(drafts: Drafts, draft: Draft, body: HTMLFormElement): void {
  const isRepeatable = draft.kept !== undefined && !draft.isSent;
  const keepAgain = startOver(drafts, draft, body);
  if (!isRepeatable) return;
  const undo = button(
    t('Undo'),
    () => {
      keepAgain();
      drawForm();
    },
    { class: 'quiet' },
  );
  const notice = showNotice(rich('What was entered is given up. {undo}', { undo }));
  for (const type of ['input', 'hashchange'])
    window.addEventListener(type, () => notice.remove(), { once: true });
}

const explainPlacedBefore = explainReusedKey(
  t('This order was placed the first time, before you changed it: see Orders.'),
);

/** Fills in the form from the URL: `customer=7`, or `copy=12` for the items and the customer of an order. */
async function prepare(page: Page, fields: OrderFields, choice: CustomerChoice): Promise<void> {
  const { parameters } = page;
  const copied = parameters.get('copy');
  const order = await found<Order>(page, 'orders', copied);
  const customer = await found<Customer>(page, 'customers', order?.customerId ?? parameters.get('customer'));
  if (order !== undefined) fields.fillItems(order);
  if (customer !== undefined) choice.suggest(customer);
  if (order !== undefined) fields.delivery.repeat(order.shippingAddress);
  const isMissing = copied !== null && order === undefined && !page.signal.aborted;
  if (isMissing) notify(t('Order {id} can’t be read, so the form is empty.', { id: copied }));
}

async function found<T>(
  { client, signal }: Page,
  kind: 'orders' | 'customers',
  id: string | number | null,
): Promise<T | undefined> {
  if (id === null) return undefined;
  return client.get<T>(`/${kind}/${Number(id)}`, signal).catch(() => undefined);
}
