// Clients that change everything at once, and write down beforehand what they ask for and afterwards what was
// answered.
import type { Picker } from '../../src/commands/random-picks.ts';
import type { Ledger, Wanted } from './ledger.ts';
import type { Asked, LoadClient, Reply, Thing } from './load-client.ts';

/** What clients remember of one folder over all crashes. */
export type Memory = {
  readonly ledger: Ledger;
  readonly admin: Person;
  readonly staff: Person;
  /** Names in the ledger, of each client its own. */
  readonly orders: Map<number, string[]>;
  readonly customers: Map<number, string[]>;
  /** Customers that never get an order, so that they can be removed. */
  readonly lonely: Map<number, string[]>;
  readonly users: string[];
  readonly sessions: Map<string, Session>;
  readonly keys: Map<string, string>;
  /** Requests with an Idempotency-Key: with their responses, and without. */
  readonly kept: { readonly asked: Asked; readonly reply: Reply }[];
  readonly unanswered: Map<Asked, { readonly name: string; close(): void }>;
};

export type Person = { readonly id: number; readonly token: string };
/** `refreshToken` is undefined while nobody knows which one is current. */
export type Session = { readonly accessToken: string; refreshToken: string | undefined };

export type Round = {
  readonly memory: Memory;
  readonly client: LoadClient;
  readonly picker: Picker;
  /** Unique in the folder: begins each name. */
  readonly label: string;
  isOver(): boolean;
  /** A response that should not have been given, or no response while the service lives. */
  violation(sentence: string): void;
  readonly counts: { answered: number; unanswered: number };
};

export const password = 'a password for torture';
const keyShare = 0.4;
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
      round.violation(
        `Client ${client} had no right response: ${error instanceof Error ? error.message : String(error)}`,
      );
  }
}

type Change = Asked & { readonly name: string; readonly wanted: Wanted; readonly success: number };

/** Throws without the right response. What was wanted stays open if there was none at all. */
async function change(
  { memory, client, counts }: Round,
  { name, wanted, success, ...asked }: Change,
): Promise<Reply> {
  const attempt = memory.ledger.sent(wanted);
  const isKeyed = asked.headers?.['idempotency-key'] !== undefined;
  if (isKeyed) memory.unanswered.set(asked, { name, close: attempt.close });
  counts.unanswered += 1;
  const reply = await client.ask(asked);
  counts.unanswered -= 1;
  if (reply.status !== success)
    throw new Error(`${asked.method} ${asked.path} gave ${reply.status}: ${reply.text}`);
  counts.answered += 1;
  attempt.close();
  for (const [each, thing] of wanted) memory.ledger.answered(each, thing);
  memory.unanswered.delete(asked);
  if (isKeyed) memory.kept.push({ asked, reply });
  return reply;
}

/** The response shows the thing, whole. */
async function changeShown(round: Round, asked: Change): Promise<Thing> {
  const { thing } = await change(round, asked);
  round.memory.ledger.answered(asked.name, thing);
  return thing;
}

async function changeOrders(round: Round, client: number): Promise<void> {
  const share = round.picker.float();
  const order = picked(round, round.memory.orders, client);
  const customer = picked(round, round.memory.customers, client);
  const lonely = picked(round, round.memory.lonely, client);
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
  const sent = { name: tag, email: `${tag}@example.com`, phone: null, address: someAddress(round.picker) };
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

function newOrder(
  { picker }: Round,
  tag: string,
  customer: Thing,
  userId: number,
): { readonly sent: Thing; readonly wanted: Thing } {
  const core = {
    customerId: customer['id'],
    currency: picker.pick(['EUR', 'USD', 'JPY']),
    shippingAddress: someAddress(picker),
    note: tag,
    userId,
  };
  const { items, total } = someItems(picker);
  return {
    sent: { ...core, items },
    wanted: {
      ...core,
      items: items.map((item) => ({ ...item, total: item.quantity * item.unitPrice })),
      total,
      status: 'open',
    },
  };
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

/** A user has at most 50 keys, and in ten rounds 40 are never deleted, as a kill cut off their response. */
const keysKeptMax = 5;

async function changeKey(round: Round, client: number): Promise<void> {
  const { ledger, keys, staff } = round.memory;
  const tag = newTag(round, client);
  const name = `key ${tag}`;
  const sent = { name: tag, scopes: ['orders:read'] };
  const {
    thing: { key, ...made },
  } = await change(round, {
    method: 'POST',
    path: '/api/keys',
    token: staff.token,
    body: sent,
    name,
    wanted: new Map([[name, sent]]),
    success: 201,
  });
  ledger.answered(name, made);
  keys.set(name, String(key));
  if (round.picker.float() < 0.5 && keys.size <= keysKeptMax) return;
  await change(round, {
    method: 'DELETE',
    path: `/api/keys/${made['id']}`,
    token: staff.token,
    name,
    wanted: new Map([[name, undefined]]),
    success: 204,
  });
}

/**
 * Makes a user, or changes one, or gives one a customer with an order and deletes the user: all three change,
 * or none.
 */
async function changeUsers(round: Round): Promise<void> {
  const {
    picker,
    memory: { ledger, admin, users },
  } = round;
  const [name] = users.filter((each) => ledger.known(each) !== undefined);
  const user = name === undefined ? undefined : ledger.known(name);
  const share = picker.float();
  if (name === undefined || user === undefined || share < 0.3) return addUser(round);
  const path = `/api/users/${user['id']}`;
  if (share < 0.8) {
    const changes = { name: `${picker.digits('Number ####')}`, role: picker.pick(['user', 'staff']) };
    await changeShown(round, {
      method: 'PATCH',
      path,
      token: admin.token,
      body: changes,
      name,
      wanted: new Map([[name, after(user, changes)]]),
      success: 200,
    });
    return;
  }
  await addOwned(round, Number(user['id']));
  const owned = ledger
    .having('userId', user['id'])
    .map(([each, thing]) => [each, { ...thing, userId: null }] as const);
  const wanted = new Map([[name, undefined], ...owned]);
  await change(round, { method: 'DELETE', path, token: admin.token, name, wanted, success: 204 });
}

async function addUser(round: Round): Promise<void> {
  const email = `${newTag(round, 0)}@example.com`;
  const sent = { name: 'Ada Lovelace', email };
  const name = `user ${email}`;
  await changeShown(round, {
    method: 'POST',
    path: '/api/users',
    token: round.memory.admin.token,
    body: { ...sent, password },
    headers: maybeKey(round, email),
    name,
    wanted: new Map([[name, { ...sent, role: 'user' }]]),
    success: 201,
  });
  round.memory.users.push(name);
}

async function addOwned(round: Round, userId: number): Promise<void> {
  const { token } = round.memory.staff;
  const tag = newTag(round, 0);
  const [customerName, orderName] = [`customer ${tag}`, `order ${tag}`];
  const customer = { name: tag, email: null, phone: null, address: null, userId };
  const madeCustomer = await changeShown(round, {
    method: 'POST',
    path: '/customers',
    token,
    body: customer,
    name: customerName,
    wanted: new Map([[customerName, customer]]),
    success: 201,
  });
  const { sent, wanted } = newOrder(round, tag, madeCustomer, userId);
  await changeShown(round, {
    method: 'POST',
    path: '/orders',
    token,
    body: sent,
    name: orderName,
    wanted: new Map([[orderName, wanted]]),
    success: 201,
  });
}

/** Signs in, renews the tokens some times, and mostly signs out. */
async function changeSessions(round: Round): Promise<void> {
  const {
    picker,
    memory: { ledger, sessions, admin },
  } = round;
  const [name, refreshToken] =
    [...sessions]
      .map(([each, session]) => [each, session.refreshToken] as const)
      .find(([each, token]) => token !== undefined && ledger.known(each) !== undefined) ?? [];
  const share = picker.float();
  if (name === undefined || refreshToken === undefined || share < 0.15) return signInAgain(round);
  const known = ledger.known(name) ?? {};
  if (share < 0.85) return renew(round, name, refreshToken, known);
  await change(round, {
    method: 'DELETE',
    path: `/api/sessions/${known['id']}`,
    token: admin.token,
    name,
    wanted: new Map([[name, undefined]]),
    success: 204,
  });
}

async function signInAgain(round: Round): Promise<void> {
  const { ledger, sessions, staff } = round.memory;
  const userAgent = newTag(round, 0);
  const name = `session ${userAgent}`;
  const { thing } = await change(round, {
    method: 'POST',
    path: '/api/sessions',
    body: { email: staffEmail, password },
    headers: { 'user-agent': userAgent },
    name,
    wanted: new Map([[name, { userId: staff.id, userAgent }]]),
    success: 201,
  });
  ledger.answered(name, sessionOf(thing, userAgent));
  sessions.set(name, {
    accessToken: String(thing['accessToken']),
    refreshToken: String(thing['refreshToken']),
  });
}

export const staffEmail = 'staff@example.com';

export async function renew(
  round: Round,
  name: string,
  refreshToken: string,
  { id, userId, createdAt, userAgent }: Thing,
): Promise<void> {
  const { ledger, sessions } = round.memory;
  sessions.set(name, { accessToken: sessions.get(name)?.accessToken ?? '', refreshToken: undefined });
  const { thing } = await change(round, {
    method: 'POST',
    path: `/api/sessions/${id}/tokens`,
    body: { refreshToken },
    name,
    wanted: new Map([[name, { id, userId, createdAt, userAgent }]]),
    success: 201,
  });
  ledger.answered(name, sessionOf(thing, String(userAgent)));
  sessions.set(name, {
    accessToken: String(thing['accessToken']),
    refreshToken: String(thing['refreshToken']),
  });
}

function sessionOf({ id, userId, createdAt, expiresAt }: Thing, userAgent: string): Thing {
  return { id, userId, createdAt, expiresAt, userAgent };
}

/** One that is there, as far as is known. */
function picked(
  { picker, memory: { ledger } }: Round,
  names: Map<number, string[]>,
  client: number,
): { readonly name: string; readonly thing: Thing } | undefined {
  const mine = own(names, client);
  const name = mine.length === 0 ? '' : picker.pick(mine);
  const thing = ledger.known(name);
  if (thing === undefined && name !== '')
    names.set(
      client,
      mine.filter((each) => each !== name),
    );
  return thing === undefined ? undefined : { name, thing };
}

function own(names: Map<number, string[]>, client: number): string[] {
  const mine = names.get(client) ?? [];
  names.set(client, mine);
  return mine;
}

/** `updatedAt` becomes what the service says. */
function after({ updatedAt: _, ...before }: Thing, changes: Thing): Thing {
  return { ...before, ...changes };
}

function newTag({ label, picker }: Round, client: number): string {
  return `${label}-${client}-${picker.digits('##########')}`;
}

function maybeKey({ picker }: Round, tag: string): Readonly<Record<string, string>> {
  return picker.float() < keyShare ? { 'idempotency-key': tag } : {};
}

function someItems(picker: Picker): {
  readonly items: {
    readonly sku: string | null;
    readonly name: string;
    readonly quantity: number;
    readonly unitPrice: number;
  }[];
  readonly total: number;
} {
  // Some take several pages of the database, so that there is something to be left half written.
  const items = Array.from({ length: picker.float() < 0.1 ? 100 : picker.integer(1, 4) }, () => ({
    sku: picker.pick([null, picker.digits('TEA-###')]),
    name: picker.pick(['Green tea', 'Teapot', `Kettle ${'with a long handle '.repeat(5)}`]),
    quantity: picker.integer(1, 20),
    unitPrice: picker.integer(0, 99_999),
  }));
  return { items, total: items.reduce((sum, { quantity, unitPrice }) => sum + quantity * unitPrice, 0) };
}

function someAddress(picker: Picker): Thing {
  return {
    name: null,
    line1: picker.digits('Hafenstraße ##'),
    line2: null,
    city: 'Oldenburg',
    region: null,
    postalCode: picker.digits('261##'),
    country: 'DE',
  };
}
