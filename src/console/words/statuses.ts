// What each status of an order means, and its names. All else about statuses follows from this table, or is a table
// with a line for each status, each final one, or each that waits: the compiler asks for the line of a new one.
// Apart from `open`, with which an order begins, single ones are named only where money moves (`new-order-view.ts`,
// `order-payment.ts`, `order-selection.ts`, `order-view.ts`, `sales-figures.ts`, and here), where the shop's
// tasks are counted (`today-view.ts`), and for what an owner may do (`order-view.ts`).
import { type Order, statuses, type Status } from './api-types.ts';
import { t } from './texts.ts';

type Stage = {
  /** The statuses that may follow, the usual one first. */
  readonly next: readonly Status[];
  /** The status to which staff may take a step back that was made by mistake. */
  readonly before: Status | null;
  /** What else of the order may be changed; the note always may. */
  readonly changes: 'all' | 'delivery' | 'note';
  /** Whether staff may say how the order was paid. */
  readonly isPaid: boolean;
};

const stageTable = {
  open: { next: ['paid', 'cancelled'], before: null, changes: 'all', isPaid: false },
  paid: { next: ['shipped', 'refunded'], before: 'open', changes: 'delivery', isPaid: true },
  shipped: { next: ['delivered', 'refunded'], before: 'paid', changes: 'note', isPaid: true },
  delivered: { next: ['refunded'], before: 'shipped', changes: 'note', isPaid: true },
  cancelled: { next: [], before: null, changes: 'note', isPaid: false },
  refunded: { next: [], before: null, changes: 'note', isPaid: false },
} as const satisfies Readonly<Record<Status, Stage>>;

/** A test compares them with the service's. */
export const stages: Readonly<Record<Status, Stage>> = stageTable;

type Following<S extends Status> = (typeof stageTable)[S]['next'][number];
/** Nothing follows it. */
export type FinalStatus = { [S in Status]: [Following<S>] extends [never] ? S : never }[Status];
/** What a usual step leads to. */
export type StepStatus = Exclude<Following<Status>, FinalStatus>;
/** A usual step follows it. */
export type WaitingStatus = {
  [S in Status]: [Exclude<Following<S>, FinalStatus>] extends [never] ? never : S;
}[Status];

export function isFinal(status: Status): status is FinalStatus {
  return stages[status].next.length === 0;
}

/** Whether money is still to come for it. */
export function isUnpaid({ status }: Order): boolean {
  return !isFinal(status) && !stages[status].isPaid;
}

/** The statuses from the first to the last, without those that end an order. */
export const usualWay: readonly Status[] = statuses.filter((status) => !isFinal(status));

export function followersOf(status: Status): readonly Following<Status>[] {
  return stageTable[status].next;
}

/** Returns where the usual step leads; undefined if none follows. */
export function usualStep(status: Status): StepStatus | undefined {
  return followersOf(status).find((to) => !isFinal(to));
}

/** What the service calls a customer whose personal data was erased. */
export const erasedName = 'erased';

/** Whether it is picked up: nothing of it is sent. Where it was sent can't be known once its address is erased. */
export function isPickup({ shippingAddress, customer }: Order): boolean {
  return shippingAddress === null && customer?.name !== erasedName;
}

/** Whether it was picked up. */
export function isHandedOver(order: Order): boolean {
  return order.status === 'delivered' && isPickup(order);
}

/** The name in the metadata of an order whose goods were handed over before it was paid: no status can say so. */
export const taken = 'handed-over';

/** Whether its goods were handed over before it was paid. */
export function isTaken(order: Order): boolean {
  return isPickup(order) && order.metadata[taken] === 'yes';
}

/** How it is picked up, on its page and its papers. */
export function pickupText(order: Order): string {
  return isHandedOver(order) || isTaken(order) ? t('Handed over') : t('Pickup');
}

/**
 * The statuses that a step passes: where the goods are gone, their payment ends the order, and its correction leads back
 * to the first one.
 */
export function stepsTo(to: Status, order: Order): readonly Status[] {
  if (isFinal(to) || !isTaken(order)) return [to];
  const [from, target] = [usualWay.indexOf(order.status), usualWay.indexOf(to)];
  return target > from ? usualWay.slice(from + 1) : usualWay.slice(0, from).reverse();
}

/** The status in which a step leaves the order. */
export function endOfStep(to: Status, order: Order): Status {
  return stepsTo(to, order).at(-1) ?? to;
}

/** What a status is called where nothing is sent. */
const pickupNames: { readonly [status in Status]?: string } = {
  shipped: t('ready'),
  delivered: t('handed over'),
};

/** The status within a sentence, as it is called of these orders. */
export function statusName(status: Status, orders: readonly Order[] = []): string {
  const isPickedUp = orders.length > 0 && orders.every(isPickup);
  return (isPickedUp ? pickupNames[status] : undefined) ?? t(status);
}

/** The status with a capital letter: without orders, as it is called of any. */
export function statusTitle(status: Status, orders?: readonly Order[]): string {
  const names = orders === undefined ? [t(status), pickupNames[status]] : [statusName(status, orders)];
  const name = names.filter((each) => each !== undefined).join(' / ');
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** The label of the button that makes the step of an order; the one to `paid` asks how. */
export function stepLabel(to: Status, order: Order): string {
  if (to === 'paid') return `${t('Mark as {to}', { to: statusName(to, [order]) })} …`;
  return t('Mark as {to}', { to: statusName(endOfStep(to, order), [order]) });
}
