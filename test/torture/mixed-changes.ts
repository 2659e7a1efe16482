// A change by a client of the torture test, noted in the ledger before it is sent and when it is answered.
import type { Picker } from '../../src/commands/sample-data.ts';
import type { Ledger } from './ledger.ts';
import type { LoadRequest, LoadClient, Reply, Thing } from '../support/load-client.ts';

/** What clients remember of one data folder over all crashes. */
export type Memory = {
  readonly ledger: Ledger;
  readonly admin: Person;
  readonly staff: Person;
  /** Names in the ledger by client. */
  readonly orders: Map<number, string[]>;
  readonly customers: Map<number, string[]>;
  /** Customers that never get an order, so that they can be removed. */
  readonly lonely: Map<number, string[]>;
  readonly users: string[];
  readonly sessions: Map<string, Session>;
  readonly keys: Map<string, string>;
  /** Requests with an Idempotency-Key: those with a response, and those without one. */
  readonly kept: { readonly asked: LoadRequest; readonly reply: Reply }[];
  readonly unanswered: Map<LoadRequest, { readonly name: string; close(): void }>;
};

export type Person = { readonly id: number; readonly token: string };
/** `refreshToken` is undefined while nobody knows which one is current. */
type Session = { readonly accessToken: string; refreshToken: string | undefined };

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
const keyShare = 0.4;

type Change = LoadRequest & {
  /** Of the thing in the ledger. */
  readonly name: string;
  /** What it is afterwards; undefined if the request removes it. */
  readonly wanted: Thing | undefined;
  /** What else changes with it. */
  readonly others?: readonly (readonly [name: string, thing: Thing])[];
};
const success = { GET: 200, POST: 201, PUT: 200, PATCH: 200, DELETE: 204 };

/** Throws if the status isn't that of success. Without a response the ledger's attempt stays open. */
export async function change(
  { memory, client, counts }: Round,
  { name, wanted: thing, others = [], ...rest }: Change,
): Promise<Reply> {
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
  for (const [each, thing] of wanted) memory.ledger.answered(each, thing);
  memory.unanswered.delete(asked);
  if (isKeyed) memory.kept.push({ asked, reply });
  return reply;
}

/** For a response whose body is the thing. */
export async function changeShown(round: Round, asked: Change): Promise<Thing> {
  const { thing } = await change(round, asked);
  round.memory.ledger.answered(asked.name, thing);
  return thing;
}

/** One of the client's things that exists, as far as is known. */
export function pickExisting(
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

export function own(names: Map<number, string[]>, client: number): string[] {
  const mine = names.get(client) ?? [];
  names.set(client, mine);
  return mine;
}

/** `updatedAt` is left out, since the service sets it. */
export function after({ updatedAt: _, ...before }: Thing, changes: Thing): Thing {
  return { ...before, ...changes };
}

export function newTag({ label, picker }: Round, client: number): string {
  return `${label}-${client}-${picker.digits('##########')}`;
}

export function maybeKey({ picker }: Round, tag: string): Readonly<Record<string, string>> {
  return picker.float() < keyShare ? { 'idempotency-key': tag } : {};
}

export type Content = { readonly sent: Thing; readonly wanted: Thing };

/** Items as they are sent, and as they are shown with their total. */
export function someItems(picker: Picker): Content {
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

export function someAddress(picker: Picker): Thing {
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

/** The content of a new customer, whose name is the tag. */
export function newCustomer({ picker }: Round, tag: string, userId: number): Content {
  const shown = {
    name: tag,
    email: `${tag}@example.com`,
    phone: null,
    note: null,
    reference: null,
    metadata: {},
  };
  const sent = { ...shown, address: someAddress(picker), userId };
  return { sent, wanted: sent };
}

/** That of a new order, whose note is the tag. */
export function newOrder({ picker }: Round, tag: string, customer: Thing, userId: number): Content {
  const core = {
    customerId: customer['id'],
    currency: picker.pick(['EUR', 'USD', 'JPY']),
    shippingAddress: someAddress(picker),
    note: tag,
    userId,
  };
  const items = someItems(picker);
  return {
    sent: { ...core, ...items.sent },
    wanted: { ...core, ...items.wanted, status: 'open', payment: null, metadata: {} },
  };
}
