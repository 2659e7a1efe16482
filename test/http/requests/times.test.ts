// Times in requests: any fraction and offset is accepted, and responses show UTC with milliseconds.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newCustomer, newOrder } from '../../support/resource-support.ts';
import type { Person } from '../../support/service.ts';
import { assertStatus, issuesOf, sharedService } from '../../support/http-support.ts';

describe('times', { concurrency: false }, () => {
  let ada: Person;
  let order: { id: number; customerId: number };
  const service = sharedService({}, async (started) => {
    ada = await started.person();
    const { id } = await newCustomer(started, ada.token);
    order = await newOrder(started, ada.token, { customerId: id }); // at 2026-03-01T09:30:00.000Z
  });

  const bounds: readonly (readonly [query: string, count: number])[] = [
    ['createdFrom=2026-03-01T09:30:00Z', 1],
    ['createdFrom=2026-03-01T10:30:00%2B01:00', 1],
    ['createdFrom=2026-03-01t04:00:00-05:30', 1],
    ['createdFrom=2026-03-01T09:30:00.0000001Z', 0],
    ['createdBefore=2026-03-01T09:30:00z', 0],
    ['createdBefore=2026-03-01T09:30:00.0000001Z', 1],
    ['createdBefore=2026-03-01T10:30:00.001%2B01:00', 1],
  ];
  for (const [query, count] of bounds) {
    test(`GET /orders?${query} finds ${count}`, async () => {
      const response = await service().get(`/orders?${query}`, ada);
      assert.deepEqual([response.status, response.body.data.length], [200, count]);
    });
  }

  test('the next page keeps the time as it was sent', async () => {
    const bob = await service().person();
    const { customerId } = await newOrder(service(), bob.token);
    await newOrder(service(), bob.token, { customerId });
    const first = await service().get('/orders?limit=1&createdFrom=2026-03-01T10:30:00%2B01:00', bob);
    const second = await service().get(first.body.next, bob);
    assert.deepEqual([second.status, second.body.data.length, second.body.next], [200, 1, null]);
  });

  test('createdAt may be sent back in another form of the same instant', async () => {
    const path = `/orders/${order.id}`;
    const same = { createdAt: '2026-03-01T10:30:00+01:00', updatedAt: '2026-03-01t09:30:00z' };
    await assertStatus(service().patch(path, { ...ada, body: same }), 200);
    const other = await service().patch(path, { ...ada, body: { createdAt: '2026-03-01T09:30:00+01:00' } });
    assert.deepEqual([other.status, issuesOf(other)], [422, ['#/createdAt read-only']]);
  });

  test('an expiry is shown in UTC with milliseconds', async () => {
    const { status, body } = await service().post('/api/keys', {
      ...ada,
      body: { name: 'till 3', scopes: ['orders:read'], expiresAt: '2027-01-01T00:00:00.12345+01:00' },
    });
    assert.deepEqual([status, body.expiresAt], [201, '2026-12-31T23:00:00.123Z']);
  });
});

describe('a value in the wrong format', () => {
  let ada: Person;
  const service = sharedService({}, async (started) => {
    ada = await started.person();
  });
  const address = { line1: 'Schloßplatz 1', city: 'Oldenburg', postalCode: '26122', country: 'DE' };
  const wrong: readonly (readonly [member: object, detail: string])[] = [
    [{ email: 'x' }, 'email must be an e-mail address such as ada@example.com.'],
    [{ email: '' }, 'email must be an e-mail address such as ada@example.com.'],
    [
      { address: { ...address, country: 'Germany' } },
      'address.country must be a country code such as DE (ISO 3166-1 alpha-2).',
    ],
    [
      { address: { ...address, country: 'D' } },
      'address.country must be a country code such as DE (ISO 3166-1 alpha-2).',
    ],
    [{ address: { ...address, postalCode: '' } }, 'address.postalCode must be a postal code such as 26133.'],
  ];
  for (const [member, detail] of wrong) {
    test(`${JSON.stringify(member)} has one issue, which says what would be right`, async () => {
      const { status, body } = await service().post('/customers', {
        ...ada,
        body: { name: 'Grace Hopper', ...member },
      });
      assert.deepEqual([status, body.errors.length, body.detail], [422, 1, detail]);
    });
  }

  test('currency "EURO" has one issue, which says what would be right', async () => {
    const { body } = await service().get('/orders?currency=EURO', ada);
    assert.equal(body.detail, 'currency must be a currency code such as EUR (ISO 4217).');
  });
});
