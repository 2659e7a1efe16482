// The process on the client: writers that repeat what was not answered, a reader of the stream, and a receiver
// of webhooks. It is given rounds, and says of each what came of its orders.
import { createServer } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { admin } from '../../support/service.ts';
import { addresses, movingAddress } from './network.ts';

const writers = 6;
const pauseMilliseconds = 30;
const answerMillisecondsMax = 1_500;
const receiverPort = 9_000;

export type Command =
  | { readonly do: 'begin'; readonly authority: string }
  | { readonly do: 'end'; readonly mayLose: boolean }
  | { readonly do: 'compare webhooks' };
export type Outcome = {
  readonly acknowledged: number;
  readonly missing: number;
  /** From the first to the last acknowledgement of one that is missing. */
  readonly secondsLost: number;
  readonly doubled: number;
  /** Of at least half a second. */
  readonly secondsWithoutService: readonly number[];
  /** Responses that nobody expects, such as 401: their number by status and type. */
  readonly unexpected: Readonly<Record<string, number>>;
  readonly eventsMissing: number;
  /** When an order was acknowledged to the writer at the machine's own address. */
  readonly direct: Readonly<Record<'a' | 'b', readonly number[]>>;
};
export type Answer = { readonly of: 'begin' } | { readonly of: 'end'; readonly outcome: Outcome } | Webhooks;
export type Webhooks = { readonly of: 'webhooks'; readonly missing: number; readonly repeated: number };

type Reply = { readonly status: number; readonly body: Record<string, unknown> };
type Asked = {
  readonly method?: string;
  readonly path: string;
  readonly body?: object;
  readonly key?: string;
};
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
let agents: Readonly<Record<string, Agent>> = {};
let token = '';
let round: Round | undefined;
let firstCursor = '';

createServer((incoming, response) => {
  let text = '';
  incoming.setEncoding('utf8').on('data', (more: string) => void (text += more));
  incoming.on('end', () => {
    const { id } = JSON.parse(text) as { id: number };
    delivered.push(id);
    response.writeHead(204).end();
  });
}).listen(receiverPort, addresses.c);

process.on('message', (command: Command) => void obey(command));
process.on('disconnect', () => process.exit()); // the check has ended, perhaps while this began

async function obey(command: Command): Promise<void> {
  if (command.do === 'begin') {
    round = await beginRound(command.authority);
    return answer({ of: 'begin' });
  }
  if (command.do === 'end' && round !== undefined) {
    return answer({ of: 'end', outcome: await outcomeOf(round, command.mayLose) });
  }
  answer(await comparedWebhooks());
}

function answer(sent: Answer): void {
  process.send?.(sent);
}

/** The only sign-in of a round, before anything happens. */
async function beginRound(ca: string): Promise<Round> {
  const options = { keepAlive: true, maxSockets: 64, ca, checkServerIdentity: () => undefined };
  agents = Object.fromEntries(
    [movingAddress, addresses.a, addresses.b].map((host) => [host, new Agent(options)]),
  );
  const session = await askUntilAnswered({ path: '/api/sessions', body: admin });
  token = String(session.body['accessToken']);
  const customer = await askUntilAnswered({ path: '/customers', body: { name: 'Grace Hopper' } });
  const { body: page } = await askUntilAnswered({ method: 'GET', path: '/events?from=latest' });
  const cursor = new URL(String(page['next']), `https://${movingAddress}`).searchParams.get('cursor') ?? '';
  if (rounds === 0) {
    firstCursor = cursor;
    const url = `http://${addresses.c}:${receiverPort}/`;
    await askUntilAnswered({ path: '/webhooks', body: { url, types: ['order.created'] } });
  }
  rounds += 1;
  const begun: Round = {
    customerId: Number(customer.body['id']),
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
  for (let count = 0; !current.isOver; count += 1) {
    const note = `${rounds}-${index}-${count}`;
    for (;;) {
      const reply = await order(current, note, movingAddress);
      if (reply?.status === 201) {
        current.acknowledged.push({ id: Number(reply.body['id']), note, at: performance.now() });
        break;
      }
      if (reply !== undefined && noteUnexpected(current, reply)) break;
      await pause(pauseMilliseconds);
    }
    await pause(pauseMilliseconds);
  }
}

/** At the machine's own address, whether it has the moving one or not; nothing is repeated. */
async function writeTo(current: Round, machine: 'a' | 'b'): Promise<void> {
  for (let count = 0; !current.isOver; count += 1) {
    const note = `${rounds}-${machine}-${count}`;
    const reply = await order(current, note, addresses[machine]);
    if (reply?.status === 201) {
      current.acknowledged.push({ id: Number(reply.body['id']), note, at: performance.now() });
      current.direct[machine].push(Date.now());
    } else if (reply !== undefined) noteUnexpected(current, reply);
    await pause(pauseMilliseconds);
  }
}

/**
 * Returns whether it is. 503: the disk is gone. 409: the same order is still waiting for the disk. Both ask for a
 * repetition.
 */
function noteUnexpected({ unexpected }: Round, { status, body }: Reply): boolean {
  if (status === 503 || body['code'] === 'idempotency-key-in-progress') return false;
  const name = `${status} ${String(body['type'] ?? '')}`;
  unexpected[name] = (unexpected[name] ?? 0) + 1;
  return true;
}

function order({ customerId }: Round, note: string, host: string): Promise<Reply | undefined> {
  const items = [{ name: 'Tea', quantity: 1, unitPrice: 100 }];
  const body = { customerId, currency: 'EUR', items, note };
  return ask({ path: '/orders', body, key: note }, host).catch(() => undefined);
}

/** From where it was, each time it ends. */
async function readStream(current: Round): Promise<void> {
  let lastId = current.cursor;
  while (!current.isRead) {
    await new Promise<void>((resolve) => {
      const headers = {
        accept: 'text/event-stream',
        authorization: `Bearer ${token}`,
        'last-event-id': lastId,
      };
      const asked = httpsRequest(
        { agent: agentOf(movingAddress), host: movingAddress, port: 8443, path: '/events', headers },
        (response) => {
          let text = '';
          if (response.statusCode !== 200)
            noteUnexpected(current, { status: response.statusCode ?? 0, body: {} });
          response.setEncoding('utf8').on('data', (more: string) => {
            const blocks = (text + more).split('\n\n');
            text = blocks.pop() ?? '';
            for (const block of blocks) {
              const id = /^id: ?(.*)$/m.exec(block)?.[1];
              const data = /^data: ?(.*)$/m.exec(block)?.[1];
              if (id !== undefined) lastId = id;
              if (data !== undefined) current.events.push((JSON.parse(data) as { id: number }).id);
            }
          });
          response.on('close', resolve);
        },
      );
      asked.on('error', () => resolve()).end();
      asked.setTimeout(25_000, () => asked.destroy());
      void silentTooLong(asked, current);
    });
    await pause(100);
  }
}

/** A connection that is cut off says nothing, so one that had no event for 2 seconds is made anew. */
async function silentTooLong(
  asked: { destroy(): unknown; readonly destroyed: boolean },
  current: Round,
): Promise<void> {
  while (!asked.destroyed) {
    const before = current.events.length;
    await pause(2_000);
    if (current.events.length === before || current.isRead) asked.destroy();
  }
}

async function outcomeOf(current: Round, mayLose: boolean): Promise<Outcome> {
  const { acknowledged, customerId, unexpected, direct } = current;
  current.isOver = true;
  await Promise.all(current.loops);
  const notes = new Map<string, number[]>();
  for (const { id, note } of await listed(`/customers/${customerId}/orders?limit=100`))
    notes.set(String(note), [...(notes.get(String(note)) ?? []), Number(id)]);
  const missing = acknowledged.filter(({ id, note }) => !notes.get(note)?.includes(id));
  const lostAt = missing.map(({ at }) => at);
  const eventsMissing = mayLose ? 0 : await eventsMissingIn(current);
  current.isRead = true;
  for (const agent of Object.values(agents)) agent.destroy();
  return {
    acknowledged: acknowledged.length,
    missing: missing.length,
    secondsLost: missing.length === 0 ? 0 : (Math.max(...lostAt) - Math.min(...lostAt)) / 1_000,
    doubled: [...notes.values()].filter((ids) => ids.length > 1).length,
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
  const inOrder = new Set<number>();
  for (const id of delivered)
    if (id > highest) {
      inOrder.add(id);
      highest = id;
    }
  const missing = expected.filter((id) => !inOrder.has(id)).length;
  return { of: 'webhooks', missing, repeated: delivered.length - inOrder.size };
}

async function listed(path: string): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  for (let next: unknown = path; typeof next === 'string';) {
    const { body } = await askUntilAnswered({ method: 'GET', path: next });
    const data = body['data'] as Record<string, unknown>[]; // a list has its rows there
    found.push(...data);
    next = data.length === 0 ? undefined : body['next'];
  }
  return found;
}

async function askUntilAnswered(asked: Asked): Promise<Reply> {
  for (;;) {
    const reply = await ask(asked, movingAddress).catch(() => undefined);
    if (reply !== undefined && reply.status < 500) {
      if (reply.status >= 400)
        throw new Error(`${asked.path}: ${reply.status} ${JSON.stringify(reply.body)}`);
      return reply;
    }
    await pause(200);
  }
}

function agentOf(host: string): Agent {
  const agent = agents[host];
  if (agent === undefined) throw new Error(`no agent for ${host}`);
  return agent;
}

function ask({ method = 'POST', path, body, key }: Asked, host: string): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const headers = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    host: `${movingAddress}:8443`,
  };
  const asked = httpsRequest(
    { agent: agentOf(host), host, port: 8443, path, method, headers, timeout: answerMillisecondsMax },
    (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (more: string) => void (text += more));
      response.on('error', reject).on('close', () => reject(new Error('cut short')));
      response.on('end', () => {
        const isJson = /json/.test(response.headers['content-type'] ?? '');
        const parsed = isJson ? (JSON.parse(text) as Record<string, unknown>) : {};
        resolve({ status: response.statusCode ?? 0, body: parsed });
      });
    },
  );
  asked.on('error', reject).on('timeout', () => asked.destroy(new Error('no answer')));
  asked.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}
