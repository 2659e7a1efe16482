// SQLite's plan for a page of each list: it walks an index in order, and sorts or scans nothing
// (ARCHITECTURE.md, lists).
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { migrations } from '../../src/service/features.ts';
import { customerSorts } from '../../src/features/customers/customer.ts';
import { productSorts } from '../../src/features/products/product.ts';
import { productSelection } from '../../src/features/products/product-store.ts';
import { customerSelection } from '../../src/features/customers/customer-store.ts';
import { keySelection } from '../../src/features/keys/key-store.ts';
import { orderSorts } from '../../src/features/orders/order.ts';
import { orderSelection } from '../../src/features/orders/order-list-store.ts';
import { sessionSelection } from '../../src/features/sessions/session-store.ts';
import { userSorts } from '../../src/features/users/user.ts';
import { userSelection } from '../../src/features/users/user-store.ts';
import { Connection, type SqlValue } from '../../src/storage/connection.ts';
import { countRows, findPage, type KeysetPosition, type IndexedSelection } from '../../src/storage/keyset.ts';

const sqlite = new DatabaseSync(':memory:', { returnArrays: true });
for (const { sql } of migrations) sqlite.exec(sql);
const explaining = new Connection(sqlite);
after(() => sqlite.close());

type Asked = { readonly where: 'main thread' | 'query worker'; readonly plan: readonly string[] };

/**
 * The plans of all statements of a page. They find nothing among many rows, so that every fallback runs; rows
 * that are gathered first are counted as few.
 */
async function plansOf(selection: IndexedSelection, after: KeysetPosition | undefined): Promise<Asked[]> {
  const asked: Asked[] = [];
  const explain = (where: Asked['where'], sql: string, params: readonly SqlValue[]): [] => {
    const rows = explaining.all<[number, number, number, string]>(`EXPLAIN QUERY PLAN ${sql}`, ...params);
    asked.push({ where, plan: rows.map(([, , , detail]) => detail) });
    return [];
  };
  const read = {
    all: (sql: string, ...params: SqlValue[]) => explain('main thread', sql, params),
    get: (sql: string, ...params: SqlValue[]) => {
      explain('main thread', sql, params);
      return selection.sortsInMemory === true ? undefined : [1];
    },
  } as unknown as Connection; // keyset.ts calls nothing else
  const db = {
    read,
    readInWorker: (sql: string, params: readonly SqlValue[]) =>
      Promise.resolve(explain('query worker', sql, params)),
  };
  const bounds = { after, rows: 50, rowsExaminedMax: 2000, whenSparse: 'ask the worker' } as const;
  await findPage(db, selection, bounds);
  return asked;
}

/**
 * `SCAN near` walks the result of a subquery, at most rowsExaminedMax rows; a covering index is walked in the
 * order of the list.
 */
const isCheap = (step: string): boolean =>
  !/^SCAN (?!near$|\w+ USING COVERING INDEX )|TEMP B-TREE|AUTOMATIC/.test(step);
/**
 * An index has everything that the query needs: no row is read to be tested or sorted, except for the one
 * with an e-mail address.
 */
const isCovered = (step: string): boolean =>
  !/ (orders|customers|users) USING /.test(step) || covering.test(step);
const covering = / USING (COVERING INDEX|INTEGER PRIMARY KEY|INDEX sqlite_autoindex_users_1 \(emailKey=\?\))/;

async function assertCheap(selection: IndexedSelection, deep: KeysetPosition): Promise<void> {
  for (const position of [undefined, deep]) {
    const asked = await plansOf(selection, position);
    const { sortsInMemory: isGathered = false, residual: rest } = selection;
    // Gathered rows are counted first, and are then few enough to be sorted.
    const walked = asked.filter(
      ({ where }, index) => where === 'main thread' && !(isGathered && index === 1),
    );
    for (const { plan } of walked) assert.ok(plan.length > 0 && plan.every(isCheap), plan.join('\n'));
    for (const { plan } of asked) assert.ok(plan.every(isCovered), plan.join('\n'));
    assert.deepEqual(
      asked.map(({ where }) => where),
      isGathered
        ? ['main thread', 'main thread']
        : rest === undefined
          ? ['main thread']
          : ['main thread', 'main thread', 'query worker'],
    );
  }
}

/** Every combination of these filters. */
function choices<Filter extends object>(filters: readonly Filter[]): Filter[] {
  return filters.reduce<Filter[]>(
    (sets, filter) => [...sets, ...sets.map((set) => ({ ...set, ...filter }))],
    [{} as Filter],
  ); // all members are optional
}

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
      test(`by ${sort}, ${which}, with every choice of filters`, async () => {
        const key = sort.replace('-', '') as keyof typeof deep; // orderSorts has nothing else
        // Of the places only these differ: one's own, and all.
        for (const filter of filters) {
          for (const reach of [all, own] as const) {
            await assertCheap(
              orderSelection(reach, { ...filter, ...(status === undefined ? {} : { status }), sort }),
              deep[key],
            );
          }
        }
      });
    }
  }

  test('and needs no more than that for any one filter, with or without statuses', () => {
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
    test(`by ${sort}, with every choice of filters`, async () => {
      const key = sort.replace('-', '') as keyof typeof deep; // as above
      for (const filter of filters)
        for (const reach of [all, own] as const)
          await assertCheap(customerSelection(reach, { ...filter, sort }), deep[key]);
    });
  }

  test('and walks nothing else for any one filter, except names unless they are the sort', () => {
    for (const sort of customerSorts) {
      for (const filter of [{}, { userId: 7 }, { email: 'ada@example.com' }])
        assert.equal(customerSelection(all, { ...filter, sort }).residual, undefined);
      assert.equal(customerSelection(own, { sort }).residual, undefined);
    }
    for (const sort of ['name', '-name'] as const)
      assert.equal(customerSelection(own, { sort, name: 'Gr' }).residual, undefined);
  });
});

describe('a page of products walks an index in order', () => {
  const deep = { name: ['tea', 500], sku: ['tea-1', 500], createdAt: [1_772_357_400_000, 500] } as const;
  for (const sort of productSorts) {
    test(`by ${sort}, with every choice of filters`, async () => {
      const key = sort.replace('-', '') as keyof typeof deep; // as above
      for (const filter of choices([{ active: true }, { currency: 'EUR' }]))
        await assertCheap(productSelection({ ...filter, sort }), deep[key]);
    });
  }
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
    test(`by ${sort}, with every choice of filters`, async () => {
      const key = sort.replace('-', '') as keyof typeof deep; // as above
      for (const filter of filters) await assertCheap(userSelection(all, { ...filter, sort }), deep[key]);
    });
  }

  test('and walks nothing else for role and e-mail, except names unless they are the sort', () => {
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

test('a total is counted in the query worker, never on the event loop', async () => {
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
