// Every filter × sort of every list, first page and one deep inside, at 1,000 and at 1,000,000 orders: does a page cost the same?
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Selection } from '../../src/http/list.ts';
import { pageRowsLookedAtMax } from '../../src/limits.ts';
import { migrations } from '../../src/migrations/migrations.ts';
import { customerSorts, selectCustomers } from '../../src/resources/customers/customer-store.ts';
import { orderSorts, selectOrders } from '../../src/resources/orders/order-store.ts';
import { selectUsers, userSorts } from '../../src/resources/users/user-store.ts';
import { Connection, type Row, type SqlValue } from '../../src/storage/connection.ts';
import { positionsOf, type Position } from '../../src/storage/keyset.ts';

const sizes = [1_000, 1_000_000] as const;
const firstDay = Date.parse('2025-03-01T00:00:00.000Z');
const dayMilliseconds = 86_400_000;
const repeats = 7;

type Case = { readonly name: string; readonly selection: Selection };
type Times = { first: number; deep: number; aside: number };

function fill(file: string, orders: number): void {
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -400000');
  for (const { sql } of migrations) db.exec(sql);
  const users = Math.max(10, orders / 1000);
  const customers = orders / 10;
  const count = (rows: number) => `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})`;
  const step = Math.floor(365 * dayMilliseconds / orders);
  db.exec(`BEGIN;
    ${count(users)} INSERT INTO users (name, nameKey, email, emailKey, passwordHash, role, createdAt)
      SELECT 'User ' || i, 'user ' || i, i || '@example.com', i || '@example.com', 'x', CASE WHEN i % 50 = 0 THEN 'staff' ELSE 'user' END, ${firstDay} + i FROM n;
    ${count(customers)} INSERT INTO customers (userId, name, nameKey, email, emailKey, createdAt, updatedAt)
      SELECT 1 + i * 7919 % ${users}, 'Customer ' || i, 'customer ' || (i * 7919 % ${customers}), i || '@example.com', i || '@example.com', ${firstDay} + i, ${firstDay} + i FROM n;
    ${count(orders)} INSERT INTO orders (status, customerId, userId, currency, items, total, createdAt, updatedAt)
      SELECT CASE i * 31 % 10 WHEN 0 THEN 'open' WHEN 1 THEN 'paid' WHEN 2 THEN 'shipped' WHEN 3 THEN 'cancelled' WHEN 4 THEN 'refunded' ELSE 'delivered' END,
        1 + abs(random()) % ${customers}, 1 + abs(random()) % ${users}, CASE abs(random()) % 10 WHEN 0 THEN 'USD' ELSE 'EUR' END, '[]', abs(random()) % 50000,
        ${firstDay} + i * ${step}, ${firstDay} + i * ${step} + abs(random()) % ${10 * dayMilliseconds} FROM n;
    COMMIT`);
  db.close();
}

function cases(): Case[] {
  const time = (day: number): string => new Date(firstDay + day * dayMilliseconds).toISOString();
  const orderFilters = {
    all: {}, open: { status: ['open'] }, 'three statuses': { status: ['open', 'paid', 'refunded'] }, customer: { customerId: 7 }, user: { userId: 7 }, currency: { currency: 'USD' },
    day: { createdFrom: time(180), createdBefore: time(181) }, month: { createdFrom: time(180), createdBefore: time(210) }, 'user and currency': { userId: 7, currency: 'USD' },
  } as const;
  const customerFilters = { all: {}, user: { userId: 7 }, email: { email: '7@example.com' }, name: { name: 'customer 12' } };
  const userFilters = { all: {}, role: { role: 'staff' }, email: { email: '7@example.com' }, name: { name: 'user 1' } } as const;
  return [
    ...Object.entries(orderFilters).flatMap(([name, filter]) => orderSorts.map((sort) => ({ name: `orders, ${name}, ${sort}`, selection: selectOrders('everyone', { ...filter, sort }) }))),
    ...Object.entries(customerFilters).flatMap(([name, filter]) => customerSorts.map((sort) => ({ name: `customers, ${name}, ${sort}`, selection: selectCustomers('everyone', { ...filter, sort }) }))),
    ...Object.entries(userFilters).flatMap(([name, filter]) => userSorts.map((sort) => ({ name: `users, ${name}, ${sort}`, selection: selectUsers({ ...filter, sort }) }))),
  ];
}

/** Milliseconds on the event loop, and on the slow thread where the page needed it. */
async function timePage(connection: Connection, selection: Selection, after: Position | undefined): Promise<{ here: number; aside: number }> {
  let aside = 0;
  const readSlowly = async <R extends Row>(sql: string, params: readonly SqlValue[]): Promise<R[]> => {
    const start = performance.now();
    const rows = connection.all<R>(sql, ...params);
    aside += performance.now() - start;
    return rows;
  };
  const start = performance.now();
  await positionsOf({ read: connection, readSlowly }, { ...selection, after, rows: 50, rowsLookedAtMax: pageRowsLookedAtMax });
  return { here: performance.now() - start - aside, aside };
}

async function measure(connection: Connection, { selection }: Case): Promise<Times> {
  const { table, key, streams } = selection;
  const where = streams.map(({ sql }) => `(${sql})`).join(' OR ');
  const [middle = 0] = connection.get<[number]>(`SELECT max(id) / 2 FROM ${table}`) ?? [];
  const deep = connection.get<Row & Position>(`SELECT ${key}, id FROM ${table} WHERE id >= ? AND (${where}) LIMIT 1`, middle, ...streams.flatMap(({ params }) => params));
  const runs = { first: [] as number[], deep: [] as number[], aside: [] as number[] };
  for (let round = 0; round < repeats; round += 1) {
    for (const [page, after] of [['first', undefined], ['deep', deep]] as const) {
      const { here, aside } = await timePage(connection, selection, after);
      runs[page].push(here);
      runs.aside.push(aside);
    }
  }
  return { first: median(runs.first), deep: median(runs.deep), aside: Math.max(...runs.aside) };
}

function median(values: number[]): number {
  return values.sort((one, other) => one - other)[values.length >> 1] ?? 0;
}

const folder = mkdtempSync(join(tmpdir(), 'orderly-lists-'));
try {
  const connections = sizes.map((size) => {
    const file = join(folder, `${size}.db`);
    console.error(`… making ${size} orders`);
    fill(file, size);
    return new Connection(new DatabaseSync(file, { readOnly: true, returnArrays: true }));
  });
  const show = (value: number): string => value.toFixed(2);
  console.log('| list, filter, sort | first page, ms: 1,000 | 1,000,000 | deep page: 1,000 | 1,000,000 | aside at 1,000,000 | |\n|---|--:|--:|--:|--:|--:|---|');
  let [flat, slower] = [0, 0];
  for (const each of cases()) {
    const measured: Times[] = [];
    for (const connection of connections) measured.push(await measure(connection, each));
    const [small, large] = measured;
    if (small === undefined || large === undefined) continue;
    const isFlat = large.first <= Math.max(0.2, 2 * small.first) && large.deep <= Math.max(0.2, 2 * small.deep) && large.aside === 0;
    if (isFlat) flat += 1;
    else slower += 1;
    if (!isFlat) console.log(`| ${each.name} | ${[small.first, large.first, small.deep, large.deep, large.aside].map(show).join(' | ')} | ${each.selection.rest !== undefined || each.selection.isGathered === true ? 'documented' : 'NOT FLAT'} |`);
  }
  console.log(`\n${flat} of ${flat + slower} are flat (within twice the time, or 0.2 ms, and nothing aside); the others are above.`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
