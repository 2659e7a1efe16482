// SQLite's plan for a page of each list: it walks an index in order, and sorts or scans nothing
// (ARCHITECTURE.md, lists).
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { customerSorts } from '../../../src/features/customers/customer.ts';
import { customerSelection } from '../../../src/features/customers/customer-store.ts';
import { keySelection } from '../../../src/features/keys/key-store.ts';
import { orderSorts } from '../../../src/features/orders/order.ts';
import { orderSelection } from '../../../src/features/orders/order-list-store.ts';
import { sessionSelection } from '../../../src/features/sessions/session-store.ts';
import { userSorts } from '../../../src/features/users/user.ts';
import { userSelection } from '../../../src/features/users/user-store.ts';
import type { Connection, SqlValue } from '../../../src/storage/connection.ts';
import { countRows } from '../../../src/storage/keyset.ts';
import { assertCheap, choices, explaining } from '../../support/query-plan-support.ts';

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
  for (const sort of orderSorts) {
    for (const status of [undefined, ['open'], ['open', 'paid']] as const) {
      const which = status === undefined ? 'of all statuses' : `that are ${status.join(' or ')}`;
      test(`a page of orders by ${sort}, ${which}, walks indexes in order, with every choice of filters`, async () => {
        const key = sort.replace('-', '') as keyof typeof deep; // orderSorts has nothing else
        // Of the places only these differ: one's own, and all.
        for (const filter of filters) {
          for (const reach of [all, own] as const) {
            const query = { ...filter, ...(status === undefined ? {} : { status }), sort };
            await assertCheap(orderSelection(reach, query), deep[key]);
            const byPayment = orderSelection(reach, { ...query, payment: 'card' });
            await assertCheap(byPayment, deep[key], 'tests rows'); // no index has the payment
          }
        }
      });
    }
  }

  test('a page of orders walks nothing but indexes for any one filter, with or without statuses', () => {
    for (const sort of orderSorts) {
      for (const filter of [
        {},
        { customerId: 3 },
        { userId: 7 },
        ...(/createdAt/.test(sort) ? [{ currency: 'EUR' }] : []),
      ]) {
        assert.equal(orderSelection(all, { ...filter, sort }).residual, undefined);
        assert.equal(orderSelection(all, { ...filter, sort, status: ['open', 'paid'] }).residual, undefined);
      }
      assert.equal(orderSelection(own, { sort }).residual, undefined);
    }
    for (const sort of ['updatedAt', '-updatedAt'] as const) {
      const changed = orderSelection(all, { sort, updatedFrom: time, updatedBefore: time });
      assert.equal(changed.residual, undefined);
    }
    for (const sort of ['createdAt', '-createdAt'] as const) {
      assert.equal(
        orderSelection(own, { sort, createdFrom: time, createdBefore: time, status: ['open'] }).residual,
        undefined,
      );
    }
  });
});

describe('a page of customers walks an index in order', () => {
  const filters = choices([{ userId: 7 }, { email: 'ada@example.com' }, { name: 'Gr' }]);
  const deep = { id: [500, 500], name: ['grace', 500], createdAt: [1_772_357_400_000, 500] } as const;
  for (const sort of customerSorts) {
    test(`a page of customers by ${sort} walks an index in order, with every choice of filters`, async () => {
      const key = sort.replace('-', '') as keyof typeof deep; // as above
      for (const filter of filters)
        for (const reach of [all, own] as const)
          await assertCheap(customerSelection(reach, { ...filter, sort }), deep[key]);
    });
  }

  test('a page of customers walks nothing else for any one filter, except names unless they are the sort', () => {
    for (const sort of customerSorts) {
      for (const filter of [{}, { userId: 7 }, { email: 'ada@example.com' }])
        assert.equal(customerSelection(all, { ...filter, sort }).residual, undefined);
      assert.equal(customerSelection(own, { sort }).residual, undefined);
    }
    for (const sort of ['name', '-name'] as const)
      assert.equal(customerSelection(own, { sort, name: 'Gr' }).residual, undefined);
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
  for (const sort of userSorts) {
    test(`a page of users by ${sort} walks an index in order, with every choice of filters`, async () => {
      const key = sort.replace('-', '') as keyof typeof deep; // as above
      for (const filter of filters) await assertCheap(userSelection(all, { ...filter, sort }), deep[key]);
    });
  }

  test('a page of users walks nothing else for role and e-mail, except names unless they are the sort', () => {
    for (const sort of userSorts)
      for (const filter of choices([{ role: 'staff' as const }, { email: 'a@b.de' }]))
        assert.equal(userSelection(all, { ...filter, sort }).residual, undefined);
    for (const sort of ['name', '-name'] as const)
      assert.equal(userSelection(all, { sort, name: 'Gr', role: 'user' }).residual, undefined);
  });
});

test('a page of sessions or keys walks an index in order', async () => {
  for (const selection of [sessionSelection(own, 0), keySelection(own)]) {
    await assertCheap(selection, [500, 500]);
    assert.equal(selection.residual, undefined);
  }
});

test('a total is counted in the read worker, never on the event loop', async () => {
  // countOf must not touch it
  const read = { all: () => assert.fail('counted on the main thread') } as unknown as Connection;
  for (const selection of [
    orderSelection(own, { currency: 'EUR' }),
    customerSelection(all, { name: 'Gr' }),
    userSelection(all, {}),
    sessionSelection(own, 0),
    keySelection(own),
  ]) {
    const db = {
      read,
      readInWorker: (sql: string, params: readonly SqlValue[]) =>
        Promise.resolve(explaining.all(sql, ...params)) as Promise<never[]>,
    };
    assert.equal(await countRows(db, selection), 0);
  }
});
