// The time of a page with every filter × sort of every list, at the beginning and in the middle, with 1,000
// and with 1,000,000 orders. `--all` prints all.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createCursors, type ListQuery } from '../../src/http/lists/cursor.ts';
import { Lists, orderOf } from '../../src/http/lists/list.ts';
import { represent, representText, type Representation } from '../../src/http/responses/representation.ts';
import { migrations } from '../../src/service/features.ts';
import { customerSorts } from '../../src/features/customers/customer.ts';
import { findCustomer, customerSelection } from '../../src/features/customers/customer-store.ts';
import { orderSorts } from '../../src/features/orders/order.ts';
import { orderSelection } from '../../src/features/orders/order-list-store.ts';
import { findOrderText } from '../../src/features/orders/order-store.ts';
import { userSorts } from '../../src/features/users/user.ts';
import { findUser, userSelection } from '../../src/features/users/user-store.ts';
import { Connection, type Row, type SqlValue } from '../../src/storage/connection.ts';
import type { KeysetPosition, IndexedSelection } from '../../src/storage/keyset.ts';
import { median, ms } from './bench-table.ts';

const firstDay = Date.parse('2025-03-01T00:00:00.000Z');
const dayMilliseconds = 86_400_000;
const repeats = 7;
const items = JSON.stringify([
  { sku: 'TEA-250', name: 'Green tea, 250 g', quantity: 2, unitPrice: 749, total: 1498 },
  { sku: 'POT-1', name: 'Tea pot', quantity: 1, unitPrice: 3900, total: 3900 },
]);

type Case = {
  readonly name: string;
  readonly selection: IndexedSelection;
  readonly load: (db: Connection, id: number) => Representation<unknown> | undefined;
};
/** Milliseconds of a page with its elements: in total, and the part on the event loop. */
type Time = { readonly whole: number; readonly here: number };
type Times = { readonly first: Time; readonly deep: Time };

function fill(file: string, orders: number): void {
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -400000');
  for (const { sql } of migrations) db.exec(sql);
  const users = Math.max(100, orders / 1000);
  const customers = orders / 10;
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
        1 + abs(random()) % ${customers}, 1 + abs(random()) % ${users},
        CASE abs(random()) % 10 WHEN 0 THEN 'USD' ELSE 'EUR' END, '${items}', abs(random()) % 50000,
        ${firstDay} + i * ${step}, ${firstDay} + i * ${step} + abs(random()) % ${10 * dayMilliseconds} FROM n;
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
    'user and currency': { userId: 7, currency: 'USD' },
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
  const loadOrder = (db: Connection, id: number) =>
    representText(findOrderText(db, id)?.json ?? '', { id, ownerId: null });
  const loadCustomer = (db: Connection, id: number) => represent(findCustomer(db, id), { id, ownerId: null });
  const loadUser = (db: Connection, id: number) => represent(findUser(db, id), { id, ownerId: null });
  return [
    ...Object.entries(orderFilters).flatMap(([name, filter]) =>
      orderSorts.map((sort) => ({
        name: `orders, ${name}, ${sort}`,
        selection: orderSelection('all', { ...filter, sort }),
        load: loadOrder,
      })),
    ),
    ...Object.entries(customerFilters).flatMap(([name, filter]) =>
      customerSorts.map((sort) => ({
        name: `customers, ${name}, ${sort}`,
        selection: customerSelection('all', { ...filter, sort }),
        load: loadCustomer,
      })),
    ),
    ...Object.entries(userFilters).flatMap(([name, filter]) =>
      userSorts.map((sort) => ({
        name: `users, ${name}, ${sort}`,
        selection: userSelection('all', { ...filter, sort }),
        load: loadUser,
      })),
    ),
  ];
}

const cursors = createCursors([(text) => createHash('sha256').update(text).digest()]);
const noExports = { createResult: () => assert.fail('a page is no export') };
const lists = new Lists({ cursors, exports: noExports });

/** Queries of the read worker run here, and are timed separately. */
async function timePage(connection: Connection, { selection, load }: Case, query: ListQuery): Promise<Time> {
  let aside = 0;
  const readInWorker = async <R extends Row>(sql: string, params: readonly SqlValue[]): Promise<R[]> => {
    const start = performance.now();
    const rows = connection.all<R>(sql, ...params);
    aside += performance.now() - start;
    return rows;
  };
  const start = performance.now();
  const reader = { caller: undefined, recheckCaller: () => undefined };
  await lists.page(
    { read: connection, readInWorker, path: '/list', query, ...reader },
    {
      selectionFor: () => selection,
      elements: { find: load, findAll: (db, ids) => ids.map((id) => load(db, id)) },
    },
  );
  const whole = performance.now() - start;
  return { whole, here: whole - aside };
}

/** The cursor of a page in the middle of the table; undefined if the list is too short. */
function deepCursor(connection: Connection, selection: IndexedSelection): string | undefined {
  const { table, key, ranges: streams } = selection;
  const where = streams.map(({ sql }) => `(${sql})`).join(' OR ');
  const [middle = 0] = connection.get<[number]>(`SELECT max(id) / 2 FROM ${table}`) ?? [];
  const position = connection.get<Row & KeysetPosition>(
    `SELECT ${key}, id FROM ${table} WHERE id >= ? AND (${where}) LIMIT 1`,
    middle,
    ...streams.flatMap(({ params }) => params),
  );
  if (position === undefined) return undefined;
  return cursors.encode({ path: '/list', query: {}, order: orderOf(selection) }, position);
}

async function measure(connection: Connection, each: Case): Promise<Times> {
  const cursor = deepCursor(connection, each.selection);
  const runs: { first: Time[]; deep: Time[] } = { first: [], deep: [] };
  for (let round = 0; round < repeats; round += 1) {
    runs.first.push(await timePage(connection, each, {}));
    runs.deep.push(await timePage(connection, each, cursor === undefined ? {} : { cursor }));
  }
  return { first: medianOf(runs.first), deep: medianOf(runs.deep) };
}

function medianOf(times: readonly Time[]): Time {
  return { whole: median(times.map(({ whole }) => whole)), here: median(times.map(({ here }) => here)) };
}

function filled(orders: number): Connection {
  console.error(`… making ${orders} orders`);
  const file = join(folder, `${orders}.db`);
  fill(file, orders);
  return new Connection(new DatabaseSync(file, { readOnly: true, returnArrays: true }));
}

const folder = mkdtempSync(join(tmpdir(), 'orderly-lists-'));
try {
  const [small, large] = [filled(1_000), filled(1_000_000)];
  console.log(
    '| list, filter, sort | first page, ms: 1,000 | 1,000,000 | deep page: ' +
      '1,000 | 1,000,000 | of it on the event loop |\n|---|--:|--:|--:|--:|--:|',
  );
  let [flat, slower, here, fullPage] = [0, 0, 0, 0];
  for (const each of cases()) {
    const [before, after] = [await measure(small, each), await measure(large, each)];
    here = Math.max(here, after.first.here, after.deep.here);
    fullPage = each.name.includes(', all, ') ? before.first.whole : fullPage;
    const isFlat =
      after.first.whole <= 2 * Math.max(before.first.whole, fullPage) &&
      after.deep.whole <= 2 * Math.max(before.deep.whole, fullPage);
    if (isFlat) flat += 1;
    else slower += 1;
    const times = [
      before.first.whole,
      after.first.whole,
      before.deep.whole,
      after.deep.whole,
      Math.max(after.first.here, after.deep.here),
    ];
    if (!isFlat || process.argv.includes('--all'))
      console.log(`| ${each.name} | ${times.map(ms).join(' | ')} |`);
  }
  console.log(
    `\n${flat} of ${flat + slower} take at most twice the time that they, or a full page of the ` +
      `whole list, take at 1,000 orders; the others are above. None takes more than ${ms(here)} ms ` +
      'of the event loop.',
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
