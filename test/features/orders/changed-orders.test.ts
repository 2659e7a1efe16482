// Orders by when they changed, in all four places that list orders.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newCustomer, newOrder } from '../../support/resource-support.ts';
import type { Person } from '../../support/service.ts';
import { issuesOf, sharedService } from '../../support/http-support.ts';

type Order = { readonly id: number; readonly updatedAt: string };

describe('orders that changed', () => {
  let [ada, staff]: (Person | undefined)[] = [];
  let places: Readonly<Record<string, readonly [path: string, token: string]>> = {};
  let orders: readonly Order[] = [];

  const service = sharedService({}, async (started) => {
    const [owner, clerk] = [await started.person(), await started.person('staff')];
    [ada, staff] = [owner, clerk];
    const customer = await newCustomer(started, owner.token);
    const placed: Order[] = [];
    for (let index = 0; index < 6; index += 1) {
      started.clock.advance(1_000);
      placed.push(await newOrder(started, owner.token, { customerId: customer.id }));
    }
    for (const order of [placed[4], placed[1], placed[0]]) {
      started.clock.advance(1_000);
      const body = { note: 'changed' };
      await started.patch(`/orders/${order?.id}`, { token: owner.token, body });
    }
    orders = (await started.get('/orders', { token: owner.token })).body.data;
    places = {
      'one’s own': ['/orders', owner.token],
      all: ['/orders', clerk.token],
      'a user’s': [`/api/users/${owner.id}/orders`, clerk.token],
      'a customer’s': [`/customers/${customer.id}/orders`, owner.token],
    };
  });

  for (const place of ['one’s own', 'all', 'a user’s', 'a customer’s']) {
    for (const sort of ['updatedAt', '-updatedAt', '-createdAt', 'id', '-total', 'status']) {
      test(`orders that changed are found among ${place} orders, by ${sort}`, async () => {
        const [path = '', token] = places[place] ?? [];
        const bound = orders.map(({ updatedAt }) => updatedAt).sort()[3] ?? '';
        const ids = async (query: string): Promise<number[]> => {
          const response = await service().get(`${path}?sort=${sort}&${query}`, { token });
          assert.equal(response.status, 200, response.text);
          return response.body.data.map(({ id }: Order) => id).sort((a: number, b: number) => a - b);
        };
        const of = (fits: (order: Order) => boolean): number[] =>
          orders
            .filter(fits)
            .map(({ id }) => id)
            .sort((a, b) => a - b);
        assert.deepEqual(
          await ids(`updatedFrom=${bound}`),
          of(({ updatedAt }) => updatedAt >= bound),
        );
        assert.deepEqual(
          await ids(`updatedBefore=${bound}`),
          of(({ updatedAt }) => updatedAt < bound),
        );
      });
    }
  }

  test('orders that changed are sorted by their last change', async () => {
    const listed = await service().get('/orders?sort=updatedAt&limit=2', { token: ada?.token });
    const rest = await service().get(`${listed.body.next}`, { token: ada?.token });
    const times: string[] = [...listed.body.data, ...rest.body.data].map(({ updatedAt }: Order) => updatedAt);
    assert.deepEqual(times, times.toSorted());
  });

  test('orders that changed are filtered by time', async () => {
    const response = await service().get('/orders?updatedFrom=today&updatedBefore=2026-02-30T00:00:00Z', {
      token: staff?.token,
    });
    assert.deepEqual(
      [response.status, issuesOf(response)],
      [422, ['updatedBefore format', 'updatedFrom pattern']],
    );
  });
});
