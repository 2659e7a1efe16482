// Placing an order: what it needs, what is computed, and what is rejected.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { statuses } from '../../../src/features/orders/order-status.ts';
import { sharedService } from '../../support/http-support.ts';
import type { TestResponse, Person } from '../../support/service.ts';
import { assertIssues, newCustomer } from '../../support/resource-support.ts';
import { tea, german } from './order-support.ts';

const dearest = { name: 'Palace', quantity: 9_000, unitPrice: 1_000_000_000_000 };

describe('placing an order', () => {
  let ada: Person;
  let own: number;
  const service = sharedService({}, async (started) => {
    ada = await started.person();
    own = (await newCustomer(started, ada.token)).id;
  });
  const place = (body: object, { token } = ada): Promise<TestResponse> =>
    service().post('/orders', { token, body });
  const wanted = (members: object = {}): object => ({
    customerId: own,
    currency: 'EUR',
    items: [tea],
    ...members,
  });

  test('an order needs a customer, a currency and an item; the rest is computed or null', async () => {
    const { status, headers, body } = await place(wanted());
    assert.equal(status, 201);
    assert.equal(headers.location, `/orders/${body.id}`);
    assert.match(headers.etag ?? '', /^"[\w-]+"$/);
    const time = new Date(service().clock.now).toISOString();
    const expected = {
      id: body.id,
      status: 'open',
      payment: null,
      customerId: own,
      userId: ada.id,
      currency: 'EUR',
      items: [{ sku: null, ...tea, total: 1498 }],
      total: 1498,
      shippingAddress: null,
      note: null,
      metadata: {},
      createdAt: time,
      updatedAt: time,
    };
    assert.deepEqual(
      body,
      service().inside === undefined
        ? { ...expected, createdAt: body.createdAt, updatedAt: body.updatedAt }
        : expected,
    );
    assert.deepEqual(Object.keys(body), Object.keys(expected));
  });

  test('all members are returned, correct totals included, and are the same at its location', async () => {
    const full = wanted({
      status: 'open',
      userId: ada.id,
      note: 'Please ring twice.\nThen wait.',
      total: 1498 + 300,
      shippingAddress: german,
      items: [
        { sku: 'TEA-250', ...tea, total: 1498 },
        { sku: null, name: 'Čaj 茶 🍵', quantity: 300, unitPrice: 1, total: 300 },
      ],
    });
    const placed = await place(full);
    assert.equal(placed.status, 201, placed.text);
    assert.partialDeepStrictEqual(placed.body, {
      ...full,
      shippingAddress: { ...german, name: null, line2: null, region: null },
    });
    const read = await service().get(String(placed.headers.location), { token: ada.token });
    assert.deepEqual([read.text, read.headers.etag], [placed.text, placed.headers.etag]);
  });

  test('a sum of exactly 2^53−1 is an order, one more is invalid', async () => {
    const upTo = [
      { name: 'A', quantity: 9007, unitPrice: 1e12 },
      { name: 'B', quantity: 1, unitPrice: 199_254_740_991 },
    ];
    const { status, body } = await place(wanted({ items: upTo }));
    assert.deepEqual([status, body.total], [201, Number.MAX_SAFE_INTEGER]);
    assertIssues(await place(wanted({ items: [...upTo, { name: 'C', quantity: 1, unitPrice: 1 }] })), 422, [
      '#/total maximum',
    ]);
  });

  test('an item past 2^53−1 is an issue at that item, and of the sum', async () => {
    const response = await place(
      wanted({ items: [tea, { name: 'B', quantity: 1_000_000, unitPrice: 1e12 }] }),
    );
    assertIssues(response, 422, ['#/items/1/total maximum', '#/total maximum']);
  });

  const rejected: readonly (readonly [what: string, members: object, issues: readonly string[]])[] = [
    ['without a customer', { customerId: undefined }, ['#/customerId required']],
    ['without a currency', { currency: undefined }, ['#/currency required']],
    ['without items', { items: undefined }, ['#/items required']],
    ['with an empty list of items', { items: [] }, ['#/items min-items']],
    ['with 101 items', { items: Array.from({ length: 101 }, () => tea) }, ['#/items max-items']],
    [
      'with 101 items, of which one is invalid',
      { items: [...Array.from({ length: 100 }, () => tea), { ...tea, quantity: 0 }] },
      ['#/items max-items', '#/items/100/quantity minimum'],
    ],
    ['with items that are no list', { items: tea }, ['#/items type']],
    [
      'with null for a required member',
      { customerId: null, currency: null, items: null },
      ['#/customerId type', '#/currency type', '#/items type'],
    ],
    [
      'with an item of nothing',
      { items: [{}] },
      ['#/items/0/name required', '#/items/0/quantity required', '#/items/0/unitPrice required'],
    ],
    ['with a quantity of 0', { items: [{ ...tea, quantity: 0 }] }, ['#/items/0/quantity minimum']],
    [
      'with a quantity of a million and one',
      { items: [{ ...tea, quantity: 1_000_001 }] },
      ['#/items/0/quantity maximum'],
    ],
    ['with half a quantity', { items: [{ ...tea, quantity: 0.5 }] }, ['#/items/0/quantity type']],
    ['with a quantity as text', { items: [{ ...tea, quantity: '2' }] }, ['#/items/0/quantity type']],
    [
      'with a price below -10^12',
      { items: [{ ...tea, unitPrice: -1e12 - 1 }] },
      ['#/items/0/unitPrice minimum'],
    ],
    ['with a total below 0', { items: [{ ...tea, unitPrice: -1 }] }, ['#/total minimum']],
    ['with a sent total below 0', { items: [{ ...tea, unitPrice: -1 }], total: -2 }, ['#/total minimum']],
    [
      'with a line below -(2^53-1)',
      { items: [{ ...tea, quantity: 1_000_000, unitPrice: -1e12 }] },
      ['#/items/0/total minimum', '#/total minimum'],
    ],
    [
      'whose charges exceed 2^53-1, whatever is deducted',
      { items: [dearest, dearest, { ...dearest, unitPrice: -1e12 }] },
      ['#/total maximum'],
    ],
    [
      'with a price past 10^12',
      { items: [{ ...tea, unitPrice: 1e12 + 1 }] },
      ['#/items/0/unitPrice maximum'],
    ],
    [
      'with a sku of 65 characters',
      { items: [{ ...tea, sku: 'x'.repeat(65) }] },
      ['#/items/0/sku max-length'],
    ],
    ['with an empty sku', { items: [{ ...tea, sku: '' }] }, ['#/items/0/sku min-length']],
    ['with an empty name', { items: [{ ...tea, name: '' }] }, ['#/items/0/name min-length']],
    ['with a blank name', { items: [{ ...tea, name: ' \u00a0 ' }] }, ['#/items/0/name pattern']],
    [
      'with a name of 201 characters',
      { items: [{ ...tea, name: 'x'.repeat(201) }] },
      ['#/items/0/name max-length'],
    ],
    ['with a name of two lines', { items: [{ ...tea, name: 'a\nb' }] }, ['#/items/0/name pattern']],
    ['with an unknown member', { colour: 'red' }, ['#/colour unknown-member']],
    [
      'with an unknown member of an item',
      { items: [{ ...tea, price: 1 }] },
      ['#/items/0/price unknown-member'],
    ],
    [
      'with read-only members',
      { id: 1, createdAt: '2026-03-01T09:30:00.000Z' },
      ['#/createdAt unknown-member', '#/id unknown-member'],
    ],
    ['with a currency in lower case', { currency: 'eur' }, ['#/currency pattern']],
    ['with a currency that nobody issues', { currency: 'QQQ' }, ['#/currency format']],
    ['with a total that is wrong', { total: 1499 }, ['#/total total']],
    ['with an item’s total that is wrong', { items: [{ ...tea, total: 1 }] }, ['#/items/0/total total']],
    ...statuses
      .filter((status) => !['open', 'paid', 'delivered'].includes(status))
      .map((status) => [`that is ${status} already`, { status }, ['#/status enum']] as const),
    ['with a note of 2,001 characters', { note: 'x'.repeat(2001) }, ['#/note max-length']],
    ['with a note of control characters', { note: 'a\u0007' }, ['#/note pattern']],
    ['with a note of further control characters', { note: '\u0085=1' }, ['#/note pattern']],
    [
      'to an address without street',
      { shippingAddress: { ...german, line1: undefined } },
      ['#/shippingAddress/line1 required'],
    ],
    [
      'to a country that isn’t one',
      { shippingAddress: { ...german, country: 'XX' } },
      ['#/shippingAddress/country format'],
    ],
    [
      'with a postal code of another country',
      { shippingAddress: { ...german, postalCode: 'SW1A 2AA' } },
      ['#/shippingAddress/postalCode postal-code'],
    ],
    [
      'without a postal code where there has to be one',
      { shippingAddress: { ...german, postalCode: null } },
      ['#/shippingAddress/postalCode postal-code'],
    ],
    ['of a customer that nobody has', { customerId: 999_999 }, ['#/customerId unknown']],
  ];
  for (const [what, members, issues] of rejected) {
    test(`an order ${what} is rejected`, async () => assertIssues(await place(wanted(members)), 422, issues));
  }

  test('all issues of a request are reported at once, each at its place', async () => {
    const response = await service().post('/orders?limit=1&x=2', {
      token: ada.token,
      headers: { 'idempotency-key': 'has a blank' },
      body: {
        currency: 'euro',
        items: [tea, { name: '', quantity: 0, unitPrice: 1.5, colour: 1 }],
        status: 'shipped',
        note: 7,
        shippingAddress: { city: '' },
      },
    });
    assertIssues(response, 422, [
      '#/customerId required',
      '#/currency pattern',
      '#/items/1/name min-length',
      '#/items/1/quantity minimum',
      '#/items/1/unitPrice type',
      '#/items/1/colour unknown-member',
      '#/status enum',
      '#/note type',
      '#/shippingAddress/city min-length',
      '#/shippingAddress/line1 required',
      '#/shippingAddress/country required',
      'limit unknown-parameter',
      'x unknown-parameter',
      'Idempotency-Key pattern',
    ]);
    for (const { detail } of response.body.errors) assert.match(detail, /\.$/);
  });
});
