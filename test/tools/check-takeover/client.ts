// The process on the client: writers that repeat what was not answered, a reader of the stream, and a receiver
// of webhooks. It is given rounds, and says of each what came of its orders.
import { createServer } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import {
  createLoadClient,
  type LoadClient,
  type LoadRequest,
  type Reply,
} from '../../support/load-client.ts';
import { admin } from '../../support/service.ts';
import { addresses, movingAddress, servicePort } from './network.ts';

const writers = 6;
const pauseMilliseconds = 30;
const replyMillisecondsMax = 1_500;
const receiverPort = 9_000;

export type Command =
  | { readonly do: 'begin'; readonly authority: string }
  | { readonly do: 'end' }
  | { readonly do: 'compare webhooks' };
export type Outcome = {
  readonly acknowledged: number;
  readonly missing: number;
  readonly doubled: number;
  /** Of at least half a second. */
  readonly secondsWithoutService: readonly number[];
  /** Responses that nobody expects, such as 401: their number by status and type. */
  readonly unexpected: Readonly<Record<string, number>>;
  readonly eventsMissing: number;
  /** When an order was acknowledged to the writer at the machine's own address. */
  readonly direct: Readonly<Record<'a' | 'b', readonly number[]>>;
};
export type Webhooks = { readonly missing: number; readonly repeated: number };
export type Answer = { readonly outcome?: Outcome; readonly webhooks?: Webhooks };

type Round = {
  readonly customerId: number;
  readonly acknowledged: { readonly id: number; readonly note: string; readonly at: number }[];
  readonly direct: Record<'a' | 'b', number[]>;
  readonly unexpected: Record<string, number>;
  readonly cursor: string;
  readonly events: number[];
  readonly loops: Promise<void>[];
  /** No more orders are placed. */
  isOver: boolean;
  /** The stream is not read any more. */
  isRead: boolean;
};

const delivered: number[] = [];
let rounds = 0;
let trust = {};
let clients: Readonly<Record<string, LoadClient>> = {};
let token: string | undefined;
let round: Round | undefined;
let firstCursor = '';

createServer((incoming, response) => {
  void textOf(incoming).then((text) => {
    delivered.push(JSON.parse(text).id);
    response.writeHead(204).end();
  });
}).listen(receiverPort, addresses.c);

process.on('message', (command: Command) => void obey(command).then((answer) => process.send?.(answer)));
process.on('disconnect', () => process.exit()); // the check has ended, perhaps while this began

async function obey(command: Command): Promise<Answer> {
  if (command.do === 'begin') round = await beginRound(command.authority);
  if (command.do === 'end' && round !== undefined) return { outcome: await outcomeOf(round) };
  return command.do === 'compare webhooks' ? { webhooks: await comparedWebhooks() } : {};
}

/** The only sign-in of a round, before anything happens. */
async function beginRound(ca: string): Promise<Round> {
  trust = { ca, checkServerIdentity: () => undefined };
  const headers = { host: `${movingAddress}:${servicePort}` };
  const clientOf = (host: string) =>
    createLoadClient(servicePort, { host, tls: trust, headers, replyMillisecondsMax });
  const hosts = [movingAddress, addresses.a, addresses.b];
  clients = Object.fromEntries(hosts.map((host) => [host, clientOf(host)]));
  token = undefined;
  token = String((await untilAnswered('POST', '/api/sessions', admin)).thing['accessToken']);
  const customer = await untilAnswered('POST', '/customers', { name: 'Grace Hopper' });
  const { thing: page } = await untilAnswered('GET', '/events?from=latest');
  const cursor = new URL(String(page['next']), `https://${movingAddress}`).searchParams.get('cursor') ?? '';
  if (rounds === 0) {
    firstCursor = cursor;
    const url = `http://${addresses.c}:${receiverPort}/`;
    await untilAnswered('POST', '/webhooks', { url, types: ['order.created'] });
  }
  rounds += 1;
  const begun: Round = {
    customerId: Number(customer.thing['id']),
    acknowledged: [],
    direct: { a: [], b: [] },
    unexpected: {},
    cursor,
    events: [],
    loops: [],
    isOver: false,
    isRead: false,
  };
  for (let index = 0; index < writers; index += 1) begun.loops.push(write(begun, index));
  for (const machine of ['a', 'b'] as const) begun.loops.push(writeTo(begun, machine));
  void readStream(begun);
  return begun;
}

/** Repeats each order with its key until it is answered. */
async function write(current: Round, index: number): Promise<void> {
  for (let count = 0; !current.isOver; count += 1)
    for (let status: number | undefined; status === undefined;) {
      status = await place(current, `${rounds}-${index}-${count}`, movingAddress);
      await pause(pauseMilliseconds);
    }
}

/** At the machine's own address, whether it has the moving one or not; nothing is repeated. */
async function writeTo(current: Round, machine: 'a' | 'b'): Promise<void> {
  for (let count = 0; !current.isOver; count += 1) {
    const status = await place(current, `${rounds}-${machine}-${count}`, addresses[machine]);
    if (status === 201) current.direct[machine].push(Date.now());
    await pause(pauseMilliseconds);
  }
}

/** Returns undefined if the order is to be placed again. */
async function place(current: Round, note: string, host: string): Promise<number | undefined> {
  const items = [{ name: 'Tea', quantity: 1, unitPrice: 100 }];
  const body = { customerId: current.customerId, currency: 'EUR', items, note };
  const asked: LoadRequest = { method: 'POST', path: '/orders', token, body };
  const headers = { 'idempotency-key': note };
  const reply = await clients[host]?.ask({ ...asked, headers }).catch(() => undefined);
  if (reply === undefined || !isFinal(current, reply)) return undefined;
  if (reply.status === 201)
    current.acknowledged.push({ id: Number(reply.thing['id']), note, at: performance.now() });
  return reply.status;
}

/** 503: the disk is gone. 409: the same order is still waiting for the disk. Both ask for a repetition. */
function isFinal({ unexpected }: Round, { status, thing }: Pick<Reply, 'status' | 'thing'>): boolean {
  if (status === 503 || thing['code'] === 'idempotency-key-in-progress') return false;
  const name = `${status} ${String(thing['type'] ?? '')}`;
  if (status >= 300) unexpected[name] = (unexpected[name] ?? 0) + 1;
  return true;
}

/** From where it was, each time it ends. */
async function readStream(current: Round): Promise<void> {
  let lastId = current.cursor;
  while (!current.isRead) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const headers = {
      accept: 'text/event-stream',
      authorization: `Bearer ${token}`,
      'last-event-id': lastId,
    };
    const to = { host: movingAddress, port: servicePort, path: '/events', agent: false as const };
    const asked = httpsRequest({ ...to, ...trust, headers }, (response) => {
      let text = '';
      isFinal(current, { status: response.statusCode ?? 0, thing: {} });
      response.setEncoding('utf8').on('data', (more: string) => {
        const blocks = (text + more).split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) {
          lastId = /^id: ?(.*)$/m.exec(block)?.[1] ?? lastId;
          const data = /^data: ?(.*)$/m.exec(block)?.[1];
          if (data !== undefined) current.events.push(JSON.parse(data).id);
        }
      });
      response.on('close', resolve);
    });
    asked.on('error', () => resolve()).end();
    void endSilent(asked, current);
    await promise;
    await pause(100);
  }
}

/** A connection that is cut off says nothing, so one that had no event for 2 seconds is made anew. */
async function endSilent(
  asked: { destroy(): unknown; readonly destroyed: boolean },
  current: Round,
): Promise<void> {
  while (!asked.destroyed) {
    const before = current.events.length;
    await pause(2_000);
    if (current.events.length === before || current.isRead) asked.destroy();
  }
}

async function outcomeOf(current: Round): Promise<Outcome> {
  const { acknowledged, customerId, unexpected, direct } = current;
  current.isOver = true;
  await Promise.all(current.loops);
  const orders = await listed(`/customers/${customerId}/orders?limit=100`);
  const ids = Map.groupBy(orders, ({ note }) => String(note));
  const isThere = (note: string, id: number): boolean =>
    ids.get(note)?.some((order) => order['id'] === id) === true;
  const eventsMissing = await eventsMissingIn(current);
  current.isRead = true;
  for (const client of Object.values(clients)) client.close();
  return {
    acknowledged: acknowledged.length,
    missing: acknowledged.filter(({ id, note }) => !isThere(note, id)).length,
    doubled: [...ids.values()].filter(({ length }) => length > 1).length,
    secondsWithoutService: gapsOf(acknowledged.filter(({ note }) => !/[ab]/.test(note)).map(({ at }) => at)),
    unexpected,
    eventsMissing,
    direct,
  };
}

/** All events since the round began have to be in the stream, each once, in order. */
async function eventsMissingIn({ cursor, events }: Round): Promise<number> {
  const feed = await listed(`/events?cursor=${encodeURIComponent(cursor)}&limit=100`);
  const expected = feed.map(({ id }) => Number(id));
  for (let waits = 0; waits < 100 && events.at(-1) !== expected.at(-1); waits += 1) await pause(100);
  const seen = new Set(events);
  const wrongOrder = events.filter((id, index) => index > 0 && id <= (events[index - 1] ?? 0));
  return wrongOrder.length + expected.filter((id) => !seen.has(id)).length;
}

function gapsOf(times: readonly number[]): number[] {
  const sorted = times.toSorted((a, b) => a - b);
  const gaps = sorted.slice(1).map((at, index) => (at - (sorted[index] ?? at)) / 1_000);
  return gaps.filter((gap) => gap >= 0.5);
}

/** Every order placed since the first round, each once, in order, apart from repetitions. */
async function comparedWebhooks(): Promise<Webhooks> {
  const events = await listed(`/events?cursor=${encodeURIComponent(firstCursor)}&limit=100`);
  const expected = events.filter(({ type }) => type === 'order.created').map(({ id }) => Number(id));
  const last = expected.at(-1) ?? 0;
  for (let waits = 0; waits < 300 && !delivered.includes(last); waits += 1) await pause(200);
  let highest = 0;
  const inOrder = new Set(delivered.filter((id) => id > highest && (highest = id) > 0));
  const missing = expected.filter((id) => !inOrder.has(id)).length;
  return { missing, repeated: delivered.length - inOrder.size };
}

async function listed(path: string): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  for (let next: unknown = path; typeof next === 'string';) {
    const { thing } = await untilAnswered('GET', next);
    const data = thing['data'] as Record<string, unknown>[]; // a list has its rows there
    found.push(...data);
    next = data.length === 0 ? undefined : thing['next'];
  }
  return found;
}

async function untilAnswered(method: 'GET' | 'POST', path: string, body?: object): Promise<Reply> {
  for (;;) {
    const reply = await clients[movingAddress]?.ask({ method, path, token, body }).catch(() => undefined);
    if (reply !== undefined && reply.status < 400) return reply;
    if (reply !== undefined && reply.status < 500) throw new Error(`${path}: ${reply.status} ${reply.text}`);
    await pause(200);
  }
}
