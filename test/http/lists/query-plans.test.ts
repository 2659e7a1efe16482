// SQLite's plan for a page of each list: it walks an index in order on the event loop, or any index in the read
// worker (ARCHITECTURE.md, lists).
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RowAccess } from '../../../src/auth/access.ts';
import { customerResource } from '../../../src/features/customers/customers.ts';
import { keySelection } from '../../../src/features/keys/key-store.ts';
import { orderList } from '../../../src/features/orders/order-list-store.ts';
import { productResource } from '../../../src/features/products/products.ts';
import { sessionSelection } from '../../../src/features/sessions/session-store.ts';
import { userList } from '../../../src/features/users/user-store.ts';
import type { SqlValue } from '../../../src/storage/connection.ts';
import { countRows, type KeysetPosition, type RowSelection } from '../../../src/storage/keyset.ts';
import { assertCheap, assertInOrder, choices, explaining } from '../../support/query-plan-support.ts';

const all = 'all';
const own = { userId: 7 };
const time = '2026-03-01T09:30:00.000Z';

type Query = object;
type Kind = {
  readonly list: { readonly sortNames: readonly string[] };
  readonly select: (access: RowAccess, query: Query) => RowSelection;
  readonly filters: readonly Query[];
  /** The combinations of filters, by the sort, whose page is read on the event loop; none alone always is. */
  readonly inOrder: Readonly<Record<string, readonly Query[]>>;
};

const someStatuses = [{ status: ['open'] }, { status: ['open', 'paid'] }];
const withStatuses = (filter: Query): Query[] =>
  [{}, ...someStatuses].map((each) => ({ ...filter, ...each }));
const ofTime = (name: string): Query => ({ [`${name}From`]: time, [`${name}Before`]: time });
const orderFilters = [
  ...[{ customerId: 3 }, { userId: 7 }, { currency: 'EUR' }, { payment: 'card' }],
  ...[{ createdFrom: time }, { createdBefore: time }, { updatedFrom: time }, { updatedBefore: time }],
];

// each query has parameters that the list has
const kinds: Readonly<Record<string, Kind>> = {
  orders: {
    list: orderList,
    select: (access, query) => orderList.selection(access, query),
    filters: choices(orderFilters).flatMap(withStatuses),
    inOrder: {
      '': withStatuses({}),
      createdAt: [
        ...[{ customerId: 3 }, { userId: 7 }, ofTime('created')].flatMap(withStatuses),
        ...withStatuses({ customerId: 3, createdFrom: time }),
      ],
      updatedAt: withStatuses(ofTime('updated')),
    },
  },
  customers: {
    list: customerResource,
    select: (access, query) => customerResource.selection(access, query),
    filters: choices([{ userId: 7 }, { email: 'ada@example.com' }, { name: 'Gr' }]),
    inOrder: { '': [{ userId: 7 }], id: [{ email: 'ada@example.com' }], name: [{ name: 'Gr', userId: 7 }] },
  },
  products: {
    list: productResource,
    select: (access, query) => productResource.selection(access, query),
    filters: choices([{ active: true }, { currency: 'EUR' }]),
    inOrder: {},
  },
  users: {
    list: userList,
    select: (access, query) => userList.selection(access, query),
    filters: choices([{ role: 'staff' }, { email: 'ada@example.com' }, { name: 'Gr' }]),
    inOrder: { '': [{ role: 'staff' }], name: [{ name: 'Gr', role: 'user' }] },
  },
};

/** Where a page far behind begins, by the sort. */
const deep: Readonly<Record<string, KeysetPosition>> = {
  id: [500, 500],
  createdAt: [1_772_357_400_000, 500],
  updatedAt: [1_772_357_400_000, 500],
  total: [1498, 500],
  status: ['open', 500],
  name: ['grace', 500],
  sku: ['tea-1', 500],
  email: ['grace@example.com', 500],
};

for (const [name, { list, select, filters, inOrder }] of Object.entries(kinds))
  describe(`a page of ${name} walks indexes in order`, () => {
    for (const sort of list.sortNames) {
      const key = sort.replace('-', '');
      const position = deep[key] ?? assert.fail(`${sort} has no position`);

      test(`a page of ${name} by ${sort} walks indexes in order, with any two filters, and with all`, async () => {
        // of the places only these differ: one's own, and all
        for (const filter of filters)
          for (const access of [all, own] as const)
            await assertCheap(select(access, { ...filter, sort }), position);
      });

      test(`a page of ${name} by ${sort} is read on the event loop with filters that its index has`, async () => {
        for (const filter of [{}, ...(inOrder[''] ?? []), ...(inOrder[key] ?? [])])
          await assertInOrder(select(all, { ...filter, sort }), position);
      });
    }
  });

test('a page of one’s own walks an index in order', async () => {
  const { orders, customers: ofCustomers } = kinds;
  const open = orders?.select(own, { createdFrom: time, status: ['open'] });
  const named = ofCustomers?.select(own, { sort: 'name', name: 'Gr' });
  await assertInOrder(open ?? assert.fail(), [1_772_357_400_000, 500]);
  await assertInOrder(named ?? assert.fail(), ['grace', 500]);
  for (const selection of [sessionSelection(own, 0), keySelection(own)])
    await assertInOrder(selection, [500, 500]);
});

test('a page of orders is read by the worker if an index has but one of two filters', () => {
  for (const two of [
    { customerId: 3, currency: 'EUR' },
    { customerId: 3, userId: 7 },
  ])
    assert.equal(orderList.selection(all, two).ranges, undefined);
  assert.equal(orderList.selection(own, { customerId: 3 }).ranges, undefined);
});

test('a total is counted in the read worker', async () => {
  for (const selection of [
    orderList.selection(own, { currency: 'EUR' }),
    customerResource.selection(all, { name: 'Gr' }),
    userList.selection(all, {}),
    sessionSelection(own, 0),
    keySelection(own),
  ]) {
    const db = {
      readInWorker: (sql: string, params: readonly SqlValue[]) =>
        Promise.resolve(explaining.all(sql, ...params)) as Promise<never[]>,
    };
    assert.equal(await countRows(db, selection), 0);
  }
});
