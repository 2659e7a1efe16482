// The attacks. What a status shows alone is shown by tests; these show load: memory, and the waits of others.
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import type { ChildOptions } from '../../support/child-service.ts';
import { countsOf, type LoadRequest, type Reply } from '../../support/load-client.ts';
import { runProgram } from '../../support/running-program.ts';
import { password } from '../../support/service.ts';
import { fatOrder, from, getText, openSocket, type Abused, type People } from './abused-service.ts';
import { othersDuring } from './prober.ts';

export type Attack = Pick<ChildOptions, 'settings' | 'wrapper'> & {
  readonly done: string;
  /** Returns what was seen. */
  readonly attack: (service: Abused, people: People) => Promise<string>;
};

const behindProxy = { 'trusted-proxy': '127.0.0.1' };
const attacker = from('198.51.100.7');
/** Another address of this machine than the others use, since each address has a fair share. */
const attackerAddress = '127.0.0.2';
const connections = 38;
const manyOrders = 100_000;
const ligature = '\u{fdfa}'; // one character that normalizes to eighteen

export const attacks: Readonly<Record<string, Attack>> = {
  'unread lists': {
    done: '60 GETs of 200 orders of 57 KB on one connection that reads nothing, 12 s',
    attack: ({ port }, { owner }) =>
      othersDuring(port, async () => {
        const socket = await openSocket(port);
        socket?.write(getText(fattestList(owner.id), { Authorization: `Bearer ${owner.token}` }).repeat(60));
        await pause(12_000);
        socket?.destroy();
      }),
  },
  'brisk readers': {
    done: 'the same lists on four connections, read as fast as they come, 5 s',
    async attack({ port, ask }, { owner: { id, token } }) {
      let seen = '';
      const others = await othersDuring(port, async () => {
        seen = countsOf(await askedFor(5_000, 4, () => ask({ method: 'GET', path: fattestList(id), token })));
      });
      return `${seen}; ${others}`;
    },
  },
  'slow readers': {
    done: '500 addresses, 12 GETs of /openapi.json each, none read, 8 s',
    settings: behindProxy,
    async attack({ port }) {
      const program = [process.execPath, join(import.meta.dirname, 'slow-readers.ts')];
      const readSlowly = async (): Promise<void> => {
        const readers = runProgram(['nice', '-n', '10', ...program, String(port), '500', '12']);
        await pause(8_000);
        await readers.end();
      };
      let kept = '';
      const onOneConnection = async (): Promise<void> => {
        kept = await othersDuring(port, readSlowly, { headers: from('10.2.0.1') });
      };
      const anew = await othersDuring(port, onOneConnection, { headers: from('10.3.0.1'), isAnew: true });
      return `on one connection, ${kept}; each on a new one, ${anew}`;
    },
  },
  'costly chunks': {
    done: 'a body in chunks of one byte, 64 KiB of it at once on each of 64 connections of another address',
    attack: (service) =>
      flooded(
        service,
        '1\r\nx\r\n',
        'POST /orders HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n',
      ),
  },
  'pipelined requests': {
    done: 'the same with requests without a body',
    attack: (service) => flooded(service, 'GET / HTTP/1.1\r\nHost:a\r\n\r\n', ''),
  },
  'password changes': {
    done: `one user changes the password on ${connections} connections, 7 s`,
    settings: behindProxy,
    attack: (service, { owner: { id, token, password }, others }) => {
      const body = { password, currentPassword: password };
      const path = `/api/users/${id}`;
      return whileOthersSignIn(service, others, () => {
        return { method: 'PATCH', path, token, headers: attacker, body };
      });
    },
  },
  'sign-ups': {
    done: `one address signs up on ${connections} connections, 7 s`,
    settings: behindProxy,
    attack: (service, { others }) =>
      whileOthersSignIn(service, others, (connection, round) => {
        const name = `${connection}-${round}`;
        const body = { name, email: `new${name}@example.com`, password };
        return { method: 'POST', path: '/api/users', headers: attacker, body };
      }),
  },
  'wrong passwords': {
    done: `100 addresses of one /48 sign in with wrong passwords on ${connections} connections, 7 s`,
    settings: behindProxy,
    attack: (service, { others }) =>
      whileOthersSignIn(service, others, (connection, round) => {
        const headers = from(`2001:db8:1:${(connection + connections * round) % 100}::1`);
        const body = { email: `nobody${connection}@example.com`, password: 'a wrong password' };
        return { method: 'POST', path: '/api/sessions', headers, body };
      }),
  },
  'spellings of one token': {
    done: '9,900 requests, each with another number of blanks before the token',
    async attack({ port }, { owner: { token } }) {
      const texts = Array.from({ length: 9_900 }, (_, blanks) =>
        getText('/api/sessions?limit=1', { Authorization: `Bearer ${' '.repeat(blanks)}${token}` }),
      );
      return countsOf(await pipelined(port, texts));
    },
  },
  'scarce descriptors': {
    done: '200 descriptors, 400 idle clients, then 700 orders of 57 KB, so that the WAL is checkpointed',
    wrapper: ['prlimit', '--nofile=200'],
    async attack({ port, ask }, { admin: { token, customerId } }) {
      const live = () => ask({ method: 'GET', path: '/health/live' });
      await live();
      const clients = await openSockets(port, 400);
      for (const client of clients) client.resume();
      const order: LoadRequest = { method: 'POST', path: '/orders', token, body: fatOrder(customerId) };
      const replies: Reply[] = [];
      while (replies.at(-1)?.status !== 0 && replies.length < 700) replies.push(await ask(order));
      const kept = clients.filter(({ readyState }) => readyState === 'open').length;
      const socket = await openSocket(port);
      const { status } = await live();
      for (const client of [...clients, socket]) client?.destroy();
      return `orders: ${countsOf(replies)}; connections kept: ${kept}; health then: ${status}`;
    },
  },
  'a deletion': {
    done: `of a user with ${manyOrders} orders`,
    async attack({ port, ask, folder }, { admin, others: [person = admin] }) {
      const items = [{ name: 'Green tea', quantity: 1, unitPrice: 749 }];
      const body = { customerId: person.customerId, currency: 'EUR', items, note: 'a note of its owner' };
      const { thing } = await ask({ method: 'POST', path: '/orders', token: person.token, body });
      copyOrder(folder, Number(thing['id']));
      let deleted = '';
      const others = await othersDuring(port, async () => {
        const path = `/api/users/${person.id}`;
        deleted = outcomeOf(await ask({ method: 'DELETE', path, token: admin.token }));
        await pause(4_000); // the rest of the work continues after the response
      });
      return `${deleted}; ${others}`;
    },
  },
  'costly searches': {
    done: 'staff search 200 orders of ligatures; then beside 30 searches of each of six users',
    settings: { 'rate-default': 'off' },
    async attack({ ask }, { admin, owner: { customerId, token }, others }) {
      const item = { name: ligature.repeat(200), quantity: 1, unitPrice: 1 };
      const body = { customerId, currency: 'EUR', items: Array(100).fill(item) };
      for (let count = 0; count < 200; count += 1)
        await ask({ method: 'POST', path: '/orders', token, body });
      const search = (own: string) => ask({ method: 'GET', path: '/orders?q=tea', token: own });
      const alone = await search(admin.token);
      const crowd = others.flatMap((person) => Array.from({ length: 30 }, () => search(person.token)));
      const beside = await search(admin.token);
      const crowded = countsOf(await Promise.all(crowd));
      return `${outcomeOf(alone)}; beside others ${outcomeOf(beside)}, which have ${crowded}`;
    },
  },
};

function fattestList(userId: number): string {
  return `/api/users/${userId}/orders?limit=200`;
}

function outcomeOf({ status, milliseconds }: Reply): string {
  return `${status} after ${Math.round(milliseconds)} ms`;
}

/** The sockets of as many attempts to connect, without those that were refused. */
async function openSockets(port: number, count: number, localAddress?: string): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let index = 0; index < count; index += 1) {
    const socket = await openSocket(port, localAddress);
    if (socket !== undefined) sockets.push(socket);
  }
  return sockets;
}

/**
 * Bytes that cost far more to parse than to send, on as many connections as one client may have: the service doesn't
 * count those of its own machine.
 */
async function flooded({ port }: Abused, unit: string, head: string): Promise<string> {
  const sockets = await openSockets(port, 64, attackerAddress);
  const bytes = head + unit.repeat(Math.floor((64 * 1024 - head.length) / unit.length));
  const others = await othersDuring(port, async () => {
    await pause(1_000); // the first requests of a process take longer, whatever else it does
    for (const socket of sockets) socket.write(bytes);
    await pause(3_000);
  });
  for (const socket of sockets) socket.destroy();
  return others;
}

/** On each of these connections the next request begins as soon as the last one is answered, or soon after a rejection. */
async function askedFor(
  milliseconds: number,
  count: number,
  ask: (connection: number, round: number) => Promise<Reply>,
): Promise<Reply[]> {
  const replies: Reply[] = [];
  const end = performance.now() + milliseconds;
  const repeat = async (_: unknown, connection: number): Promise<void> => {
    for (let round = 0; performance.now() < end; round += 1) {
      const reply = await ask(connection, round);
      replies.push(reply);
      if (reply.status === 0 || reply.status >= 429) await pause(100);
    }
  };
  await Promise.all(Array.from({ length: count }, repeat));
  return replies;
}

async function whileOthersSignIn(
  { ask }: Abused,
  others: People['others'],
  strike: (connection: number, round: number) => LoadRequest,
): Promise<string> {
  const striking = askedFor(7_000, connections, (connection, round) => ask(strike(connection, round)));
  const signIns = others.map(async ({ email, password }, index) => {
    await pause(800 * (index + 1));
    const headers = from(`203.0.113.${index + 1}`);
    return ask({ method: 'POST', path: '/api/sessions', body: { email, password }, headers });
  });
  const replies = await Promise.all(signIns);
  const slowest = Math.round(Math.max(...replies.map(({ milliseconds }) => milliseconds)));
  const struck = countsOf(await striking);
  return `${struck}; sign-ins of others: ${countsOf(replies)}, slowest ${slowest} ms`;
}

/** Pipelines requests on one connection, a hundred at a time; fewer are answered if it ends or is silent. */
async function pipelined(port: number, requests: readonly string[]): Promise<{ readonly status: number }[]> {
  const socket = await openSocket(port);
  const replies: { readonly status: number }[] = [];
  let rest = '';
  socket?.setEncoding('latin1').on('data', (text: string) => {
    const parts = (rest + text).split(/(?<=HTTP\/1\.1 \d{3}) /);
    rest = (parts.pop() ?? '').slice(-12);
    replies.push(...parts.map((part) => ({ status: Number(part.slice(-3)) })));
  });
  for (let sent = 0; sent < requests.length; sent += 100) {
    socket?.write(requests.slice(sent, sent + 100).join(''));
    const late = performance.now() + 5_000;
    const due = Math.min(sent + 100, requests.length);
    while (replies.length < due && performance.now() < late) await pause(5);
    if (replies.length < due) break;
  }
  socket?.destroy();
  return replies;
}

/** Copies an order beside the service. */
function copyOrder(folder: string, id: number): void {
  using db = new DatabaseSync(join(folder, 'orderly.db'), { timeout: 10_000 });
  const columns = db
    .prepare("SELECT group_concat(name, ', ') AS names FROM pragma_table_info('orders') WHERE name <> 'id'")
    .get()?.['names'];
  db.exec(`WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${manyOrders})
    INSERT INTO orders (${columns}) SELECT ${columns} FROM numbers, orders WHERE id = ${id}`);
}
