// Pages of lists are cached until the next commit: a list shows current rows, and only to those who may see
// them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Caches } from '../../../src/service/caches.ts';
import { toListPage } from '../../../src/http/routing/list.ts';
import { assertProblem } from '../../http/http-support.ts';
import { serviceFor, type Person, type TestResponse, type TestService } from '../../service.ts';
import { newCustomer, newKey, newOrder, rootToken } from '../resource-support.ts';

type Fixture = {
  readonly service: TestService;
  readonly staff: Person;
  readonly ada: Person;
  readonly customer: number;
  /** Another user, without orders. */
  readonly leaving: number;
  readonly order: number;
};

const paths = ['/orders', '/orders?include=customer', '/orders?status=open&limit=1', '/customers'];

const changes: Readonly<Record<string, (fixture: Fixture) => Promise<unknown>>> = {
  'an order that is placed': ({ service, ada, customer }) =>
    newOrder(service, ada.token, { customerId: customer }),
  'a note': ({ service, ada, order }) =>
    service.patch(`/orders/${order}`, { token: ada.token, body: { note: 'Please ring twice.' } }),
  'a status': ({ service, ada, order }) =>
    service.patch(`/orders/${order}`, { token: ada.token, body: { status: 'cancelled' } }),
  'a customer’s name': ({ service, ada, customer }) =>
    service.patch(`/customers/${customer}`, { token: ada.token, body: { name: 'Grace B. Hopper' } }),
  'a customer who is removed': ({ service, ada, leaving }) =>
    service.delete(`/customers/${leaving}`, { token: ada.token }),
  'an owner who is removed': async ({ service, ada }) =>
    service.delete(`/api/users/${ada.id}`, { token: await rootToken(service) }),
};

test('a page is cached once, in whatever order the values of a filter come', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person();
  await newOrder(service, token);
  const misses = async (): Promise<number> => {
    const { text } = await service.get('/metrics');
    return Number(/^orderly_cache_lookups_total\{result="miss"\} (\d+)$/m.exec(text)?.[1]);
  };
  await service.get('/orders?status=open,paid', { token });
  const before = await misses();
  await service.get('/orders?status=paid,open', { token });
  assert.equal(await misses(), before);
});

describe('a page that was read before shows', () => {
  for (const [name, change] of Object.entries(changes))
    test(`a page that was read before shows ${name}`, async (t) => {
      const fixture = await createFixture(await serviceFor(t));
      const { service, staff } = fixture;
      const read = async (): Promise<string[]> => {
        const pages = paths.map((path) => service.get(path, { token: staff.token }));
        return (await Promise.all(pages)).map(({ text, headers }) => `${headers.etag} ${text}`);
      };
      await read();
      assert.deepEqual(await read(), await read());
      await change(fixture);
      const [shown, cached] = [await read(), await read()];
      await service.restart();
      const signedIn = await service.signIn(staff.email, staff.password);
      const token = signedIn.token;
      for (const [index, path] of paths.entries()) {
        const { text, headers } = await service.get(path, { token });
        assert.equal(shown[index], `${headers.etag} ${text}`);
        assert.equal(cached[index], shown[index]);
      }
    });
});

test('a page that is read again is one look-up in the cache', async (t) => {
  const { service, staff } = await createFixture(await serviceFor(t));
  const hits = async (): Promise<number> => {
    const { text } = await service.get('/metrics');
    return Number(/^orderly_cache_lookups_total\{result="hit"\} (\d+)$/m.exec(text)?.[1]);
  };
  const first = await service.get('/orders', { token: staff.token });
  const before = await hits();
  const second = await service.get('/orders', { token: staff.token });
  assert.equal((await hits()) - before, 1);
  assert.equal(second.text, first.text);
});

test('a page holds orders that were cached and orders that weren’t, each in its place', async (t) => {
  const { service, staff, ada, customer } = await createFixture(await serviceFor(t));
  for (let index = 0; index < 58; index += 1) await newOrder(service, ada.token, { customerId: customer });
  for (const id of [60, 59, 40, 36, 35, 34, 11, 10, 2])
    await service.get(`/orders/${id}`, { token: staff.token });
  const page = await service.get('/orders?sort=-id&limit=200', { token: staff.token });
  assert.deepEqual(idsOf(page), countdown(60));
  const { body } = await service.get('/orders?sort=-id&limit=57', { token: staff.token });
  assert.deepEqual(idsOf({ body }), countdown(60).slice(0, 57));
  const rest = await service.get(body.next, { token: staff.token });
  assert.deepEqual([idsOf(rest), rest.body.next], [[3, 2, 1], null]);
  for (const order of page.body.data.slice(30, 40))
    assert.deepEqual((await service.get(`/orders/${order.id}`, { token: staff.token })).body, order);
});

describe('a page that somebody else read is shown', () => {
  test('a page that somebody else read is shown to staff, but not to users, who see only their own', async (t) => {
    const { service, staff, ada } = await createFixture(await serviceFor(t));
    const bob = await service.person();
    const counts: number[] = [];
    for (const { token } of [staff, bob, ada, await service.person('staff'), staff])
      counts.push((await service.get('/orders', { token })).body.data.length);
    assert.deepEqual(counts, [2, 0, 2, 2, 2]);
  });

  test('a page that somebody else read is shown to no key without the scope for included objects', async (t) => {
    const { service, ada } = await createFixture(await serviceFor(t));
    const { key } = await newKey(service, ada.token, { scopes: ['orders:read'] });
    const { key: reader } = await newKey(service, ada.token, { scopes: ['orders:read', 'customers:read'] });
    const path = '/orders?include=customer';
    for (const call of [{ token: ada.token }, { key: reader }])
      assert.equal((await service.get(path, call)).status, 200);
    assertProblem(await service.get(path, { key }), 'insufficient-scope', 403);
  });

  test('a page that somebody else read is shown to no caller who has lost the role', async (t) => {
    const { service, staff } = await createFixture(await serviceFor(t));
    const before = await service.get('/orders', { token: staff.token });
    assert.equal(before.body.data.length, 2);
    await service.patch(`/api/users/${staff.id}`, {
      token: await rootToken(service),
      body: { role: 'user' },
    });
    assert.deepEqual((await service.get('/orders', { token: staff.token })).body.data, []);
  });
});

describe('the pages that are cached', () => {
  for (const [name, change] of [
    ['a commit that named nothing as stale', (caches: Caches) => caches.invalidate([])],
    ['a change by another process', (caches: Caches) => caches.clear()],
  ] as const)
    test(`cached pages are dropped with ${name}`, () => {
      const caches = new Caches(100_000);
      caches.pages.add('orders', toListPage([], null));
      assert.notEqual(caches.pages.find('orders'), undefined);
      change(caches);
      assert.equal(caches.pages.find('orders'), undefined);
      assert.equal(caches.pages.weight, 0);
    });

  test('cached pages are bounded in bytes, their keys included', () => {
    const { pages } = new Caches(1_000_000);
    for (let index = 0; index < 100; index += 1)
      pages.add(`${index} ${'x'.repeat(4_000)}`, toListPage([], null));
    assert.ok(pages.weight > 10_000 && pages.weight <= 20_000, `${pages.weight} bytes`);
  });
});

async function createFixture(service: TestService): Promise<Fixture> {
  const [staff, ada] = [await service.person('staff'), await service.person()];
  const { id: customer } = await newCustomer(service, ada.token);
  const { id: leaving } = await newCustomer(service, ada.token);
  await newOrder(service, ada.token, { customerId: customer });
  const { id: order } = await newOrder(service, ada.token, { customerId: customer });
  return { service, staff, ada, customer, leaving, order };
}

function idsOf({ body }: Pick<TestResponse, 'body'>): number[] {
  return body.data.map(({ id }: { id: number }) => id);
}

function countdown(from: number): number[] {
  return Array.from({ length: from }, (_, index) => from - index);
}
