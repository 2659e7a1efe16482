// Pages of orders, however they are found: by an index in their order, or by the read worker.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { ListQuery } from '../../../src/http/lists/cursor.ts';
import { Lists } from '../../../src/http/lists/list.ts';
import type { ListPage } from '../../../src/http/routing/reply.ts';
import { represent, type Representation } from '../../../src/http/responses/representation.ts';
import { lookupOf } from '../../../src/http/responses/representation-cache.ts';
import { migratedInMemory } from '../../support/memory-database.ts';
import { statuses } from '../../../src/features/orders/order-status.ts';
import type { Order as PlacedOrder } from '../../../src/features/orders/order-members.ts';
import { orderList, type OrderListQuery } from '../../../src/features/orders/order-list-store.ts';
import { findOrder } from '../../../src/features/orders/order-store.ts';
import type { Database } from '../../../src/storage/database.ts';
import { Connection, type Row, type SqlValue } from '../../../src/storage/connection.ts';
import { countRows, findPage, type KeysetPosition } from '../../../src/storage/keyset.ts';

const orderCount = 400;
const firstTime = Date.parse('2026-03-01T00:00:00.000Z');
type Order = {
  readonly id: number;
  readonly status: string;
  readonly customerId: number;
  readonly userId: number;
  readonly currency: string;
  readonly total: number;
  readonly createdAt: number;
  readonly updatedAt: number;
};

const sqlite = migratedInMemory();
after(() => sqlite.close());
const connection = new Connection(sqlite);
const orders = fill();

/** Many rows are equal in each member, and ids have another order than times. */
function fill(): Order[] {
  sqlite.exec('PRAGMA foreign_keys = OFF');
  const user = sqlite.prepare(
    'INSERT INTO users (id, name, nameKey, email, emailKey, passwordHash, role, createdAt) ' +
      "VALUES (?, '', '', '', ?, '', 'user', 0)",
  );
  for (let id = 1; id <= 4; id += 1) user.run(id, id);
  const insert = sqlite.prepare(
    'INSERT INTO orders (id, status, customerId, userId, currency, total, createdAt, updatedAt, ' +
      "items) VALUES (?, ?, ?, ?, ?, ?, ?, ?, '[]')",
  );
  return Array.from({ length: orderCount }, (_, index): Order => {
    const createdAt = firstTime + ((index * 7919) % 90) * 1000;
    const order = {
      id: index + 1,
      status: statuses[((index * 5) % 7) % 6] ?? 'open',
      customerId: 1 + (index % 3),
      userId: 1 + (index % 4),
      currency: index % 5 === 0 ? 'USD' : 'EUR',
      total: (index * 31) % 40,
      createdAt,
      updatedAt: createdAt + (index % 6) * 500,
    };
    insert.run(...Object.values(order));
    return order;
  });
}

const time = (second: number): string => new Date(firstTime + second * 1000).toISOString();
const filters: readonly OrderListQuery[] = [
  {},
  { status: ['open'] },
  { status: ['refunded', 'open', 'paid'] },
  { customerId: 2 },
  { userId: 3 },
  { currency: 'USD' },
  { createdFrom: time(30) },
  { createdBefore: time(30) },
  { updatedFrom: time(30) },
  { updatedBefore: time(30) },
  { userId: 3, updatedFrom: time(30) },
  { currency: 'USD', updatedFrom: time(30), updatedBefore: time(60), createdBefore: time(50) },
  { customerId: 2, currency: 'USD' },
  { userId: 3, currency: 'USD', status: ['open', 'paid'] },
  { customerId: 1, userId: 1 },
  { currency: 'USD', createdFrom: time(30), createdBefore: time(40) },
  { userId: 3, createdFrom: time(80) },
  {
    status: ['paid'],
    customerId: 2,
    userId: 3,
    currency: 'EUR',
    createdFrom: time(10),
    createdBefore: time(70),
  },
];

function expected(filter: OrderListQuery, sort: string): number[] {
  const {
    status = statuses,
    customerId,
    userId,
    currency,
    createdFrom = time(0),
    createdBefore = time(1_000),
    updatedFrom = time(0),
    updatedBefore = time(1_000),
  } = filter;
  const sign = sort.startsWith('-') ? -1 : 1;
  // orderList.sortNames has nothing else
  const key = sort.replace('-', '') as 'id' | 'status' | 'total' | 'createdAt' | 'updatedAt';
  return orders
    .filter(
      (order) =>
        status.some((each) => each === order.status) &&
        order.customerId === (customerId ?? order.customerId) &&
        order.userId === (userId ?? order.userId) &&
        order.currency === (currency ?? order.currency) &&
        order.createdAt >= Date.parse(createdFrom) &&
        order.createdAt < Date.parse(createdBefore) &&
        order.updatedAt >= Date.parse(updatedFrom) &&
        order.updatedAt < Date.parse(updatedBefore),
    )
    .sort((one, other) => sign * (one[key] < other[key] ? -1 : one[key] > other[key] ? 1 : one.id - other.id))
    .map(({ id }) => id);
}

describe('a list of orders, page by page, is complete and in order', () => {
  let [here, aside] = [0, 0];
  const readInWorker = async <R extends Row>(sql: string, params: readonly SqlValue[]): Promise<R[]> => {
    aside += 1;
    return connection.all<R>(sql, ...params);
  };
  for (const sort of orderList.sortNames) {
    test(`pages by ${sort} are complete and in order, with every filter`, async () => {
      for (const filter of filters) {
        const selection = orderList.selection('all', { ...filter, sort });
        const found: number[] = [];
        let after: KeysetPosition | undefined;
        do {
          const page = await findPage({ read: connection, readInWorker }, selection, { after, rows: 17 });
          here += 1;
          found.push(...page.positions.map(([, id]) => id));
          after = page.next;
        } while (after !== undefined);
        assert.deepEqual(found, expected(filter, sort), JSON.stringify(filter));
        const readAside = async <R extends Row>(sql: string, params: readonly SqlValue[]) =>
          connection.all<R>(sql, ...params);
        const count = await countRows({ readInWorker: readAside }, selection);
        assert.equal(count, expected(filter, sort).length);
      }
    });
  }

  test('some pages of orders are read on the event loop, others in the read worker', () => {
    assert.ok(aside > 100 && here > 1.5 * aside, `${aside} of ${here} pages came from the read worker`);
  });
});

const noExports = { createResult: () => assert.fail('a page is no export') };
const lists = new Lists(noExports);
const slow = async <R extends Row>(sql: string, params: readonly SqlValue[]): Promise<R[]> =>
  connection.all(sql, ...params);

function callOf(query: ListQuery, readInWorker: Database['readInWorker']) {
  const reader = { caller: undefined, recheckCaller: () => undefined };
  return { read: connection, readInWorker, path: '/orders', query, ...reader };
}

test('a caller who loses the right to an element while it is looked up doesn’t get it', async () => {
  const reach = { userId: 3 };
  const read = (query: ListQuery, readInWorker: Database['readInWorker']) =>
    lists.page(callOf(query, readInWorker), {
      selectionFor: () => orderList.selection(reach, {}),
      elements: lookupOf({ find: findOrder, represent: representRow }),
    });
  const before = pageOf(await read({ limit: 3, total: true }, slow));
  const [first, lost, third] = before;
  const after = await read({ limit: 3, total: true }, (sql, params) => {
    sqlite.exec(`UPDATE orders SET userId = 4 WHERE id = ${lost}`);
    return slow(sql, params);
  });
  sqlite.exec(`UPDATE orders SET userId = 3 WHERE id = ${lost}`);
  assert.deepEqual(pageOf(after), [first, third]);
});

test('a page whose elements were all removed meanwhile is empty, and the list continues', async () => {
  const gone = new Set([1, 2, 3]);
  const read = (query: ListQuery) =>
    lists.page(callOf(query, slow), {
      selectionFor: () => orderList.selection('all', { sort: 'id' }),
      elements: lookupOf({
        find: (db, id) => (gone.has(id) ? undefined : findOrder(db, id)),
        represent: representRow,
      }),
    });
  const empty = await read({ limit: 3 });
  assert.deepEqual(pageOf(empty), []);
  const cursor = new URLSearchParams(empty.next?.split('?')[1]).get('cursor');
  assert(cursor !== null, 'there is a next page');
  assert.deepEqual(pageOf(await read({ limit: 3, cursor })), [4, 5, 6]);
});

function representRow(order: PlacedOrder): Representation<unknown> {
  return represent(order, { id: order.id, ownerId: order.userId });
}

/** The ids of a page's elements. */
function pageOf({ text }: ListPage<unknown>): number[] {
  const { data } = JSON.parse(text) as { data: { id: number }[] }; // as toListPage made it
  return data.map(({ id }) => id);
}
