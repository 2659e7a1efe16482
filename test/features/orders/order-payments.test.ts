// How an order was paid, and orders that are placed as paid or delivered.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { customerLine, importLines, orderLine, summaryOf } from '../../support/import-support.ts';
import {
  assertIssues,
  idsIn,
  items,
  newOrder,
  rootService,
  valuesIn,
} from '../../support/resource-support.ts';
import { serviceFor, type Person, type TestResponse } from '../../support/service.ts';

describe('the payment of an order', () => {
  let staff: Person, owner: Person, order: TestResponse['body'];
  const running = sharedService({}, async (service) => {
    [staff, owner] = [await service.person('staff'), await service.person()];
    order = await newOrder(service, owner.token);
  });
  const placed = async (members = {}): Promise<number> =>
    (await newOrder(running(), staff.token, members)).id;
  const place = (members: object, by = staff): Promise<TestResponse> =>
    by.post('/orders', { customerId: order.customerId, currency: 'EUR', items, ...members });
  const patch = (id: number, body: object): Promise<TestResponse> => staff.patch(`/orders/${id}`, body);
  const historyOf = async (id: number): Promise<unknown[]> =>
    valuesIn(await staff.get(`/orders/${id}/events`), 'type', 'changes').toReversed();

  test('an order that is placed as delivered has passed the steps between, with an event for each', async () => {
    const { status, body } = await place({ status: 'delivered', payment: 'card' });
    assert.deepEqual([status, body.status, body.payment], [201, 'delivered', 'card']);
    assert.deepEqual(await historyOf(body.id), [
      ['order.created', { status: [null, 'open'], currency: [null, 'EUR'], total: [null, 1498] }],
      ['order.paid', { status: ['open', 'paid'], payment: [null, 'card'] }],
      ['order.shipped', { status: ['paid', 'shipped'] }],
      ['order.delivered', { status: ['shipped', 'delivered'] }],
    ]);
  });

  test('a payment comes with the step to paid, is kept by other steps, and corrected or emptied by staff', async () => {
    const id = await placed();
    await patch(id, { status: 'paid', payment: 'cash' });
    const { body: shipped } = await patch(id, { status: 'shipped', note: 'Rings twice.' });
    assert.deepEqual([shipped.payment, shipped.note], ['cash', 'Rings twice.']);
    assert.equal((await patch(id, { payment: 'transfer' })).body.payment, 'transfer');
    await patch(id, { status: 'paid', reason: 'Not yet.' });
    const { body } = await patch(id, { status: 'open', reason: 'The wrong order.' });
    assert.deepEqual([body.status, body.payment], ['open', null]);
    assert.deepEqual((await historyOf(id)).slice(-3), [
      ['order.changed', { payment: ['cash', 'transfer'] }],
      ['order.corrected', { status: ['shipped', 'paid'] }],
      ['order.corrected', { status: ['paid', 'open'], payment: ['transfer', null] }],
    ]);
  });

  test('a payment is rejected while the order isn’t paid, and once it is refunded', async () => {
    const conflict = ['#/payment conflict'];
    assertIssues(await place({ payment: 'card' }), 422, conflict);
    assertIssues(await place({ status: 'paid', payment: 'gold' }), 422, ['#/payment enum']);
    const id = await placed();
    assertIssues(await patch(id, { payment: 'card' }), 422, conflict);
    await patch(id, { status: 'paid', payment: 'card' });
    assertIssues(await patch(id, { status: 'refunded', payment: 'cash' }), 422, conflict);
    await patch(id, { status: 'refunded' });
    assertIssues(await patch(id, { payment: 'cash' }), 422, conflict);
    assert.equal((await staff.get(`/orders/${id}`)).body.payment, 'card');
  });

  test('only staff say how an order was paid, or place it as more than open', async () => {
    assertProblem(await place({ status: 'paid' }, owner), 'forbidden');
    await patch(order.id, { status: 'paid', payment: 'card' });
    for (const payment of ['cash', null])
      assertProblem(await owner.patch(`/orders/${order.id}`, { payment }), 'forbidden');
  });
});

test('orders that are placed as paid count as money received, once, by payment as it is now', async (t) => {
  const service = await serviceFor(t);
  const { token, get, patch } = await service.person('staff');
  const first = await newOrder(service, token, { status: 'paid', payment: 'card' });
  const second = await newOrder(service, token, { status: 'paid' });
  await newOrder(service, token, { status: 'paid' });
  await newOrder(service, token, { status: 'paid', payment: 'cash' });
  await patch(`/orders/${second.id}`, { payment: 'card' });
  for (const sort of ['-createdAt', 'status', 'total'])
    assert.deepEqual(idsIn(await get(`/orders?payment=card&sort=${sort}`)).toSorted(), [first.id, second.id]);
  const { text } = await get('/orders?payment=card', { accept: 'text/csv' });
  assert.match(text, /^id,status,payment,.*\r\n\d,paid,card,/);
  service.clock.advance(1);
  const { body } = await get('/sales?of=received');
  const figures = body.buckets.flatMap((bucket: TestResponse['body']) => bucket.figures);
  const byPayment = [
    { payment: null, orders: 1, total: 1498 },
    { payment: 'cash', orders: 1, total: 1498 },
    { payment: 'card', orders: 2, total: 2 * 1498 },
  ];
  assert.deepEqual(figures, [{ currency: 'EUR', status: 'paid', orders: 4, total: 4 * 1498, byPayment }]);
});

test('an imported order may have a payment, if it was paid', async (t) => {
  const { service, root } = await rootService(t);
  const results = await importLines(service, root.token, [
    customerLine('c'),
    orderLine('1', 'c', { status: 'refunded', payment: 'other' }),
    orderLine('2', 'c', { status: 'cancelled', payment: 'other' }),
  ]);
  assert.deepEqual(results.map(summaryOf), ['1 201', '2 201', '3 422 #/order/payment conflict']);
  assert.equal((await root.get(`/orders/${results[1]?.id}`)).body.payment, 'other');
});
