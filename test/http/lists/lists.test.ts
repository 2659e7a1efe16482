// Lists: every filter with every sort pages through each row exactly once, whatever happens meanwhile.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Database } from '../../../src/storage/database.ts';
import { beforeQueries } from '../../support/query-interception.ts';
import { idsIn, newCustomer, newKey, newOrder, rootToken } from '../../support/resource-support.ts';
import { insideOnly, serviceFor, type Person, type TestService } from '../../support/service.ts';
import { assertStatus, sharedService } from '../../support/http-support.ts';
import {
  type Query,
  type Row,
  type List,
  type Place,
  both,
  withoutSyncs,
  orderSorts,
  walk,
  assertPagesThroughOnce,
} from '../../support/list-support.ts';

/** Who lists rows, and customers to place orders for: two of each of the two users. */
type Scene = {
  readonly service: TestService;
  readonly ada: Person;
  readonly bob: Person;
  readonly staff: Person;
  readonly root: string;
  readonly customers: readonly number[];
};

type Kind = {
  readonly path: string;
  /** Without a sort, rows are in the order of `defaultSort`. */
  readonly defaultSort: string;
  readonly sorts: readonly string[];
  readonly add: (scene: Scene, index: number) => Promise<Row>;
  /** A change after which the row still passes the same filters. */
  readonly changed: (count: number) => object;
  readonly isRemovable: boolean;
  readonly places: Readonly<Record<string, (scene: Scene) => List & { isIn(row: Row): boolean }>>;
  /** `middle` is the time when half of the rows existed. */
  readonly filters: Readonly<Record<string, (scene: Scene, middle: string) => Query>>;
};

/** The rows of one user, of all, and of one customer. */
const ofAda =
  (path: string, who: 'ada' | 'staff' = 'ada') =>
  ({ ada, [who]: { token } }: Scene) => ({
    path: path.replace('{id}', String(ada.id)),
    token,
    isIn: (row: Row) => row.userId === ada.id,
  });
const ofAll = (path: string) => (scene: Scene) => ({ path, token: scene.root, isIn: () => true });

const steps = [
  [],
  ['paid'],
  ['paid', 'shipped'],
  ['paid', 'shipped', 'delivered'],
  ['cancelled'],
  ['paid', 'refunded'],
];

/** Of all statuses, many of them equal in each sort key. */
const orders: Kind = {
  path: '/orders',
  defaultSort: '-createdAt',
  sorts: orderSorts,
  async add({ service, ada, bob, staff, customers }, index) {
    let order = await newOrder(service, (index % 4 < 2 ? ada : bob).token, {
      customerId: customers[index % 4] ?? 0,
      currency: index % 3 === 0 ? 'USD' : 'EUR',
      items: [{ name: `Tea ${index}`, quantity: 1, unitPrice: (index % 5) * 100 }],
    });
    for (const status of steps[index % 6] ?? [])
      order = (await service.patch(`/orders/${order.id}`, { token: staff.token, body: { status } })).body;
    return order;
  },
  changed: (count) => ({ note: `touched ${count}` }),
  isRemovable: false,
  places: {
    'one’s own orders': ofAda('/orders'),
    'all orders': ofAll('/orders'),
    'the orders of a user': ofAda('/api/users/{id}/orders', 'staff'),
    'the orders of a customer': ({ ada, customers: [first] }) => ({
      path: `/customers/${first}/orders`,
      token: ada.token,
      isIn: (row) => row.customerId === first,
    }),
  },
  filters: {
    'no filter': () => ({}),
    'a status': () => ({ status: 'open' }),
    'several statuses': () => ({ status: 'refunded,open,paid' }),
    'a customer': ({ customers: [, second] }) => ({ customerId: String(second) }),
    'a user': ({ bob }) => ({ userId: String(bob.id) }),
    'a currency': () => ({ currency: 'USD' }),
    'the beginning of a time': (_, middle) => ({ createdFrom: middle }),
    'the end of a time': (_, middle) => ({ createdBefore: middle }),
    'the beginning of changes': (_, middle) => ({ updatedFrom: middle }),
    'the end of changes': (_, middle) => ({ updatedBefore: middle }),
    'a customer and a currency': ({ customers: [first] }) => ({ customerId: String(first), currency: 'EUR' }),
    'a currency and times': (_, middle) => ({ currency: 'USD', updatedFrom: middle, createdFrom: middle }),
    'nearly all filters at once': ({ ada, customers: [first] }, middle) => ({
      status: 'open,paid',
      customerId: String(first),
      userId: String(ada.id),
      currency: 'EUR',
      createdFrom: middle,
      createdBefore: '2999-01-01T00:00:00.000Z',
    }),
  },
};

/** Whether a row passes the filters of a query. */
function passes(row: Row, query: Query): boolean {
  return Object.entries(query).every(([name, value]) => {
    if (name === 'status') return value.split(',').includes(row.status);
    if (name.endsWith('From')) return row[name.replace('From', 'At')] >= value;
    if (name.endsWith('Before')) return row[name.replace('Before', 'At')] < value;
    if (name === 'name') return plainText(row.name).startsWith(plainText(value));
    if (name === 'email') return row.email?.toLowerCase() === value.toLowerCase();
    return String(row[name]) === value;
  });
}

/** In lower case, without accents. */
function plainText(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase();
}

const customerNames = 'Grace Hopper,grace hopper,GRACE KELLY,Gräfin Ada,Bob,Änne,ånne,Zoë,%,_x'.split(',');

const customers: Kind = {
  path: '/customers',
  defaultSort: 'id',
  sorts: both(['id', 'name', 'createdAt']),
  add: ({ service, ada, bob }, index) =>
    newCustomer(service, (index % 2 === 0 ? ada : bob).token, {
      name: customerNames[index % customerNames.length],
      email: index % 4 === 0 ? null : `c${index % 4}@Example.com`,
    }),
  changed: (count) => ({ phone: `+49441${100_000 + count}` }),
  isRemovable: true,
  places: { 'one’s own customers': ofAda('/customers'), 'all customers': ofAll('/customers') },
  filters: {
    'no filter': () => ({}),
    userId: ({ ada }) => ({ userId: String(ada.id) }),
    'an e-mail address in any case': () => ({ email: 'C2@EXAMPLE.com' }),
    'a name in any case': () => ({ name: 'gRaCe' }),
    'a name beyond ASCII': () => ({ name: 'äNNe' }),
    'a name of a decomposed letter': () => ({ name: 'a\u0308nne' }),
    'a name that LIKE would take for a pattern': () => ({ name: '%' }),
    'all filters at once': ({ ada }) => ({
      name: 'GRACE',
      email: 'c2@example.com',
      userId: String(ada.id),
    }),
  },
};

const userNames = ['Ada Lovelace', 'ada lovelace', 'ADA', 'Bob', 'Zoë', 'Ærø'];

const users: Kind = {
  path: '/api/users',
  defaultSort: 'id',
  sorts: both(['id', 'name', 'email', 'createdAt']),
  async add({ service, root }, index) {
    const body = {
      name: userNames[index % userNames.length],
      email: `U${(index * 7) % 100}.x@example.com`,
      password: 'a password for tests',
      role: ['user', 'staff', 'admin'][index % 3],
    };
    return (await service.post('/api/users', { token: root, body })).body;
  },
  changed: (count) => ({ name: `Ada ${count}` }),
  isRemovable: true,
  places: { 'all users': ofAll('/api/users') },
  filters: {
    'no filter': () => ({}),
    role: () => ({ role: 'staff' }),
    'an e-mail address in any case': () => ({ email: 'ADMIN@example.COM' }),
    'a role and a name in any case': () => ({ role: 'user', name: 'aDa' }),
    'all filters at once': () => ({ role: 'admin', name: 'admin', email: 'admin@example.com' }),
  },
};

for (const kind of [orders, customers, users])
  describe(`lists of ${kind.path}`, () => {
    let scene: Scene | undefined;
    const rows = new Map<number, Row>();
    const added: number[] = [];
    let [made, count] = [0, 0];
    const service = sharedService(withoutSyncs, async (started) => {
      scene = await newScene(started);
      const { body } = await started.get(`${kind.path}?limit=200`, { token: scene.root });
      for (const row of body.data) rows.set(row.id, row);
      for (let index = 0; index < 36; index += 1) {
        if (index % 3 === 0) started.clock.advance(1_000);
        await add(scene);
      }
    });

    async function add(to: Scene): Promise<void> {
      const row = await kind.add(to, made);
      made += 1;
      rows.set(row.id, row);
      added.push(row.id);
    }

    /** Adds a row, changes one, and removes one if possible. */
    async function disturb(): Promise<number[]> {
      assert(scene !== undefined, 'the suite runs');
      const token = scene.root;
      service().clock.advance(1);
      count += 1;
      await add(scene);
      const [changed = 0, gone = 0] = [5, 6].map((step) => added[(count * 7 + step) % added.length]);
      const { body } = await service().patch(`${kind.path}/${changed}`, { token, body: kind.changed(count) });
      rows.set(changed, body);
      if (!kind.isRemovable) return [changed];
      await assertStatus(service().delete(`${kind.path}/${gone}`, { token }), 204);
      rows.delete(gone);
      added.splice(added.indexOf(gone), 1);
      return [changed, gone];
    }

    for (const [where, placeOf] of Object.entries(kind.places))
      for (const [what, queryOf] of Object.entries(kind.filters))
        test(`the list of ${where} with ${what} pages through each row exactly once, by its sorts`, async () => {
          assert(scene !== undefined, 'the suite runs');
          const { isIn, ...list } = placeOf(scene);
          const query = queryOf(scene, [...rows.values()][18].createdAt);
          const filter = { query, fits: (row: Row) => passes(row, query) };
          const here = (): Row[] => [...rows.values()].filter(isIn);
          const place: Place = {
            ...list,
            sorts: [kind.defaultSort],
            disturb,
            rows: () => Promise.resolve(here()),
          };
          // the place of a customer or user is one more filter of the same list
          const sorts = list.path === kind.path ? kind.sorts : ['-total'];
          await assertPagesThroughOnce(service(), place, filter, [undefined, ...sorts]);

          const total = here().filter(filter.fits).length;
          const counting = new URLSearchParams({ ...query, limit: '1', total: 'true' });
          const { body } = await service().get(`${list.path}?${counting}`, list);
          assert.equal(body.total, total);
          if (body.next !== null) assert.equal((await service().get(body.next, list)).body.total, total);
          const uncounted = await service().get(`${list.path}?total=false`, list);
          assert.ok(!('total' in uncounted.body));
        });
  });

async function newScene(service: TestService): Promise<Scene> {
  const [ada, bob, staff] = [await service.person(), await service.person(), await service.person('staff')];
  const customers: number[] = [];
  for (const { token } of [ada, ada, bob, bob]) customers.push((await newCustomer(service, token)).id);
  return { service, ada, bob, staff, root: await rootToken(service), customers };
}

function databaseOf({ inside }: TestService): Database {
  return inside?.database ?? assert.fail('it is skipped otherwise');
}

test('an element that another user gets while its list is counted is not shown', insideOnly, async (t) => {
  const service = await serviceFor(t, withoutSyncs);
  const [{ token }, heir, staff] = [
    await service.person(),
    await service.person(),
    await service.person('staff'),
  ];
  const ids: number[] = [];
  while (ids.length < 3) ids.push((await newCustomer(service, token)).id);
  const change = { token: staff.token, body: { userId: heir.id } };
  let given: Promise<unknown> | undefined;
  beforeQueries(databaseOf(service), () => (given ??= service.patch(`/customers/${ids[1]}`, change)));
  assert.deepEqual(idsIn(await service.get('/customers?total=true', { token })), [ids[0], ids[2]]);
});

test('a page whose elements go while its list is counted is empty', insideOnly, async (t) => {
  const service = await serviceFor(t, withoutSyncs);
  const { token } = await service.person();
  const ids: number[] = [];
  while (ids.length < 6) ids.push((await newCustomer(service, token)).id);
  const remove = (): Promise<unknown> =>
    Promise.all(ids.slice(0, 3).map((id) => service.delete(`/customers/${id}`, { token })));
  let removed: Promise<unknown> | undefined;
  beforeQueries(databaseOf(service), () => (removed ??= remove()));
  const first = await service.get('/customers?limit=3&total=true', { token });
  assert.deepEqual(idsIn(first), []);
  assert.deepEqual(idsIn(await service.get(first.body.next, { token })), ids.slice(3));
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
    await assertStatus(service.delete(`${path}/${gone.at(-1)}`, { token }), 204);
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
    await assertPagesThroughOnce(service, place, { query: {}, fits: () => true }, [undefined]);
  }
  const ofUser = { userId: String(userId), limit: '3' };
  const own = await walk(service, { path: '/api/sessions', token: root }, ofUser);
  assert.equal(own.length, 10);
  assert.ok(own.every((session) => session.userId === userId));
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
    await assertStatus(service.post('/api/users', { token, body }), 201);
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
  const { customerId } = await newOrder(service, token);
  for (const [target, total] of [
    [`/customers/${customerId}/orders?customerId=${customerId}&userId=${id}`, 1],
    [`/customers/${customerId}/orders?customerId=${customerId + 1}`, 0],
    [`/api/users/${id}/orders?userId=${id}`, 1],
    [`/api/users/${id}/orders?userId=${id + 1}`, 0],
  ] as const) {
    const { body } = await service.get(`${target}&total=true`, { token });
    assert.deepEqual([body.data.length, body.next, body.total], [total, null, total], target);
  }
});

test('a filter for another user’s orders or customers finds nothing', async (t) => {
  const service = await serviceFor(t, withoutSyncs);
  const [ada, bob] = [await service.person(), await service.person()];
  await newOrder(service, ada.token);
  for (const path of ['/orders', '/customers']) {
    const { body } = await service.get(`${path}?userId=${ada.id}&total=true`, bob);
    assert.deepEqual(body, { data: [], next: null, total: 0 });
  }
});
