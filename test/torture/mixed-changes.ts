// A change by a client of the torture test, noted in the ledger before it is sent and when it is answered.
import type { Picker } from '../../src/commands/sample-data.ts';
import type { Ledger, Wanted } from './ledger.ts';
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

type Change = LoadRequest & { readonly name: string; readonly wanted: Wanted; readonly success: number };

/** Throws if the status isn't `success`. Without a response the ledger's attempt stays open. */
export async function change(
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

export function someItems(picker: Picker): {
  readonly items: {
    readonly sku: string | null;
    readonly name: string;
    readonly quantity: number;
    readonly unitPrice: number;
  }[];
  readonly total: number;
} {
  // Some fill several pages of the database, so that a kill could leave them half written.
  const items = Array.from({ length: picker.float() < 0.1 ? 100 : picker.integer(1, 4) }, () => ({
    sku: picker.pick([null, picker.digits('TEA-###')]),
    name: picker.pick(['Green tea', 'Teapot', `Kettle ${'with a long handle '.repeat(5)}`]),
    quantity: picker.integer(1, 20),
    unitPrice: picker.integer(0, 99_999),
  }));
  return { items, total: items.reduce((sum, { quantity, unitPrice }) => sum + quantity * unitPrice, 0) };
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

export function newOrder(
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
      payment: null,
      metadata: {},
    },
  };
}
