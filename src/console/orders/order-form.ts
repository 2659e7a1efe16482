// The form of an order: its customer, items, delivery and note. After each event each part shows what follows from its
// fields. What is scanned goes to the form, and while it is being sent to the next one.
import { soundAlarm } from '../browser/alarm.ts';
import type { Customer, Issue, Order } from '../words/api-types.ts';
import { card } from '../page/cards.ts';
import { notify, refuse } from '../forms/dialogs.ts';
import { type Child, h } from '../browser/elements.ts';
import { type Entered, field, form, messageOf, textOf } from '../forms/forms.ts';
import { type Scanned, scannedIn, type Scans } from '../page/scans.ts';
import { cardIdOf } from '../words/codes.ts';
import { stages } from '../words/statuses.ts';
import { Rejection, Unreachable } from '../service/request-errors.ts';
import { rich, t } from '../words/texts.ts';
import type { Page } from '../page/view.ts';
import { type OrderCustomer, orderCustomer } from './order-customer.ts';
import { orderDelivery } from './order-delivery.ts';
import { OrderLines } from './order-lines.ts';

type Options = {
  readonly idempotencyKey: string;
  /** Whether it may be sold over the counter. */
  readonly isSale?: boolean;
  /** What is changed, as far as its status allows. */
  readonly changed?: ChangedOrder;
  readonly submit: string;
  /** Shown beside the submit button. */
  readonly others: Child;
  readonly keep?: (entered: Entered | undefined) => boolean;
  readonly run: (pressed: HTMLElement | null, entered: () => Entered) => Promise<void>;
};

/** The customer is null if another user has them. */
export type ChangedOrder = Order & { readonly customer: Customer | null };

export type OrderForm = ReturnType<typeof orderForm>;

export function orderForm(page: Page, options: Options) {
  const { client, scans } = page;
  const { idempotencyKey, isSale = false, changed, submit, others, keep, run } = options;
  const changes = changed === undefined ? 'all' : stages[changed.status].changes;
  const [hasItems, hasDelivery] = [changes === 'all', changes !== 'note'];
  const hasCustomer = hasDelivery && (changed === undefined || changed.customer !== null);
  const lines = new OrderLines(client);
  const delivery = orderDelivery({ isToNobody: () => customer.isNobody, isSale });
  const customer: OrderCustomer = orderCustomer(page, {
    idempotencyKey,
    isSale,
    delivery,
    goOn: () => lines.focusEmpty(),
  });
  const noteField = field({
    label: t('Note'),
    pointer: '/note',
    hint: t('It is printed on packing slips and confirmations.'),
    isWide: true,
    control: h('textarea', { rows: 2 }),
  });
  const notes = noteField.element;
  const cards = h(
    'div.cards',
    hasCustomer && customer.element,
    hasItems && lines.element,
    hasDelivery && delivery.element,
    card(t('Note'), notes),
  );

  function draw(): void {
    customer.draw();
    lines.draw();
    delivery.draw();
    if (refusal !== undefined && issues(true).length === 0) refusal.remove();
  }

  function entered(): Entered {
    return { ...customer.entered(), ...lines.entered() };
  }

  function takeScans(): void {
    if (hasItems) body.dataset['scans'] = '';
    else delete body.dataset['scans'];
    scans.deliver();
  }

  /** What is paid needs no customer if none was entered, unless it is sent. */
  function issues(isPaid: boolean): Issue[] {
    const needsCustomer = hasCustomer && !(isPaid && customer.isNobody && !delivery.isSent);
    return [
      ...(needsCustomer ? customer.issues() : []),
      ...(hasItems ? lines.issues() : []),
      ...(hasDelivery ? delivery.issues() : []),
    ];
  }

  /** Whether a payment was refused: what is scanned next may be meant for the next sale. */
  let isRefused = false;
  /** What is said of faults, until they are mended. */
  let refusal: HTMLElement | undefined;

  /** What is scanned meanwhile is for the next order, or for this one if it isn't placed. */
  async function send(pressed: HTMLElement | null, all: () => Entered): Promise<void> {
    await scans.settled; // waits until the running scan's characters have arrived in a field
    body.dataset['scans'] = later;
    try {
      await run(pressed, all);
    } catch (error) {
      isRefused = pressed?.dataset['payment'] !== undefined;
      if (isRefused) sayRefused(error);
      takeScans();
      throw error;
    }
  }

  /** Where the next customer’s seller sees it, and until the sale is paid. That the service is away is said below. */
  function sayRefused(error: unknown): void {
    soundAlarm();
    if (error instanceof Unreachable) return;
    const rejected = error instanceof Rejection ? error.issues : [];
    const found = rejected.flatMap(({ pointer = '' }) => /^#?\/items\/(\d+)/.exec(pointer)?.[1] ?? []);
    const numbers = [...new Set(found)].map((index) => Number(index) + 1).join(', ');
    const reason = messageOf(error);
    const notice = refuse(
      t('Not sold. {reason}', { reason: numbers === '' ? reason : `${t('Line')} ${numbers}: ${reason}` }),
    );
    refusal = issues(true).length > 0 ? notice : undefined;
  }

  /** While the service is away, nothing else shows that the code has arrived. */
  function holdForNext(scanned: Scanned): void {
    scans.hold(scanned);
    if (client.isReachable) return;
    notify(t('Kept for the next sale: {count}', { count: scans.heldCount }));
  }

  // input and change events redraw the cards before the form's own listeners run
  for (const type of ['input', 'change']) cards.addEventListener(type, draw);
  /** Enters members of the order that is changed. */
  function write(values: Partial<ChangedOrder>): void {
    const { customerId, items, currency, shippingAddress, note } = values;
    if (customerId !== undefined && values.customer) customer.choose(values.customer);
    if (items !== undefined || currency !== undefined) {
      const now = lines.read();
      lines.write({ items: items ?? now.items, currency: currency ?? now.currency });
    }
    if (shippingAddress !== undefined) delivery.repeat(shippingAddress);
    if (note !== undefined) noteField.control.value = note ?? '';
    delivery.keep();
    draw();
  }

  write(changed ?? {});
  const body = form(cards, {
    submit,
    isPlain: isSale, // the payments are the main way
    // beside the form's button, so that it is always in sight
    lead: hasItems && h('p.sum-up', rich('Total {total}', { total: lines.total })),
    others,
    isLong: true,
    chosen: entered,
    ...(keep && { keep }),
    run: send,
  });
  body.addEventListener('scan', (event) => {
    const scanned = scannedIn(event);
    if (body.dataset['scans'] === later) return holdForNext(scanned);
    if (isRefused && issues(true).length > 0) soundAlarm();
    if (typeof scanned !== 'string') return lines.add(scanned);
    const id = cardIdOf(scanned);
    if (id === undefined) lines.scanned(scanned);
    else void customer.scanned(id);
  });
  return {
    body,
    customer,
    lines,
    delivery,
    entered,
    issues,
    write,

    /** To be called once the form is shown. */
    takeScans,

    /**
     * Resolves once what was typed or scanned is looked up; until then nothing else can be entered.
     * Throws if the service was away from a scanned code.
     */
    async settle(): Promise<void> {
      const { activeElement } = document;
      setInert(body, true);
      try {
        await lines.settle();
        if (hasCustomer) await customer.resolve();
      } finally {
        setInert(body, false);
        if (document.activeElement === document.body && activeElement instanceof HTMLElement)
          activeElement.focus();
      }
      if (hasCustomer) customer.ask();
    },

    /** What the order gets, but for its customer. */
    read: () => ({
      note: textOf(noteField),
      ...(hasItems && lines.read()),
      ...(hasDelivery && { shippingAddress: delivery.read() }),
    }),

    /** Resolves once a new customer is made, and chosen. */
    async makeCustomer(): Promise<void> {
      if (hasCustomer) await customer.id();
    },
  };
}

/** While nothing can be entered, what is sent is what was there. The bar stays. */
export function setInert({ children }: HTMLFormElement, isInert: boolean): void {
  for (const each of children) each.toggleAttribute('inert', isInert && !each.matches('.bar'));
}

/** Keeps what is scanned until the form is there, in its order. */
export function keepScans(scans: Scans): HTMLElement {
  const place = h('div', { 'data-scans': '' });
  place.addEventListener('scan', (event) => scans.hold(scannedIn(event)));
  return place;
}

/** While the form is being sent. */
const later = 'later';
