// The attacks. What a status shows alone is shown by tests; these show load: memory, and the waits of others.
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import type { ChildOptions } from '../../support/child-service.ts';
import { password } from '../../support/service.ts';
import {
  attackerAddress,
  countsOf,
  fatOrder,
  from,
  getText,
  openSocket,
  type Abused,
  type People,
} from './abused-service.ts';
import { othersDuring } from './prober.ts';

export type Attack = Pick<ChildOptions, 'settings' | 'wrapper'> & {
  readonly done: string;
  /** Returns what was seen. */
  readonly attack: (service: Abused, people: People) => Promise<string>;
};

const behindProxy = { 'trusted-proxy': '127.0.0.1' };
const attacker = from('198.51.100.7');
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
    async attack({ port, ask }, { owner }) {
      const statuses: number[] = [];
      const readUntil = async (end: number): Promise<void> => {
        while (performance.now() < end) {
          const { status } = await ask('GET', fattestList(owner.id), { token: owner.token });
          statuses.push(status);
          if (status !== 200) await pause(200);
        }
      };
      const others = await othersDuring(port, () => {
        const end = performance.now() + 5_000;
        return Promise.all([1, 2, 3, 4].map(() => readUntil(end)));
      });
      return `${countsOf(statuses)}; ${others}`;
    },
  },
  'slow readers': {
    done: '500 addresses, 12 GETs of /openapi.json each, none read, 8 s',
    settings: behindProxy,
    async attack({ port }) {
      const program = [
        process.execPath,
        join(import.meta.dirname, 'slow-readers.ts'),
        `${port}`,
        '500',
        '12',
      ];
      const readSlowly = async (): Promise<void> => {
        const readers = spawn('nice', ['-n', '10', ...program], { stdio: 'inherit' });
        await pause(8_000);
        readers.kill();
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
    done: 'one user changes the password on 38 connections, 7 s',
    settings: behindProxy,
    attack: (service, { owner: { id, token, password }, others }) =>
      whileOthersSignIn(service, others, () =>
        service.ask('PATCH', `/api/users/${id}`, {
          token,
          headers: attacker,
          body: { password, currentPassword: password },
        }),
      ),
  },
  'sign-ups': {
    done: 'one address signs up on 38 connections, 7 s',
    settings: behindProxy,
    attack: (service, { others }) =>
      whileOthersSignIn(service, others, (name) =>
        service.ask('POST', '/api/users', {
          headers: attacker,
          body: { name, email: `new${name}@example.com`, password },
        }),
      ),
  },
  'wrong passwords': {
    done: '100 addresses of one /48 sign in with wrong passwords on 38 connections, 7 s',
    settings: behindProxy,
    attack: (service, { others }) =>
      whileOthersSignIn(service, others, (name) => {
        const [connection = 0, round = 0] = name.split('-').map(Number);
        const headers = from(`2001:db8:1:${(connection + 38 * round) % 100}::1`);
        const body = { email: `nobody${connection}@example.com`, password: 'a wrong password' };
        return service.ask('POST', '/api/sessions', { headers, body });
      }),
  },
  'spellings of one token': {
    done: '9,900 requests, each with another number of blanks before the token',
    async attack({ port }, { owner: { token } }) {
      const texts = Array.from({ length: 9_900 }, (_, blanks) =>
        getText('/api/sessions?limit=1', { Authorization: `Bearer ${' '.repeat(blanks)}${token}` }),
      );
      return countsOf(await statusesOf(port, texts));
    },
  },
  'scarce descriptors': {
    done: '200 descriptors, 400 idle clients, then 700 orders of 57 KB, so that the WAL is checkpointed',
    wrapper: ['prlimit', '--nofile=200'],
    async attack({ port, ask }, { admin: { token, customerId } }) {
      await ask('GET', '/health/live');
      const clients: (Socket | undefined)[] = [];
      while (clients.length < 400) clients.push(await openSocket(port));
      for (const client of clients) client?.resume();
      const statuses: number[] = [];
      for (let status = 201; status !== 0 && statuses.length < 700; statuses.push(status))
        ({ status } = await ask('POST', '/orders', { token, body: fatOrder(customerId) }));
      const kept = clients.filter((client) => client?.readyState === 'open').length;
      const socket = await openSocket(port);
      const { status } = await ask('GET', '/health/live');
      for (const client of [...clients, socket]) client?.destroy();
      return `orders: ${countsOf(statuses)}; connections kept: ${kept}; health then: ${status}`;
    },
  },
  'a deletion': {
    done: `of a user with ${manyOrders} orders`,
    async attack({ port, ask, folder }, { admin, others: [person = admin] }) {
      const items = [{ name: 'Green tea', quantity: 1, unitPrice: 749 }];
      const body = { customerId: person.customerId, currency: 'EUR', items, note: 'a note of its owner' };
      const { thing } = await ask('POST', '/orders', { token: person.token, body });
      copyOrder(folder, Number(thing['id']));
      let deleted = '';
      const others = await othersDuring(port, async () => {
        const { status, milliseconds } = await ask('DELETE', `/api/users/${person.id}`, {
          token: admin.token,
        });
        deleted = `${status} after ${Math.round(milliseconds)} ms`;
        await pause(4_000); // the rest of the work continues after the response
      });
      return `${deleted}; ${others}`;
    },
  },
  'costly searches': {
    done: 'staff search 200 orders of ligatures; then beside 30 searches of each of six users',
    settings: { 'rate-default': 'off' },
    async attack({ ask }, { admin, owner, others }) {
      const item = { name: ligature.repeat(200), quantity: 1, unitPrice: 1 };
      const body = { customerId: owner.customerId, currency: 'EUR', items: Array(100).fill(item) };
      for (let count = 0; count < 200; count += 1) await ask('POST', '/orders', { token: owner.token, body });
      const search = (token: string) => ask('GET', '/orders?q=tea', { token });
      const alone = await search(admin.token);
      const crowd = others.flatMap(({ token }) => Array.from({ length: 30 }, () => search(token)));
      const beside = await search(admin.token);
      const statuses = (await Promise.all(crowd)).map(({ status }) => status);
      const [one, other] = [alone, beside].map(
        ({ status, milliseconds }) => `${status} after ${Math.round(milliseconds)} ms`,
      );
      return `${one}; beside others ${other}, which have ${countsOf(statuses)}`;
    },
  },
};

function fattestList(userId: number): string {
  return `/api/users/${userId}/orders?limit=200`;
}

/**
 * Bytes that cost far more to parse than to send, on as many connections as one client may have: the service doesn't
 * count those of its own machine.
 */
async function flooded({ port }: Abused, unit: string, head: string): Promise<string> {
  const sockets: Socket[] = [];
  for (let index = 0; index < 64; index += 1) {
    const socket = await openSocket(port, attackerAddress);
    if (socket !== undefined) sockets.push(socket);
  }
  const bytes = head + unit.repeat(Math.floor((64 * 1024 - head.length) / unit.length));
  const others = await othersDuring(port, async () => {
    await pause(1_000); // the first requests of a process take longer, whatever else it does
    for (const socket of sockets) socket.write(bytes);
    await pause(3_000);
  });
  for (const socket of sockets) socket.destroy();
  return others;
}

/** Each of an attacker's connections sends its request again as soon as it is answered. */
async function whileOthersSignIn(
  { ask }: Abused,
  others: People['others'],
  strike: (name: string) => Promise<{ readonly status: number }>,
): Promise<string> {
  const statuses: number[] = [];
  const end = performance.now() + 7_000;
  const strikeUntilEnd = async (connection: number): Promise<void> => {
    for (let round = 0; performance.now() < end; round += 1) {
      const { status } = await strike(`${connection}-${round}`);
      statuses.push(status);
      if (status === 429 || status === 503) await pause(100);
    }
  };
  const strikes = Array.from({ length: 38 }, (_, index) => strikeUntilEnd(index));
  const signIns = others.map(async ({ email, password }, index) => {
    await pause(800 * (index + 1));
    const headers = from(`203.0.113.${index + 1}`);
    return ask('POST', '/api/sessions', { body: { email, password }, headers });
  });
  const replies = await Promise.all(signIns);
  await Promise.all(strikes);
  const slowest = Math.round(Math.max(...replies.map(({ milliseconds }) => milliseconds)));
  const signedIn = countsOf(replies.map(({ status }) => status));
  return `${countsOf(statuses)}; sign-ins of others: ${signedIn}, slowest ${slowest} ms`;
}

/** The statuses of requests that are pipelined on one connection, a hundred at a time; fewer if it ends or is silent. */
async function statusesOf(port: number, requests: readonly string[]): Promise<number[]> {
  const socket = await openSocket(port);
  const statuses: number[] = [];
  let rest = '';
  socket?.setEncoding('latin1').on('data', (text: string) => {
    const parts = (rest + text).split(/(?<=HTTP\/1\.1 \d{3}) /);
    rest = (parts.pop() ?? '').slice(-12);
    statuses.push(...parts.map((part) => Number(part.slice(-3))));
  });
  for (let sent = 0; sent < requests.length; sent += 100) {
    socket?.write(requests.slice(sent, sent + 100).join(''));
    const late = performance.now() + 5_000;
    const due = Math.min(sent + 100, requests.length);
    while (statuses.length < due && performance.now() < late) await pause(5);
    if (statuses.length < due) break;
  }
  socket?.destroy();
  return statuses;
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
