// The CPU time of a page with every filter × sort of every list, at the beginning and in the middle, with 1,000,
// 100,000 and 1,000,000 orders: on the event loop, and in the read worker. `--all` prints all; `--folder=DIR` keeps
// the databases there for the next run.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { encodeCursor, type ListQuery } from '../../src/http/lists/cursor.ts';
import { Lists, sortOf } from '../../src/http/lists/list.ts';
import { represent, type Representation } from '../../src/http/responses/representation.ts';
import { migrations } from '../../src/service/features.ts';
import { customerResource } from '../../src/features/customers/customers.ts';
import { orderList } from '../../src/features/orders/order-list-store.ts';
import { orderSource } from '../../src/features/orders/order-store.ts';
import { productResource } from '../../src/features/products/products.ts';
import { userList, userSource } from '../../src/features/users/user-store.ts';
import { Connection, type Row, type SqlValue } from '../../src/storage/connection.ts';
import type { KeysetPosition, RowSelection } from '../../src/storage/keyset.ts';
import { median, ms } from './bench-table.ts';

const firstDay = Date.parse('2025-03-01T00:00:00.000Z');
const dayMilliseconds = 86_400_000;
const repeats = 5;
const sizes = [1_000, 100_000, 1_000_000];
/** What a page may take of the read worker. */
const workerMillisecondsMax = 100;
const items = JSON.stringify([
  { sku: 'TEA-250', name: 'Green tea, 250 g', quantity: 2, unitPrice: 749, total: 1498 },
  { sku: 'POT-1', name: 'Tea pot', quantity: 1, unitPrice: 3900, total: 3900 },
]);

type Case = {
  readonly name: string;
  readonly selection: RowSelection;
  readonly load: (db: Connection, id: number) => Representation<unknown> | undefined;
};
/** Milliseconds of CPU that a page with its elements takes on the event loop, and in the read worker. */
type Time = { readonly here: number; readonly aside: number };

function fill(file: string, orders: number): void {
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -400000');
  for (const { sql } of migrations) db.exec(sql);
  const users = Math.max(100, orders / 1000);
  const customers = orders / 10;
  const articles = Math.max(100, orders / 20);
  const count = (rows: number) =>
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})`;
  const step = Math.floor((365 * dayMilliseconds) / orders);
  db.exec(`BEGIN;
    ${count(users)} INSERT INTO users (name, nameKey, email, emailKey, passwordHash, role, createdAt)
      SELECT 'User ' || i, 'user ' || i, i || '@example.com', i || '@example.com', 'x',
        CASE WHEN i % 50 = 0 THEN 'staff' ELSE 'user' END, ${firstDay} + i FROM n;
    ${count(customers)} INSERT INTO customers (userId, name, nameKey, email, emailKey, createdAt, updatedAt)
      SELECT 1 + i * 7919 % ${users}, 'Customer ' || i, 'customer ' || (i * 7919 % ${customers}),
        i || '@example.com', i || '@example.com', ${firstDay} + i, ${firstDay} + i FROM n;
    ${count(orders)}
    INSERT INTO orders (status, customerId, userId, currency, items, total, createdAt, updatedAt)
      SELECT CASE i * 31 % 10 WHEN 0 THEN 'open' WHEN 1 THEN 'paid' WHEN 2 THEN 'shipped'
          WHEN 3 THEN 'cancelled' WHEN 4 THEN 'refunded' ELSE 'delivered' END,
        CASE WHEN i % 3 = 0 THEN 1 ELSE 1 + abs(random()) % ${customers} END,
        CASE WHEN i % 2 = 0 THEN 1 ELSE 1 + abs(random()) % ${users} END,
        CASE abs(random()) % 10 WHEN 0 THEN 'USD' ELSE 'EUR' END, '${items}', abs(random()) % 50000,
        ${firstDay} + i * ${step}, ${firstDay} + i * ${step} + abs(random()) % ${10 * dayMilliseconds} FROM n;
    UPDATE orders SET payment = CASE id % 20 WHEN 0 THEN 'cash' WHEN 1 THEN 'transfer' ELSE 'card' END
      WHERE status NOT IN ('open', 'cancelled');
    ${count(articles)}
    INSERT INTO products (sku, skuKey, name, nameKey, unitPrice, currency, active, createdAt, updatedAt)
      SELECT 'S-' || i, 's-' || i, 'Product ' || i, 'product ' || (i * 7919 % ${articles}), i,
        CASE i % 10 WHEN 0 THEN 'USD' ELSE 'EUR' END, i % 20 > 0, ${firstDay} + i, ${firstDay} + i FROM n;
    COMMIT`);
  db.close();
}

function cases(): Case[] {
  const time = (day: number): string => new Date(firstDay + day * dayMilliseconds).toISOString();
  const orderFilters = {
    all: {},
    open: { status: ['open'] },
    'three statuses': { status: ['open', 'paid', 'refunded'] },
    customer: { customerId: 7 },
    user: { userId: 7 },
    currency: { currency: 'USD' },
    day: { createdFrom: time(180), createdBefore: time(181) },
    'changed on a day': { updatedFrom: time(180), updatedBefore: time(181) },
    month: { createdFrom: time(180), createdBefore: time(210) },
    payment: { payment: 'cash' },
    'most used currency and payment': { currency: 'EUR', payment: 'card' },
    'customer of a third': { customerId: 1 },
    'customer of a third, payment': { customerId: 1, payment: 'cash' },
    'user of a half': { userId: 1 },
    'user of a half, currency, payment': { userId: 1, currency: 'EUR', payment: 'card' },
    'user and currency': { userId: 7, currency: 'USD' },
    'user, payment, delivered': { userId: 7, payment: 'card', status: ['delivered'] },
    'customer and month': { customerId: 7, createdFrom: time(180), createdBefore: time(210) },
    'currency, payment, month': {
      currency: 'USD',
      payment: 'cash',
      createdFrom: time(180),
      createdBefore: time(210),
    },
    'currency, changed lately, open': { currency: 'USD', updatedFrom: time(300), status: ['open'] },
    'no order': { currency: 'CHF', payment: 'cash', status: ['delivered', 'shipped'] },
  } as const;
  const customerFilters = {
    all: {},
    user: { userId: 7 },
    email: { email: '7@example.com' },
    name: { name: 'customer 12' },
  };
  const userFilters = {
    all: {},
    role: { role: 'staff' },
    email: { email: '7@example.com' },
    name: { name: 'user 1' },
  } as const;
  const productFilters = { all: {}, active: { active: true }, currency: { currency: 'USD' } };
  return [
    ...casesOf('orders', orderFilters, orderList.sortNames, {
      select: (filter, sort) => orderList.selection('all', { ...filter, sort }),
      find: orderSource.find,
    }),
    ...casesOf('customers', customerFilters, customerResource.sortNames, {
      select: (filter, sort) => customerResource.selection('all', { ...filter, sort }),
      find: customerResource.source.find,
    }),
    ...casesOf('products', productFilters, productResource.sortNames, {
      select: (filter, sort) => productResource.selection('all', { ...filter, sort }),
      find: productResource.source.find,
    }),
    ...casesOf('users', userFilters, userList.sortNames, {
      select: (filter, sort) => userList.selection('all', { ...filter, sort }),
      find: userSource.find,
    }),
  ];
}

type Listed<F, S> = {
  readonly select: (filter: F, sort: S) => RowSelection;
  readonly find: (db: Connection, id: number) => unknown;
};

function casesOf<F, S>(
  name: string,
  filters: Readonly<Record<string, F>>,
  sorts: readonly S[],
  { select, find }: Listed<F, S>,
): Case[] {
  const load = (db: Connection, id: number) => represent(find(db, id), { id, ownerId: null });
  return Object.entries(filters).flatMap(([filter, members]) =>
    sorts.map((sort) => ({ name: `${name}, ${filter}, ${sort}`, selection: select(members, sort), load })),
  );
}

const noExports = { createResult: () => assert.fail('a page is no export') };
const lists = new Lists(noExports);

/** Queries of the read worker run here, and are timed separately. */
async function timePage(connection: Connection, { selection, load }: Case, query: ListQuery): Promise<Time> {
  let aside = 0;
  const readInWorker = async <R extends Row>(sql: string, params: readonly SqlValue[]): Promise<R[]> => {
    const start = cpuMilliseconds();
    const rows = connection.all<R>(sql, ...params);
    aside += cpuMilliseconds() - start;
    return rows;
  };
  const start = cpuMilliseconds();
  const reader = { caller: undefined, recheckCaller: () => undefined };
  await lists.page(
    { read: connection, readInWorker, path: '/list', query, ...reader },
    {
      selectionFor: () => selection,
      elements: { find: load },
    },
  );
  return { here: cpuMilliseconds() - start - aside, aside };
}

/** CPU time, which other work on the machine disturbs less than time. */
function cpuMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** The cursor of a page in the middle of the table; undefined if the list is too short. */
function deepCursor(connection: Connection, selection: RowSelection): string | undefined {
  const { table, key, where } = selection;
  const [middle = 0] = connection.get<[number]>(`SELECT max(id) / 2 FROM ${table}`) ?? [];
  const sql = `SELECT ${key}, id FROM ${table} WHERE id >= ? AND ${where.sql} LIMIT 1`;
  const position = connection.get<Row & KeysetPosition>(sql, middle, ...where.params);
  if (position === undefined) return undefined;
  return encodeCursor({ path: '/list', query: {}, order: sortOf(selection) }, position);
}

/** Returns the time of the first page, or of one in the middle: the longer one. */
async function measure(connection: Connection, each: Case): Promise<Time> {
  const cursor = deepCursor(connection, each.selection);
  const queries = cursor === undefined ? [{}] : [{}, { cursor }];
  const times: Time[] = [];
  for (const query of queries) {
    const runs: Time[] = [];
    for (let round = 0; round < repeats; round += 1) runs.push(await timePage(connection, each, query));
    times.push({ here: median(runs.map(({ here }) => here)), aside: median(runs.map(({ aside }) => aside)) });
  }
  const longest = (part: keyof Time): number => Math.max(...times.map((time) => time[part]));
  return { here: longest('here'), aside: longest('aside') };
}

function filled(orders: number): Connection {
  const file = join(folder, `${orders}.db`);
  if (!existsSync(file)) {
    console.error(`… making ${orders} orders`);
    fill(file, orders);
  }
  return new Connection(new DatabaseSync(file, { readOnly: true, returnArrays: true }));
}

const [kept] = process.argv.flatMap((each) => (each.startsWith('--folder=') ? each.slice(9) : []));
const folder = kept ?? mkdtempSync(join(tmpdir(), 'orderly-lists-'));
try {
  const databases = sizes.map(filled);
  const heads = sizes.flatMap((size) => [`${size.toLocaleString('en')}: event loop`, 'read worker']);
  console.log(`| list, filter, sort | ${heads.join(' | ')} |\n|---|${heads.map(() => '--:|').join('')}`);
  let [pages, here, aside, slow] = [0, 0, 0, 0];
  for (const each of cases()) {
    const times: Time[] = [];
    for (const database of databases) times.push(await measure(database, each));
    const last = times.at(-1) ?? { here: 0, aside: 0 };
    pages += 1;
    here = Math.max(here, last.here);
    aside = Math.max(aside, last.aside);
    if (last.aside > workerMillisecondsMax) slow += 1;
    if (last.aside > workerMillisecondsMax / 2 || process.argv.includes('--all'))
      console.log(
        `| ${each.name} | ${times.flatMap((time) => [ms(time.here), ms(time.aside)]).join(' | ')} |`,
      );
  }
  console.log(
    `\n${slow} of ${pages} take more than ${workerMillisecondsMax} ms of the read worker's CPU; those that take ` +
      `half as much are above. The most is ${ms(aside)} ms there, and ${ms(here)} ms of the event loop.`,
  );
} finally {
  if (kept === undefined) rmSync(folder, { recursive: true, force: true });
}
