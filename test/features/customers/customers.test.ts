// Customers: what they may have, how they are changed, and that orders keep theirs.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { assertIssues, items, newCustomer, newOrder, testIssues } from '../../support/resource-support.ts';
import type { Person, TestResponse } from '../../support/service.ts';

const address = {
  name: null,
  line1: 'Ammerländer Heerstraße 114',
  line2: null,
  city: 'Oldenburg',
  region: 'Niedersachsen',
  postalCode: '26129',
  country: 'DE',
};
const whole = { name: 'Grace Hopper', email: 'Grace@Example.com', phone: '+4944112345678', address };
const nothing = { email: null, phone: null, address: null, note: null, reference: null };
const at = (change: object): object => ({ address: { ...address, ...change } });
const postal = '#/address/postalCode';

describe('a customer', () => {
  let ada: Person, root: Person;
  const running = sharedService({}, async (service) => {
    [ada, root] = [await service.person(), await service.root()];
  });
  const create = (change: object): Promise<TestResponse> => ada.post('/customers', { ...whole, ...change });
  const made = async (members: object = whole): Promise<TestResponse['body']> =>
    newCustomer(running(), ada.token, members);

  test('creating a customer needs only a name; absent members are null', async () => {
    const { status, headers, body, text } = await ada.post('/customers', { name: 'Grace Hopper' });
    const { id, createdAt } = body;
    assert.deepEqual([status, headers.location], [201, `/customers/${id}`]);
    const times = { createdAt, updatedAt: createdAt };
    const expected = { id, userId: ada.id, name: 'Grace Hopper', ...nothing, metadata: {}, ...times };
    assert.equal(text, JSON.stringify(expected));
  });

  test('creating a customer stores all members, the postal code trimmed and in capitals', async () => {
    const postalCode = ' sw1a 2aa\t\n\u00a0';
    const british = { line1: '10 Downing Street', city: 'London', country: 'GB', postalCode };
    const { body } = await create({ address: british });
    const kept = { ...address, ...british, region: null, postalCode: 'SW1A 2AA' };
    assert.partialDeepStrictEqual(body, { ...whole, address: kept });
    assert.deepEqual(Object.keys(body.address), Object.keys(address));
  });

  testIssues('creating a customer with', create, [
    [{ name: undefined }, '#/name required'],
    [{ name: null }, '#/name type'],
    [{ name: '\t' }, '#/name pattern'],
    [{ name: 'x'.repeat(201) }, '#/name max-length'],
    [{ email: 'grace@.example.com' }, '#/email format'],
    [{ phone: '0441 12345678' }, '#/phone format'],
    [{ phone: '+1234567890123456', note: 'x'.repeat(2_001) }, '#/phone format', '#/note max-length'],
    [{ phone: 4944112345678, userId: 0 }, '#/phone type', '#/userId minimum'],
    [{ userId: 1.5 }, '#/userId type'],
    [{ userId: 2 ** 53 }, '#/userId maximum'],
    [at({ line1: null, city: '' }), '#/address/city min-length', '#/address/line1 type'],
    [at({ country: 'de' }), '#/address/country pattern'],
    [at({ country: 'XX' }), '#/address/country format'],
    [at({ street: 'Main Street' }), '#/address/street unknown-member'],
    [at({ postalCode: 'SW1A 2AA' }), `${postal} postal-code`],
    [at({ postalCode: null }), `${postal} postal-code`],
    [at({ postalCode: undefined }), `${postal} postal-code`],
    [at({ postalCode: '' }), `${postal} pattern`],
    [at({ postalCode: 26129 }), `${postal} type`],
  ]);

  test('changing a customer by PUT sets omitted members to null, but keeps the owner', async () => {
    const before = await made({ ...whole, note: 'Rings twice.', reference: 'K-1' });
    const { body } = await root.put(`/customers/${before.id}`, { name: 'Grace' });
    assert.deepEqual(body, { ...before, name: 'Grace', ...nothing, updatedAt: body.updatedAt });
  });

  const patchOf = (members: object) => async (body: object) =>
    ada.patch(`/customers/${(await made(members)).id}`, body);
  testIssues('changing a customer by PATCH to', patchOf(whole), [
    [{ name: null, id: null, createdAt: null }, '#/createdAt type', '#/id type', '#/name type'],
    [{ address: { line1: null, city: null } }, '#/address/city type', '#/address/line1 type'],
    [{ address: { country: null }, updatedAt: null }, '#/address/country type', '#/updatedAt type'],
    [{ address: { postalCode: null } }, `${postal} postal-code`],
    [{ address: { country: 'GB' } }, `${postal} postal-code`],
    [{ address: { zip: '1' } }, '#/address/zip unknown-member'],
  ]);
  testIssues('changing a customer without an address by PATCH to', patchOf({}), [
    [{ address: { city: 'Bremen' } }, '#/address/country required', '#/address/line1 required'],
  ]);
  const put = async (change: object): Promise<TestResponse> => {
    const before = await made();
    return ada.put(`/customers/${before.id}`, { ...before, ...change });
  };
  testIssues('changing a customer by PUT with', put, [
    [{ name: undefined }, '#/name required'],
    [{ address: { city: 'Bremen' } }, '#/address/country required', '#/address/line1 required'],
    [at({ postalCode: '1' }), `${postal} postal-code`],
  ]);

  test('deleting a customer makes it unknown to orders', async () => {
    const { id } = await made();
    assert.equal((await ada.delete(`/customers/${id}`)).status, 204);
    assertProblem(await ada.get(`/customers/${id}/orders`), 'not-found');
    const order = await ada.post('/orders', { customerId: id, currency: 'EUR', items });
    assertIssues(order, 422, ['#/customerId unknown']);
  });

  test('deleting a customer with orders is rejected, whatever their status and whoever the caller is', async () => {
    const { id, customerId } = await newOrder(running(), ada.token);
    const [path, staff] = [`/customers/${customerId}`, await running().person('staff')];
    for (const status of ['open', 'cancelled']) {
      await ada.patch(`/orders/${id}`, { status });
      for (const caller of [ada, staff, root])
        assertProblem(await caller.delete(path), 'customer-has-orders');
    }
    assert.equal((await ada.get(path)).status, 200);
  });

  test('deleting a customer while an order is placed lets exactly one of the two succeed', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { id: customerId } = await made();
      const place = () => ada.post('/orders', { customerId, currency: 'EUR', items });
      const remove = () => ada.delete(`/customers/${customerId}`);
      const both = await Promise.all(round % 2 === 0 ? [place(), remove()] : [remove(), place()]);
      const statuses = both.map(({ status }) => status).toSorted();
      assert.ok(['201,409', '204,422'].includes(statuses.join()), `${statuses}`);
    }
  });
});

describe('a phone number', () => {
  let ada: Person;
  sharedService({ settings: { 'default-country': 'DE' } }, async (started) => {
    ada = await started.person();
  });

  test('a phone number is stored as E.164, whether created, replaced or patched; in another notation it is no change', async () => {
    const name = 'Grace Hopper';
    const { body, status } = await ada.post('/customers', { name, phone: '0441 / 123 45' });
    assert.deepEqual([status, body.phone], [201, '+4944112345']);
    const path = `/customers/${body.id}`;
    assert.equal((await ada.put(path, { name, phone: '(0441) 12346' })).body.phone, '+4944112346');
    const patched = await ada.patch(path, { phone: '+49 (0)441 12347' });
    assert.equal(patched.body.phone, '+4944112347');
    const same = await ada.patch(path, { phone: '0441-12347' });
    assert.deepEqual([same.status, same.headers.etag], [200, patched.headers.etag]);
    const response = await ada.post('/customers', { name: '', phone: '0441 1' });
    assertIssues(response, 422, ['#/name min-length', '#/phone format']);
  });
});
