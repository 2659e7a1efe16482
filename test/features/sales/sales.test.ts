// GET /sales: orders by time, currency and status.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { beforeQueries } from '../../support/query-interception.ts';
import { assertIssues, newOrder } from '../../support/resource-support.ts';
import { insideOnly, serviceFor, type Person, type TestResponse } from '../../support/service.ts';

const hour = 3_600_000;
const item = { name: 'Tea', quantity: 1, unitPrice: 749 };
type Figures = TestResponse['body'][];
const figuresOf = ({ body }: TestResponse): Figures[] =>
  body.buckets.map(({ figures }: { readonly figures: Figures }) => figures);

test('sales show how many orders there are by time, currency and status, and their totals', async (t) => {
  const service = await serviceFor(t);
  let staff = await service.person('staff');
  const place = async (members: object): Promise<number> =>
    (await newOrder(service, staff.token, { items: [item], ...members })).id;
  const later = async (hours: number): Promise<void> => {
    service.clock.advance(hours * hour);
    staff = await service.signIn(staff.email, staff.password);
  };
  await place({ items: [item, item] }); // 09:30 UTC
  await staff.patch(`/orders/${await place({})}`, { status: 'paid' });
  await place({ currency: 'JPY' });
  await later(14); // 23:30 UTC
  await place({});
  await later(1);
  const target = '/sales?from=2026-02-28T23:00:00Z&before=2026-03-02T23:00:00Z&timeZone=Europe/Berlin';
  const { status, body, headers } = await staff.get(target);
  assert.equal(status, 200);
  const [from, midnight, before] = [28, 1, 2].map(
    (day) => `2026-0${day === 28 ? 2 : 3}-${String(day).padStart(2, '0')}T23:00:00.000Z`,
  );
  const [euros, yen] = [{ currency: 'EUR' }, { currency: 'JPY' }];
  const first = [
    { ...euros, status: 'open', orders: 1, total: 1498 },
    { ...euros, status: 'paid', orders: 1, total: 749 },
    { ...yen, status: 'open', orders: 1, total: 749 },
  ];
  const second = [{ ...euros, status: 'open', orders: 1, total: 749 }];
  assert.deepEqual(body, {
    ...{ from, before, of: 'placed', by: 'day', timeZone: 'Europe/Berlin', completeFrom: null },
    buckets: [
      { from, before: midnight, figures: first },
      { from: midnight, before, figures: second },
    ],
  });
  assert.equal((await staff.get(target, { 'if-none-match': String(headers.etag) })).status, 304);
  const inUtc = figuresOf(await staff.get('/sales?from=2026-03-01T00:00:00Z'));
  assert.deepEqual(
    inUtc.map(({ length }) => length),
    [3, 0],
  ); // until now, 00:30
});

test('the money received is counted when it was paid and given back, whatever the orders are now', async (t) => {
  const service = await serviceFor(t);
  let staff = await service.person('staff');
  const step = async (id: number, body: object): Promise<void> => {
    const { status, text } = await staff.patch(`/orders/${id}`, body);
    assert.equal(status, 200, text);
  };
  const place = async (...items: object[]): Promise<number> =>
    (await newOrder(service, staff.token, { items })).id;
  const [kept, refunded, corrected] = [await place(item), await place(item, item), await place(item)];
  for (const id of [kept, refunded, corrected]) await step(id, { status: 'paid' });
  await step(kept, { status: 'shipped' });
  service.clock.advance(24 * hour);
  staff = await service.signIn(staff.email, staff.password);
  await step(refunded, { status: 'refunded' });
  await step(kept, { status: 'paid', reason: 'Not shipped yet.' }); // no money moves
  await step(corrected, { status: 'open', reason: 'Not paid yet.' });
  await step(corrected, { status: 'paid', currency: 'JPY', items: [item, item, item] });
  const range = 'from=2026-03-01T00:00:00Z&before=2026-03-03T00:00:00Z';
  const response = await staff.get(`/sales?of=received&${range}`);
  assert.deepEqual([response.body.of, response.body.completeFrom], ['received', null]);
  const sums = figuresOf(response).map((all) => all.map(({ byPayment: _, ...each }) => each));
  const euros = { currency: 'EUR' };
  assert.deepEqual(sums, [
    [{ ...euros, status: 'paid', orders: 3, total: 4 * 749 }],
    [
      { ...euros, status: 'refunded', orders: 1, total: -2 * 749 },
      { ...euros, status: 'open', orders: 1, total: -749 },
      { currency: 'JPY', status: 'paid', orders: 1, total: 3 * 749 },
    ],
  ]);
});

test(
  'the money received is complete from the oldest event that wasn’t removed for its age',
  insideOnly,
  async (t) => {
    const service = await serviceFor(t, { settings: { 'events-days': '1' } });
    const staff = await service.person('staff');
    await newOrder(service, staff.token, { items: [item], status: 'paid' });
    service.clock.advance(48 * hour);
    const { get } = await service.signIn(staff.email, staff.password);
    await service.inside?.cleanup.run();
    const received = await get('/sales?of=received');
    assert.equal(received.body.completeFrom, '2026-03-03T09:30:00.000Z');
    assert.deepEqual(figuresOf(received).flat(), []);
    assert.equal((await get('/sales')).body.completeFrom, null);
  },
);

describe('sales', () => {
  let staff: Person;
  const service = sharedService({}, async (started) => {
    staff = await started.person('staff');
    await newOrder(started, staff.token, { currency: 'CHF' }); // 09:30 UTC
  });
  const sales = (query = ''): Promise<TestResponse> => staff.get(`/sales?${query}`);

  test('sales cover by default the 30 days until now, by day, in UTC', async () => {
    const { from, before, by, timeZone, buckets } = (await sales()).body;
    assert.deepEqual([from, before], ['2026-01-30T09:30:00.000Z', '2026-03-01T09:30:00.000Z']);
    assert.deepEqual([by, timeZone, buckets.length], ['day', 'UTC', 31]);
  });

  test('an order placed at the end of a bucket counts in the next one', async () => {
    for (const [from, before, count] of [
      ['08:30', '09:30', 0],
      ['09:30', '10:30', 1],
    ] as const) {
      const range = `from=2026-03-01T${from}:00Z&before=2026-03-01T${before}:00Z`;
      const swiss = figuresOf(await sales(range))
        .flat()
        .filter(({ currency }) => currency === 'CHF');
      assert.equal(swiss.length, count);
    }
  });

  test('sales have a total of null if no JSON number is exact', async () => {
    const large = { name: 'Yacht', quantity: 1_000, unitPrice: 1e12 };
    for (const expected of [9e15, null]) {
      await newOrder(service(), staff.token, { items: Array(9).fill(large), currency: 'XAF' });
      const figures = figuresOf(await sales('before=2026-03-02T00:00:00Z')).flat();
      assert.equal(figures.find(({ currency }) => currency === 'XAF')?.total, expected);
    }
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
  ] as const)
    test(`the query ?${query} of sales is invalid`, async () =>
      assertIssues(await sales(query), 422, [issue]));

  test('sales with an unknown time zone have an issue that names an existing one', async () => {
    const { body } = await sales('timeZone=Europe/Berln');
    assert.equal(body.detail, 'Europe/Berln is not a time zone; Europe/Berlin is one.');
  });

  for (const [query, count] of [
    ['from=2026-01-01T00:00:00Z&before=2026-02-11T16:00:00Z&by=hour', 1_000],
    ['from=0000-01-01T00:00:00Z&before=0083-05-01T00:00:00Z&by=month', 1_000],
    ['from=9999-12-01T00:00:00Z&before=9999-12-31T23:59:59.999Z&timeZone=Pacific/Kiritimati', 32],
    ['from=9999-12-31T00:00:00Z&before=9999-12-31T23:59:59.9999Z', 1],
    ['before=0000-01-03T00:00:00Z', 2],
  ] as const)
    test(`sales may have 1,000 buckets, from the year 0 on: ${count} with ?${query}`, async () => {
      const { status, body, text } = await sales(query);
      assert.deepEqual([status, body.buckets?.length], [200, count], text);
    });

  test('sales are not shown to a caller who loses the right while they are counted', insideOnly, async () => {
    const [root, actor] = [await service().root(), await service().person('staff')];
    const { database } = service().inside ?? assert.fail('it is inside');
    const stop = beforeQueries(database, () => root.patch(`/api/users/${actor.id}`, { role: 'user' }));
    assertProblem(await actor.get('/sales'), 'forbidden');
    stop();
  });
});
