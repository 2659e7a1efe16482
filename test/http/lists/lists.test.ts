// Lists: every filter with every sort pages through each row exactly once, whatever
// happens meanwhile.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newCustomer, newOrder, rootToken } from '../../support/resource-support.ts';
import { serviceFor, type Person, type TestService } from '../../support/service.ts';
import { sharedService } from '../../support/http-support.ts';
import {
  type Row,
  type List,
  type Place,
  type Filter,
  withoutSyncs,
  orderSorts,
  assertPagesThroughOnce,
} from '../../support/list-support.ts';

type Shop = {
  readonly ada: Person;
  readonly bob: Person;
  readonly staff: Person;
  readonly customers: readonly number[];
  readonly orders: Map<number, Row>;
};

/** Orders of two users and four customers, with all statuses, many of them equal in each sort key. */
async function openShop(service: TestService): Promise<Shop> {
  const [ada, bob, staff] = await Promise.all([service.person(), service.person(), service.person('staff')]);
  const customers: number[] = [];
  for (const { token } of [ada, ada, bob, bob]) customers.push((await newCustomer(service, token)).id);
  const orders = new Map<number, Row>();
  const steps = [
    [],
    ['paid'],
    ['paid', 'shipped'],
    ['paid', 'shipped', 'delivered'],
    ['cancelled'],
    ['refunded'],
  ];
  for (let index = 0; index < 36; index += 1) {
    if (index % 3 === 0) service.clock.advance(1000);
    let order = await newOrder(service, (index % 4 < 2 ? ada : bob).token, {
      customerId: customers[index % 4] ?? 0,
      currency: ['EUR', 'USD'][index % 3 === 0 ? 1 : 0],
      items: [{ name: `Tea ${index}`, quantity: 1, unitPrice: (index % 5) * 100 }],
    });
    for (const status of steps[index % 6] ?? []) {
      const path = status === 'refunded' ? ['paid', 'refunded'] : [status];
      for (const step of path)
        order = (await service.patch(`/orders/${order.id}`, { token: staff.token, body: { status: step } }))
          .body;
    }
    orders.set(order.id, order);
  }
  return { ada, bob, staff, customers, orders };
}

/** `list-pages.test.ts` has each filter with each sort. */
const orderFilters: readonly (readonly [what: string, of: (shop: Shop, middle: string) => Filter])[] = [
  ['no filter', () => ({ query: {}, fits: () => true })],
  [
    'several statuses',
    () => ({
      query: { status: 'refunded,open,paid' },
      fits: (row) => ['open', 'paid', 'refunded'].includes(row.status),
    }),
  ],
  [
    'customerId, currency and createdFrom',
    ({ customers: [first] }, middle) => ({
      query: { customerId: String(first), currency: 'EUR', createdFrom: middle },
      fits: (row) => row.customerId === first && row.currency === 'EUR' && row.createdAt >= middle,
    }),
  ],
  [
    'all filters at once',
    ({ ada, customers: [first] }, middle) => ({
      query: {
        status: 'open,paid',
        customerId: String(first),
        userId: String(ada.id),
        currency: 'EUR',
        createdFrom: middle,
        createdBefore: '2999-01-01T00:00:00.000Z',
      },
      fits: (row) =>
        ['open', 'paid'].includes(row.status) &&
        row.customerId === first &&
        row.userId === ada.id &&
        row.currency === 'EUR' &&
        row.createdAt >= middle,
    }),
  ],
];

const orderPlaces: readonly (readonly [
  what: string,
  of: (shop: Shop) => List & { isIn(row: Row): boolean },
])[] = [
  [
    'one’s own orders',
    ({ ada }) => ({ path: '/orders', token: ada.token, isIn: (row) => row.userId === ada.id }),
  ],
  ['all orders', ({ staff }) => ({ path: '/orders', token: staff.token, isIn: () => true })],
  [
    'the orders of a user',
    ({ ada, staff }) => ({
      path: `/api/users/${ada.id}/orders`,
      token: staff.token,
      isIn: (row) => row.userId === ada.id,
    }),
  ],
  [
    'the orders of a customer',
    ({ ada, customers: [first] }) => ({
      path: `/customers/${first}/orders`,
      token: ada.token,
      isIn: (row) => row.customerId === first,
    }),
  ],
];

describe('lists of orders', { concurrency: true }, () => {
  for (const [where, listOf] of orderPlaces) {
    describe(where, { concurrency: 1 }, () => {
      let shop: Shop;
      let touched = 0;
      const service = sharedService(withoutSyncs, async (started) => {
        shop = await openShop(started);
      });

      /** Adds an order that passes most filters, and changes the note of an earlier one. */
      async function disturb(): Promise<number[]> {
        if (service().inside !== undefined) service().clock.advance(1);
        const {
          ada,
          customers: [first = 0],
          orders,
          staff,
        } = shop;
        const added = await newOrder(service(), ada.token, { customerId: first });
        const id = [...orders.keys()][(touched += 7) % orders.size] ?? 0;
        const { body: changed } = await service().patch(`/orders/${id}`, {
          token: staff.token,
          body: { note: `touched ${touched}` },
        });
        orders.set(added.id, added).set(id, changed);
        return [id];
      }

      for (const [what, filterOf] of orderFilters) {
        test(`the list of ${where} with ${what} pages through each row exactly once, by every sort`, async () => {
          const { isIn, ...list } = listOf(shop);
          const place: Place = {
            ...list,
            sorts: ['-createdAt'],
            disturb,
            rows: () => Promise.resolve([...shop.orders.values()].filter(isIn)),
          };
          const middle = [...shop.orders.values()][18].createdAt;
          const sorts = [undefined, ...orderSorts];
          await assertPagesThroughOnce(service(), place, filterOf(shop, middle), sorts);
        });
      }

      test(`the list of ${where} counts all of its rows when asked to, on each page`, async () => {
        const { isIn, path, token } = listOf(shop);
        const middle = [...shop.orders.values()][18].createdAt;
        for (const [what, filterOf] of orderFilters) {
          const { query, fits } = filterOf(shop, middle);
          const expected = [...shop.orders.values()].filter((row) => isIn(row) && fits(row)).length;
          const first = await service().get(
            `${path}?${new URLSearchParams({ ...query, limit: '1', total: 'true' })}`,
            { token },
          );
          assert.equal(first.body.total, expected, what);
          if (first.body.next !== null)
            assert.equal((await service().get(first.body.next, { token })).body.total, expected, what);
        }
        assert.ok(!('total' in (await service().get(`${path}?total=false`, { token })).body));
        assert.ok(!('total' in (await service().get(path, { token })).body));
      });
    });
  }
});

test('a status that is given twice counts once', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person();
  const { id } = await newOrder(service, token);
  const { body } = await service.get('/orders?status=open,paid,open&total=true', { token });
  assert.deepEqual([body.data.map((row: Row) => row.id), body.total], [[id], 1]);
});

test('the beginning of a name is found before any character', async (t) => {
  const service = await serviceFor(t);
  const token = await rootToken(service);
  const followers = ['', '!', 'é', '\u{ffee}', '😀', '\u{3134a}'];
  for (const [index, follower] of followers.entries()) {
    await newCustomer(service, token, { name: `Zed${follower}` });
    const body = {
      name: `Zed${follower}`,
      email: `zed${index}@example.com`,
      password: 'a password for tests',
    };
    assert.equal((await service.post('/api/users', { token, body })).status, 201);
  }
  for (const path of ['/customers', '/api/users']) {
    const { body } = await service.get(`${path}?name=zed&total=true`, { token });
    const names = body.data.map((row: Row) => row.name);
    assert.deepEqual([names, body.total], [followers.map((follower) => `Zed${follower}`), followers.length]);
  }
});

test('the beginning of a name is found in upper or lower case, also where a sigma ends it', async (t) => {
  const service = await serviceFor(t, withoutSyncs);
  const { token } = await service.person();
  const { id } = await newCustomer(service, token, { name: 'ΟΔΟΣΑΣ' });
  for (const name of ['ΟΔΟΣ', 'οδος', 'οδοσ', 'οδοσας']) {
    const { body } = await service.get(`/customers?name=${encodeURIComponent(name)}`, { token });
    assert.deepEqual([name, body.data.map((row: Row) => row.id)], [name, [id]]);
  }
});

test('the list of a customer or user takes that id as a filter, and is empty for another', async (t) => {
  const service = await serviceFor(t, withoutSyncs);
  const { token, id } = await service.person();
  const order = await newOrder(service, token);
  assert.equal(
    (
      await service.get(`/customers/${order.customerId}/orders?customerId=${order.customerId}&userId=${id}`, {
        token,
      })
    ).body.data.length,
    1,
  );
  const elsewhere = `/customers/${order.customerId}/orders?customerId=${order.customerId + 1}&total=true`;
  assert.deepEqual((await service.get(elsewhere, { token })).body, { data: [], next: null, total: 0 });
  assert.equal((await service.get(`/api/users/${id}/orders?userId=${id}`, { token })).body.data.length, 1);
  const others = await service.get(`/api/users/${id}/orders?userId=${id + 1}&total=true`, { token });
  assert.deepEqual(others.body, { data: [], next: null, total: 0 });
});

test('a filter for another user’s orders or customers finds nothing', async (t) => {
  const service = await serviceFor(t, withoutSyncs);
  const [ada, bob] = [await service.person(), await service.person()];
  await newOrder(service, ada.token);
  for (const path of ['/orders', '/customers']) {
    assert.deepEqual((await service.get(`${path}?userId=${ada.id}&total=true`, { token: bob.token })).body, {
      data: [],
      next: null,
      total: 0,
    });
  }
});
