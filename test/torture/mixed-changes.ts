// Clients that change everything at once: each notes in the ledger what it asks for before it asks, and then the
// response.
import type { Picker } from '../../src/commands/sample-data.ts';
import type { LoadRequest, LoadClient, Reply, Thing } from '../support/load-client.ts';
import type { Ledger } from './ledger.ts';

/** What clients remember of one data folder over all crashes. */
export type Memory = {
  readonly ledger: Ledger;
  readonly admin: Person;
  readonly staff: Person;
  /** The names in the ledger of what was made, by kind, and by client for orders and customers. */
  readonly made: Map<string, string[]>;
  readonly sessions: Map<string, Session>;
  readonly keys: Map<string, string>;
  /** Requests with an Idempotency-Key: those with a response, and those without one. */
  readonly kept: { readonly asked: LoadRequest; readonly reply: Reply }[];
  readonly unanswered: Map<LoadRequest, { readonly name: string; close(): void }>;
};

export type Person = { readonly id: number; readonly token: string };
/** `refreshToken` is undefined while nobody knows which one is current. */
type Session = { readonly accessToken: string; readonly refreshToken: string | undefined };

export type Round = {
  readonly memory: Memory;
  readonly client: LoadClient;
  readonly picker: Picker;
  /** Unique in the folder; each name begins with it. */
  readonly label: string;
  isOver(): boolean;
  /** Reports a wrong response, or none while the service ran. */
  violation(sentence: string): void;
  readonly counts: { answered: number; unanswered: number };
};

export const password = 'a password for torture';
export const staffEmail = 'staff@example.com';
const clientsOfOrders = 58;
const clientsOfKeys = 4;
/** A user has at most 50 keys; of ten rounds 40 are never deleted, since a kill cut off their response. */
const keysKeptMax = 5;
const keyedShare = 0.4;

/** Runs 64 clients until the round is over. */
export async function writeAll(round: Round): Promise<void> {
  const steps = [
    ...Array.from({ length: clientsOfOrders }, (_, client) => () => changeOrders(round, client)),
    ...Array.from({ length: clientsOfKeys }, () => () => changeKey(round)),
    () => changeUsers(round),
    () => changeSessions(round),
  ];
  const repeat = async (step: () => Promise<unknown>, client: number): Promise<void> => {
    try {
      while (!round.isOver()) await step();
    } catch (error) {
      if (!round.isOver()) round.violation(`Client ${client} failed: ${String(error)}`);
    }
  };
  await Promise.all(steps.map(repeat));
}

type Change = LoadRequest & {
  /** Of the thing in the ledger. */
  readonly name: string;
  /** What it is afterwards, as far as the client knows; undefined if the request removes it. */
  readonly wanted: Thing | undefined;
  /** What else changes with it. */
  readonly others?: readonly (readonly [name: string, thing: Thing])[];
};
const success = { GET: 200, POST: 201, PUT: 200, PATCH: 200, DELETE: 204 };

/** Throws if the status isn't that of success. Without a response the ledger's attempt stays open. */
async function change(round: Round, { name, wanted: thing, others = [], ...rest }: Change): Promise<Thing> {
  const { memory, client, counts } = round;
  const asked: LoadRequest = { token: memory.staff.token, ...rest };
  const wanted = new Map([[name, thing], ...others]);
  const attempt = memory.ledger.sent(wanted);
  const isKeyed = asked.headers?.['idempotency-key'] !== undefined;
  if (isKeyed) memory.unanswered.set(asked, { name, close: attempt.close });
  counts.unanswered += 1;
  const reply = await client.ask(asked);
  counts.unanswered -= 1;
  if (reply.status !== success[asked.method])
    throw new Error(`${asked.method} ${asked.path} gave ${reply.status}: ${reply.text}`);
  counts.answered += 1;
  attempt.close();
  for (const [each, state] of wanted) memory.ledger.answered(each, state);
  memory.unanswered.delete(asked);
  if (isKeyed) memory.kept.push({ asked, reply });
  return reply.thing;
}

/** For a response whose body is the thing. */
async function changeShown(round: Round, asked: Change): Promise<Thing> {
  const thing = await change(round, asked);
  round.memory.ledger.answered(asked.name, thing);
  return thing;
}

/** What a client sends, and what the thing is afterwards. */
type Content = { readonly sent: Thing; readonly wanted: Thing };
type Creation = Content & { readonly path: string; readonly kind: string; readonly tag: string };

/** Creates what `list` of the memory then names. */
async function create(
  round: Round,
  list: string,
  { path, kind, tag, sent, wanted }: Creation,
): Promise<Thing> {
  const { admin, staff, made } = round.memory;
  const { token } = kind === 'user' ? admin : staff;
  const name = `${kind} ${tag}`;
  const headers = maybeKey(round, tag);
  const thing = await changeShown(round, { method: 'POST', path, token, body: sent, headers, name, wanted });
  made.set(list, [...(made.get(list) ?? []), name]);
  return thing;
}

type Found = { readonly name: string; readonly thing: Thing };

/** Returns one thing of a list that exists, as far as is known. */
function pickMade({ picker, memory: { ledger, made } }: Round, list: string): Found | undefined {
  const names = (made.get(list) ?? []).filter((each) => ledger.known(each) !== undefined);
  made.set(list, names);
  const name = names.length === 0 ? '' : picker.pick(names);
  const thing = ledger.known(name);
  return thing === undefined ? undefined : { name, thing };
}

async function changeOrders(round: Round, client: number): Promise<unknown> {
  const share = round.picker.float();
  const order = pickMade(round, `orders ${client}`);
  const customer = pickMade(round, `customers ${client}`);
  const lonely = pickMade(round, `customers without orders ${client}`); // so that they can be removed
  if (customer === undefined || share < 0.03) return create(round, `customers ${client}`, newCustomer(round));
  if (lonely === undefined || share < 0.1)
    return create(round, `customers without orders ${client}`, newCustomer(round));
  if (share < 0.17) return changeCustomer(round, customer);
  if (share < 0.22) return remove(round, `/customers/${lonely.thing['id']}`, lonely.name);
  if (order === undefined || share < 0.65)
    return create(round, `orders ${client}`, newOrder(round, customer.thing));
  const isOpen = order.thing['status'] === 'open';
  return changeOrder(round, order, share < 0.72 && isOpen ? someItems(round.picker) : nextStep(round, order));
}

function remove(round: Round, path: string, name: string): Promise<Thing> {
  return change(round, { method: 'DELETE', path, name, wanted: undefined });
}

function changeCustomer(round: Round, { name, thing }: Found): Promise<Thing> {
  const { picker } = round;
  const address = picker.pick([null, someAddress(picker)]);
  const changes = { phone: `+4930${picker.digits('######')}`, address };
  const method = picker.pick(['PUT', 'PATCH'] as const);
  const body = method === 'PUT' ? { ...thing, ...changes } : changes;
  const path = `/customers/${thing['id']}`;
  return changeShown(round, { method, path, body, name, wanted: after(thing, changes) });
}

const steps: Readonly<Record<string, readonly string[]>> = {
  open: ['paid', 'paid', 'cancelled'],
  paid: ['shipped', 'refunded'],
  shipped: ['delivered', 'refunded'],
  delivered: ['refunded'],
};

function nextStep({ picker }: Round, { thing }: Found): Content | undefined {
  const next = steps[String(thing['status'])];
  const sent = next && { status: picker.pick(next) };
  return sent && { sent, wanted: sent };
}

async function changeOrder(
  round: Round,
  { name, thing }: Found,
  content: Content | undefined,
): Promise<void> {
  if (content === undefined) return; // it is in its last status
  const { sent: body, wanted } = content;
  const headers = maybeKey(round, newTag(round));
  const path = `/orders/${thing['id']}`;
  await changeShown(round, { method: 'PATCH', path, body, headers, name, wanted: after(thing, wanted) });
}

async function changeKey(round: Round): Promise<void> {
  const { ledger, keys } = round.memory;
  const tag = newTag(round);
  const name = `key ${tag}`;
  const body = { name: tag, scopes: ['orders:read'] };
  const { key, ...shown } = await change(round, {
    method: 'POST',
    path: '/api/keys',
    body,
    name,
    wanted: body,
  });
  ledger.answered(name, shown);
  keys.set(name, String(key));
  if (round.picker.float() < 0.5 && keys.size <= keysKeptMax) return;
  await remove(round, `/api/keys/${shown['id']}`, name);
}

/**
 * Creates a user, changes one, or gives one a customer with an order and deletes the user, which changes all
 * three or none.
 */
async function changeUsers(round: Round): Promise<unknown> {
  const { picker, memory } = round;
  const { token } = memory.admin;
  const user = pickMade(round, 'users');
  const share = picker.float();
  if (user === undefined || share < 0.3) {
    const tag = `${newTag(round)}@example.com`;
    const shown = { name: 'Ada Lovelace', email: tag };
    const content = { sent: { ...shown, password }, wanted: { ...shown, role: 'user' } };
    return create(round, 'users', { path: '/api/users', kind: 'user', tag, ...content });
  }
  const { name, thing } = user;
  const path = `/api/users/${thing['id']}`;
  if (share < 0.8) {
    const body = { name: picker.digits('Number ####'), role: picker.pick(['user', 'staff']) };
    return changeShown(round, { method: 'PATCH', path, token, body, name, wanted: after(thing, body) });
  }
  const userId = thing['id'];
  const customer = await create(round, 'of others', newCustomer(round, userId));
  await create(round, 'of others', newOrder(round, customer, userId));
  const owned = memory.ledger.having('userId', userId);
  const others = owned.map(([each, its]) => [each, { ...its, userId: null }] as const);
  return change(round, { method: 'DELETE', path, token, name, wanted: undefined, others });
}

/** Signs in, renews tokens, or signs out. */
async function changeSessions(round: Round): Promise<unknown> {
  const { ledger, sessions, admin, staff } = round.memory;
  const name = [...sessions.keys()].find(
    (each) => sessions.get(each)?.refreshToken !== undefined && ledger.known(each) !== undefined,
  );
  const share = round.picker.float();
  if (name !== undefined && share >= 0.85) {
    const path = `/api/sessions/${ledger.known(name)?.['id']}`;
    return change(round, { method: 'DELETE', path, token: admin.token, name, wanted: undefined });
  }
  if (name !== undefined && share >= 0.15) return renew(round, name);
  const userAgent = newTag(round);
  const asked = { method: 'POST', path: '/api/sessions', token: undefined } as const;
  const headers = { 'user-agent': userAgent };
  const body = { email: staffEmail, password };
  const wanted = { userId: staff.id, userAgent };
  return changeSession(round, { ...asked, headers, body, name: `session ${userAgent}`, wanted });
}

/** Renews the tokens of a session that exists. */
export async function renew(round: Round, name: string): Promise<void> {
  const { ledger, sessions } = round.memory;
  const { id, userId, createdAt, userAgent } = ledger.known(name) ?? {};
  const { accessToken = '', refreshToken } = sessions.get(name) ?? {};
  sessions.set(name, { accessToken, refreshToken: undefined });
  const asked = { method: 'POST', path: `/api/sessions/${id}/tokens`, token: undefined } as const;
  const wanted = { id, userId, createdAt, userAgent };
  await changeSession(round, { ...asked, body: { refreshToken }, name, wanted });
}

async function changeSession(round: Round, asked: Change): Promise<void> {
  const { id, userId, createdAt, expiresAt, accessToken, refreshToken } = await change(round, asked);
  const userAgent = asked.wanted?.['userAgent'];
  round.memory.ledger.answered(asked.name, { id, userId, createdAt, expiresAt, userAgent });
  const tokens = { accessToken: String(accessToken), refreshToken: String(refreshToken) };
  round.memory.sessions.set(asked.name, tokens);
}

/** `updatedAt` is left out, since the service sets it. */
function after({ updatedAt: _, ...before }: Thing, changes: Thing): Thing {
  return { ...before, ...changes };
}

function newTag({ label, picker }: Round): string {
  return `${label}-${picker.digits('############')}`;
}

function maybeKey({ picker }: Round, tag: string): Readonly<Record<string, string>> {
  return picker.float() < keyedShare ? { 'idempotency-key': tag } : {};
}

/** Items as they are sent, and as they are shown with their total. */
function someItems(picker: Picker): Content {
  // some fill several pages of the database, so that a kill could leave them half written
  const items = Array.from({ length: picker.float() < 0.1 ? 100 : picker.integer(1, 4) }, () => ({
    sku: picker.pick([null, picker.digits('TEA-###')]),
    name: picker.pick(['Green tea', 'Teapot', `Kettle ${'with a long handle '.repeat(5)}`]),
    quantity: picker.integer(1, 20),
    unitPrice: picker.integer(0, 99_999),
  }));
  const shown = items.map((item) => ({ ...item, total: item.quantity * item.unitPrice }));
  const total = shown.reduce((sum, item) => sum + item.total, 0);
  return { sent: { items }, wanted: { items: shown, total } };
}

function someAddress(picker: Picker): Thing {
  const city = { city: 'Oldenburg', region: null, postalCode: picker.digits('261##'), country: 'DE' };
  return { name: null, line1: picker.digits('Hafenstraße ##'), line2: null, ...city };
}

/** Its name is the tag. */
function newCustomer(round: Round, userId: unknown = round.memory.staff.id): Creation {
  const tag = newTag(round);
  const absent = { phone: null, note: null, reference: null, metadata: {} };
  const sent = {
    name: tag,
    email: `${tag}@example.com`,
    address: someAddress(round.picker),
    userId,
    ...absent,
  };
  return { path: '/customers', kind: 'customer', tag, sent, wanted: sent };
}

/** Its note is the tag. */
function newOrder(round: Round, customer: Thing, userId: unknown = round.memory.staff.id): Creation {
  const { picker } = round;
  const tag = newTag(round);
  const currency = picker.pick(['EUR', 'USD', 'JPY']);
  const core = {
    customerId: customer['id'],
    currency,
    shippingAddress: someAddress(picker),
    note: tag,
    userId,
  };
  const items = someItems(picker);
  const first = { status: 'open', payment: null, metadata: {} };
  const wanted = { ...core, ...items.wanted, ...first };
  return { path: '/orders', kind: 'order', tag, sent: { ...core, ...items.sent }, wanted };
}
