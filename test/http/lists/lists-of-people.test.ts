// Lists of customers, users, sessions and keys: every filter with every sort pages through each row once.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newCustomer, newKey, rootToken } from '../../support/resource-support.ts';
import { serviceFor, type Person, type TestService } from '../../support/service.ts';
import { sharedService } from '../../support/http-support.ts';
import {
  type Row,
  type Query,
  type Place,
  withoutSyncs,
  both,
  walk,
  assertPagesThroughOnce,
} from '../../support/list-support.ts';

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
  /** Adds a customer, changes the phone number of one, and deletes one. */
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
    ['name beyond ASCII', () => ({ name: 'äNNe' }), (row) => /^.nne/.test(row.name)],
    ['name of a decomposed letter', () => ({ name: 'a\u0308nne' }), (row) => /^.nne/.test(row.name)],
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
      test(`the list of customers for ${who}, with ${what}, pages through each row exactly once, by every sort`, async () => {
        const sorts = both(['id', 'name', 'createdAt']);
        const place: Place = {
          path: '/customers',
          token: token(),
          sorts,
          disturb,
          rows: () => Promise.resolve([...rows.values()].filter(isIn)),
        };
        await assertPagesThroughOnce(service(), place, { query: query(), fits }, [undefined, ...sorts]);
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
  /** Adds a user, changes the name of one, and deletes one. */
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
    test(`lists of users with ${what} page through each row exactly once, by every sort`, async () => {
      const sorts = both(['id', 'name', 'email', 'createdAt']);
      const place: Place = {
        path: '/api/users',
        token: root,
        sorts,
        disturb,
        rows: () => Promise.resolve([...rows.values()]),
      };
      await assertPagesThroughOnce(service(), place, { query, fits }, [undefined, ...sorts]);
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
    await assertPagesThroughOnce(service, place, { query: {}, fits: () => true }, [undefined]);
  }
  const own = await walk(
    service,
    { path: '/api/sessions', token: root },
    { userId: String(userId), limit: '3' },
  );
  assert.equal(own.length, 10);
  assert.ok(own.every((session) => session.userId === userId));
});
