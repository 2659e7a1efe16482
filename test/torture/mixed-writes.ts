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
  newCustomer,
  newOrder,
  type Content,
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
  const { sent, wanted } = newCustomer(round, tag, round.memory.staff.id);
  const name = `customer ${tag}`;
  const headers = maybeKey(round, tag);
  await changeShown(round, { method: 'POST', path: '/customers', body: sent, headers, name, wanted });
  own(names, client).push(name);
}

async function changeCustomer(round: Round, name: string, customer: Thing): Promise<void> {
  const { picker } = round;
  const changes = {
    phone: `+4930${picker.digits('######')}`,
    address: picker.pick([null, someAddress(picker)]),
  };
  const method = picker.pick(['PUT', 'PATCH'] as const);
  const path = `/customers/${customer['id']}`;
  const body = method === 'PUT' ? { ...customer, ...changes } : changes;
  await changeShown(round, { method, path, body, name, wanted: after(customer, changes) });
}

async function removeCustomer(round: Round, name: string, { id }: Thing): Promise<void> {
  await change(round, { method: 'DELETE', path: `/customers/${id}`, name, wanted: undefined });
}

async function addOrder(round: Round, client: number, customer: Thing): Promise<void> {
  const tag = newTag(round, client);
  const { sent, wanted } = newOrder(round, tag, customer, round.memory.staff.id);
  const name = `order ${tag}`;
  const headers = maybeKey(round, tag);
  await changeShown(round, { method: 'POST', path: '/orders', body: sent, headers, name, wanted });
  own(round.memory.orders, client).push(name);
}

async function changeItems(round: Round, name: string, order: Thing): Promise<void> {
  const { sent, wanted } = someItems(round.picker);
  await changeOrder(round, name, order, { sent, wanted });
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
  const sent = { status: round.picker.pick(next) };
  await changeOrder(round, name, order, { sent, wanted: sent });
}

async function changeOrder(
  round: Round,
  name: string,
  order: Thing,
  { sent, wanted }: Content,
): Promise<void> {
  const headers = maybeKey(round, newTag(round, 0));
  const path = `/orders/${order['id']}`;
  await changeShown(round, {
    method: 'PATCH',
    path,
    body: sent,
    headers,
    name,
    wanted: after(order, wanted),
  });
}
