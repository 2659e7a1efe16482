// A customer's phone number, as people write it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedService } from '../../support/http-support.ts';
import { serviceFor, type Person } from '../../support/service.ts';
import { assertIssues } from '../../support/resource-support.ts';

describe('a phone number', () => {
  let ada: Person;
  const service = sharedService({ settings: { 'default-country': 'DE' } }, async (started) => {
    ada = await started.person();
  });

  test('a phone number is stored as E.164, whether created, replaced or patched', async () => {
    const name = 'Grace Hopper';
    const created = await service().post('/customers', { ...ada, body: { name, phone: '0441 / 123 45' } });
    assert.deepEqual([created.status, created.body.phone], [201, '+4944112345']);
    const path = `/customers/${created.body.id}`;
    const put = await service().put(path, { ...ada, body: { name, phone: '(0441) 12346' } });
    assert.deepEqual([put.status, put.body.phone], [200, '+4944112346']);
    const patched = await service().patch(path, { ...ada, body: { phone: '+49 (0)441 12347' } });
    assert.deepEqual([patched.status, patched.body.phone], [200, '+4944112347']);
  });

  test('a phone number in another notation is no change', async () => {
    const created = await service().post('/customers', {
      ...ada,
      body: { name: 'Grace Hopper', phone: '+4944112345' },
    });
    const body = { phone: '0441-12345' };
    const same = await service().patch(`/customers/${created.body.id}`, { ...ada, body });
    assert.deepEqual([same.status, same.headers.etag], [200, created.headers.etag]);
  });

  test('a phone number is reported with all other issues at once', async () => {
    const body = { name: '', phone: '0441 1' };
    assertIssues(await service().post('/customers', { ...ada, body }), 422, [
      '#/name min-length',
      '#/phone format',
    ]);
  });
});

test('a national phone number without a default country has an issue', async (t) => {
  const service = await serviceFor(t);
  const ada = await service.person();
  const body = { name: 'Grace Hopper', phone: '0441 12345' };
  assertIssues(await service.post('/customers', { ...ada, body }), 422, ['#/phone format']);
});
