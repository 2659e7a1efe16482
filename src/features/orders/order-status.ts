// The statuses of an order: their steps, how many orders have each, and how an order was paid.
import { isStaff, type Caller } from '../../auth/access.ts';
import { Problem, forbidden } from '../../problem.ts';
import { integer, named, object, type Infer, type Schema } from '../../schema/schema.ts';

export const statuses = ['open', 'paid', 'shipped', 'delivered', 'cancelled', 'refunded'] as const;
export type OrderStatus = (typeof statuses)[number];

/** How an order was paid: a note, since orderly is no till. */
export const payments = ['cash', 'card', 'transfer', 'other'] as const;
export type Payment = (typeof payments)[number];

type Stage = {
  /** The statuses that may follow; a status without followers is final. */
  readonly next: readonly OrderStatus[];
  /** The status before, to which staff may take the order back if the present one was set by mistake. */
  readonly before: OrderStatus | null;
  /** Whether an order of this status has a payment, and whether staff may still change it. */
  readonly payment: 'none' | 'changeable' | 'final';
  /** The steps that an order takes at once if it is placed with this status (a sale over the counter); null: it can't. */
  readonly stepsWhenPlaced: readonly OrderStatus[] | null;
};

/** What each status means for an order. */
export const stages: Readonly<Record<OrderStatus, Stage>> = {
  open: { next: ['paid', 'cancelled'], before: null, payment: 'none', stepsWhenPlaced: [] },
  paid: { next: ['shipped', 'refunded'], before: 'open', payment: 'changeable', stepsWhenPlaced: ['paid'] },
  shipped: { next: ['delivered', 'refunded'], before: 'paid', payment: 'changeable', stepsWhenPlaced: null },
  delivered: {
    next: ['refunded'],
    before: 'shipped',
    payment: 'changeable',
    stepsWhenPlaced: ['paid', 'shipped', 'delivered'],
  },
  cancelled: { next: [], before: null, payment: 'none', stepsWhenPlaced: null },
  refunded: { next: [], before: null, payment: 'final', stepsWhenPlaced: null },
};

/** The statuses for which this holds, in their order. */
export function statusesThat(holds: (stage: Stage) => boolean): OrderStatus[] {
  return statuses.filter((status) => holds(stages[status]));
}

/** Staff may take orders of these statuses back by one step. */
export const correctableStatuses = statusesThat(({ before }) => before !== null);
/** Staff may say how orders of these statuses were paid. */
export const payableStatuses = statusesThat(({ payment }) => payment === 'changeable');
/** Staff may place orders with these statuses; anybody, open ones. */
export const overTheCounterStatuses = statusesThat(
  ({ stepsWhenPlaced }) => stepsWhenPlaced !== null && stepsWhenPlaced.length > 0,
);

export function stepsWhenPlacedAs(status: OrderStatus): readonly OrderStatus[] {
  return stages[status].stepsWhenPlaced ?? [];
}

export function isCorrection(from: OrderStatus, to: OrderStatus | undefined): boolean {
  return stages[from].before === to;
}

/** Throws unless the caller may change the status of this order to another. */
export function checkTransition(
  order: { readonly id: number; readonly status: OrderStatus },
  to: OrderStatus,
  caller: Caller,
): void {
  const { id, status: from } = order;
  if (from === to) return;
  if (!stages[from].next.includes(to) && !isCorrection(from, to)) {
    const allowed = allowedNext(from, caller);
    const possible = allowed.length === 0 ? 'that status is final' : `it can become ${allowed.join(' or ')}`;
    const detail = `Order ${id} is ${from} and can’t become ${to}; ${possible}.`;
    throw new Problem('invalid-transition', detail, { transition: { from, to, allowed } });
  }
  if (!isStaff(caller) && to !== 'cancelled')
    throw forbidden(`Only staff may set an order to ${to}; its owner may cancel it while it is open.`);
}

/** Returns the statuses that may follow; for staff also the status before. */
function allowedNext(from: OrderStatus, caller: Caller): readonly OrderStatus[] {
  const { next, before } = stages[from];
  return isStaff(caller) && before !== null ? [...next, before] : next;
}

const inStatus = integer({ minimum: 0, description: 'How many have this status now.', examples: [3] });

export const OrderCounts = named(
  'OrderCounts',
  object({
    open: inStatus,
    paid: inStatus,
    shipped: inStatus,
    delivered: inStatus,
    cancelled: inStatus,
    refunded: inStatus,
  } satisfies Record<OrderStatus, Schema<number>>),
);
export type OrderCounts = Infer<typeof OrderCounts>;
