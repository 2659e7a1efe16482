// Steps of orders that were asked for in a list or on the order's page. Each waits for a few seconds, in which it
// can be undone, and then applies to the version of the order that was shown, or to none. Whoever leaves the page
// wants it at once. Steps of many orders are made one by one: some may fail, and those say why.
import type { ApiClient } from './api-client.ts';
import type { Order, Payment, ServiceEvent, Status } from './api-types.ts';
import { notify, warn } from './dialogs.ts';
import type { Child } from './elements.ts';
import { count, money } from './formats.ts';
import { action, messageOf } from './forms.ts';
import type { LiveEvents } from './live-events.ts';
import { nameOf } from './statuses.ts';
import { Rejection } from './request-errors.ts';
import { t } from './texts.ts';

const undoMilliseconds = 6_000;
/** In the message about many steps; rows show all of them. */
const failuresShown = 3;

/** Steps that were begun together. */
type Group = {
  readonly to: Status;
  /** How they were paid, if that was said. */
  readonly payment: Payment | undefined;
  readonly orders: number;
  /** Those that wait or are being made. */
  left: number;
  undone: number;
  readonly failures: string[];
};
type Step = {
  readonly group: Group;
  /** As it was shown. */
  readonly order: Order;
  readonly to: Status;
  /** The ETag of that version. */
  readonly etag: Promise<string | undefined>;
  readonly timer: number;
  sending: Promise<void> | undefined;
};
/** A status that is newer than what was loaded before `at`. */
type KnownStatus = { readonly status: Status; readonly at: string };

/** `isMoved`: its status is another one than when its page was loaded. */
export type LatestOrder = Order & { readonly isMoved?: boolean };

/** Dispatches `change` when what is shown of an order has to change, and `stale` when it has to be loaded again. */
export class OrderSteps extends EventTarget {
  readonly #client: ApiClient;
  readonly #steps = new Map<number, Step>();
  readonly #statuses = new Map<number, KnownStatus>();
  /** Why the last step of an order was not made. */
  readonly #failures = new Map<number, string>();

  /** The signal is aborted when the user is gone. */
  constructor(client: ApiClient, live: LiveEvents, signal: AbortSignal) {
    super();
    this.#client = client;
    live.watch(signal, (events) => this.#read(events));
    for (const type of ['hashchange', 'pagehide'])
      window.addEventListener(type, () => void this.sendAll(), { signal });
    signal.addEventListener('abort', () => {
      for (const { timer } of this.#steps.values()) clearTimeout(timer);
    });
    window.addEventListener('beforeunload', (event) => this.#ask(event), { signal });
  }

  /** What is left is sent while the page goes; if the service is away, the page asks first. */
  #ask(event: Event): void {
    const isAway = !navigator.onLine || !this.#client.isReachable;
    const isSending = [...this.#steps.values()].some(({ sending }) => sending !== undefined);
    if (this.#steps.size > 0 && (isAway || isSending)) event.preventDefault();
  }

  /** Returns the status that the order gets in a moment. */
  nextStatusOf(id: number): Status | undefined {
    return this.#steps.get(id)?.to;
  }

  /** Returns the order with its newest status that is known here. */
  latest(order: LatestOrder): LatestOrder {
    const { status = order.status, at = '' } = this.#statuses.get(order.id) ?? {};
    return at >= order.updatedAt && status !== order.status ? { ...order, status, isMoved: true } : order;
  }

  /** Returns why the last step of the order was not made; undefined once another one has begun. */
  failureOf(id: number): string | undefined {
    return this.#failures.get(id);
  }

  begin(order: Order, to: Status, payment?: Payment): void {
    this.beginAll([order], to, payment);
  }

  /** Begins the step of each order for which none has begun. */
  beginAll(orders: readonly Order[], to: Status, payment?: Payment): void {
    const begun = orders.filter(({ id }) => !this.#steps.has(id));
    const [first, ...others] = begun;
    if (first === undefined) return;
    const group: Group = {
      to,
      payment,
      orders: begun.length,
      left: begun.length,
      undone: 0,
      failures: [],
    };
    for (const order of begun) this.#wait(order, group);
    const step = { to: nameOf(to), seconds: undoMilliseconds / 1_000 };
    const one = { id: first.id, amount: money(first.total, first.currency) };
    notify(
      others.length === 0
        ? t('Order {id} ({amount}) will be marked as {to} in {seconds} seconds.', { ...one, ...step })
        : t('{count} orders will be marked as {to} in {seconds} seconds.', {
            count: count(begun.length),
            ...step,
          }),
    );
    this.#changed();
  }

  #wait(order: Order, group: Group): void {
    const { id } = order;
    this.#failures.delete(id);
    const etag = this.#etagOf(order);
    const timer = setTimeout(() => this.#end(step), undoMilliseconds);
    const step: Step = { group, order, to: group.to, etag, timer, sending: undefined };
    this.#steps.set(id, step);
    etag.catch((error: unknown) => this.#fail(step, error));
  }

  /** Makes a step immediately that can't be undone: `reason` is for the history. */
  async make(order: Order, to: Status, reason: string | null): Promise<void> {
    const body = reason === null ? { status: to } : { status: to, reason };
    await this.#send(order, body, this.#etagOf(order));
    notify(t('Order {id} is {status}.', { id: order.id, status: nameOf(to) }));
    this.#changed();
    this.dispatchEvent(new Event('stale'));
  }

  /** A button that takes the step back, for the place of the button that began it. */
  undoButton(id: number): Child {
    const { to = 'open' } = this.#steps.get(id) ?? {};
    const label = t('Undo: mark as {to}: order {id}', { to: nameOf(to), id });
    const attributes = { class: 'undo', 'data-key': `step-${id}`, 'aria-label': label };
    return action(t('Undo'), async () => this.undo([id]), attributes);
  }

  /** Undoes those steps of these orders that are not being made yet. */
  undo(ids: readonly number[]): void {
    const steps = ids.map((id) => this.#steps.get(id)).filter((step) => step !== undefined);
    const undone = steps.filter(({ sending }) => sending === undefined);
    for (const { order, timer, group } of undone) {
      clearTimeout(timer);
      this.#steps.delete(order.id);
      group.undone += 1;
      this.#settle(group);
    }
    const [step] = undone;
    if (step !== undefined && undone.length === 1)
      notify(
        t('Undone: order {id} stays {status}.', { id: step.order.id, status: nameOf(step.order.status) }),
      );
    else if (undone.length > 0)
      notify(t('Undone: {count} orders stay as they are.', { count: count(undone.length) }));
    const late = steps.filter((each) => !undone.includes(each));
    for (const { order, to } of late)
      notify(t('Too late: order {id} is being marked as {to}.', { id: order.id, to: nameOf(to) }));
    this.#changed();
  }

  /** Resolves when all steps have been sent. */
  async sendAll(): Promise<void> {
    await Promise.all([...this.#steps.values()].map((step) => this.#end(step)));
  }

  #end(step: Step): Promise<void> {
    const { order, to, group, etag, timer } = step;
    clearTimeout(timer);
    step.sending ??= this.#send(order, { status: to, payment: group.payment }, etag).then(
      () => this.#succeed(step),
      (error: unknown) => this.#fail(step, error),
    );
    return step.sending;
  }

  #succeed({ order, to, group }: Step): void {
    this.#steps.delete(order.id);
    if (group.orders === 1) notify(t('Order {id} is {status}.', { id: order.id, status: nameOf(to) }));
    this.#changed();
    this.#settle(group);
  }

  /** Says what came of many steps once all of them are over; what was shown is out of date then. */
  #settle(group: Group): void {
    const { to, orders, undone, failures } = group;
    group.left -= 1;
    if (group.left > 0) return;
    const made = orders - undone - failures.length;
    const shown = failures.slice(0, failuresShown);
    const others = failures.length - shown.length;
    if (others > 0) shown.push(t('{count} more were not.', { count: count(others) }));
    const text = t('{count} of {orders} orders are {status}.', {
      count: count(made),
      orders: count(orders),
      status: nameOf(to),
    });
    if (orders > 1 && failures.length > 0) warn([text, ...shown].join(' '));
    else if (orders > 1 && made > 0) notify(text);
    if (undone < orders) this.dispatchEvent(new Event('stale'));
  }

  /** Returns the ETag of the version that was shown. Throws if the order has changed since. */
  async #etagOf(shown: Order): Promise<string | undefined> {
    const { value, etag } = await this.#client.read<Order>(`/orders/${shown.id}`);
    if (value.updatedAt !== shown.updatedAt) throw new Error(changesOf(shown, value));
    return etag;
  }

  async #send(
    shown: Order,
    body: { readonly status: Status; readonly payment?: Payment | undefined },
    read: Promise<string | undefined>,
  ): Promise<void> {
    const { id, updatedAt } = shown;
    const { status, payment = 'unsaid' } = body;
    const options = {
      body,
      etag: await read,
      idempotencyKey: `console-${id}-${status}-${payment}-${updatedAt}`,
      outlivesPage: true,
    };
    const sent = this.#client.send<Order>('PATCH', `/orders/${id}`, options);
    const { value } = await sent.catch((error: unknown) => this.#explain(error, shown));
    this.#learn(id, { status: value.status, at: value.updatedAt });
  }

  async #explain(error: unknown, shown: Order): Promise<never> {
    if (error instanceof Rejection && error.status === 412) await this.#etagOf(shown);
    throw error;
  }

  #fail(step: Step, error: unknown): void {
    const { group, order, to } = step;
    if (this.#steps.get(order.id) !== step) return;
    clearTimeout(step.timer);
    this.#steps.delete(order.id);
    const text = t('Order {id} was not marked as {to}. {reason}', {
      id: order.id,
      to: nameOf(to),
      reason: messageOf(error),
    });
    if (group.orders === 1) warn(text);
    else this.#failures.set(order.id, messageOf(error));
    group.failures.push(text);
    this.#changed();
    this.#settle(group);
  }

  #read(events: readonly ServiceEvent[]): void {
    for (const { subject, changes, createdAt: at } of events) {
      const [, id] = /^\/orders\/(\d+)$/.exec(subject) ?? [];
      const status = [changes['status']].flat()[1] as Status | undefined; // as the API documents it
      if (id !== undefined && status !== undefined) this.#learn(Number(id), { status, at });
    }
  }

  #learn(id: number, status: KnownStatus): void {
    const { at = '' } = this.#statuses.get(id) ?? {};
    if (status.at >= at) this.#statuses.set(id, status);
  }

  #changed(): void {
    this.dispatchEvent(new Event('change'));
  }
}

/** Says what somebody else has changed since the order was shown. */
function changesOf(shown: Order, now: Order): string {
  const [before, after] = [shown, now].map(({ total, currency }) => money(total, currency));
  const changes: string[] = [];
  if (now.status !== shown.status) changes.push(t('It is {status} now.', { status: nameOf(now.status) }));
  if (before !== after)
    changes.push(t('It is {amount} now, not {before}.', { amount: after ?? '', before: before ?? '' }));
  return [t('Somebody has changed it meanwhile.'), ...changes].join(' ');
}
