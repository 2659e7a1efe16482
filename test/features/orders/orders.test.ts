// Placing an order: what it needs, what is computed, what is rejected, and whose it is.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { assertIssues, idsIn, newCustomer, newOrder, testIssues } from '../../support/resource-support.ts';
import type { Person, TestResponse } from '../../support/service.ts';
import { german, tea } from './order-support.ts';

describe('placing an order', () => {
  let ada: Person, bob: Person, staff: Person, customerId: number;
  const service = sharedService({}, async (started) => {
    [ada, bob, staff] = [await started.person(), await started.person(), await started.person('staff')];
    customerId = (await newCustomer(started, ada.token)).id;
  });
  const place = (members: object, by = ada): Promise<TestResponse> =>
    by.post('/orders', { customerId, currency: 'EUR', items: [tea], ...members });

  test('an order needs a customer, a currency and an item; the rest is computed or null', async () => {
    const { status, headers, body, text } = await place({});
    assert.deepEqual([status, headers.location], [201, `/orders/${body.id}`]);
    const { createdAt } = body;
    if (service().inside !== undefined) assert.equal(Date.parse(createdAt), service().clock.now);
    const expected = {
      id: body.id,
      status: 'open',
      payment: null,
      customerId,
      userId: ada.id,
      currency: 'EUR',
      items: [{ sku: null, ...tea, total: 1498 }],
      total: 1498,
      shippingAddress: null,
      note: null,
      metadata: {},
      createdAt,
      updatedAt: createdAt,
    };
    assert.equal(text, JSON.stringify(expected));
    const read = await ada.get(`/orders/${body.id}`);
    assert.deepEqual([read.text, read.headers.etag], [text, headers.etag]);
  });

  test('a sum of exactly 2^53−1 is an order, one more is invalid', async () => {
    const items = [
      { name: 'A', quantity: 9007, unitPrice: 1e12 },
      { name: 'B', quantity: 1, unitPrice: 199_254_740_991 },
    ];
    assert.equal((await place({ items })).body.total, Number.MAX_SAFE_INTEGER);
    items.push({ name: 'C', quantity: 1, unitPrice: 1 });
    assertIssues(await place({ items }), 422, ['#/total maximum']);
  });

  test('each item of an order is checked, and has an issue of its own', async () => {
    const wrong: readonly (readonly [members: object, issue: string])[] = [
      [{ name: undefined }, 'name required'],
      [{ quantity: undefined }, 'quantity required'],
      [{ unitPrice: undefined }, 'unitPrice required'],
      [{ quantity: 0 }, 'quantity minimum'],
      [{ quantity: 1_000_001 }, 'quantity maximum'],
      [{ quantity: 0.5 }, 'quantity type'],
      [{ quantity: '2' }, 'quantity type'],
      [{ unitPrice: -1e12 - 1 }, 'unitPrice minimum'],
      [{ unitPrice: 1e12 + 1 }, 'unitPrice maximum'],
      [{ sku: 'x'.repeat(65) }, 'sku max-length'],
      [{ sku: '' }, 'sku min-length'],
      [{ name: '' }, 'name min-length'],
      [{ name: ' \u00a0 ' }, 'name pattern'],
      [{ name: 'a\nb' }, 'name pattern'],
      [{ name: 'x'.repeat(201) }, 'name max-length'],
      [{ price: 1 }, 'price unknown-member'],
    ];
    const items = wrong.map(([members]) => ({ ...tea, ...members }));
    const issues = wrong.map(([, issue], index) => `#/items/${index}/${issue}`);
    assertIssues(await place({ items }), 422, issues);
  });

  const teas = Array.from({ length: 100 }, () => tea);
  const dearest = { name: 'Palace', quantity: 9_000, unitPrice: 1e12 };
  const time = '2026-03-01T09:30:00.000Z';
  const one = (members: object): object => ({ items: [{ ...tea, ...members }] });
  const to = (members: object): object => ({ shippingAddress: { ...german, ...members } });
  const nothing = { customerId: null, currency: null, items: null };
  testIssues('an order with', place, [
    [{ customerId: undefined, currency: undefined }, '#/customerId required', '#/currency required'],
    [{ items: undefined }, '#/items required'],
    [{ items: [] }, '#/items min-items'],
    [{ items: [...teas, tea] }, '#/items max-items'],
    [{ items: [...teas, { ...tea, quantity: 0 }] }, '#/items max-items', '#/items/100/quantity minimum'],
    [nothing, '#/customerId type', '#/currency type', '#/items type'],
    [one({ unitPrice: -1 }), '#/total minimum'],
    [{ ...one({ unitPrice: -1 }), total: -2 }, '#/total minimum'],
    [one({ quantity: 1_000_000, unitPrice: -1e12 }), '#/items/0/total minimum', '#/total minimum'],
    [one({ quantity: 1_000_000, unitPrice: 1e12 }), '#/items/0/total maximum', '#/total maximum'],
    [{ items: [dearest, dearest, { ...dearest, unitPrice: -1e12 }] }, '#/total maximum'],
    [one({ total: 1 }), '#/items/0/total total'],
    [{ total: 1499 }, '#/total total'],
    [{ id: 1, createdAt: time }, '#/createdAt unknown-member', '#/id unknown-member'],
    [{ currency: 'QQQ' }, '#/currency format'],
    [{ status: 'shipped' }, '#/status enum'],
    [{ status: 'cancelled' }, '#/status enum'],
    [{ status: 'refunded' }, '#/status enum'],
    [{ note: 'x'.repeat(2001) }, '#/note max-length'],
    [{ note: 'a\u0007' }, '#/note pattern'],
    [{ note: '\u0085=1' }, '#/note pattern'],
    [to({ country: 'XX' }), '#/shippingAddress/country format'],
    [to({ postalCode: 'SW1A 2AA' }), '#/shippingAddress/postalCode postal-code'],
    [to({ postalCode: null }), '#/shippingAddress/postalCode postal-code'],
    [{ customerId: 999_999 }, '#/customerId unknown'],
  ]);

  test('another user’s customer is as unknown as one that doesn’t exist', async () => {
    const { id: foreign } = await newCustomer(service(), bob.token);
    const [response, unknown] = [await place({ customerId: foreign }), await place({ customerId: 999_999 })];
    assertIssues(response, 422, ['#/customerId unknown']);
    assert.equal(response.body.detail.replace(String(foreign), '999999'), unknown.body.detail);
  });

  test('only staff may place an order for another user, and learn whether there is one', async () => {
    for (const userId of [bob.id, 999_999]) assertProblem(await place({ userId }), 'forbidden');
    assertIssues(await place({ userId: 999_999 }, staff), 422, ['#/userId unknown']);
    const { body } = await place({ userId: bob.id }, staff);
    assert.deepEqual([body.userId, body.customerId], [bob.id, customerId]);
    assert.equal((await bob.get(`/orders/${body.id}`)).status, 200);
    assertProblem(await ada.get(`/orders/${body.id}`), 'forbidden');
    for (const path of [`${ada.id}/orders/${body.id}`, `${bob.id}/orders/999999`, '999999/orders'])
      assertProblem(await staff.get(`/api/users/${path}`), 'not-found');
  });

  test('the orders of a customer are listed to the customer’s owner only if they own the orders', async () => {
    const { customerId: given } = await newOrder(service(), bob.token);
    await staff.patch(`/customers/${given}`, { userId: ada.id });
    const { id } = await newOrder(service(), ada.token, { customerId: given });
    for (const sort of ['id', '-createdAt', 'total', 'updatedAt', 'status']) {
      const path = `/customers/${given}/orders?total=true&sort=${sort}`;
      const list = await ada.get(path);
      assert.deepEqual([idsIn(list), list.body.total], [[id], 1]);
      assert.equal((await staff.get(path)).body.total, 2);
    }
  });
});
