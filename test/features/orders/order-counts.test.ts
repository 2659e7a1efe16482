// GET /orders/counts: how many orders have each status.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OrderStatus } from '../../../src/features/orders/order-status.ts';
import { assertProblem, issuesOf, sharedService } from '../../support/http-support.ts';
import { insideOnly, serviceFor, type Person } from '../../support/service.ts';
import { beforeQueries } from '../../support/query-interception.ts';
import { newKey, newOrder, rootToken } from '../../support/resource-support.ts';

const none: Readonly<Record<OrderStatus, number>> = {
  open: 0,
  paid: 0,
  shipped: 0,
  delivered: 0,
  cancelled: 0,
  refunded: 0,
};

type Fixture = { readonly ada: Person; readonly bob: Person; readonly root: string; readonly paidAt: string };

describe('the counts of orders', () => {
  let fixture: Fixture;
  const service = sharedService({}, async (started) => {
    const [ada, bob] = [await started.person(), await started.person()];
    const root = await rootToken(started);
    await newOrder(started, bob.token, { currency: 'USD' });
    const cancelled = await newOrder(started, ada.token);
    await started.patch(`/orders/${cancelled.id}`, { token: root, body: { status: 'cancelled' } });
    started.clock.now += 1_000;
    const paid = await newOrder(started, ada.token);
    const body = { status: 'paid', payment: 'cash' };
    await started.patch(`/orders/${paid.id}`, { token: root, body });
    await newOrder(started, ada.token);
    fixture = { ada, bob, root, paidAt: paid.createdAt };
  });
  const countsFor = async (token: string, query = ''): Promise<object> =>
    (await service().get(`/orders/counts${query}`, { token })).body;

  test('the counts of orders are of all for staff, and of their own for a user', async () => {
    assert.deepEqual(await countsFor(fixture.root), { ...none, open: 2, paid: 1, cancelled: 1 });
    assert.deepEqual(await countsFor(fixture.ada.token), { ...none, open: 1, paid: 1, cancelled: 1 });
    assert.deepEqual(await countsFor(fixture.bob.token), { ...none, open: 1 });
  });

  test('the counts of orders are those of a list with the same filters', async () => {
    const { root, ada, bob, paidAt } = fixture;
    const { customerId } = (await service().get(`/orders?userId=${ada.id}`, { token: root })).body.data[0];
    const filters = [
      '?currency=USD',
      '?payment=cash',
      '?payment=card',
      `?createdFrom=${paidAt}`,
      `?createdBefore=${paidAt}`,
      `?updatedFrom=${paidAt}&currency=EUR`,
      `?customerId=${customerId}`,
      `?userId=${bob.id}&createdBefore=${paidAt}`,
    ];
    for (const filter of filters) {
      const listed: Record<string, number> = { ...none };
      const { data } = (await service().get(`/orders${filter}`, { token: root })).body;
      for (const { status } of data) listed[status] = (listed[status] ?? 0) + 1;
      assert.deepEqual(await countsFor(root, filter), listed, filter);
    }
  });

  test('the counts of orders of another user are none', async () => {
    assert.deepEqual(await countsFor(fixture.ada.token, `?userId=${fixture.bob.id}`), none);
  });

  for (const query of ['status=open', 'sort=id', 'limit=5', 'q=tea', 'total=true'])
    test(`the counts of orders have no parameter ${query}`, async () => {
      const response = await service().get(`/orders/counts?${query}`, { token: fixture.root });
      assert.equal(response.status, 422);
      assert.deepEqual(issuesOf(response), [`${query.split('=')[0]} unknown-parameter`]);
    });

  test('the counts of orders need an API key with the scope for orders', async () => {
    const { key } = await newKey(service(), fixture.root, { scopes: ['customers:read'] });
    assertProblem(await service().get('/orders/counts', { key }), 'insufficient-scope');
  });
});

test('a caller demoted while orders are counted gets the counts of their own', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const [actor, other] = [await service.person('staff'), await service.person()];
  const root = await rootToken(service);
  for (const { token } of [actor, other, other]) await newOrder(service, token);
  const { database } = service.inside ?? assert.fail('it is inside');
  const demotion = { token: root, body: { role: 'user' } };
  let isDemoted: Promise<unknown> | undefined;
  beforeQueries(database, () => (isDemoted ??= service.patch(`/api/users/${actor.id}`, demotion)));
  const { body } = await service.get('/orders/counts', { token: actor.token });
  assert.deepEqual(body, { ...none, open: 1 });
});
