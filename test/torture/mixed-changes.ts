// A change as the clients of the torture test make it: written down beforehand, and with what was answered.
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
type Session = { readonly accessToken: string; refreshToken: string | undefined };

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

type Change = Asked & { readonly name: string; readonly wanted: Wanted; readonly success: number };

/** Throws without the right response. What was wanted stays open if there was none at all. */
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

/** The response shows the thing, whole. */
export async function changeShown(round: Round, asked: Change): Promise<Thing> {
  const { thing } = await change(round, asked);
  round.memory.ledger.answered(asked.name, thing);
  return thing;
}

/** One that is there, as far as is known. */
export function picked(
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

/** `updatedAt` becomes what the service says. */
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
  // Some take several pages of the database, so that there is something to be left half written.
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
    },
  };
}
