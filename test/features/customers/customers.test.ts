// Customers: creating, reading and deleting them, and who owns them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { type TestResponse } from '../../support/service.ts';
import { assertIssues, newCustomer, newOrder, rootToken, shown } from '../../support/resource-support.ts';
import { address, whole } from './customer-support.ts';

describe('creating a customer', () => {
  const running = sharedService();

  test('creating a customer needs only a name; absent members are null', async () => {
    const service = running();
    const { id: userId, token } = await service.person();
    const { status, headers, body, text } = await service.post('/customers', {
      token,
      body: { name: 'Grace Hopper' },
    });
    const { id, createdAt } = body;
    assert.deepEqual([status, headers.location], [201, `/customers/${id}`]);
    const nothing = { email: null, phone: null, address: null, note: null, reference: null, metadata: {} };
    const expected = { id, userId, name: 'Grace Hopper', ...nothing, createdAt, updatedAt: createdAt };
    assert.equal(text, JSON.stringify(expected));
  });

  test('creating a customer stores all members, the postal code trimmed and in capitals', async () => {
    const service = running();
    const { token } = await service.person();
    assert.deepEqual(
      (await newCustomer(service, token, { ...whole, email: 'Grace@Example.com' })).email,
      'Grace@Example.com',
    );
    const postalCode = ' sw1a 2aa\t\n\u00a0';
    const british = { line1: '10 Downing Street', city: 'London', country: 'GB', postalCode };
    const { address: kept } = await newCustomer(service, token, { address: british });
    assert.deepEqual(kept, { name: null, ...british, line2: null, region: null, postalCode: 'SW1A 2AA' });
    assert.deepEqual(Object.keys(kept), [
      'name',
      'line1',
      'line2',
      'city',
      'region',
      'postalCode',
      'country',
    ]);
  });

  const wrong: readonly (readonly [change: object, issues: readonly string[]])[] = [
    [{ name: undefined }, ['#/name required']],
    [{ name: null }, ['#/name type']],
    [{ name: '' }, ['#/name min-length']],
    [{ name: '\t' }, ['#/name pattern']],
    [{ name: 'x'.repeat(201) }, ['#/name max-length']],
    [{ email: 'grace' }, ['#/email pattern']],
    [{ email: 'grace@.example.com' }, ['#/email format']],
    [{ phone: '0441 12345678' }, ['#/phone format']],
    [{ note: 'x'.repeat(2_001) }, ['#/note max-length']],
    [{ phone: '+1234567890123456' }, ['#/phone format']],
    [{ phone: 4944112345678 }, ['#/phone type']],
    [{ userId: 0 }, ['#/userId minimum']],
    [{ userId: 1.5 }, ['#/userId type']],
    [{ userId: 2 ** 53 }, ['#/userId maximum']],
    [
      { id: 7, createdAt: '2026-03-01T09:30:00.000Z', updatedAt: null },
      ['#/createdAt unknown-member', '#/id unknown-member', '#/updatedAt unknown-member'],
    ],
    [{ address: {} }, ['#/address/city required', '#/address/country required', '#/address/line1 required']],
    [{ address: [] }, ['#/address type']],
    [
      { address: { ...address, line1: null, city: '', country: 'de' } },
      ['#/address/city min-length', '#/address/country pattern', '#/address/line1 type'],
    ],
    [{ address: { ...address, country: 'XX' } }, ['#/address/country format']],
    [{ address: { ...address, street: 'Main Street' } }, ['#/address/street unknown-member']],
    [{ address: { ...address, postalCode: 'SW1A 2AA' } }, ['#/address/postalCode postal-code']],
    [{ address: { ...address, postalCode: null } }, ['#/address/postalCode postal-code']],
    [{ address: { ...address, postalCode: undefined } }, ['#/address/postalCode postal-code']],
    [{ address: { ...address, postalCode: '' } }, ['#/address/postalCode pattern']],
    [{ address: { ...address, postalCode: 26129 } }, ['#/address/postalCode type']],
    [
      { name: 7, email: 'grace', phone: '1', address: { city: 7 }, tel: 1 },
      [
        '#/address/city type',
        '#/address/country required',
        '#/address/line1 required',
        '#/email pattern',
        '#/name type',
        '#/phone format',
        '#/tel unknown-member',
      ],
    ],
  ];
  for (const [change, issues] of wrong) {
    test(`creating a customer with ${shown(change).slice(0, 400)} is rejected, and every issue is named`, async () => {
      const service = running();
      const { token } = await service.person();
      assertIssues(await service.post('/customers', { token, body: { ...whole, ...change } }), 422, issues);
    });
  }
});

describe('deleting a customer', () => {
  const running = sharedService();

  test('deleting a customer makes it unknown to orders', async () => {
    const service = running();
    const { token } = await service.person();
    const { id } = await newCustomer(service, token);
    assert.equal((await service.delete(`/customers/${id}`, { token })).status, 204);
    assertProblem(await service.get(`/customers/${id}/orders`, { token }), 'not-found', 404);
    assertIssues(
      await service.post('/orders', {
        token,
        body: { customerId: id, currency: 'EUR', items: [{ name: 'Tea', quantity: 1, unitPrice: 1 }] },
      }),
      422,
      ['#/customerId unknown'],
    );
  });

  test('deleting a customer with orders is rejected, whatever their status and whoever the caller is', async () => {
    const service = running();
    const { token } = await service.person();
    const { id, customerId } = await newOrder(service, token);
    const askers = [token, (await service.person('staff')).token, await rootToken(service)];
    for (const by of askers)
      assertProblem(
        await service.delete(`/customers/${customerId}`, { token: by }),
        'customer-has-orders',
        409,
      );
    await service.patch(`/orders/${id}`, { token, body: { status: 'cancelled' } });
    assertProblem(await service.delete(`/customers/${customerId}`, { token }), 'customer-has-orders', 409);
    assert.equal((await service.get(`/customers/${customerId}`, { token })).status, 200);
  });

  test('deleting a customer while an order is placed lets exactly one of the two succeed', async () => {
    const service = running();
    const { token } = await service.person();
    for (let round = 0; round < 20; round += 1) {
      const { id } = await newCustomer(service, token);
      const order = {
        token,
        body: { customerId: id, currency: 'EUR', items: [{ name: 'Tea', quantity: 1, unitPrice: 1 }] },
      };
      const place = (): Promise<TestResponse> => service.post('/orders', order);
      const remove = (): Promise<TestResponse> => service.delete(`/customers/${id}`, { token });
      const statuses = (await Promise.all(round % 2 === 0 ? [place(), remove()] : [remove(), place()])).map(
        ({ status }) => status,
      );
      assert.ok(['201,409', '204,422'].includes(statuses.sort().join()), `${statuses}`);
    }
  });
});
