// Steps of orders that were asked for in a list or on the order's page. Each waits for a few seconds, in which it
// can be undone, and then applies to the version of the order that was shown, or to none. Whoever leaves the page
// wants it at once.
import type { ApiClient } from './api-client.ts';
import type { Order, ServiceEvent, Status } from './api-types.ts';
import { notify, warn } from './dialogs.ts';
import type { Child } from './elements.ts';
import { money, nameOf } from './formats.ts';
import { action, messageOf } from './forms.ts';
import type { LiveEvents } from './live-events.ts';
import { Rejection } from './request-errors.ts';

const undoMilliseconds = 6_000;

type Step = {
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

  begin(order: Order, to: Status): void {
    const { id, total, currency } = order;
    if (this.#steps.has(id)) return;
    const etag = this.#etagOf(order);
    const timer = setTimeout(() => this.#end(step), undoMilliseconds);
    const step: Step = { order, to, etag, timer, sending: undefined };
    this.#steps.set(id, step);
    etag.catch((error: unknown) => this.#fail(step, error));
    notify(
      `Order ${id} (${money(total, currency)}) will be marked as ${nameOf(to)} in ${undoMilliseconds / 1_000} seconds.`,
    );
    this.#changed();
  }

  /** Makes a step immediately that can't be undone: `reason` is for the history. */
  async make(order: Order, to: Status, reason: string | null): Promise<void> {
    const body = reason === null ? { status: to } : { status: to, reason };
    await this.#send(order, body, this.#etagOf(order));
  }

  /** A button that takes the step back, for the place of the button that began it. */
  undoButton(id: number): Child {
    const { to = 'open' } = this.#steps.get(id) ?? {};
    const label = `Undo: mark as ${nameOf(to)}: order ${id}`;
    const attributes = { class: 'undo', 'data-key': `step-${id}`, 'aria-label': label };
    return action('Undo', async () => this.#undo(id), attributes);
  }

  #undo(id: number): void {
    const step = this.#steps.get(id);
    if (step === undefined) return;
    if (step.sending !== undefined)
      return notify(`Too late: order ${id} is being marked as ${nameOf(step.to)}.`);
    clearTimeout(step.timer);
    this.#steps.delete(id);
    notify(`Undone: order ${id} stays ${nameOf(step.order.status)}.`);
    this.#changed();
  }

  /** Resolves when all steps have been sent. */
  async sendAll(): Promise<void> {
    await Promise.all([...this.#steps.values()].map((step) => this.#end(step)));
  }

  #end(step: Step): Promise<void> {
    const { order, to, etag, timer } = step;
    clearTimeout(timer);
    step.sending ??= this.#send(order, { status: to }, etag).catch((error: unknown) =>
      this.#fail(step, error),
    );
    return step.sending;
  }

  /** Returns the ETag of the version that was shown. Throws if the order has changed since. */
  async #etagOf(shown: Order): Promise<string | undefined> {
    const { value, etag } = await this.#client.read<Order>(`/orders/${shown.id}`);
    if (value.updatedAt !== shown.updatedAt) throw new Error(changesOf(shown, value));
    return etag;
  }

  async #send(
    shown: Order,
    body: { readonly status: Status },
    read: Promise<string | undefined>,
  ): Promise<void> {
    const { id, updatedAt } = shown;
    const options = {
      body,
      etag: await read,
      idempotencyKey: `console-${id}-${body.status}-${updatedAt}`,
      outlivesPage: true,
    };
    const sent = this.#client.send<Order>('PATCH', `/orders/${id}`, options);
    const { value } = await sent.catch((error: unknown) => this.#explain(error, shown));
    this.#steps.delete(id);
    this.#learn(id, { status: value.status, at: value.updatedAt });
    notify(`Order ${id} is ${nameOf(value.status)}.`);
    this.dispatchEvent(new Event('change'));
    this.dispatchEvent(new Event('stale'));
  }

  async #explain(error: unknown, shown: Order): Promise<never> {
    if (error instanceof Rejection && error.status === 412) await this.#etagOf(shown);
    throw error;
  }

  #fail(step: Step, error: unknown): void {
    const { order, to } = step;
    if (this.#steps.get(order.id) !== step) return;
    clearTimeout(step.timer);
    this.#steps.delete(order.id);
    warn(`Order ${order.id} was not marked as ${nameOf(to)}. ${messageOf(error)}`);
    this.#changed();
    this.dispatchEvent(new Event('stale')); // what was shown is out of date
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
  if (now.status !== shown.status) changes.push(`It is ${nameOf(now.status)} now.`);
  if (before !== after) changes.push(`It is ${after} now, not ${before}.`);
  return ['Somebody has changed it meanwhile.', ...changes].join(' ');
}
