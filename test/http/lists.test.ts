// Lists (contract section 6): every filter with every sort pages through each row exactly once, whatever
// happens meanwhile.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertFaults, newCustomer, newKey, newOrder, rootToken } from '../resources/resource-support.ts';
import { serviceFor, type Answer, type Person, type TestOptions, type TestService } from '../service.ts';
import { assertProblem, sharedService } from './http-support.ts';

type Row = Answer['body'];
type Query = Readonly<Record<string, string>>;
type List = { readonly path: string; readonly token: string };
type Place = List & {
  readonly sorts: readonly string[];
  /** Each row as it is now; the ids of those gone are left out. */
  rows(): Promise<readonly Row[]>;
  /** Adds a row and changes or removes another; gives the ids of those that are no longer what they were. */
  disturb(): Promise<readonly number[]>;
};
/** A filter, and which rows it is for. */
type Filter = { readonly query: Query; fits(row: Row): boolean };

/**
 * Thousands of small requests one after another: what each would wait for the disk is not what is looked at
 * here.
 */
const withoutSyncs: TestOptions = { fdatasync: (_descriptor, done) => void setImmediate(done, null) };
const both = (fields: readonly string[]): string[] => fields.flatMap((field) => [field, `-${field}`]);
const orderSorts = both(['createdAt', 'id', 'updatedAt', 'status', 'total']);

/** All elements, page by page; what each page says of the next is compared. */
async function walk(
  service: TestService,
  { path, token }: List,
  query: Query,
  betweenPages: () => Promise<void> = async () => {},
): Promise<Row[]> {
  const seen: Row[] = [];
  let target: string | null = `${path}?${new URLSearchParams(query)}`;
  for (let pages = 0; target !== null; pages += 1) {
    assert(pages < 200, 'the pages have no end');
    const { status, headers, text, body } = await service.get(target, { token });
    assert.equal(status, 200, text);
    assert.ok(body.data.length <= Number(query['limit'] ?? 50));
    assert.equal(headers.link, body.next === null ? undefined : `<${body.next}>; rel="next"`);
    seen.push(...body.data);
    if (pages === 0) await betweenPages();
    target = body.next;
  }
  return seen;
}

function inOrder(rows: readonly Row[], sort: string): Row[] {
  const sign = sort.startsWith('-') ? -1 : 1;
  const field = sort.replace('-', '');
  const key = (row: Row): string | number =>
    field === 'name' || field === 'email' ? row[field].toLowerCase() : row[field];
  return rows.toSorted((a, b) => sign * (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a.id - b.id));
}

/** Three pages or so, with a disturbance after the first. */
async function assertPagesThroughOnce(
  service: TestService,
  place: Place,
  { query, fits }: Filter,
  sort: string | undefined,
): Promise<void> {
  const before = (await place.rows()).filter(fits);
  let disturbed: readonly number[] = [];
  const limit = String(Math.max(1, Math.ceil(before.length / 3)));
  const seen = await walk(
    service,
    place,
    { ...query, ...(sort === undefined ? {} : { sort }), limit },
    async () => {
      disturbed = await place.disturb();
    },
  );
  const stays = ({ id }: Row): boolean => !disturbed.includes(id);
  const ids = seen.filter(stays).map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length, 'a row was seen twice');
  for (const row of seen) assert.ok(fits(row), `${JSON.stringify(row)} is not in the filter`);
  const existed = new Set(before.map(({ id }) => id));
  assert.deepEqual(
    seen.filter(stays).filter(({ id }) => existed.has(id)),
    inOrder(before.filter(stays), sort ?? place.sorts[0] ?? ''),
  );
}

type Shop = {
  readonly ada: Person;
  readonly bob: Person;
  readonly staff: Person;
  readonly customers: readonly number[];
  readonly orders: Map<number, Row>;
};

/** Orders of two users and four customers, of all statuses, with many alike in each sort key. */
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

const orderFilters: readonly (readonly [what: string, of: (shop: Shop, middle: string) => Filter])[] = [
  ['no filter', () => ({ query: {}, fits: () => true })],
  ['status', () => ({ query: { status: 'open' }, fits: (row) => row.status === 'open' })],
  [
    'several statuses',
    () => ({
      query: { status: 'refunded,open,paid' },
      fits: (row) => ['open', 'paid', 'refunded'].includes(row.status),
    }),
  ],
  [
    'customerId',
    ({ customers: [first] }) => ({
      query: { customerId: String(first) },
      fits: (row) => row.customerId === first,
    }),
  ],
  ['userId', ({ ada }) => ({ query: { userId: String(ada.id) }, fits: (row) => row.userId === ada.id })],
  ['currency', () => ({ query: { currency: 'EUR' }, fits: (row) => row.currency === 'EUR' })],
  [
    'createdFrom',
    (_, middle) => ({ query: { createdFrom: middle }, fits: (row) => row.createdAt >= middle }),
  ],
  [
    'createdBefore',
    (_, middle) => ({ query: { createdBefore: middle }, fits: (row) => row.createdAt < middle }),
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

      /** Another order that fits most filters, and another note on one that was there. */
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
        test(`with ${what} pages through each row exactly once, by every sort`, async () => {
          const { isIn, ...list } = listOf(shop);
          const place: Place = {
            ...list,
            sorts: ['-createdAt'],
            disturb,
            rows: () => Promise.resolve([...shop.orders.values()].filter(isIn)),
          };
          const middle = [...shop.orders.values()][18].createdAt;
          for (const sort of [undefined, ...orderSorts])
            await assertPagesThroughOnce(service(), place, filterOf(shop, middle), sort);
        });
      }

      test('counts all of its rows when asked to, on each page', async () => {
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

test('the beginning of a name is found whatever character follows it', async (t) => {
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

test('a filter for another user’s orders or customers finds a user nothing', async (t) => {
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

describe('lists of customers', () => {
  let ada: Person, staff: Person;
  const rows = new Map<number, Row>();
  const names = [
    'Grace Hopper',
    'grace hopper',
    'GRACE KELLY',
    'Gräfin Ada',
    'Bob',
    'Änne',
    'ånne',
    'Zoë',
    '%',
    '_x',
  ];
  const service = sharedService(withoutSyncs, async (started) => {
    const bob = await started.person();
    [ada, staff] = [await started.person(), await started.person('staff')];
    for (let index = 0; index < 40; index += 1) {
      if (index % 3 === 0) started.clock.advance(1000);
      const email = index % 4 === 0 ? null : `c${index % 4}@Example.com`;
      const made = await newCustomer(started, (index % 2 === 0 ? ada : bob).token, {
        name: names[index % names.length],
        email,
      });
      rows.set(made.id, made);
    }
  });
  let count = 0;
  /** One more, another phone number, and one deleted. */
  async function disturb(): Promise<number[]> {
    count += 1;
    const ids = [...rows.keys()];
    const [changed = 0, gone = 0] = [ids[(count * 5) % ids.length], ids[(count * 5 + 1) % ids.length]];
    const added = await newCustomer(service(), ada.token, {
      name: names[count % names.length],
      email: 'c2@example.com',
    });
    rows.set(added.id, added).set(
      changed,
      (
        await service().patch(`/customers/${changed}`, {
          token: staff.token,
          body: { phone: `+49441${100_000 + count}` },
        })
      ).body,
    );
    assert.equal((await service().delete(`/customers/${gone}`, { token: staff.token })).status, 204);
    rows.delete(gone);
    return [changed, gone];
  }
  const grace = (row: Row): boolean => /^grace/i.test(row.name);
  const filters: readonly (readonly [what: string, query: () => Query, fits: (row: Row) => boolean])[] = [
    ['no filter', () => ({}), () => true],
    ['userId', () => ({ userId: String(ada.id) }), (row) => row.userId === ada.id],
    [
      'email in any case',
      () => ({ email: 'C2@EXAMPLE.com' }),
      (row) => row.email?.toLowerCase() === 'c2@example.com',
    ],
    ['name in any case', () => ({ name: 'gRaCe' }), grace],
    ['name beyond ASCII', () => ({ name: 'äNNe' }), (row) => row.name === 'Änne'],
    ['name of a decomposed letter', () => ({ name: 'a\u0308nne' }), (row) => row.name === 'Änne'],
    ['name that LIKE would take for a pattern', () => ({ name: '%' }), (row) => row.name === '%'],
    [
      'all filters at once',
      () => ({ name: 'GRACE', email: 'c2@example.com', userId: String(ada.id) }),
      (row) => grace(row) && row.email?.toLowerCase() === 'c2@example.com' && row.userId === ada.id,
    ],
  ];
  for (const [who, token, isIn] of [
    ['one’s own', () => ada.token, (row: Row) => row.userId === ada.id],
    ['all, by staff', () => staff.token, () => true],
  ] as const) {
    for (const [what, query, fits] of filters) {
      test(`${who}: with ${what} pages through each row exactly once, by every sort`, async () => {
        const sorts = both(['id', 'name', 'createdAt']);
        const place: Place = {
          path: '/customers',
          token: token(),
          sorts,
          disturb,
          rows: () => Promise.resolve([...rows.values()].filter(isIn)),
        };
        for (const sort of [undefined, ...sorts])
          await assertPagesThroughOnce(service(), place, { query: query(), fits }, sort);
        const { body } = await service().get(
          `/customers?${new URLSearchParams({ ...query(), total: 'true', limit: '1' })}`,
          { token: token() },
        );
        assert.equal(body.total, [...rows.values()].filter((row) => isIn(row) && fits(row)).length);
      });
    }
  }
});

describe('lists of users', () => {
  const rows = new Map<number, Row>();
  let root = '';
  const names = ['Ada Lovelace', 'ada lovelace', 'ADA', 'Bob', 'Zoë', 'Ærø'];
  const add = async (service: TestService, index: number): Promise<void> => {
    const body = {
      name: names[index % names.length],
      email: `U${(index * 7) % 100}.x@example.com`,
      password: 'a password for tests',
      role: ['user', 'staff', 'admin'][index % 3],
    };
    const { body: made } = await service.post('/api/users', { token: root, body });
    rows.set(made.id, made);
  };
  const service = sharedService(withoutSyncs, async (started) => {
    root = await rootToken(started);
    rows.set(1, (await started.get('/api/users/1', { token: root })).body);
    for (let index = 0; index < 30; index += 1) {
      if (index % 3 === 0) started.clock.advance(1000);
      await add(started, index);
    }
  });
  let count = 0;
  /** One more, another name for one, and one deleted. */
  async function disturb(): Promise<number[]> {
    const ids = [...rows.keys()].slice(1);
    count += 1;
    const [changed = 0, gone = 0] = [ids[(count * 5) % ids.length], ids[(count * 5 + 1) % ids.length]];
    await add(service(), 29 + count);
    rows.set(
      changed,
      (await service().patch(`/api/users/${changed}`, { token: root, body: { name: `Ada ${count}` } })).body,
    );
    assert.equal((await service().delete(`/api/users/${gone}`, { token: root })).status, 204);
    rows.delete(gone);
    return [changed, gone];
  }
  const isAda = (row: Row): boolean => /^ada/i.test(row.name);
  const filters: readonly (readonly [what: string, query: Query, fits: (row: Row) => boolean])[] = [
    ['no filter', {}, () => true],
    ['role', { role: 'staff' }, (row) => row.role === 'staff'],
    ['email in any case', { email: 'ADMIN@example.COM' }, (row) => row.email === 'admin@example.com'],
    ['name in any case', { name: 'aDa' }, isAda],
    ['role and name', { role: 'user', name: 'ada' }, (row) => isAda(row) && row.role === 'user'],
    [
      'all filters at once',
      { role: 'admin', name: 'admin', email: 'admin@example.com' },
      (row) => row.email === 'admin@example.com',
    ],
  ];
  for (const [what, query, fits] of filters) {
    test(`with ${what} page through each row exactly once, by every sort`, async () => {
      const sorts = both(['id', 'name', 'email', 'createdAt']);
      const place: Place = {
        path: '/api/users',
        token: root,
        sorts,
        disturb,
        rows: () => Promise.resolve([...rows.values()]),
      };
      for (const sort of [undefined, ...sorts])
        await assertPagesThroughOnce(service(), place, { query, fits }, sort);
      const { body } = await service().get(
        `/api/users?${new URLSearchParams({ ...query, total: 'true', limit: '1' })}`,
        { token: root },
      );
      assert.equal(body.total, [...rows.values()].filter(fits).length);
    });
  }
});

test('lists of sessions and of keys page through each exactly once, newest first', async (t) => {
  const service = await serviceFor(t, withoutSyncs);
  const { id: userId, email, password, token } = await service.person();
  await service.person();
  const root = await rootToken(service);
  for (let index = 0; index < 9; index += 1) {
    await service.signIn(email, password);
    await newKey(service, token, { name: `key ${index}` });
  }
  const gone: number[] = [];
  const remove = (path: string) => async (): Promise<void> => {
    const { body } = await service.get(`${path}?limit=6`, { token });
    gone.push(body.data.at(-1).id);
    assert.equal((await service.delete(`${path}/${gone.at(-1)}`, { token })).status, 204);
  };
  for (const [path, add] of [
    ['/api/sessions', () => service.signIn(email, password)],
    ['/api/keys', () => newKey(service, token)],
  ] as const) {
    gone.length = 0;
    const rows = (await service.get(`${path}?total=true`, { token })).body;
    assert.equal(rows.total, rows.data.length);
    const place: Place = {
      path,
      token,
      sorts: ['-id'],
      rows: () => Promise.resolve(rows.data),
      disturb: async () => (await add(), await remove(path)(), gone),
    };
    await assertPagesThroughOnce(service, place, { query: {}, fits: () => true }, undefined);
  }
  const own = await walk(
    service,
    { path: '/api/sessions', token: root },
    { userId: String(userId), limit: '3' },
  );
  assert.equal(own.length, 10);
  assert.ok(own.every((session) => session.userId === userId));
});

describe('a page of much text', () => {
  const fatItems = Array.from({ length: 100 }, () => ({ name: '€'.repeat(165), quantity: 1, unitPrice: 1 }));
  let token = '';
  const service = sharedService(withoutSyncs, async (started) => {
    ({ token } = await started.person());
    const { id: customerId } = await newCustomer(started, token);
    for (let index = 0; index < 25; index += 1)
      await newOrder(started, token, { customerId, items: fatItems });
    // with so many the thread finds the pages of other sorts
    for (let index = 0; index < 1_000; index += 1) await newOrder(started, token, { customerId });
  });

  for (const sort of ['id', '-createdAt', 'total', '-total']) {
    test(`by ${sort} ends before it passes 1 MiB, and the next one goes on from there`, async () => {
      const target = `/orders?sort=${sort}&limit=200&total=true`;
      const sizes: number[] = [];
      const ids: number[] = [];
      let shortened = 0;
      for (let next = target; next !== null;) {
        const { text, body, headers } = await service().get(next, { token });
        assert.equal(body.total, 1_025);
        assert.equal(headers.link, body.next === null ? undefined : `<${body.next}>; rel="next"`);
        assert.equal(
          (await service().get(next, { token, headers: { 'if-none-match': headers.etag ?? '' } })).status,
          304,
        );
        if (body.next !== null && body.data.length < 200) shortened += 1;
        sizes.push(Buffer.byteLength(text));
        ids.push(...body.data.map((row: Row) => row.id));
        next = body.next;
      }
      assert.ok(
        sizes.every((bytes) => bytes < 1024 * 1024 + 1_000),
        sizes.join(),
      );
      assert.ok(shortened >= 1);
      assert.equal(ids.length, 1_025);
      assert.equal(new Set(ids).size, 1_025);
    });
  }
});

test('rows alike in the sort key come by id, in the direction of the sort', async (t) => {
  const service = await serviceFor(t, withoutSyncs);
  if (service.inside === undefined) return t.skip('needs the clock');
  const { token } = await service.person();
  const ids: number[] = [];
  const customerId = (await newCustomer(service, token)).id;
  for (let index = 0; index < 11; index += 1) ids.push((await newOrder(service, token, { customerId })).id);
  for (const limit of ['1', '4', '11']) {
    for (const sort of orderSorts) {
      const seen = (await walk(service, { path: '/orders', token }, { sort, limit })).map(({ id }) => id);
      assert.deepEqual(seen, sort.startsWith('-') ? ids.toReversed() : ids);
    }
  }
});

test('a row removed between pages, the last of its page, ends nothing', async (t) => {
  const service = await serviceFor(t, withoutSyncs);
  const { token } = await service.person();
  const ids: number[] = [];
  for (let index = 0; index < 6; index += 1) ids.push((await newCustomer(service, token)).id);
  const seen = await walk(service, { path: '/customers', token }, { limit: '2' }, async () => {
    await service.delete(`/customers/${ids[1]}`, { token });
  });
  assert.deepEqual(
    seen.map(({ id }) => id),
    ids,
  );
});

describe('the parameters of lists', () => {
  let token = '',
    root = '';
  const service = sharedService(withoutSyncs, async (started) => {
    [token, root] = [(await started.person()).token, await rootToken(started)];
    for (let index = 0; index < 60; index += 1) await newCustomer(started, token);
  });
  const get = (target: string): Promise<Answer> =>
    service().get(target, { token: target.startsWith('/api/users') ? root : token });

  test('a page has 50 elements, unless limit says other', async () => {
    for (const [query, length] of [
      ['', 50],
      ['?limit=1', 1],
      ['?limit=60', 60],
      ['?limit=200', 60],
    ] as const) {
      const { body } = await get(`/customers${query}`);
      assert.deepEqual([body.data.length, body.next === null], [length, length === 60]);
    }
  });

  const bad: readonly (readonly [query: string, fault: string])[] = [
    ['limit=0', 'limit minimum'],
    ['limit=-1', 'limit minimum'],
    ['limit=201', 'limit maximum'],
    ['limit=1.5', 'limit type'],
    ['limit=1e1', 'limit type'],
    ['limit=05', 'limit type'],
    ['limit=%2B5', 'limit type'],
    ['limit=+5', 'limit type'],
    ['limit=', 'limit type'],
    ['limit', 'limit type'],
    ['limit=abc', 'limit type'],
    ['limit=0x10', 'limit type'],
    ['limit=99999999999999999999', 'limit type'],
    ['limit=5&limit=5', 'limit repeated-parameter'],
    ['limit=5&l%69mit=6', 'limit repeated-parameter'],
    ['Limit=5', 'Limit unknown-parameter'],
    ['limit[]=5', 'limit[] unknown-parameter'],
    ['offset=5', 'offset unknown-parameter'],
    ['page=2', 'page unknown-parameter'],
    ['=5', ' unknown-parameter'],
    ['__proto__=1', '__proto__ unknown-parameter'],
    ['constructor=1', 'constructor unknown-parameter'],
    ['total=1', 'total type'],
    ['total=TRUE', 'total type'],
    ['total=', 'total type'],
    ['sort=', 'sort enum'],
    ['sort=%2Bid', 'sort enum'],
    ['sort=--id', 'sort enum'],
    ['sort=id,name', 'sort enum'],
    ['sort=ID', 'sort enum'],
    ['sort=password', 'sort enum'],
    ['sort=id;DROP TABLE orders', 'sort enum'],
    ['cursor=', 'cursor min-length'],
  ];
  for (const [path, status] of [
    ['/orders', 422],
    ['/customers', 422],
    ['/api/users', 400],
  ] as const) {
    for (const [query, fault] of bad) {
      test(`GET ${path}?${query} is ${status}: ${fault}`, async () =>
        assertFaults(await get(`${path}?${query.replaceAll(' ', '%20')}`), status, [fault]));
    }
  }

  const bounds: readonly (readonly [target: string, status: 400 | 422, fault: string])[] = [
    ['/orders?status=', 422, 'status enum'],
    ['/orders?status=OPEN', 422, 'status enum'],
    ['/orders?status=open,', 422, 'status enum'],
    ['/orders?status=open,,paid', 422, 'status enum'],
    ['/orders?status=open,paid,shipped,delivered,cancelled,refunded,open', 422, 'status max-items'],
    ['/orders?status=open&status=paid', 422, 'status repeated-parameter'],
    ['/orders?customerId=0', 422, 'customerId minimum'],
    ['/orders?customerId=9007199254740992', 422, 'customerId maximum'],
    ['/orders?userId=x', 422, 'userId type'],
    ['/orders?userId=null', 422, 'userId type'],
    ['/orders?currency=eur', 422, 'currency pattern'],
    ['/orders?currency=QQQ', 422, 'currency format'],
    ['/orders?createdFrom=2026-03-01', 422, 'createdFrom pattern'],
    ['/orders?createdFrom=2026-02-30T00:00:00.000Z', 422, 'createdFrom format'],
    ['/orders?createdBefore=2026-03-01T00:00:00.000%2B', 422, 'createdBefore pattern'],
    ['/orders?createdBefore=2026-03-01T00:00:00+01:00', 422, 'createdBefore pattern'],
    ['/orders?createdBefore=2026-03-01T00:00:60Z', 422, 'createdBefore format'],
    ['/orders?sort=customerId', 422, 'sort enum'],
    ['/orders?name=x', 422, 'name unknown-parameter'],
    ['/customers?sort=email', 422, 'sort enum'],
    ['/customers?email=x', 422, 'email pattern'],
    ['/customers?email=nobody', 422, 'email pattern'],
    ['/customers?name=', 422, 'name min-length'],
    ['/customers?name=%20', 422, 'name pattern'],
    ['/customers?name=a%00', 422, 'name pattern'],
    ['/customers?status=open', 422, 'status unknown-parameter'],
    ['/api/users?role=root', 400, 'role enum'],
    ['/api/users?sort=role', 400, 'sort enum'],
    ['/api/sessions?userId=0', 400, 'userId minimum'],
    ['/api/sessions?sort=id', 400, 'sort unknown-parameter'],
    ['/api/keys?userId=0', 400, 'userId minimum'],
  ];
  for (const [target, status, fault] of bounds) {
    test(`GET ${target} is ${status}: ${fault}`, async () =>
      assertFaults(await get(target), status, [fault]));
  }

  test('all faults of a query are told at once', async () => {
    assertFaults(await get('/orders?limit=0&status=lost&x=1&total=2&sort=x&currency=e'), 422, [
      'limit minimum',
      'status enum',
      'x unknown-parameter',
      'total type',
      'sort enum',
      'currency pattern',
    ]);
  });

  test('a query that isn’t percent-encoded UTF-8 is a bad request', async () => {
    for (const query of ['name=%', 'name=%zz', 'name=%ff', 'na%e4me=x', 'name=%ed%a0%80'])
      assertProblem(await get(`/customers?${query}`), 'bad-request');
  });

  test('objects take no parameters, nor do changes', async () => {
    assertFaults(await get('/customers/1?expand=orders'), 422, ['expand unknown-parameter']);
    assertFaults(await service().delete('/customers/60?force=true', { token }), 422, [
      'force unknown-parameter',
    ]);
    assertFaults(await service().post('/customers?dry=1', { token, body: { name: 'Ada' } }), 422, [
      'dry unknown-parameter',
    ]);
    assert.equal((await get('/customers/60')).status, 200);
  });

  test('empty pairs are nothing, a question mark within a value is itself, and + is a blank', async () => {
    assert.equal((await get('/customers?&&limit=2&')).body.data.length, 2);
    assert.equal((await get('/customers?name=a?b')).status, 200);
    assert.equal((await get('/customers?name=Grace+Hopper&limit=1')).body.data.length, 1);
  });
});

describe('cursors', () => {
  let token = '',
    root = '',
    other = '';
  const service = sharedService(withoutSyncs, async (started) => {
    [token, root, other] = [
      (await started.person()).token,
      await rootToken(started),
      (await started.person()).token,
    ];
    const customerId = (await newCustomer(started, token)).id;
    for (let index = 0; index < 4; index += 1) {
      await newCustomer(started, token);
      await newOrder(started, token, { customerId });
    }
  });
  const get = (target: string, as = token): Promise<Answer> => service().get(target, { token: as });
  async function cursorOf(target: string, as = token): Promise<string> {
    const { body } = await get(target, as);
    return (
      new URL(body.next, 'http://x').searchParams.get('cursor') ?? assert.fail(`${target} has one page only`)
    );
  }

  test('next keeps the filters, the sort and the limit', async () => {
    const { body } = await get('/orders?limit=2&status=open,paid&sort=-total&total=true');
    assert.match(body.next, /^\/orders\?limit=2&status=open,paid&sort=-total&total=true&cursor=[\w-]+$/);
  });

  test('next never holds an API key', async () => {
    const { key } = await newKey(service(), token);
    const { status, headers, body } = await service().get(`/orders?limit=2&api_key=${key}`);
    assert.equal(status, 200);
    assert.doesNotMatch(`${body.next} ${headers.link}`, /api_key|ord_/);
  });

  test('a cursor changed in any character is invalid-cursor', async () => {
    const cursor = await cursorOf('/customers?limit=2');
    for (let at = 0; at < cursor.length; at += 1) {
      const changed = `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`;
      assertProblem(await get(`/customers?limit=2&cursor=${changed}`), 'invalid-cursor', 422);
    }
  });

  const foreign = [
    'x',
    'MTA',
    'AAAAAAAAAAAAAAAAAAAAAA',
    'eyJpZCI6NX0=',
    'a/b+c',
    '%00',
    'ä',
    '{"id":5}',
    '../..',
    'x'.repeat(3000),
  ];
  for (const cursor of foreign) {
    test(`a made-up cursor, ${cursor.slice(0, 30)}, is invalid-cursor in both interfaces`, async () => {
      const sent = encodeURIComponent(cursor);
      assertProblem(await get(`/customers?cursor=${sent}`), 'invalid-cursor', 422);
      assertProblem(await get(`/api/users?cursor=${sent}`, root), 'invalid-cursor', 400);
      assertProblem(await get(`/api/keys?cursor=${sent}`), 'invalid-cursor', 400);
    });
  }

  test('a cursor cut short, made longer or doubled is invalid-cursor', async () => {
    const cursor = await cursorOf('/customers?limit=2');
    for (const changed of [cursor.slice(1), cursor.slice(0, -1), `${cursor}A`, `A${cursor}`, cursor + cursor])
      assertProblem(await get(`/customers?cursor=${changed}`), 'invalid-cursor', 422);
  });

  const others: readonly (readonly [what: string, from: string, to: string])[] = [
    ['another list', '/customers?limit=2', '/orders?limit=2'],
    ['the same rows at another place', '/orders?limit=2', '/customers/1/orders?limit=2'],
    ['another sort', '/customers?limit=2&sort=name', '/customers?limit=2&sort=createdAt'],
    ['the other direction', '/customers?limit=2&sort=name', '/customers?limit=2&sort=-name'],
    ['no sort where it had one', '/customers?limit=2&sort=id', '/customers?limit=2'],
    ['a filter where it had none', '/orders?limit=2', '/orders?limit=2&status=open'],
    ['no filter where it had one', '/orders?limit=2&status=open', '/orders?limit=2'],
    ['another value of its filter', '/orders?limit=2&status=open', '/orders?limit=2&status=open,paid'],
    ['another filter of the same value', '/orders?limit=2&customerId=1', '/orders?limit=2&userId=1'],
  ];
  const filters: readonly (readonly [path: string, filter: string])[] = [
    ['/orders', 'status=open'],
    ['/orders', 'customerId=1'],
    ['/orders', 'userId=2'],
    ['/orders', 'currency=EUR'],
    ['/orders', 'createdFrom=2026-01-01T00:00:00.000Z'],
    ['/orders', 'createdBefore=2027-01-01T00:00:00.000Z'],
    ['/customers', 'userId=2'],
    ['/customers', 'email=grace@example.com'],
    ['/customers', 'name=Grace'],
    ['/api/users', 'role=user'],
    ['/api/users', 'email=ada@example.com'],
    ['/api/users', 'name=Ada'],
  ];
  test('those are all filters', async () => {
    const { paths } = (await service().get('/openapi.json')).body;
    const apart = ['cursor', 'limit', 'total', 'sort'];
    for (const path of new Set(filters.map(([each]) => each))) {
      const names = paths[path].get.parameters
        .filter((parameter: { in: string }) => parameter.in === 'query')
        .map(({ name }: { name: string }) => name);
      const tried = filters.filter(([each]) => each === path).map(([, filter]) => filter.split('=')[0]);
      assert.deepEqual(tried.sort(), names.filter((name: string) => !apart.includes(name)).sort());
    }
  });

  for (const [path, filter] of filters) {
    test(`a cursor of all ${path} is invalid-cursor with ${filter}`, async () => {
      const cursor = await cursorOf(`${path}?limit=1`, root);
      const status = path === '/api/users' ? 400 : 422;
      assertProblem(await get(`${path}?limit=1&${filter}&cursor=${cursor}`, root), 'invalid-cursor', status);
    });
  }

  for (const [what, from, to] of others) {
    test(`a cursor with ${what} is invalid-cursor`, async () =>
      assertProblem(await get(`${to}&cursor=${await cursorOf(from)}`), 'invalid-cursor', 422));
  }

  test('another limit, or total, is no other list', async () => {
    const cursor = await cursorOf('/customers?limit=2');
    const { body } = await get(`/customers?limit=200&total=true&cursor=${cursor}`);
    assert.deepEqual([body.data.length, body.total], [3, 5]);
  });

  test('another user’s cursor shows nobody anything of theirs', async () => {
    const answer = await get(`/orders?limit=2&cursor=${await cursorOf('/orders?limit=2')}`, other);
    assert.ok(answer.status === 422 || answer.body.data.length === 0, answer.text);
  });

  test('cursors outlive a restart, and are nothing to another service', async (t) => {
    const [here, elsewhere] = [await serviceFor(t), await serviceFor(t)];
    const { email, password, token: first } = await here.person();
    for (let index = 0; index < 3; index += 1) await newCustomer(here, first);
    const { next } = (await here.get('/customers?limit=2', { token: first })).body;
    await here.restart();
    assert.equal(
      (await here.get(next, { token: (await here.signIn(email, password)).token })).body.data.length,
      1,
    );
    assertProblem(
      await elsewhere.get(next, { token: (await elsewhere.person()).token }),
      'invalid-cursor',
      422,
    );
  });
});
