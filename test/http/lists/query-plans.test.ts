// SQLite's plan for a page of each list: it walks an index in order on the event loop, or any index in the read
// worker (ARCHITECTURE.md, lists).
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RowAccess } from '../../../src/auth/access.ts';
import { customers } from '../../../src/features/customers/customers.ts';
import { keySelection } from '../../../src/features/keys/key-store.ts';
import { orderList } from '../../../src/features/orders/order-list-store.ts';
import { sessionSelection } from '../../../src/features/sessions/session-store.ts';
import { userList } from '../../../src/features/users/user-store.ts';
import type { SqlValue } from '../../../src/storage/connection.ts';
import { countRows } from '../../../src/storage/keyset.ts';
import { assertCheap, assertInOrder, choices, explaining } from '../../support/query-plan-support.ts';

type CustomerQuery = {
  readonly sort?: string;
  readonly userId?: number;
  readonly email?: string;
  readonly name?: string;
};
const customerSelection = (access: RowAccess, query: CustomerQuery) => customers.selection(access, query);
const all = 'all';
const own = { userId: 7 };
const time = '2026-03-01T09:30:00.000Z';

describe('a page of orders walks indexes in order', () => {
  const filters = choices([
    { customerId: 3 },
    { userId: 7 },
    { currency: 'EUR' },
    { createdFrom: time },
    { createdBefore: time },
    { updatedFrom: time },
    { updatedBefore: time },
  ]);
  const deep = {
    createdAt: [1_772_357_400_000, 500],
    updatedAt: [1_772_357_400_000, 500],
    id: [500, 500],
    total: [1498, 500],
    status: ['open', 500],
  } as const;
  for (const sort of orderList.sortNames) {
    for (const status of [undefined, ['open'], ['open', 'paid']] as const) {
      const which = status === undefined ? 'of all statuses' : `that are ${status.join(' or ')}`;
      test(`a page of orders by ${sort}, ${which}, walks indexes in order, with every choice of filters`, async () => {
        const key = sort.replace('-', '') as keyof typeof deep; // orderList.sortNames has nothing else
        // Of the places only these differ: one's own, and all.
        for (const filter of filters) {
          for (const reach of [all, own] as const) {
            const query = { ...filter, ...(status === undefined ? {} : { status }), sort };
            await assertCheap(orderList.selection(reach, query), deep[key]);
            await assertCheap(orderList.selection(reach, { ...query, payment: 'card' }), deep[key]);
          }
        }
      });
    }
  }

  test('a page of orders is read on the event loop with any status, and one filter that has an index', async () => {
    for (const sort of orderList.sortNames) {
      const key = sort.replace('-', '') as keyof typeof deep; // as above
      const filters = {
        createdAt: [
          { customerId: 3 },
          { userId: 7 },
          { currency: 'EUR' },
          { createdFrom: time, createdBefore: time },
          { customerId: 3, createdFrom: time },
        ],
        updatedAt: [{ updatedFrom: time, updatedBefore: time }],
        id: [],
        status: [],
        total: [],
      }[key];
      for (const filter of [{}, ...filters])
        for (const status of [{}, { status: ['open', 'paid'] as const }])
          await assertInOrder(orderList.selection(all, { ...filter, ...status, sort }), deep[key]);
    }
    await assertInOrder(orderList.selection(own, { createdFrom: time, status: ['open'] }), deep.createdAt);
  });

  test('a page of orders is read by the worker if an index has but one of two filters', () => {
    for (const two of [
      { customerId: 3, currency: 'EUR' },
      { customerId: 3, userId: 7 },
    ])
      assert.equal(orderList.selection(all, two).ranges, undefined);
    assert.equal(orderList.selection(own, { customerId: 3 }).ranges, undefined);
  });
});

describe('a page of customers walks an index in order', () => {
  const filters = choices([{ userId: 7 }, { email: 'ada@example.com' }, { name: 'Gr' }]);
  const deep = { id: [500, 500], name: ['grace', 500], createdAt: [1_772_357_400_000, 500] } as const;
  for (const sort of customers.sortNames) {
    test(`a page of customers by ${sort} walks an index in order, with every choice of filters`, async () => {
      const key = sort.replace('-', '') as keyof typeof deep; // as above
      for (const filter of filters)
        for (const reach of [all, own] as const)
          await assertCheap(customerSelection(reach, { ...filter, sort }), deep[key]);
    });
  }

  test('a page of customers is read on the event loop with one filter that has an index', async () => {
    for (const sort of customers.sortNames) {
      const key = sort.replace('-', '') as keyof typeof deep; // as above
      for (const filter of [{}, { userId: 7 }])
        await assertInOrder(customerSelection(all, { ...filter, sort }), deep[key]);
    }
    await assertInOrder(customerSelection(all, { email: 'ada@example.com' }), deep.id);
    await assertInOrder(customerSelection(own, { sort: 'name', name: 'Gr' }), deep.name);
  });
});

describe('a page of users walks an index in order', () => {
  const filters = choices([{ role: 'staff' as const }, { email: 'ada@example.com' }, { name: 'Gr' }]);
  const deep = {
    id: [500, 500],
    name: ['grace', 500],
    email: ['grace@example.com', 500],
    createdAt: [1_772_357_400_000, 500],
  } as const;
  for (const sort of userList.sortNames) {
    test(`a page of users by ${sort} walks an index in order, with every choice of filters`, async () => {
      const key = sort.replace('-', '') as keyof typeof deep; // as above
      for (const filter of filters)
        await assertCheap(userList.selection(all, { ...filter, sort }), deep[key]);
    });
  }

  test('a page of users is read on the event loop with a role', async () => {
    for (const sort of userList.sortNames) {
      const key = sort.replace('-', '') as keyof typeof deep; // as above
      for (const filter of [{}, { role: 'staff' as const }])
        await assertInOrder(userList.selection(all, { ...filter, sort }), deep[key]);
    }
    await assertInOrder(userList.selection(all, { sort: 'name', name: 'Gr', role: 'user' }), deep.name);
  });
});

test('a page of sessions or keys walks an index in order', async () => {
  for (const selection of [sessionSelection(own, 0), keySelection(own)])
    await assertInOrder(selection, [500, 500]);
});

test('a total is counted in the read worker', async () => {
  for (const selection of [
    orderList.selection(own, { currency: 'EUR' }),
    customerSelection(all, { name: 'Gr' }),
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
