// Lists: every filter with every sort pages through each row exactly once, whatever happens meanwhile.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { keyOfName } from '../../../src/schema/name-key.ts';
import { assertStatus, sharedService, withoutSyncs } from '../../support/http-support.ts';
import { beforeQueries } from '../../support/query-interception.ts';
import { idsIn, newCustomer, newKey, newOrder } from '../../support/resource-support.ts';
import {
  insideOnly,
  password,
  serviceFor,
  type Client,
  type Person,
  type TestResponse,
  type TestService,
} from '../../support/service.ts';

type Row = TestResponse['body'];
type Caller = 'ada' | 'bob' | 'staff' | 'root';
/** The callers, and two customers of each of the two users. */
type Scene = Readonly<Record<Caller, Person>> & {
  readonly service: TestService;
  readonly customers: readonly number[];
};

/** Queries may name the ids of the scene, and the time `{middle}` when half of the rows existed. */
type Kind = {
  /** Without a sort, rows are in the order of the first one. */
  readonly sorts: readonly string[];
  readonly add: (scene: Scene, index: number) => Promise<Row>;
  /** A change after which the row still passes the same filters. */
  readonly changed: (count: number) => object;
  readonly filters: readonly string[];
  /** Lists of these rows, each with the filter that its caller or its path implies. */
  readonly lists: readonly (readonly [caller: Caller, path: string, implied: string])[];
};

const both = (fields: string): string[] => fields.split(' ').flatMap((field) => [field, `-${field}`]);
const steps = ['', 'paid', 'paid shipped', 'paid shipped delivered', 'cancelled', 'paid refunded'];

/** Of all statuses, many of them equal in each sort key. */
const orders: Kind = {
  sorts: ['-createdAt', 'createdAt', ...both('id updatedAt status total')],
  async add({ service, ada, bob, staff, customers }, index) {
    let order = await newOrder(service, (index % 4 < 2 ? ada : bob).token, {
      customerId: customers[index % 4] ?? 0,
      currency: index % 3 === 0 ? 'USD' : 'EUR',
      items: [{ name: `Tea ${index}`, quantity: 1, unitPrice: (index % 5) * 100 }],
    });
    for (const status of steps[index % 6]?.match(/\w+/g) ?? [])
      order = (await staff.patch(`/orders/${order.id}`, { status })).body;
    return order;
  },
  changed: (count) => ({ note: `touched ${count}` }),
  filters: [
    '',
    'status=open',
    'status=refunded,open,paid',
    'customerId={second}',
    'userId={bob}',
    'currency=USD',
    'createdFrom={middle}',
    'createdBefore={middle}',
    'updatedFrom={middle}',
    'updatedBefore={middle}',
    'customerId={first}&currency=EUR',
    'currency=USD&updatedFrom={middle}&createdFrom={middle}',
    'status=open,paid&customerId={first}&userId={ada}&currency=EUR&createdFrom={middle}&createdBefore=2999-01-01T00:00:00.000Z',
  ],
  lists: [
    ['ada', '/orders', 'userId={ada}'],
    ['root', '/orders', ''],
    ['staff', '/api/users/{ada}/orders', 'userId={ada}'],
    ['ada', '/customers/{first}/orders', 'customerId={first}'],
  ],
};

const userNames = ['Ada Lovelace', 'ada lovelace', 'ADA', 'Bob', 'Zoë', 'Ærø'];
const users: Kind = {
  sorts: both('id name email createdAt'),
  async add({ root }, index) {
    const name = userNames[index % userNames.length];
    const role = ['user', 'staff', 'admin'][index % 3];
    const email = `U${(index * 7) % 100}.x@example.com`;
    return (await root.post('/api/users', { name, email, password, role })).body;
  },
  changed: (count) => ({ name: `Ada ${count}` }),
  filters: [
    '',
    'role=staff',
    'email=ADMIN@example.COM',
    'role=user&name=aDa',
    'role=admin&name=admin&email=admin@example.com',
  ],
  lists: [['root', '/api/users', '']],
};

/** Whether a row passes the filters of a query. */
function passes(row: Row, query: string): boolean {
  return new URLSearchParams(query).entries().every(([name, value]) => {
    if (name === 'status') return value.split(',').includes(row.status);
    if (name.endsWith('From')) return row[name.replace('From', 'At')] >= value;
    if (name.endsWith('Before')) return row[name.replace('Before', 'At')] < value;
    const [own, wanted] = [String(row[name]).toLowerCase(), value.toLowerCase()];
    return name === 'name' ? own.startsWith(wanted) : own === wanted;
  });
}

for (const [base, kind] of Object.entries({ '/orders': orders, '/api/users': users }))
  describe(`lists of ${base}`, () => {
    const scenes: Scene[] = [];
    const rows = new Map<number, Row>();
    const added: number[] = [];
    let count = 0;
    const service = sharedService(withoutSyncs, async (started) => {
      const scene = await newScene(started);
      scenes.push(scene);
      for (const row of (await scene.root.get(`${base}?limit=200`)).body.data) rows.set(row.id, row);
      while (count < 36) {
        if (count % 3 === 0) started.clock.advance(1_000);
        await add(scene);
      }
    });

    async function add(scene: Scene): Promise<void> {
      const row = await kind.add(scene, count);
      count += 1;
      rows.set(row.id, row);
      added.push(row.id);
    }

    /** Adds a row, changes one, and removes a user. */
    async function disturb(scene: Scene): Promise<number[]> {
      service().clock.advance(1);
      await add(scene);
      const [changed = 0, gone = 0] = [5, 6].map((step) => added[(count * 7 + step) % added.length]);
      rows.set(changed, (await scene.root.patch(`${base}/${changed}`, kind.changed(count))).body);
      if (kind !== users) return [changed];
      await assertStatus(scene.root.delete(`${base}/${gone}`), 204);
      rows.delete(gone);
      added.splice(added.indexOf(gone), 1);
      return [changed, gone];
    }

    for (const [caller, path, implied] of kind.lists)
      for (const filter of kind.filters)
        test(`GET ${path}?${filter} of ${caller} pages through each row exactly once, by its sorts`, async () => {
          const [scene = assert.fail('the suite has one')] = scenes;
          const names: Record<string, string | number | undefined> = {
            first: scene.customers[0],
            second: scene.customers[1],
            ada: scene.ada.id,
            bob: scene.bob.id,
            middle: [...rows.values()][18].createdAt,
          };
          const named = (text: string): string => text.replace(/\{(\w+)\}/g, (_, name) => `${names[name]}`);
          const [target, query, own] = [named(path), named(filter), named(implied)];
          const { get } = scene[caller];
          const list: Listed = {
            get,
            target: `${target}?${query}`,
            rows: () => [...rows.values()].filter((row) => passes(row, own)),
            fits: (row) => passes(row, query),
            disturb: () => disturb(scene),
          };
          await assertPagesThroughOnce(list, path === base ? kind.sorts : ['-createdAt', '-total']);

          const total = list.rows().filter(list.fits).length;
          const { body } = await get(`${target}?${query}&limit=1&total=true`);
          assert.equal(body.total, total);
          if (body.next !== null) assert.equal((await get(body.next)).body.total, total);
          assert.ok(!('total' in (await get(`${target}?total=false`)).body));
        });
  });

async function newScene(service: TestService): Promise<Scene> {
  const [ada, bob] = [await service.person(), await service.person()];
  const customers: number[] = [];
  for (const { token } of [ada, ada, bob, bob]) customers.push((await newCustomer(service, token)).id);
  return { service, ada, bob, staff: await service.person('staff'), root: await service.root(), customers };
}

test('lists of sessions and of keys page through each exactly once, newest first', async (t) => {
  const service = await serviceFor(t, withoutSyncs);
  const person = await service.person();
  const other = await service.person();
  const makers = {
    '/api/sessions': () => service.signIn(person.email, password),
    '/api/keys': () => newKey(service, person.token),
  };
  for (const [path, add] of Object.entries(makers)) {
    for (let index = 0; index < 9; index += 1) await add();
    const { data, total } = (await person.get(`${path}?total=true`)).body;
    assert.equal(total, data.length);
    const list: Listed = {
      get: person.get,
      target: `${path}?`,
      rows: () => data,
      fits: () => true,
      async disturb() {
        await add();
        const last = idsIn(await person.get(`${path}?limit=6`)).at(-1) ?? 0;
        await assertStatus(person.delete(`${path}/${last}`), 204);
        return [last];
      },
    };
    await assertPagesThroughOnce(list, ['-id'], []);
  }
  const pages = pagesOf(await service.root(), `/api/sessions?userId=${person.id}`, 3);
  const own: Row[] = (await Array.fromAsync(pages)).flat();
  assert.equal(own.length, 10);
  assert.ok(own.every(({ id, userId }) => userId === person.id && id !== other.sessionId));
});

/** A list with its filters, and all rows as they are now. */
type Listed = Pick<Client, 'get'> & {
  readonly target: string;
  readonly rows: () => readonly Row[];
  readonly fits: (row: Row) => boolean;
  /** Adds a row and changes or removes another; returns the ids of those that changed. */
  readonly disturb: () => Promise<readonly number[]>;
};

/** Asserts that about three pages show each row once, with a disturbance after the first; the first sort is that without one. */
async function assertPagesThroughOnce(
  list: Listed,
  [first = '', ...others]: readonly string[],
  named = [first],
) {
  const before = list.rows().filter(list.fits);
  const limit = Math.max(1, Math.ceil(before.length / 3));
  const walks: { sort: string; seen: Row[]; pages: AsyncGenerator<Row[]> }[] = [];
  for (const [sort, parameter] of [
    [first, ''],
    ...[...named, ...others].map((sort) => [sort, `&sort=${sort}`] as const),
  ] as const) {
    const pages = pagesOf(list, list.target + parameter, limit);
    walks.push({ sort, pages, seen: (await pages.next()).value });
  }
  const disturbed = await list.disturb();
  const stays = ({ id }: Row): boolean => !disturbed.includes(id);
  const existed = new Set(before.map(({ id }) => id));
  for (const { sort, pages, seen } of walks) {
    for await (const page of pages) seen.push(...page);
    const still = seen.filter(stays);
    assert.equal(
      new Set(idsIn({ body: { data: still } })).size,
      still.length,
      `a row was seen twice, by ${sort}`,
    );
    for (const row of seen) assert.ok(list.fits(row), `${JSON.stringify(row)} is not in the filter`);
    assert.deepEqual(
      still.filter(({ id }) => existed.has(id)),
      inOrder(before.filter(stays), sort),
    );
  }
}

/** Yields the rows of each page. Asserts that `next` and Link agree. */
async function* pagesOf({ get }: Pick<Client, 'get'>, target: string, limit: number): AsyncGenerator<Row[]> {
  let next: string | null = `${target}&limit=${limit}`;
  for (let pages = 0; next !== null; pages += 1) {
    assert(pages < 200, 'the pages have no end');
    const { status, headers, text, body }: TestResponse = await get(next);
    assert.equal(status, 200, text);
    assert.ok(body.data.length <= limit);
    assert.equal(headers['link'], body.next === null ? undefined : `<${body.next}>; rel="next"`);
    yield body.data;
    next = body.next;
  }
}

function inOrder(rows: readonly Row[], sort: string): Row[] {
  const sign = sort.startsWith('-') ? -1 : 1;
  const field = sort.replace('-', '');
  const key = (row: Row): string | number =>
    field === 'name' ? keyOfName(row[field]) : field === 'email' ? row[field].toLowerCase() : row[field];
  return rows.toSorted((a, b) => sign * (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a.id - b.id));
}

describe('while a list is counted', insideOnly, () => {
  const service = sharedService(withoutSyncs);

  /** The customers of a new user, and a page of them, whose first query `act` comes before. */
  async function listed(query: string, act: (ids: readonly number[], owner: Person) => Promise<unknown>) {
    const owner = await service().person();
    const ids: number[] = [];
    while (ids.length < 6) ids.push((await newCustomer(service(), owner.token)).id);
    const database = service().inside?.database ?? assert.fail('it is skipped otherwise');
    let isDone: Promise<unknown> | undefined;
    const end = beforeQueries(database, () => (isDone ??= act(ids, owner)));
    const page = await owner.get(`/customers?total=true${query}`);
    end();
    return { ids, page, owner };
  }

  test('an element that another user gets while its list is counted is not shown', async () => {
    const [heir, staff] = [await service().person(), await service().person('staff')];
    const give = ([, id]: readonly number[]) => staff.patch(`/customers/${id}`, { userId: heir.id });
    const { ids, page } = await listed('', give);
    assert.deepEqual(idsIn(page), ids.toSpliced(1, 1));
  });

  test('a page whose elements go while its list is counted is empty', async () => {
    const { ids, page, owner } = await listed('&limit=3', (all, { delete: remove }) =>
      Promise.all(all.slice(0, 3).map((id) => remove(`/customers/${id}`))),
    );
    assert.deepEqual(idsIn(page), []);
    assert.deepEqual(idsIn(await owner.get(page.body.next)), ids.slice(3));
  });
});

describe('filters', () => {
  let root: Person;
  const zeds = ['', '!', 'é', '\u{ffee}', '😀', '\u{3134a}'].map((follower) => `Zed${follower}`);
  const service = sharedService(withoutSyncs, async (started) => {
    root = await started.root();
    const names = [
      ...zeds,
      'Grace Hopper',
      'grace hopper',
      'Gräfin Ada',
      'Änne',
      'ånne',
      '%',
      '_x',
      'ΟΔΟΣΑΣ',
    ];
    for (const [index, name] of names.entries()) {
      await newCustomer(started, root.token, { name });
      await assertStatus(root.post('/api/users', { name, email: `${index}@example.com`, password }), 201);
    }
  });

  for (const [beginning, found] of [
    ['zed', zeds],
    ['gRaCe', ['Grace Hopper', 'grace hopper']],
    ['äNNe', ['Änne', 'ånne']],
    ['a\u0308nne', ['Änne', 'ånne']],
    ['%', ['%']],
    ['_', ['_x']],
    ...['ΟΔΟΣ', 'οδος', 'οδοσ', 'οδοσας'].map((sigma) => [sigma, ['ΟΔΟΣΑΣ']] as const),
  ] as const)
    test(`the names that begin with ${beginning}, in any case and no pattern, are ${found.join()}`, async () => {
      for (const path of ['/customers', '/api/users']) {
        const { body } = await root.get(`${path}?name=${encodeURIComponent(beginning)}&total=true`);
        assert.deepEqual([body.data.map(({ name }: Row) => name), body.total], [found, found.length], path);
      }
    });

  test('the list of a customer or user takes that id as a filter, and is empty for another', async () => {
    const { token, id, get } = await service().person();
    const { customerId } = await newOrder(service(), token);
    for (const [target, total] of [
      [`/customers/${customerId}/orders?customerId=${customerId}&userId=${id}`, 1],
      [`/customers/${customerId}/orders?customerId=${customerId + 1}`, 0],
      [`/api/users/${id}/orders?userId=${id}`, 1],
      [`/api/users/${id}/orders?userId=${id + 1}`, 0],
    ] as const) {
      const { body } = await get(`${target}&total=true`);
      assert.deepEqual([body.data.length, body.next, body.total], [total, null, total], target);
    }
  });
});
