// Clients that change everything at once: each notes in the ledger what it asks for, and then the response.
import type { Thing } from '../support/load-client.ts';
import {
  change,
  changeShown,
  pickExisting,
  own,
  after,
  newTag,
  maybeKey,
  someItems,
  someAddress,
  newOrder,
  type Round,
} from './mixed-changes.ts';
import { changeKey, changeSessions, changeUsers } from './mixed-accounts.ts';

const clientsOfOrders = 58;
const clientsOfKeys = 4;

/** Runs 64 clients until the round is over. */
export async function writeAll(round: Round): Promise<void> {
  const clients = [
    ...Array.from({ length: clientsOfOrders }, (_, client) => () => changeOrders(round, client)),
    ...Array.from({ length: clientsOfKeys }, (_, client) => () => changeKey(round, client)),
    () => changeUsers(round),
    () => changeSessions(round),
  ];
  await Promise.all(clients.map((step, client) => repeat(round, client, step)));
}

async function repeat(round: Round, client: number, step: () => Promise<void>): Promise<void> {
  try {
    while (!round.isOver()) await step();
  } catch (error) {
    if (!round.isOver())
      round.violation(`Client ${client} failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function changeOrders(round: Round, client: number): Promise<void> {
  const share = round.picker.float();
  const order = pickExisting(round, round.memory.orders, client);
  const customer = pickExisting(round, round.memory.customers, client);
  const lonely = pickExisting(round, round.memory.lonely, client);
  if (customer === undefined || share < 0.03) return addCustomer(round, client, round.memory.customers);
  if (lonely === undefined || share < 0.1) return addCustomer(round, client, round.memory.lonely);
  if (share < 0.17) return changeCustomer(round, customer.name, customer.thing);
  if (share < 0.22) return removeCustomer(round, lonely.name, lonely.thing);
  if (order === undefined || share < 0.65) return addOrder(round, client, customer.thing);
  if (share < 0.72 && order.thing['status'] === 'open') return changeItems(round, order.name, order.thing);
  return moveOrder(round, order.name, order.thing);
}

async function addCustomer(round: Round, client: number, names: Map<number, string[]>): Promise<void> {
  const tag = newTag(round, client);
  const address = someAddress(round.picker);
  const sent = {
    name: tag,
    email: `${tag}@example.com`,
    phone: null,
    address,
    note: null,
    reference: null,
    metadata: {},
  };
  const name = `customer ${tag}`;
  await changeShown(round, {
    method: 'POST',
    path: '/customers',
    token: round.memory.staff.token,
    body: sent,
    headers: maybeKey(round, tag),
    name,
    wanted: new Map([[name, { ...sent, userId: round.memory.staff.id }]]),
    success: 201,
  });
  own(names, client).push(name);
}

async function changeCustomer(round: Round, name: string, customer: Thing): Promise<void> {
  const changes = {
    phone: `+4930${round.picker.digits('######')}`,
    address: round.picker.pick([null, someAddress(round.picker)]),
  };
  const isPut = round.picker.float() < 0.5;
  await changeShown(round, {
    method: isPut ? 'PUT' : 'PATCH',
    path: `/customers/${customer['id']}`,
    token: round.memory.staff.token,
    body: isPut ? { ...customer, ...changes } : changes,
    name,
    wanted: new Map([[name, after(customer, changes)]]),
    success: 200,
  });
}

async function removeCustomer(round: Round, name: string, customer: Thing): Promise<void> {
  await change(round, {
    method: 'DELETE',
    path: `/customers/${customer['id']}`,
    token: round.memory.staff.token,
    name,
    wanted: new Map([[name, undefined]]),
    success: 204,
  });
}

async function addOrder(round: Round, client: number, customer: Thing): Promise<void> {
  const tag = newTag(round, client);
  const { sent, wanted } = newOrder(round, tag, customer, round.memory.staff.id);
  const name = `order ${tag}`;
  await changeShown(round, {
    method: 'POST',
    path: '/orders',
    token: round.memory.staff.token,
    body: sent,
    headers: maybeKey(round, tag),
    name,
    wanted: new Map([[name, wanted]]),
    success: 201,
  });
  own(round.memory.orders, client).push(name);
}

async function changeItems(round: Round, name: string, order: Thing): Promise<void> {
  const { items, total } = someItems(round.picker);
  const wanted = after(order, {
    items: items.map((item) => ({ ...item, total: item.quantity * item.unitPrice })),
    total,
  });
  await changeShown(round, {
    method: 'PATCH',
    path: `/orders/${order['id']}`,
    token: round.memory.staff.token,
    body: { items },
    headers: maybeKey(round, newTag(round, 0)),
    name,
    wanted: new Map([[name, wanted]]),
    success: 200,
  });
}

const steps: Readonly<Record<string, readonly string[]>> = {
  open: ['paid', 'paid', 'cancelled'],
  paid: ['shipped', 'refunded'],
  shipped: ['delivered', 'refunded'],
  delivered: ['refunded'],
};

async function moveOrder(round: Round, name: string, order: Thing): Promise<void> {
  const next = steps[String(order['status'])];
  if (next === undefined) return;
  const status = round.picker.pick(next);
  await changeShown(round, {
    method: 'PATCH',
    path: `/orders/${order['id']}`,
    token: round.memory.staff.token,
    body: { status },
    headers: maybeKey(round, newTag(round, 0)),
    name,
    wanted: new Map([[name, after(order, { status })]]),
    success: 200,
  });
}
