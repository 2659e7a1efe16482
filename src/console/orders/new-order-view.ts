// A new order: for an existing customer, a new one, or nobody in particular. Sending the form again places no second
// order, and what was entered survives a reload. An order that was sent is sent until there is an answer.
import { type Order, type Payment, payments } from '../words/api-types.ts';
import { soundAlarm } from '../browser/alarm.ts';
import { deferred } from '../browser/browser-gaps.ts';
import { paymentNames } from '../words/column-names.ts';
import { notify, takeBackMilliseconds, warn } from '../forms/dialogs.ts';
import type { Draft, Drafts } from '../page/drafts.ts';
import { button, type Child, fill, h } from '../browser/elements.ts';
import { mistake } from '../words/event-words.ts';
import { count, money, shortTime } from '../words/formats.ts';
import { action, discardInput, type Entered, enterInto, throwIfInvalid } from '../forms/forms.ts';
import { Rejection, Unreachable } from '../service/request-errors.ts';
import { taken } from '../words/statuses.ts';
import { rich, t } from '../words/texts.ts';
import { goTo, isStaff, setPageTitle, type Page, skeleton } from '../page/view.ts';
import { newCustomer } from './order-customer.ts';
import { keepScans, type OrderForm, orderForm, setInert } from './order-form.ts';

export function newOrderView(page: Page): void {
  const { main, drafts, parameters, scans, signal } = page;
  fill(main, setPageTitle(t('New order')), keepScans(scans));
  void drafts.open(parameters.toString()).then((draft) => {
    if (!signal.aborted) showForm(page, draft);
  });
}

function showForm(page: Page, draft: Draft): void {
  const { main, client, drafts, parameters, scans, signal } = page;
  const { idempotencyKey } = draft;
  const fields = orderForm(page, {
    idempotencyKey,
    isSale: isStaff(page),
    submit: t('Place order'),
    others: isStaff(page) && paymentButtons(),
    keep(entered) {
      const isKept = draft.keep(entered);
      showTools();
      return isKept;
    },
    run,
  });
  const { body, customer, lines, delivery } = fields;
  async function run(pressed: HTMLElement | null, entered: () => Entered): Promise<void> {
    const payment = payments.find((each) => each === pressed?.dataset['payment']);
    const message = body.querySelector('.form-issue') ?? h('p');
    if (lines.isWaiting) fill(message, h('span.soft', t('What was scanned is still being looked up.')));
    await fields.settle();
    fill(message);
    throwIfInvalid(fields.issues(payment !== undefined));
    lines.questionPrices();
    const input = entered();
    const end =
      payment === undefined
        ? delivery.isTaken && { metadata: { [taken]: 'yes' } }
        : { status: delivery.isHandedOver ? 'delivered' : 'paid', payment };
    draft.markSent(true, input);
    try {
      const order = await untilAnswered(page, body, async (waiting) => {
        const order = { customerId: await customer.id(), ...fields.read(), ...end };
        const sent = client.send<Order>('POST', '/orders', { idempotencyKey, body: order, signal: waiting });
        return (await sent.catch(explainPlacedBefore)).value;
      });
      draft.end();
      sayPlaced(page, order, { ...input, ...customer.entered() }, typedCustomer(input));
      if (!body.isConnected) return;
      if (order.status === 'delivered' || scans.heldCount > 0) drawForm();
      else goTo(`/orders/${order.id}`);
    } catch (error) {
      if (error instanceof Rejection) draft.markSent(false, entered());
      throw error;
    }
  }
  draft.onLeave = () => discardInput(body);
  const isFilled = draft.entered === undefined && parameters.has('copy'); // before that nobody can enter
  const content = h('div.narrow', isFilled ? skeleton(8) : body);
  const begun = h('span.soft');
  const park = button(t('Park'), () => parkOrder(drafts));
  const clear = button(t('Start over'), () => giveUp(drafts, draft));
  function showTools(): void {
    const { stored } = draft;
    const time = stored && shortTime(new Date(stored.begunAt).toISOString());
    fill(begun, time !== undefined && t('Begun {time}', { time }));
    for (const tool of [park, clear]) tool.hidden = stored === undefined;
  }
  fill(main, setPageTitle(t('New order'), begun, park, parkedButton(drafts), clear), content);
  showTools();
  if (draft.entered === undefined) void prepare(page, fields).then(() => isFilled && fill(content, body));
  else restore(fields, draft.entered, draft.isSent ? maybePlaced() : draft.said);
  body.addEventListener('submit', () => scans.heldCount > 0 && saySending());
  customer.focus();
  fields.takeScans();
  client.addEventListener('reachable', () => lines.lookUpAgain(), { signal });
  window.addEventListener('click', (event) => pressedAgain(event, draft, drafts), { signal });
}

function restore({ body, customer, lines }: OrderForm, draft: Entered, said: Child): void {
  // drafts are kept for 30 days: those of before 28 November 2026 have only these two, as checkboxes
  const kept: Entered = { ...draft, 'is-sent': !draft['is-handed-over'] && !draft['is-pickup'] };
  lines.grow(Number(kept['items']));
  customer.restore(kept);
  enterInto(body, kept['customer'] === undefined ? kept : { ...kept, ...customer.entered() });
  lines.lookUpAgain();
  notify(said);
}

/** The keys that end a sale over the counter. `other` has no key; it is set afterwards on the order’s page. */
const paymentKeys = [
  ['card', 'F2'],
  ['cash', 'F4'],
  ['transfer', 'F8'],
] as const satisfies readonly (readonly [Payment, string])[];

/** Buttons that place an order as it is sold over the counter, each with a key of its own. */
function paymentButtons(): Child {
  const buttons = paymentKeys.map(([payment, key]) => {
    const attributes = {
      type: 'submit',
      class: 'primary',
      'data-payment': payment,
      'aria-keyshortcuts': key,
    };
    return h('button', attributes, paymentNames[payment], ' ', h('kbd', key));
  });
  return h('div.ends', h('span', t('Paid:')), buttons);
}

/**
 * Sends until there is an answer, or until somebody wants to wait no longer. The bar says so from the first attempt that
 * isn't answered.
 */
async function untilAnswered<T>(
  { client }: Page,
  body: HTMLFormElement,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const message = body.querySelector('.form-issue') ?? h('p');
  const waiting = new AbortController();
  const stop = button(t('Don’t wait'), () => waiting.abort(new Error(t('No answer: it may be placed.'))));
  const sayAway = (): void => {
    fill(message, t('The service can’t be reached. This order is sent as soon as it is back.'), ' ', stop);
    setInert(body, true);
  };
  client.addEventListener('unreachable', sayAway);
  if (!client.isReachable) sayAway();
  try {
    for (;;) {
      try {
        return await send(waiting.signal);
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
      }
      await untilReachable(client, waiting.signal);
    }
  } finally {
    client.removeEventListener('unreachable', sayAway);
    setInert(body, false);
    fill(message);
  }
}

/** Throws the signal's reason once it is aborted. */
async function untilReachable(client: Page['client'], signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (client.isReachable) return;
  const { promise, resolve, reject } = deferred<void>();
  client.addEventListener('reachable', () => resolve(), { once: true });
  signal.addEventListener('abort', () => reject(signal.reason));
  await promise;
}

/** What a seller has to see before the next customer: how much, and how it was paid. */
function sayPlaced(page: Page, placed: Order, entered: Entered, typed: Child): void {
  const { id, total, currency, status, payment } = placed;
  const order = h('a', { href: `#/orders/${id}` }, t('Order {id}', { id }));
  const amount = h('bdi', money(total, currency));
  if (payment === null) return notify(rich('{order} ({amount}) is placed.', { order, amount }));
  const back = action(t('Take back'), () => takeBack(page, placed, entered));
  const said = { order, amount, payment: h('span', paymentNames[payment]), back };
  const text: Child =
    status === 'delivered'
      ? rich('Sold: {amount}, {payment}. {order} {back}', said)
      : rich('Paid: {amount}, {payment}. {order} {back}', said);
  notify([text, typed], takeBackMilliseconds);
}

/** Says what a name that was typed has become: a new customer, or nobody. It may be an item's, in the wrong field. */
function typedCustomer({ customer, '/customerId': text }: Entered): Child {
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  if (customer === newCustomer) return h('p', t('New customer “{name}”', { name: text.trim() }));
  if (customer !== undefined) return undefined;
  return h('p', t('Sold without a customer: “{text}” was not chosen.', { text: text.trim() }));
}

/** A sale is taken back by a refund; its items are in a new order again. */
async function takeBack({ client, drafts }: Page, { id }: Order, entered: Entered): Promise<void> {
  const body = { status: 'refunded', reason: mistake };
  await client.send('PATCH', `/orders/${id}`, { idempotencyKey: `console-${id}-refunded`, body });
  drafts.bringBack(entered, t('Order {id} is refunded, and what was in it is here again.', { id }));
  drawForm();
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

/** Draws the form of the next draft, also where this one was left and found again. */
function drawForm(): void {
  if (location.hash.startsWith('#/new')) {
    history.replaceState(null, '', '#/new');
    window.dispatchEvent(new Event('hashchange'));
    window.scrollTo(0, 0);
  } else goTo('/new');
}

/** Says how many are parked, and goes on with the one that has waited longest, whose total it says; empty without any. */
function parkedButton(drafts: Drafts): HTMLElement {
  const place = h('span');
  void drafts.parked().then(([oldest, ...others]) => {
    if (oldest === undefined) return;
    const goOn = (): void => {
      drafts.goOn(oldest.name);
      drawForm();
    };
    fill(
      place,
      button(t('{count} parked: {total}', { count: count(others.length + 1), total: oldest.total }), goOn),
    );
  });
  return place;
}

function parkOrder(drafts: Drafts): void {
  const said = drafts.park();
  drawForm();
  if (said !== undefined) notify(said);
}

/** “New order”, pressed in one that has begun, parks that one. */
function pressedAgain(event: Event, draft: Draft, drafts: Drafts): void {
  const isLink = event.target instanceof Element && event.target.closest('a[href="#/new"]') !== null;
  if (!isLink || !location.hash.startsWith('#/new') || draft.stored === undefined) return;
  event.preventDefault();
  parkOrder(drafts);
}

/** Starts over. What was given up can come back for some seconds; an order that may exist doesn't. */
function giveUp(drafts: Drafts, draft: Draft): void {
  const { stored, isSent } = draft;
  draft.end();
  drawForm();
  if (stored === undefined || isSent) return;
  const again = (): void => {
    drafts.bringBack(stored.entered);
    drawForm();
  };
  notify(rich('What was entered is given up. {undo}', { undo: button(t('Undo'), again) }));
}

/** The form keeps its key: if the response was lost, a changed order must not repeat the request. */
function explainPlacedBefore(error: unknown): never {
  const isPlaced = error instanceof Rejection && error.code === 'idempotency-key-reused';
  if (!isPlaced) throw error;
  throw new Error(t('This order was placed the first time, before you changed it: see Orders.'));
}

/** Fills in the form from the URL: `customer=7`, or `copy=12` for the items and the customer of an order. */
async function prepare({ client, parameters, signal }: Page, fields: OrderForm): Promise<void> {
  const copied = parameters.get('copy');
  const read = copied === null ? undefined : client.get<Order>(`/orders/${Number(copied)}`, signal);
  const order = await read?.catch(() => undefined);
  const customer = order?.customerId ?? parameters.get('customer');
  if (order !== undefined) fields.lines.write(order);
  if (customer !== null) await fields.customer.suggest(Number(customer));
  if (order !== undefined) fields.delivery.repeat(order.shippingAddress);
  const isMissing = copied !== null && order === undefined && !signal.aborted;
  if (isMissing) notify(t('Order {id} can’t be read, so the form is empty.', { id: copied }));
}
