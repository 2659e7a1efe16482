// GET /sales: orders by time, currency and status.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { insideOnly, serviceFor, type Person } from '../../support/service.ts';
import { beforeQueries } from '../../support/query-interception.ts';
import { assertIssues, newOrder } from '../../support/resource-support.ts';

const hour = 3_600_000;
const item = { name: 'Tea', quantity: 1, unitPrice: 749 };

test('sales show how many orders there are by time, currency and status, and their totals', async (t) => {
  const service = await serviceFor(t);
  const staff = await service.person('staff');
  const { token } = staff;
  const { customerId } = await newOrder(service, token, { items: [item, item] }); // 09:30 UTC
  const paid = await newOrder(service, token, { customerId, items: [item] });
  await service.patch(`/orders/${paid.id}`, { token, body: { status: 'paid' } });
  await newOrder(service, token, { customerId, items: [item], currency: 'JPY' });
  service.clock.advance(14 * hour); // 23:30 UTC
  const renewed = (await service.signIn(staff.email, staff.password)).token;
  await newOrder(service, renewed, { customerId, items: [item] });
  service.clock.advance(hour);
  const late = (await service.signIn(staff.email, staff.password)).token;
  const query = 'from=2026-02-28T23:00:00Z&before=2026-03-02T23:00:00Z&timeZone=Europe/Berlin';
  const { status, body, headers } = await service.get(`/sales?${query}`, { token: late });
  assert.equal(status, 200);
  const [euros, yen] = [{ currency: 'EUR' }, { currency: 'JPY' }];
  assert.deepEqual(body, {
    from: '2026-02-28T23:00:00.000Z',
    before: '2026-03-02T23:00:00.000Z',
    of: 'placed',
    by: 'day',
    timeZone: 'Europe/Berlin',
    completeFrom: null,
    buckets: [
      {
        from: '2026-02-28T23:00:00.000Z',
        before: '2026-03-01T23:00:00.000Z',
        figures: [
          { ...euros, status: 'open', orders: 1, total: 1498 },
          { ...euros, status: 'paid', orders: 1, total: 749 },
          { ...yen, status: 'open', orders: 1, total: 749 },
        ],
      },
      {
        from: '2026-03-01T23:00:00.000Z',
        before: '2026-03-02T23:00:00.000Z',
        figures: [{ ...euros, status: 'open', orders: 1, total: 749 }],
      },
    ],
  });
  const again = { token: late, headers: { 'if-none-match': String(headers.etag) } };
  assert.equal((await service.get(`/sales?${query}`, again)).status, 304);
  const inUtc = await service.get('/sales?from=2026-03-01T00:00:00Z', { token: late });
  const counts = inUtc.body.buckets.map(({ figures }: { figures: object[] }) => figures.length);
  assert.deepEqual(counts, [3, 0]); // until now, 00:30
});

test('an order placed at the end of a bucket counts in the next one', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person('staff');
  await newOrder(service, token); // 09:30 UTC
  const countIn = async (from: string, before: string): Promise<number> => {
    const { body } = await service.get(`/sales?from=2026-03-01T${from}Z&before=2026-03-01T${before}Z`, {
      token,
    });
    return body.buckets[0].figures.length;
  };
  assert.equal(await countIn('08:30:00', '09:30:00'), 0);
  assert.equal(await countIn('09:30:00', '10:30:00'), 1);
});

test('the money received is counted when it was paid and given back, whatever the orders are now', async (t) => {
  const service = await serviceFor(t);
  const staff = await service.person('staff');
  let { token } = staff;
  const step = async (id: number, body: object): Promise<void> => {
    const { status, text } = await service.patch(`/orders/${id}`, { token, body });
    assert.equal(status, 200, text);
  };
  const nextDay = async (): Promise<void> => {
    service.clock.advance(24 * hour);
    ({ token } = await service.signIn(staff.email, staff.password));
  };
  const { id: kept, customerId } = await newOrder(service, token, { items: [item] });
  const { id: refunded } = await newOrder(service, token, { customerId, items: [item, item] });
  const { id: corrected } = await newOrder(service, token, { customerId, items: [item] });
  for (const id of [kept, refunded, corrected]) await step(id, { status: 'paid' });
  await step(kept, { status: 'shipped' });
  await nextDay();
  await step(refunded, { status: 'refunded' });
  await step(kept, { status: 'paid', reason: 'Not shipped yet.' }); // no money moves
  await step(corrected, { status: 'open', reason: 'Not paid yet.' });
  await step(corrected, { status: 'paid', currency: 'JPY', items: [item, item, item] });
  const from = 'from=2026-03-01T00:00:00Z&before=2026-03-03T00:00:00Z';
  const figures = async (): Promise<object[]> => {
    const { body } = await service.get(`/sales?of=received&${from}`, { token });
    assert.deepEqual([body.of, body.completeFrom], ['received', null]);
    return body.buckets.map(({ figures }: { figures: { byPayment: object[] }[] }) =>
      figures.map(({ byPayment: _, ...sums }) => sums),
    );
  };
  const euros = { currency: 'EUR' };
  assert.deepEqual(await figures(), [
    [{ ...euros, status: 'paid', orders: 3, total: 4 * 749 }],
    [
      { ...euros, status: 'refunded', orders: 1, total: -2 * 749 },
      { ...euros, status: 'open', orders: 1, total: -749 },
      { currency: 'JPY', status: 'paid', orders: 1, total: 3 * 749 },
    ],
  ]);
});

test('the money received is complete from the oldest event that wasn’t removed for its age', async (t) => {
  const service = await serviceFor(t, { settings: { 'events-days': '1' } });
  const { inside } = service;
  if (inside === undefined) return;
  const staff = await service.person('staff');
  const { id } = await newOrder(service, staff.token, { items: [item] });
  await service.patch(`/orders/${id}`, { token: staff.token, body: { status: 'paid' } });
  service.clock.advance(48 * hour);
  const { token } = await service.signIn(staff.email, staff.password);
  await inside.app.cleanup.run();
  const { body } = await service.get('/sales?of=received', { token });
  assert.equal(body.completeFrom, '2026-03-03T09:30:00.000Z');
  assert.ok(body.buckets.every(({ figures }: { figures: object[] }) => figures.length === 0));
  assert.equal((await service.get('/sales', { token })).body.completeFrom, null);
});

describe('sales', () => {
  let staff: Person;
  const service = sharedService({}, async (started) => {
    staff = await started.person('staff');
  });

  test('sales cover by default the 30 days until now, by day, in UTC', async () => {
    const { body } = await service().get('/sales', { token: staff.token });
    const { from, before, by, timeZone, buckets } = body;
    assert.deepEqual([from, before], ['2026-01-30T09:30:00.000Z', '2026-03-01T09:30:00.000Z']);
    assert.deepEqual([by, timeZone, buckets.length], ['day', 'UTC', 31]);
  });

  test('sales have a total of null if no JSON number is exact', async () => {
    const large = { name: 'Yacht', quantity: 1_000, unitPrice: 1e12 };
    const orders = { items: [...Array.from({ length: 9 }, () => large)], currency: 'XAF' };
    const { customerId } = await newOrder(service(), staff.token, orders);
    const total = async (): Promise<unknown> =>
      (await service().get('/sales?before=2026-03-02T00:00:00Z', { token: staff.token })).body.buckets
        .flatMap(({ figures }: { figures: object[] }) => figures)
        .find(({ currency }: { currency: string }) => currency === 'XAF')?.total;
    assert.equal(await total(), 9e15);
    await newOrder(service(), staff.token, { ...orders, customerId });
    assert.equal(await total(), null);
  });

  for (const [query, issue] of [
    ['timeZone=Europe/Berln', 'timeZone format'],
    ['timeZone=Mars', 'timeZone format'],
    ['timeZone=', 'timeZone pattern'],
    ['timeZone=%2B25:00', 'timeZone format'],
    ['timeZone=2026-03-01T00:00Z[Europe/Berlin]', 'timeZone pattern'],
    ['by=minute', 'by enum'],
    ['of=paid', 'of enum'],
    ['from=yesterday', 'from pattern'],
    ['from=2026-03-01T09:30:00Z', 'before range'],
    ['before=2026-03-01T09:30:00Z&from=2026-03-01T09:30:00Z', 'before range'],
    ['before=0000-01-01T00:00:00Z', 'before range'],
    ['before=0000-01-01T00:00:00Z&from=9999-12-31T23:59:59Z', 'before range'],
    ['from=0000-01-01T00:00:00Z', 'by too-many'],
    ['from=0000-01-01T00:00:00Z&before=9999-12-31T23:59:59Z&by=month', 'by too-many'],
    ['from=2026-01-01T00:00:00Z&by=hour', 'by too-many'],
    ['currency=EUR', 'currency unknown-parameter'],
  ] as const) {
    test(`the query ?${query} of sales is invalid`, async () => {
      assertIssues(await service().get(`/sales?${query}`, { token: staff.token }), 422, [issue]);
    });
  }

  test('sales with an unknown time zone have an issue that names an existing one', async () => {
    const { body } = await service().get('/sales?timeZone=Europe/Berln', { token: staff.token });
    assert.equal(body.detail, 'Europe/Berln is not a time zone; Europe/Berlin is one.');
  });

  test('sales may have 1,000 buckets, from the year 0 on', async () => {
    for (const [query, count] of [
      ['from=2026-01-01T00:00:00Z&before=2026-02-11T16:00:00Z&by=hour', 1_000],
      ['from=0000-01-01T00:00:00Z&before=0083-05-01T00:00:00Z&by=month', 1_000],
      ['from=9999-12-01T00:00:00Z&before=9999-12-31T23:59:59.999Z&timeZone=Pacific/Kiritimati', 32],
      ['from=9999-12-31T00:00:00Z&before=9999-12-31T23:59:59.9999Z', 1],
      ['before=0000-01-03T00:00:00Z', 2],
    ] as const) {
      const { status, body, text } = await service().get(`/sales?${query}`, { token: staff.token });
      assert.equal(status, 200, text);
      assert.equal(body.buckets.length, count);
    }
  });

  test(
    'sales are not shown to a caller who loses the right while they are counted',
    insideOnly,
    async (t) => {
      const own = await serviceFor(t);
      const [admin, actor] = [await own.person('admin'), await own.person('staff')];
      const { database } = own.inside ?? assert.fail('it is inside');
      const demotion = { token: admin.token, body: { role: 'user' } };
      beforeQueries(database, () => own.patch(`/api/users/${actor.id}`, demotion));
      assertProblem(await own.get('/sales', { token: actor.token }), 'forbidden');
    },
  );
});
