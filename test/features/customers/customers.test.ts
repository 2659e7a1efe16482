// Customers: creating, reading and deleting them, and who owns them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { type TestResponse } from '../../support/service.ts';
import { assertIssues, newCustomer, newOrder, rootToken, shown } from '../../support/resource-support.ts';
import { address, whole } from './customer-support.ts';

describe('creating a customer', () => {
  const running = sharedService();

  test('creating a customer keeps a note for the shop, which a change may replace or remove', async () => {
    const service = running();
    const { token } = await service.person();
    const note = 'Rings twice.\nAllergic to nuts.';
    const { body } = await service.post('/customers', { token, body: { name: 'Grace Hopper', note } });
    assert.equal(body.note, note);
    const path = `/customers/${body.id}`;
    const patched = await service.patch(path, { token, body: { note: 'Rings once.' } });
    assert.equal(patched.body.note, 'Rings once.');
    const { data } = (await service.get(`${path}/events`, { token })).body;
    assert.deepEqual(data[0].changes, { note: null }, 'histories hold no personal data');
    const replaced = await service.put(path, { token, body: { name: 'Grace Hopper' } });
    assert.equal(replaced.body.note, null);
    const long = await service.post('/customers', { token, body: { name: 'G', note: 'x'.repeat(2_001) } });
    assert.equal(long.status, 422);
    assert.equal(long.body.errors[0].pointer, '#/note');
  });

  test('a customer may have a reference of the shop’s own records, which finds them', async () => {
    const service = running();
    const token = await rootToken(service);
    const { body } = await service.post('/customers', { token, body: { name: 'Ada', reference: 'K-1042' } });
    assert.equal(body.reference, 'K-1042');
    const found = async (q: string): Promise<number[]> =>
      (await service.get(`/customers?q=${q}`, { token })).body.data.map(({ id }: { id: number }) => id);
    assert.deepEqual(await found('k-1042'), [body.id]);
    const { text } = await service.get('/customers', { token, headers: { accept: 'text/csv' } });
    assert.match(text, /,reference,metadata,createdAt,/);
    assert.match(text, /,K-1042,/);
    const removed = await service.patch(`/customers/${body.id}`, { token, body: { reference: null } });
    assert.equal(removed.body.reference, null);
    assert.deepEqual(await found('k-1042'), []);
  });

  test('creating a customer needs only a name; absent members are null', async () => {
    const service = running();
    const { id: userId, token } = await service.person();
    const made = await service.post('/customers', { token, body: { name: 'Grace Hopper' } });
    assert.equal(made.status, 201);
    const { id, createdAt, updatedAt, ...rest } = made.body;
    assert.deepEqual(rest, {
      userId,
      name: 'Grace Hopper',
      email: null,
      phone: null,
      address: null,
      note: null,
      reference: null,
      metadata: {},
    });
    assert.deepEqual(Object.keys(made.body), [
      'id',
      'userId',
      'name',
      'email',
      'phone',
      'address',
      'note',
      'reference',
      'metadata',
      'createdAt',
      'updatedAt',
    ]);
    assert.equal(createdAt, updatedAt);
    assert.equal(made.headers.location, `/customers/${id}`);
    const read = await service.get(`/customers/${id}`, { token });
    assert.deepEqual(read.body, made.body);
    assert.equal(read.headers.etag, made.headers.etag);
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

  test('creating a customer needs no postal code if the country has none', async () => {
    const service = running();
    const { token } = await service.person();
    const { address: kept } = await newCustomer(service, token, {
      address: { line1: '1 Connaught Place', city: 'Hong Kong', country: 'HK' },
    });
    assert.equal(kept.postalCode, null);
  });
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
