// GET /orders/counts: how many orders have each status.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, issuesOf, sharedService } from '../../support/http-support.ts';
import { insideOnly, serviceFor, type Person, type TestResponse } from '../../support/service.ts';
import { beforeQueries } from '../../support/query-interception.ts';
import { newKey, newOrder } from '../../support/resource-support.ts';

const none = { open: 0, paid: 0, shipped: 0, delivered: 0, cancelled: 0, refunded: 0 };

describe('the counts of orders', () => {
  let ada: Person, bob: Person, root: Person, paid: TestResponse['body'];
  const service = sharedService({}, async (started) => {
    [ada, bob, root] = [await started.person(), await started.person(), await started.root()];
    await newOrder(started, bob.token, { currency: 'USD' });
    const cancelled = await newOrder(started, ada.token);
    await root.patch(`/orders/${cancelled.id}`, { status: 'cancelled' });
    started.clock.now += 1_000;
    paid = await newOrder(started, ada.token);
    await root.patch(`/orders/${paid.id}`, { status: 'paid', payment: 'cash' });
    await newOrder(started, ada.token);
  });
  const countsFor = async ({ get }: Person, query = ''): Promise<object> =>
    (await get(`/orders/counts${query}`)).body;

  test('the counts of orders are of all for staff, and of their own for a user', async () => {
    assert.deepEqual(await countsFor(root), { ...none, open: 2, paid: 1, cancelled: 1 });
    assert.deepEqual(await countsFor(ada), { ...none, open: 1, paid: 1, cancelled: 1 });
    assert.deepEqual(await countsFor(bob), { ...none, open: 1 });
    assert.deepEqual(await countsFor(ada, `?userId=${bob.id}`), none);
  });

  test('the counts of orders are those of a list with the same filters', async () => {
    const { createdAt, customerId } = paid;
    for (const filter of [
      '?currency=USD',
      '?payment=cash',
      '?payment=card',
      `?createdFrom=${createdAt}`,
      `?createdBefore=${createdAt}`,
      `?updatedFrom=${createdAt}&currency=EUR`,
      `?customerId=${customerId}`,
      `?userId=${bob.id}&createdBefore=${createdAt}`,
    ]) {
      const listed: Record<string, number> = { ...none };
      for (const { status } of (await root.get(`/orders${filter}`)).body.data)
        listed[status] = (listed[status] ?? 0) + 1;
      assert.deepEqual(await countsFor(root, filter), listed, filter);
    }
  });

  test('the counts of orders have no parameters of pages and searches, and need the scope for orders', async () => {
    const issues = ['limit', 'q', 'sort', 'status', 'total'].map((name) => `${name} unknown-parameter`);
    const response = await root.get('/orders/counts?status=open&sort=id&limit=5&q=tea&total=true');
    assert.deepEqual([response.status, issuesOf(response)], [422, issues]);
    const { key } = await newKey(service(), root.token, { scopes: ['customers:read'] });
    assertProblem(await service().get('/orders/counts', { key }), 'insufficient-scope');
  });
});

test('a caller demoted while orders are counted gets the counts of their own', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const [actor, other] = [await service.person('staff'), await service.person()];
  const root = await service.root();
  for (const { token } of [actor, other, other]) await newOrder(service, token);
  const { database } = service.inside ?? assert.fail('it is inside');
  let isDemoted: Promise<unknown> | undefined;
  beforeQueries(database, () => (isDemoted ??= root.patch(`/api/users/${actor.id}`, { role: 'user' })));
  assert.deepEqual((await actor.get('/orders/counts')).body, { ...none, open: 1 });
});
