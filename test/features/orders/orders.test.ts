// Placing an order: what it needs, what is computed, and what is rejected.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedService } from '../../support/http-support.ts';
import type { Person, TestResponse } from '../../support/service.ts';
import { assertIssues, newCustomer, testIssues } from '../../support/resource-support.ts';
import { tea, german } from './order-support.ts';

describe('placing an order', () => {
  let ada: Person, customerId: number;
  const service = sharedService({}, async (started) => {
    ada = await started.person();
    customerId = (await newCustomer(started, ada.token)).id;
  });
  const wanted = (members: object): object => ({ customerId, currency: 'EUR', items: [tea], ...members });
  const place = (members: object): Promise<TestResponse> => ada.post('/orders', wanted(members));

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
    const { status, body } = await place({ items });
    assert.deepEqual([status, body.total], [201, Number.MAX_SAFE_INTEGER]);
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
  testIssues('an order with', place, [
    [{ customerId: undefined, currency: undefined }, '#/customerId required', '#/currency required'],
    [{ items: undefined }, '#/items required'],
    [{ items: [] }, '#/items min-items'],
    [{ items: [...teas, tea] }, '#/items max-items'],
    [{ items: [...teas, { ...tea, quantity: 0 }] }, '#/items max-items', '#/items/100/quantity minimum'],
    [
      { customerId: null, currency: null, items: null },
      '#/customerId type',
      '#/currency type',
      '#/items type',
    ],
    [one({ unitPrice: -1 }), '#/total minimum'],
    [{ ...one({ unitPrice: -1 }), total: -2 }, '#/total minimum'],
    [one({ quantity: 1_000_000, unitPrice: -1e12 }), '#/items/0/total minimum', '#/total minimum'],
    [one({ quantity: 1_000_000, unitPrice: 1e12 }), '#/items/0/total maximum', '#/total maximum'],
    [{ items: [dearest, dearest, { ...dearest, unitPrice: -1e12 }] }, '#/total maximum'],
    [one({ total: 1 }), '#/items/0/total total'],
    [{ total: 1499 }, '#/total total'],
    [{ id: 1, createdAt: time }, '#/createdAt unknown-member', '#/id unknown-member'],
    [{ currency: 'QQQ' }, '#/currency format'],
    ...(['shipped', 'cancelled', 'refunded'] as const).map(
      (status) => [{ status }, '#/status enum'] as const,
    ),
    [{ note: 'x'.repeat(2001) }, '#/note max-length'],
    [{ note: 'a\u0007' }, '#/note pattern'],
    [{ note: '\u0085=1' }, '#/note pattern'],
    [to({ country: 'XX' }), '#/shippingAddress/country format'],
    [to({ postalCode: 'SW1A 2AA' }), '#/shippingAddress/postalCode postal-code'],
    [to({ postalCode: null }), '#/shippingAddress/postalCode postal-code'],
    [{ customerId: 999_999 }, '#/customerId unknown'],
  ]);
});
