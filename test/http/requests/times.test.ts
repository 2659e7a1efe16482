// Times in requests: any fraction and offset is accepted, and responses show UTC with milliseconds. A value in the
// wrong format has one issue, which says what would be right.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertStatus, issuesOf, sharedService } from '../../support/http-support.ts';
import { newOrder } from '../../support/resource-support.ts';
import type { Person } from '../../support/service.ts';

describe('times', () => {
  let ada: Person;
  let path = '';
  sharedService({}, async (started) => {
    ada = await started.person();
    path = `/orders/${(await newOrder(started, ada.token)).id}`; // at 2026-03-01T09:30:00.000Z
  });

  for (const [query, count] of [
    ['createdFrom=2026-03-01T09:30:00Z', 1],
    ['createdFrom=2026-03-01T10:30:00%2B01:00', 1],
    ['createdFrom=2026-03-01t04:00:00-05:30', 1],
    ['createdFrom=2026-03-01T09:30:00.0000001Z', 0],
    ['createdBefore=2026-03-01T09:30:00z', 0],
    ['createdBefore=2026-03-01T09:30:00.0000001Z', 1],
    ['createdBefore=2026-03-01T10:30:00.001%2B01:00', 1],
  ] as const)
    test(`GET /orders?${query} finds ${count}`, async () => {
      const { status, body } = await ada.get(`/orders?${query}`);
      assert.deepEqual([status, body.data.length], [200, count]);
    });

  test('createdAt may be sent back in another form of the same instant', async () => {
    const same = { createdAt: '2026-03-01T10:30:00+01:00', updatedAt: '2026-03-01t09:30:00z' };
    await assertStatus(ada.patch(path, same), 200);
    const other = await ada.patch(path, { createdAt: '2026-03-01T09:30:00+01:00' });
    assert.deepEqual([other.status, issuesOf(other)], [422, ['#/createdAt read-only']]);
  });

  test('an expiry is shown in UTC with milliseconds', async () => {
    const expiresAt = '2027-01-01T00:00:00.12345+01:00';
    const { body } = await ada.post('/api/keys', { name: 'till 3', scopes: ['orders:read'], expiresAt });
    assert.equal(body.expiresAt, '2026-12-31T23:00:00.123Z');
  });

  const address = { line1: 'Schloßplatz 1', city: 'Oldenburg', postalCode: '26122', country: 'DE' };
  const countryCode = 'address.country must be a country code such as DE (ISO 3166-1 alpha-2).';
  for (const [member, detail] of [
    [{ email: 'x' }, 'email must be an e-mail address such as ada@example.com.'],
    [{ email: '' }, 'email must be an e-mail address such as ada@example.com.'],
    [{ address: { ...address, country: 'Germany' } }, countryCode],
    [{ address: { ...address, country: 'D' } }, countryCode],
    [{ address: { ...address, postalCode: '' } }, 'address.postalCode must be a postal code such as 26133.'],
  ] as const)
    test(`${JSON.stringify(member)} has one issue, which says what would be right`, async () => {
      const { body } = await ada.post('/customers', { name: 'Grace Hopper', ...member });
      assert.deepEqual([body.errors.length, body.detail], [1, detail]);
    });

  test('currency "EURO" has one issue, which says what would be right', async () => {
    const { body } = await ada.get('/orders?currency=EURO');
    assert.equal(body.detail, 'currency must be a currency code such as EUR (ISO 4217).');
  });
});
