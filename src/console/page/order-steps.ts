// Steps of orders that were asked for in a list or on the order's page. A step is made at once, for the version of
// the order that was shown, or not at all; what was a slip of the hand is taken back by a step of its own, which is
// offered for some seconds where the step was asked for; and taking back is undone by the same step again. Of many orders
// some may fail, and those say why. The pages show the answer to a step in the same turn as its notice, and load later.
import type { ApiClient, Version } from '../service/api-client.ts';
import type { Order, Payment, Status } from '../words/api-types.ts';
import { notify, takeBackMilliseconds, warn } from '../forms/dialogs.ts';
import { h } from '../browser/elements.ts';
import { mistake } from '../words/event-words.ts';
import { paymentNames } from '../words/column-names.ts';
import { count, money } from '../words/formats.ts';
import { action, messageOf } from '../forms/forms.ts';
import { Rejection } from '../service/request-errors.ts';
import { endOfStep, isHandedOver, isUnpaid, statusName, stages, stepsTo } from '../words/statuses.ts';
import { rich, t } from '../words/texts.ts';

/** Whoever presses twice means one step: the next one has come under the pointer. */
const pressedTwiceMilliseconds = 700;

type Change = { readonly status: Status; readonly payment?: Payment; readonly reason?: string };

/**
 * Dispatches `stale` when `subjects` have to be drawn by the answers, and loaded again; `change` when a step is offered
 * no more.
 */
export class OrderSteps extends EventTarget {
  /** What the last steps have changed: `/orders/7`. */
  subjects: readonly string[] = [];
  readonly #client: ApiClient;
  /** When the last step of each order was answered. */
  readonly #answeredAt = new Map<number, number>();
  /** The orders whose step isn't answered yet: another one would meet a version that is no more. */
  readonly #running = new Set<number>();
  /** The orders as the answers to their last steps had them, without their customers. */
  readonly #answers = new Map<number, Version<Order>>();
  /** The orders whose last step can be taken back, as it has left them. */
  readonly #made = new Map<number, Order>();

  constructor(client: ApiClient) {
    super();
    this.#client = client;
  }

  /** Makes the same step of these orders. */
  async make(orders: readonly Order[], to: Status, payment?: Payment): Promise<void> {
    const change = payment === undefined ? { status: to } : { status: to, payment };
    await this.#makeEach(orders, () => change);
  }

  async #makeEach(orders: readonly Order[], changeOf: (shown: Order) => Change): Promise<void> {
    const now = performance.now();
    const isNew = ({ id }: Order): boolean =>
      now - (this.#answeredAt.get(id) ?? -Infinity) > pressedTwiceMilliseconds;
    const made = await this.#changeAll(orders.filter(isNew), changeOf);
    for (const order of made) {
      this.#answeredAt.set(order.id, performance.now());
      this.#offer(order);
    }
    this.#tell(orders);
    const [first, ...others] = made;
    if (first === undefined) return;
    const names = new Set(made.map((order) => statusName(order.status, [order])));
    const said = { status: h('span', [...names].join(', ')), back: this.takeBackButton(made) };
    notify(
      others.length === 0
        ? rich('Order {id} is {status}. {back}', { id: h('span', first.id), ...said })
        : rich('{count} orders are {status}. {back}', { count: h('span', count(made.length)), ...said }),
      takeBackMilliseconds,
    );
  }

  /** Ends the order, which can't be taken back. Throws if it is another version than was shown. */
  async end(order: Order, to: Status, reason: string | null): Promise<void> {
    await this.#change(order, reason === null ? { status: to } : { status: to, reason });
    notify(t('Order {id} is {status}.', { id: order.id, status: statusName(to) }));
    this.#tell([order]);
  }

  /** Returns the order as its last step here has left it; undefined if it was loaded since. */
  newer(loaded: Order): Version<Order> | undefined {
    const answer = this.#answers.get(loaded.id);
    if (answer === undefined || answer.value.updatedAt <= loaded.updatedAt) return undefined;
    return { ...answer, value: { ...loaded, ...answer.value } };
  }

  /** Returns these orders as the last steps here have left them. */
  latest(loaded: readonly Order[]): readonly Order[] {
    return loaded.map((order) => this.newer(order)?.value ?? order);
  }

  /** Returns those orders whose last step was just made here. */
  offered(ids: readonly number[]): readonly Order[] {
    return ids.map((id) => this.#made.get(id)).filter((order) => order !== undefined);
  }

  /** A button beside a step that was just made, which takes it back. */
  takeBackButton(orders: readonly Order[]): HTMLElement {
    const label =
      orders.length === 1 ? t('Take back') : t('Take back {count}', { count: count(orders.length) });
    return this.#backButton(label, orders);
  }

  /**
   * A button that takes the last step of the order back, whenever that was: it names the status that it leads to, since a
   * sale over the counter has made several steps at once. Undefined if no step can be taken back.
   */
  stepBackButton(order: Order): HTMLElement | undefined {
    const { before } = stages[order.status];
    if (before === null) return undefined;
    const to = endOfStep(before, order);
    const label =
      isHandedOver(order) && to === before
        ? t('Not handed over yet') // a sale over the counter was never ready before
        : t('Back to {status}', { status: statusName(to, [order]) });
    return this.#backButton(label, [order]);
  }

  #backButton(label: string, orders: readonly Order[]): HTMLElement {
    const ids = orders.map(({ id }) => id).join(', ');
    const attributes = { 'data-key': `back-${ids}`, 'aria-label': t('{label}: order {ids}', { label, ids }) };
    return action(label, () => this.#takeBack(orders), attributes);
  }

  async #takeBack(orders: readonly Order[]): Promise<void> {
    const shown = orders.map((order) => this.#made.get(order.id) ?? order);
    const changed = await this.#changeAll(shown, ({ status }) => {
      return { status: stages[status].before ?? status, reason: mistake };
    });
    for (const { id } of changed) this.#answeredAt.delete(id); // what comes next is no second press
    this.#tell(orders);
    const [first, ...others] = changed;
    if (first === undefined) return;
    const before = new Map(shown.map((order) => [order.id, order]));
    const stepAgain = (order: Order): Change => {
      const { status, payment } = before.get(order.id) ?? order;
      return isUnpaid(order) && payment !== null ? { status, payment } : { status };
    };
    const undo = action(t('Undo'), () => this.#makeEach(changed, stepAgain));
    const said = { id: h('span', first.id), status: h('span', statusName(first.status, changed)), undo };
    notify(
      others.length === 0
        ? rich('Order {id} is {status} again. {undo}', said)
        : rich('{count} orders were taken back. {undo}', { count: h('span', count(changed.length)), undo }),
      takeBackMilliseconds,
    );
  }

  /** Resolves to the orders that were changed; says of the others why they weren’t, except while a step runs. */
  async #changeAll(orders: readonly Order[], changeOf: (shown: Order) => Change): Promise<readonly Order[]> {
    const failures: string[] = [];
    const idle = orders.filter(({ id }) => !this.#running.has(id));
    const changes = idle.map((shown) => {
      const { id } = shown;
      const change = changeOf(shown);
      const before = this.#answers.get(id);
      this.#made.delete(id);
      return this.#change(shown, change).catch((error: unknown) => {
        const reached = this.#answers.get(id);
        const halfway = reached === before ? undefined : reached?.value.status;
        failures.push(failureOf(shown, { to: change.status, halfway, error }));
        return undefined;
      });
    });
    const changed = (await Promise.all(changes)).filter((order) => order !== undefined);
    if (failures.length > 0) warn(failures.join(' '));
    return changed;
  }

  /** Resolves to the order with its customer, whom the answer doesn't name. */
  async #change(shown: Order, change: Change): Promise<Order> {
    const { id } = shown;
    this.#running.add(id);
    try {
      return { ...shown, ...(await this.#send(shown, change)).value };
    } finally {
      this.#running.delete(id);
    }
  }

  /** Throws if the order is another version than was shown. The answers before a failure are kept. */
  async #send(shown: Order, change: Change): Promise<Version<Order>> {
    const { id, updatedAt } = shown;
    const path = `/orders/${id}`;
    let now = await this.#client.read<Order>(path);
    const end = { ...change, status: endOfStep(change.status, shown) };
    if (isMade(end, now.value)) return this.#keep(now); // by somebody else, who meant the same
    if (now.value.updatedAt !== updatedAt) throw new Error(changesOf(shown, now.value));
    const { payment, reason } = change;
    try {
      for (const status of stepsTo(change.status, shown)) {
        const body = { status, reason, payment: status === 'paid' ? payment : undefined };
        const idempotencyKey = `console-${id}-${status}-${payment ?? 'unsaid'}-${updatedAt}`;
        const options = { body, etag: now.etag, idempotencyKey, outlivesPage: true };
        now = this.#keep(await this.#client.send<Order>('PATCH', path, options));
      }
      return now;
    } catch (error) {
      if (!(error instanceof Rejection && error.status === 412)) throw error;
      throw new Error(changesOf(shown, await this.#client.get<Order>(path)));
    }
  }

  #keep(answer: Version<Order>): Version<Order> {
    this.#answers.set(answer.value.id, answer);
    return answer;
  }

  #tell(orders: readonly Order[]): void {
    this.subjects = orders.map(({ id }) => `/orders/${id}`);
    this.dispatchEvent(new Event('stale'));
  }

  #offer(order: Order): void {
    this.#made.set(order.id, order);
    setTimeout(() => {
      if (this.#made.get(order.id) !== order) return;
      this.#made.delete(order.id);
      this.dispatchEvent(new Event('change'));
    }, takeBackMilliseconds);
  }
}

type Failure = {
  readonly to: Status;
  /** Where the order is since an earlier part of the step; undefined if nothing was done. */
  readonly halfway: Status | undefined;
  readonly error: unknown;
};

function failureOf(shown: Order, { to, halfway, error }: Failure): string {
  const about = { id: shown.id, reason: messageOf(error) };
  if (halfway === undefined)
    return t('Order {id} was not marked as {to}. {reason}', { ...about, to: statusName(to, [shown]) });
  const names = { status: statusName(halfway, [shown]), to: statusName(endOfStep(to, shown), [shown]) };
  return t('Order {id} is {status}, but was not marked as {to}. {reason}', { ...about, ...names });
}

function isMade({ status, payment }: Change, now: Order): boolean {
  return status === now.status && (payment === undefined || payment === now.payment);
}

/** Says what somebody else has changed since the order was shown. */
function changesOf(shown: Order, now: Order): string {
  const [before = '', amount = ''] = [shown, now].map(({ total, currency }) => money(total, currency));
  const changes: string[] = [];
  if (now.status !== shown.status)
    changes.push(t('It is {status} now.', { status: statusName(now.status, [{ ...shown, ...now }]) }));
  if (now.payment !== null && now.payment !== shown.payment)
    changes.push(`${t('Payment: {payment}', { payment: paymentNames[now.payment] })}.`);
  if (before !== amount) changes.push(t('It is {amount} now, not {before}.', { amount, before }));
  return [t('Somebody has changed it meanwhile.'), ...changes].join(' ');
}
