// Orders: what they are made of, who may place and see them, the steps of their status, and what still
// changes when.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../http/http-support.ts';
import type { TestResponse, Person } from '../service.ts';
import { assertIssues, newCustomer, newOrder } from './resource-support.ts';

const statuses = ['open', 'paid', 'shipped', 'delivered', 'cancelled', 'refunded'] as const;

type Status = (typeof statuses)[number];

const tea = { name: 'Tea', quantity: 2, unitPrice: 749 };

const german = { line1: 'Am Markt 1', city: 'Oldenburg', postalCode: '26122', country: 'DE' };

describe('placing an order', () => {
  let ada: Person, bob: Person, staff: Person;
  let own: number, foreign: number;
  const service = sharedService({}, async (started) => {
    [ada, bob, staff] = await Promise.all([started.person(), started.person(), started.person('staff')]);
    [own, foreign] = [(await newCustomer(started, ada.token)).id, (await newCustomer(started, bob.token)).id];
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
      customerId: own,
      userId: ada.id,
      currency: 'EUR',
      items: [{ sku: null, ...tea, total: 1498 }],
      total: 1498,
      shippingAddress: null,
      note: null,
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

  test('everything sent comes back, correct totals included, and reads alike at its location', async () => {
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

  test('the postal code of a shipping address is trimmed and upper-cased', async () => {
    const { body } = await place(
      wanted({
        shippingAddress: {
          line1: '10 Downing Street',
          city: 'London',
          postalCode: ' sw1a 2aa ',
          country: 'GB',
        },
      }),
    );
    assert.equal(body.shippingAddress.postalCode, 'SW1A 2AA');
  });

  test('a hundred items of the greatest price fit, if their sum does', async () => {
    const many = Array.from({ length: 100 }, () => ({ name: 'Gold', quantity: 90, unitPrice: 1e12 }));
    const { status, body } = await place(wanted({ items: many }));
    assert.deepEqual([status, body.total], [201, 9e15]);
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
    ['with half a quantity', { items: [{ ...tea, quantity: 0.5 }] }, ['#/items/0/quantity minimum']],
    ['with one and a half of something', { items: [{ ...tea, quantity: 1.5 }] }, ['#/items/0/quantity type']],
    ['with a quantity as text', { items: [{ ...tea, quantity: '2' }] }, ['#/items/0/quantity type']],
    ['with a price below 0', { items: [{ ...tea, unitPrice: -1 }] }, ['#/items/0/unitPrice minimum']],
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
    ['with a null total', { total: null }, ['#/total type']],
    ...statuses
      .slice(1)
      .map((status) => [`that is ${status} already`, { status }, ['#/status enum']] as const),
    ['with a note of 2,001 characters', { note: 'x'.repeat(2001) }, ['#/note max-length']],
    ['with a note of control characters', { note: 'a\u0007' }, ['#/note pattern']],
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

  test('a body of nothing lacks all that is required', async () => {
    assertIssues(await place({}), 422, ['#/customerId required', '#/currency required', '#/items required']);
  });

  test('all issues of a request are reported at once, each at its place', async () => {
    const response = await service().post('/orders?limit=1&x=2', {
      token: ada.token,
      headers: { 'idempotency-key': 'has a blank' },
      body: {
        currency: 'euro',
        items: [tea, { name: '', quantity: 0, unitPrice: 1.5, colour: 1 }],
        status: 'paid',
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

  test('wrong totals and a wrong postal code are reported at once', async () => {
    const response = await place(
      wanted({
        items: [
          { ...tea, total: 1 },
          { ...tea, total: 2 },
        ],
        total: 3,
        shippingAddress: { ...german, postalCode: '1' },
      }),
    );
    assertIssues(response, 422, [
      '#/items/0/total total',
      '#/items/1/total total',
      '#/total total',
      '#/shippingAddress/postalCode postal-code',
    ]);
  });

  test('another user’s customer is as unknown as one that doesn’t exist', async () => {
    const [response, unknown] = [
      await place(wanted({ customerId: foreign })),
      await place(wanted({ customerId: 999_999 })),
    ];
    assertIssues(response, 422, ['#/customerId unknown']);
    assert.equal(response.body.detail.replace(String(foreign), '999999'), unknown.body.detail);
  });

  test('nor does it differ from one when something else is wrong, too', async () => {
    const places = ['#/customerId unknown', '#/items min-items'];
    for (const customerId of [foreign, 999_999])
      assertIssues(await place(wanted({ customerId, items: [] })), 422, places);
  });

  test('a plain user learns of no user id whether it exists, whatever else is wrong', async () => {
    for (const userId of [bob.id, 999_999]) {
      assertIssues(await place(wanted({ userId, items: [] })), 422, ['#/items min-items']);
      assertProblem(await place(wanted({ userId })), 'forbidden', 403);
    }
    const unknown = wanted({ userId: 999_999, items: [] });
    assertIssues(await place(unknown, staff), 422, ['#/items min-items', '#/userId unknown']);
  });

  test('of a customer are listed to the owner of that customer only as far as they are theirs', async () => {
    const { id: customerId } = await newCustomer(service(), bob.token);
    const before = await newOrder(service(), bob.token, { customerId, note: 'of the owner before' });
    await service().patch(`/customers/${customerId}`, { token: staff.token, body: { userId: ada.id } });
    const after = await newOrder(service(), ada.token, { customerId });
    for (const sort of ['id', '-createdAt', 'total', 'updatedAt', 'status']) {
      const path = `/customers/${customerId}/orders?total=true&sort=${sort}`;
      const { body, text } = await service().get(path, { token: ada.token });
      assert.deepEqual([body.data.map(({ id }: { id: number }) => id), body.total], [[after.id], 1], text);
      assert.equal((await service().get(path, { token: staff.token })).body.total, 2);
    }
    assertProblem(await service().get(`/orders/${before.id}`, { token: ada.token }), 'forbidden', 403);
  });

  test('nobody but staff places an order for another user', async () => {
    assertProblem(await place(wanted({ userId: bob.id })), 'forbidden');
    const placed = await place(wanted({ userId: bob.id }), staff);
    assert.deepEqual([placed.status, placed.body.userId, placed.body.customerId], [201, bob.id, own]);
    assert.equal((await service().get(`/orders/${placed.body.id}`, { token: bob.token })).status, 200);
    assertProblem(await service().get(`/orders/${placed.body.id}`, { token: ada.token }), 'forbidden');
  });

  test('staff can’t place an order for a user who doesn’t exist', async () => {
    assertIssues(await place(wanted({ userId: 999_999 }), staff), 422, ['#/userId unknown']);
  });
});

describe('the steps of an order', () => {
  const tokens = new Map<string, string>();
  const service = sharedService({}, async (started) => {
    for (const role of ['user', 'staff', 'admin'] as const)
      tokens.set(role, (await started.person(role)).token);
    tokens.set('stranger', (await started.person()).token);
  });
  const who = (name: string): string => tokens.get(name) ?? '';
  const patch = (id: number, body: object, name = 'staff'): Promise<TestResponse> =>
    service().patch(`/orders/${id}`, { token: who(name), body });

  const ways: Record<Status, readonly Status[]> = {
    open: [],
    paid: ['paid'],
    shipped: ['paid', 'shipped'],
    delivered: ['paid', 'shipped', 'delivered'],
    cancelled: ['cancelled'],
    refunded: ['paid', 'refunded'],
  };
  async function orderThatIs(status: Status): Promise<TestResponse['body']> {
    let order = await newOrder(service(), who('user'));
    for (const step of ways[status]) order = (await patch(order.id, { status: step })).body;
    assert.equal(order.status, status);
    return order;
  }

  // The transitions of an order, written out once more.
  const allowed: Record<Status, readonly Status[]> = {
    open: ['paid', 'cancelled'],
    paid: ['shipped', 'refunded'],
    shipped: ['delivered', 'refunded'],
    delivered: ['refunded'],
    cancelled: [],
    refunded: [],
  };
  for (const from of statuses) {
    for (const to of statuses) {
      for (const role of ['user', 'staff', 'admin', 'stranger']) {
        const isStep = allowed[from].includes(to);
        const outcome =
          role === 'stranger'
            ? 'forbidden'
            : from === to
              ? 'the same'
              : !isStep
                ? 'invalid-transition'
                : role === 'user' && to !== 'cancelled'
                  ? 'forbidden'
                  : 'taken';
        test(`${from} → ${to} by ${role === 'user' ? 'its owner' : role}: ${outcome}`, async () => {
          const order = await orderThatIs(from);
          const before = await service().get(`/orders/${order.id}`, { token: who('staff') });
          if (service().inside !== undefined) service().clock.advance(10);
          const response = await patch(order.id, { status: to }, role);
          const after = await service().get(`/orders/${order.id}`, { token: who('staff') });
          if (outcome === 'taken') {
            assert.deepEqual(
              [response.status, response.body.status, after.body.status],
              [200, to, to],
              response.text,
            );
            assert.notEqual(response.headers.etag, before.headers.etag);
            assert.ok(
              response.body.updatedAt >= before.body.updatedAt &&
                response.body.createdAt === before.body.createdAt,
            );
            return;
          }
          assert.deepEqual([after.text, after.headers.etag], [before.text, before.headers.etag]);
          if (outcome === 'the same')
            return assert.deepEqual(
              [response.status, response.text, response.headers.etag],
              [200, before.text, before.headers.etag],
            );
          assertProblem(response, outcome);
          const { from: told, to: asked, allowed: could } = response.body;
          if (outcome === 'invalid-transition')
            assert.deepEqual({ told, asked, could }, { told: from, asked: to, could: allowed[from] });
        });
      }
    }
  }

  test('a status that there isn’t is an issue of the data', async () => {
    assertIssues(await patch((await orderThatIs('open')).id, { status: 'lost' }), 422, ['#/status enum']);
  });

  test('of fifty requests that race for one step exactly one wins', async () => {
    const order = await orderThatIs('open');
    const targets = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? 'paid' : 'cancelled'));
    const responses = await Promise.all(targets.map((status) => patch(order.id, { status })));
    const { body } = await service().get(`/orders/${order.id}`, { token: who('staff') });
    // A repeated request for the winner's status succeeds; one for the other status is rejected.
    for (const [index, response] of responses.entries()) {
      if (targets[index] === body.status)
        assert.deepEqual([response.status, response.body.status], [200, body.status]);
      else assert.ok(response.status === 409 && response.body.from === body.status, response.text);
    }
    assert.equal(responses.filter(({ status }) => status === 409).length, 25);
  });

  test('of fifty requests that race for one step with the order’s tag exactly one wins', async () => {
    const order = await orderThatIs('open');
    const { headers } = await service().get(`/orders/${order.id}`, { token: who('staff') });
    const race = Array.from({ length: 50 }, () =>
      service().patch(`/orders/${order.id}`, {
        token: who('staff'),
        body: { status: 'paid' },
        headers: { 'if-match': String(headers.etag) },
      }),
    );
    const counts = Object.groupBy(await Promise.all(race), ({ status }) => status);
    assert.deepEqual([counts[200]?.length, counts[412]?.length], [1, 49]);
  });

  const changes: readonly (readonly [what: string, body: object])[] = [
    ['items', { items: [tea] }],
    ['currency', { currency: 'USD' }],
    ['shipping address', { shippingAddress: german }],
  ];
  for (const status of statuses.slice(1)) {
    for (const [what, body] of changes) {
      test(`an order that is ${status} takes no other ${what}: order-not-open`, async () => {
        const order = await orderThatIs(status);
        assertProblem(await patch(order.id, body), 'order-not-open');
      });
    }
    test(`an order that is ${status} takes equal items, currency and address, and a new note`, async () => {
      const { id, items: same, currency, shippingAddress } = await orderThatIs(status);
      const response = await patch(id, { items: same, currency, shippingAddress, note: 'left at the door' });
      assert.deepEqual(
        [response.status, response.body.note, response.body.status],
        [200, 'left at the door', status],
      );
    });
  }

  for (const [what, body] of changes) {
    test(`an open order takes other ${what}, also with the step that ends being open`, async () => {
      const order = await orderThatIs('open');
      const response = await patch(order.id, body, 'user');
      assert.equal(response.status, 200, response.text);
      const both = await patch(order.id, { currency: 'JPY', status: 'paid' });
      assert.deepEqual([both.status, both.body.currency, both.body.status], [200, 'JPY', 'paid']);
    });
  }
});

describe('PATCH of an order', () => {
  let ada: Person;
  const service = sharedService({}, async (started) => {
    ada = await started.person();
  });
  const placed = (members: { readonly [name: string]: unknown } = {}): Promise<TestResponse['body']> =>
    newOrder(service(), ada.token, members);
  const patch = (id: number, body: object, headers: Record<string, string> = {}): Promise<TestResponse> =>
    service().patch(`/orders/${id}`, { token: ada.token, body, headers });

  test('an empty patch changes nothing: 200 and the same tag', async () => {
    const order = await placed();
    const before = await service().get(`/orders/${order.id}`, { token: ada.token });
    const response = await patch(order.id, {});
    assert.deepEqual(
      [response.status, response.text, response.headers.etag],
      [200, before.text, before.headers.etag],
    );
  });

  test('items are replaced as a whole, and their totals are computed anew', async () => {
    const order = await placed();
    const { body } = await patch(order.id, { items: [{ name: 'Coffee', quantity: 3, unitPrice: 100 }] });
    assert.deepEqual(
      [body.items, body.total],
      [[{ sku: null, name: 'Coffee', quantity: 3, unitPrice: 100, total: 300 }], 300],
    );
  });

  test('a total sent with items has to be theirs; one sent alone has to be the order’s', async () => {
    const order = await placed();
    assertIssues(await patch(order.id, { items: [tea], total: 1 }), 422, ['#/total total']);
    assertIssues(await patch(order.id, { total: 1 }), 422, ['#/total total']);
    assert.equal((await patch(order.id, { total: order.total })).status, 200);
  });

  test('an order read can be sent back whole as its own patch', async () => {
    const order = await placed({ note: 'a', shippingAddress: german });
    const response = await patch(order.id, { ...order, note: 'b' });
    assert.deepEqual(
      [response.status, response.body],
      [200, { ...order, note: 'b', updatedAt: response.body.updatedAt }],
    );
  });

  test('read-only members are rejected where they differ', async () => {
    const order = await placed();
    const response = await patch(order.id, {
      id: order.id + 1,
      customerId: order.customerId + 1,
      userId: order.userId + 1,
      createdAt: '2020-01-01T00:00:00.000Z',
      updatedAt: '2020-01-01T00:00:00.000Z',
    });
    assertIssues(response, 422, [
      '#/id read-only',
      '#/customerId read-only',
      '#/userId read-only',
      '#/createdAt read-only',
      '#/updatedAt read-only',
    ]);
  });

  test('null empties note and address, and is invalid for what is required', async () => {
    const order = await placed({ note: 'a', shippingAddress: german });
    const { body } = await patch(order.id, { note: null, shippingAddress: null });
    assert.deepEqual([body.note, body.shippingAddress], [null, null]);
    assertIssues(await patch(order.id, { items: null, currency: null, status: null }), 422, [
      '#/items type',
      '#/currency type',
      '#/status type',
    ]);
  });

  test('a part of the address changes that part; what then is wrong is found', async () => {
    const order = await placed({ shippingAddress: german });
    const { body } = await patch(order.id, { shippingAddress: { line1: 'Am Hafen 2', name: 'c/o Bob' } });
    assert.deepEqual(body.shippingAddress, {
      ...german,
      name: 'c/o Bob',
      line1: 'Am Hafen 2',
      line2: null,
      region: null,
    });
    assertIssues(await patch(order.id, { shippingAddress: { country: 'GB' } }), 422, [
      '#/shippingAddress/postalCode postal-code',
    ]);
    assertIssues(await patch(order.id, { shippingAddress: { city: null } }), 422, [
      '#/shippingAddress/city type',
    ]);
  });

  test('an address patched into an order without one has to be whole', async () => {
    const order = await placed();
    assertIssues(await patch(order.id, { shippingAddress: { city: 'Emden' } }), 422, [
      '#/shippingAddress/country required',
      '#/shippingAddress/line1 required',
    ]);
    assert.equal((await patch(order.id, { shippingAddress: german })).body.shippingAddress.city, 'Oldenburg');
  });

  test('all issues of a patch are reported at once', async () => {
    const order = await placed();
    const response = await patch(order.id, {
      items: [{ name: 'A', quantity: 0, unitPrice: -1 }],
      note: 1,
      x: 1,
      currency: 'eur',
    });
    assertIssues(response, 422, [
      '#/items/0/quantity minimum',
      '#/items/0/unitPrice minimum',
      '#/note type',
      '#/x unknown-member',
      '#/currency pattern',
    ]);
  });

  test('a patch that isn’t an object is rejected', async () => {
    const order = await placed();
    assertIssues(await patch(order.id, []), 422, ['# type']);
  });

  test('an unknown order is 404, and a stranger’s is 403', async () => {
    assertProblem(await patch(999_999, { note: 'x' }), 'not-found');
    const stranger = await service().person();
    assertProblem(
      await service().patch(`/orders/${(await placed()).id}`, { token: stranger.token, body: { note: 'x' } }),
      'forbidden',
    );
  });

  test('orders can be neither replaced nor deleted', async () => {
    const { id } = await placed();
    for (const method of ['PUT', 'DELETE']) {
      const response = await service().call(method, `/orders/${id}`, { token: ada.token });
      assertProblem(response, 'method-not-allowed');
      assert.equal(response.headers.allow, 'GET, HEAD, PATCH, OPTIONS');
    }
  });

  test('updatedAt moves with a change, createdAt doesn’t; a clock set back moves neither', async (t) => {
    if (service().inside === undefined) return t.skip('needs the clock');
    const order = await placed();
    service().clock.advance(5000);
    const later = (await patch(order.id, { note: 'later' })).body;
    assert.equal(Date.parse(later.updatedAt), Date.parse(order.createdAt) + 5000);
    service().clock.advance(-60_000);
    const back = (await patch(order.id, { note: 'back' })).body;
    service().clock.advance(55_000);
    assert.deepEqual([back.createdAt, back.updatedAt >= back.createdAt], [order.createdAt, true]);
  });

  test('of fifty patches at once none is lost half: the order is what one of them made it', async () => {
    const order = await placed();
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        patch(order.id, { note: `n${index}`, items: [{ name: `n${index}`, quantity: 1, unitPrice: index }] }),
      ),
    );
    assert.ok(responses.every(({ status }) => status === 200));
    const { body } = await service().get(`/orders/${order.id}`, { token: ada.token });
    assert.deepEqual([body.items[0].name, `n${body.total}`], [body.note, body.note]);
  });
});
