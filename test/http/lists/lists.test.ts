// Lists: every filter with every sort pages through each row exactly once, whatever happens meanwhile.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { beforeQueries } from '../../support/query-interception.ts';
import { assertStatus, sharedService } from '../../support/http-support.ts';
import {
  assertPagesThroughOnce,
  both,
  walk,
  withoutSyncs,
  type List,
  type Place,
  type Query,
  type Row,
} from '../../support/list-support.ts';
import { idsIn, newCustomer, newKey, newOrder, rootToken } from '../../support/resource-support.ts';
import {
  insideOnly,
  serviceFor,
  type Person,
  type TestResponse,
  type TestService,
} from '../../support/service.ts';

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
  /** Without a sort, rows are in the order of the first one. */
  readonly sorts: readonly string[];
  readonly add: (scene: Scene, index: number) => Promise<Row>;
  /** A change after which the row still passes the same filters. */
  readonly changed: (count: number) => object;
  readonly isRemovable: boolean;
  readonly places: Readonly<Record<string, (scene: Scene) => List & { isIn(row: Row): boolean }>>;
  /** `middle` is the time when half of the rows existed. */
  readonly filters: Readonly<Record<string, (scene: Scene, middle: string) => Query>>;
};

const steps = ['', 'paid', 'paid shipped', 'paid shipped delivered', 'cancelled', 'paid refunded'];

/** Of all statuses, many of them equal in each sort key. */
const orders: Kind = {
  sorts: ['-createdAt', 'createdAt', ...both(['id', 'updatedAt', 'status', 'total'])],
  async add({ service, ada, bob, staff, customers }, index) {
    let order = await newOrder(service, (index % 4 < 2 ? ada : bob).token, {
      customerId: customers[index % 4] ?? 0,
      currency: index % 3 === 0 ? 'USD' : 'EUR',
      items: [{ name: `Tea ${index}`, quantity: 1, unitPrice: (index % 5) * 100 }],
    });
    for (const status of steps[index % 6]?.match(/\w+/g) ?? [])
      order = (await service.patch(`/orders/${order.id}`, { token: staff.token, body: { status } })).body;
    return order;
  },
  changed: (count) => ({ note: `touched ${count}` }),
  isRemovable: false,
  places: {
    'one’s own orders': ({ ada: { id, token } }) => ({
      path: '/orders',
      token,
      isIn: (row) => row.userId === id,
    }),
    'all orders': ({ root: token }) => ({ path: '/orders', token, isIn: () => true }),
    'the orders of a user': ({ ada: { id }, staff: { token } }) => ({
      path: `/api/users/${id}/orders`,
      token,
      isIn: (row) => row.userId === id,
    }),
    'the orders of a customer': ({ ada: { token }, customers: [first] }) => ({
      path: `/customers/${first}/orders`,
      token,
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

const userNames = ['Ada Lovelace', 'ada lovelace', 'ADA', 'Bob', 'Zoë', 'Ærø'];
const password = 'a password for tests';

const users: Kind = {
  sorts: both(['id', 'name', 'email', 'createdAt']),
  async add({ service, root }, index) {
    const name = userNames[index % userNames.length];
    const role = ['user', 'staff', 'admin'][index % 3];
    const body = { name, email: `U${(index * 7) % 100}.x@example.com`, password, role };
    return (await service.post('/api/users', { token: root, body })).body;
  },
  changed: (count) => ({ name: `Ada ${count}` }),
  isRemovable: true,
  places: { 'all users': ({ root: token }) => ({ path: '/api/users', token, isIn: () => true }) },
  filters: {
    'no filter': () => ({}),
    role: () => ({ role: 'staff' }),
    'an e-mail address in any case': () => ({ email: 'ADMIN@example.COM' }),
    'a role and a name in any case': () => ({ role: 'user', name: 'aDa' }),
    'all filters at once': () => ({ role: 'admin', name: 'admin', email: 'admin@example.com' }),
  },
};

/** Whether a row passes the filters of a query. */
function passes(row: Row, query: Query): boolean {
  return Object.entries(query).every(([name, value]) => {
    if (name === 'status') return value.split(',').includes(row.status);
    if (name.endsWith('From')) return row[name.replace('From', 'At')] >= value;
    if (name.endsWith('Before')) return row[name.replace('Before', 'At')] < value;
    const [own, wanted] = [String(row[name]).toLowerCase(), value.toLowerCase()];
    return name === 'name' ? own.startsWith(wanted) : own === wanted;
  });
}

for (const [path, kind] of Object.entries({ '/orders': orders, '/api/users': users }))
  describe(`lists of ${path}`, () => {
    let scene: Scene | undefined;
    const rows = new Map<number, Row>();
    const added: number[] = [];
    let count = 0;
    const service = sharedService(withoutSyncs, async (started) => {
      const made = await newScene(started);
      scene = made;
      const { body } = await started.get(`${path}?limit=200`, { token: made.root });
      for (const row of body.data) rows.set(row.id, row);
      while (count < 36) {
        if (count % 3 === 0) started.clock.advance(1_000);
        await add(made);
      }
    });

    async function add(to: Scene): Promise<void> {
      const row = await kind.add(to, count);
      count += 1;
      rows.set(row.id, row);
      added.push(row.id);
    }

    /** Adds a row, changes one, and removes one if possible. */
    async function disturb(to: Scene): Promise<number[]> {
      const token = to.root;
      service().clock.advance(1);
      await add(to);
      const [changed = 0, gone = 0] = [5, 6].map((step) => added[(count * 7 + step) % added.length]);
      const change = { token, body: kind.changed(count) };
      rows.set(changed, (await service().patch(`${path}/${changed}`, change)).body);
      if (!kind.isRemovable) return [changed];
      await assertStatus(service().delete(`${path}/${gone}`, { token }), 204);
      rows.delete(gone);
      added.splice(added.indexOf(gone), 1);
      return [changed, gone];
    }

    for (const [where, placeOf] of Object.entries(kind.places))
      for (const [what, queryOf] of Object.entries(kind.filters))
        test(`the list of ${where} with ${what} pages through each row exactly once, by its sorts`, async () => {
          assert(scene !== undefined, 'the suite runs');
          const running = scene;
          const { isIn, ...list } = placeOf(running);
          const query = queryOf(running, [...rows.values()][18].createdAt);
          const fits = (row: Row): boolean => passes(row, query);
          const here = (): Row[] => [...rows.values()].filter(isIn);
          const place: Place = {
            ...list,
            sorts: kind.sorts,
            disturb: () => disturb(running),
            rows: () => Promise.resolve(here()),
          };
          // the place of a customer or user is one more filter of the same list
          const sorts = list.path === path ? kind.sorts : ['-total'];
          await assertPagesThroughOnce(service(), place, { query, fits }, [undefined, ...sorts]);

          const total = here().filter(fits).length;
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

describe('while a list is counted', insideOnly, () => {
  const service = sharedService(withoutSyncs);

  /** The customers of a new user, and their list, whose first query `act` comes before. */
  async function listed(query: string, act: (ids: readonly number[], token: string) => Promise<unknown>) {
    const { token } = await service().person();
    const ids: number[] = [];
    while (ids.length < 6) ids.push((await newCustomer(service(), token)).id);
    const database = service().inside?.database ?? assert.fail('it is skipped otherwise');
    let isDone: Promise<unknown> | undefined;
    const end = beforeQueries(database, () => (isDone ??= act(ids, token)));
    const response: TestResponse = await service().get(`/customers?total=true${query}`, { token });
    end();
    return { ids, token, response };
  }

  test('an element that another user gets while its list is counted is not shown', async () => {
    const [heir, staff] = [await service().person(), await service().person('staff')];
    const change = { token: staff.token, body: { userId: heir.id } };
    const { ids, response } = await listed('', ([, second]) =>
      service().patch(`/customers/${second}`, change),
    );
    assert.deepEqual(idsIn(response), ids.toSpliced(1, 1));
  });

  test('a page whose elements go while its list is counted is empty', async () => {
    const { ids, token, response } = await listed('&limit=3', (all, token) =>
      Promise.all(all.slice(0, 3).map((id) => service().delete(`/customers/${id}`, { token }))),
    );
    assert.deepEqual(idsIn(response), []);
    assert.deepEqual(idsIn(await service().get(response.body.next, { token })), ids.slice(3));
  });
});

test('lists of sessions and of keys page through each exactly once, newest first', async (t) => {
  const service = await serviceFor(t, withoutSyncs);
  const { id: userId, email, password, token } = await service.person();
  await service.person();
  const root = await rootToken(service);
  const makers = {
    '/api/sessions': () => service.signIn(email, password),
    '/api/keys': () => newKey(service, token),
  };
  for (const [path, add] of Object.entries(makers)) {
    for (let index = 0; index < 9; index += 1) await add();
    const rows = (await service.get(`${path}?total=true`, { token })).body;
    assert.equal(rows.total, rows.data.length);
    const place: Place = {
      path,
      token,
      sorts: ['-id'],
      rows: () => Promise.resolve(rows.data),
      async disturb() {
        await add();
        const last = idsIn(await service.get(`${path}?limit=6`, { token })).at(-1) ?? 0;
        await assertStatus(service.delete(`${path}/${last}`, { token }), 204);
        return [last];
      },
    };
    await assertPagesThroughOnce(service, place, { query: {}, fits: () => true }, [undefined]);
  }
  const ofUser = { userId: String(userId), limit: '3' };
  const own = await walk(service, { path: '/api/sessions', token: root }, ofUser);
  assert.equal(own.length, 10);
  assert.ok(own.every((session) => session.userId === userId));
});

test('the beginning of a name is found before any character, in any case, and is no pattern', async (t) => {
  const service = await serviceFor(t, withoutSyncs);
  const token = await rootToken(service);
  const zeds = ['', '!', 'é', '\u{ffee}', '😀', '\u{3134a}'].map((follower) => `Zed${follower}`);
  const names = [...zeds, 'Grace Hopper', 'grace hopper', 'Gräfin Ada', 'Änne', 'ånne', '%', '_x', 'ΟΔΟΣΑΣ'];
  for (const [index, name] of names.entries()) {
    await newCustomer(service, token, { name });
    const body = { name, email: `${index}@example.com`, password };
    await assertStatus(service.post('/api/users', { token, body }), 201);
  }
  for (const [beginning, found] of [
    ['zed', zeds],
    ['gRaCe', ['Grace Hopper', 'grace hopper']],
    ['äNNe', ['Änne', 'ånne']],
    ['a\u0308nne', ['Änne', 'ånne']],
    ['%', ['%']],
    ['_', ['_x']],
    ...['ΟΔΟΣ', 'οδος', 'οδοσ', 'οδοσας'].map((sigma) => [sigma, ['ΟΔΟΣΑΣ']] as const),
  ] as const)
    for (const path of ['/customers', '/api/users']) {
      const query = new URLSearchParams({ name: beginning, total: 'true' });
      const { body } = await service.get(`${path}?${query}`, { token });
      assert.deepEqual([body.data.map((row: Row) => row.name), body.total], [found, found.length], beginning);
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
