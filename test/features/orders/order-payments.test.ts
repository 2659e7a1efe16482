// How an order was paid, and orders that are placed as paid or delivered.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { serviceFor, type Person, type TestResponse } from '../../support/service.ts';
import { importLines, orderLine, customerLine, summaryOf } from '../../support/import-support.ts';
import { assertIssues, items, newCustomer, newOrder, rootService } from '../../support/resource-support.ts';

describe('the payment of an order', () => {
  let staff: Person;
  const running = sharedService({}, async (service) => {
    staff = await service.person('staff');
  });
  const place = async (members: object): Promise<TestResponse> => {
    const { token } = staff;
    const { id: customerId } = await newCustomer(running(), token);
    return running().post('/orders', { token, body: { customerId, currency: 'EUR', items, ...members } });
  };
  const patch = (id: number, body: object, token = staff.token): Promise<TestResponse> =>
    running().patch(`/orders/${id}`, { token, body });
  const historyOf = async (id: number): Promise<[type: string, changes: object][]> => {
    const { body } = await running().get(`/orders/${id}/events`, { token: staff.token });
    return body.data.toReversed().map(({ type, changes }: TestResponse['body']) => [type, changes]);
  };

  test('an order that is placed as delivered has passed the steps between, with an event for each', async () => {
    const { status, body } = await place({ status: 'delivered', payment: 'card' });
    assert.equal(status, 201);
    assert.deepEqual([body.status, body.payment], ['delivered', 'card']);
    assert.deepEqual(await historyOf(body.id), [
      ['order.created', { status: [null, 'open'], currency: [null, 'EUR'], total: [null, 1498] }],
      ['order.paid', { status: ['open', 'paid'], payment: [null, 'card'] }],
      ['order.shipped', { status: ['paid', 'shipped'] }],
      ['order.delivered', { status: ['shipped', 'delivered'] }],
    ]);
  });

  test('an order that is placed as paid counts as money received, once', async (t) => {
    const service = await serviceFor(t);
    const { token } = await service.person('staff');
    await newOrder(service, token, { status: 'paid' });
    service.clock.advance(1);
    const { body } = await service.get('/sales?of=received', { token });
    const figures = body.buckets.flatMap((bucket: TestResponse['body']) => bucket.figures);
    assert.partialDeepStrictEqual(figures, [{ currency: 'EUR', status: 'paid', orders: 1, total: 1498 }]);
  });

  test('money received is also counted by payment, as the orders have it now', async (t) => {
    const service = await serviceFor(t);
    const { token } = await service.person('staff');
    await newOrder(service, token, { status: 'paid', payment: 'card' });
    const { id } = await newOrder(service, token, { status: 'paid' });
    await newOrder(service, token, { status: 'paid' });
    await service.patch(`/orders/${id}`, { token, body: { payment: 'card' } });
    service.clock.advance(1);
    const { body } = await service.get('/sales?of=received', { token });
    const figures = body.buckets.flatMap((bucket: TestResponse['body']) => bucket.figures);
    const byPayment = [
      { payment: null, orders: 1, total: 1498 },
      { payment: 'card', orders: 2, total: 2 * 1498 },
    ];
    assert.deepEqual(figures, [{ currency: 'EUR', status: 'paid', orders: 3, total: 3 * 1498, byPayment }]);
  });

  test('a payment comes with the step to paid, and is kept by other changes and steps', async () => {
    const { body: order } = await place({});
    await patch(order.id, { status: 'paid', payment: 'cash' });
    await patch(order.id, { note: 'Rings twice.' });
    const { body } = await patch(order.id, { status: 'shipped' });
    assert.deepEqual([body.payment, body.note], ['cash', 'Rings twice.']);
  });

  test('a payment can be corrected once the order is paid, and its event shows both values', async () => {
    const { body: order } = await place({ status: 'paid' });
    assert.equal(order.payment, null);
    assert.equal((await patch(order.id, { payment: 'card' })).body.payment, 'card');
    assert.equal((await patch(order.id, { payment: 'transfer' })).body.payment, 'transfer');
    assert.deepEqual((await historyOf(order.id)).at(-1), [
      'order.changed',
      { payment: ['card', 'transfer'] },
    ]);
  });

  test('a correction back to open empties the payment', async () => {
    const { body: order } = await place({ status: 'paid', payment: 'card' });
    const { status, body } = await patch(order.id, { status: 'open', reason: 'The wrong order.' });
    assert.deepEqual([status, body.status, body.payment], [200, 'open', null]);
    assert.deepEqual((await historyOf(order.id)).at(-1), [
      'order.corrected',
      { status: ['paid', 'open'], payment: ['card', null] },
    ]);
  });

  test('a payment is rejected while the order isn’t paid, and once it is refunded', async () => {
    assertIssues(await place({ payment: 'card' }), 422, ['#/payment conflict']);
    assertIssues(await place({ status: 'paid', payment: 'gold' }), 422, ['#/payment enum']);
    const { body: order } = await place({});
    assertIssues(await patch(order.id, { payment: 'card' }), 422, ['#/payment conflict']);
    await patch(order.id, { status: 'paid', payment: 'card' });
    assertIssues(await patch(order.id, { status: 'refunded', payment: 'cash' }), 422, ['#/payment conflict']);
    await patch(order.id, { status: 'refunded' });
    assertIssues(await patch(order.id, { payment: 'cash' }), 422, ['#/payment conflict']);
    const { body } = await running().get(`/orders/${order.id}`, { token: staff.token });
    assert.equal(body.payment, 'card');
  });

  test('only staff say how an order was paid, or place it as more than open', async () => {
    const service = running();
    const { token } = await service.person();
    const { id: customerId } = await newCustomer(service, token);
    const body = { customerId, currency: 'EUR', items, status: 'paid' };
    assertProblem(await service.post('/orders', { token, body }), 'forbidden');
    const { id } = await newOrder(service, token, { customerId });
    await patch(id, { status: 'paid', payment: 'card' });
    assertProblem(await patch(id, { payment: 'cash' }, token), 'forbidden');
    assertProblem(await patch(id, { payment: null }, token), 'forbidden');
  });

  test('a list of orders can be filtered by payment, and its files show it', async (t) => {
    const service = await serviceFor(t);
    const { token } = await service.person('staff');
    const { id } = await newOrder(service, token, { status: 'paid', payment: 'card' });
    await newOrder(service, token, { status: 'paid', payment: 'cash' });
    await newOrder(service, token);
    for (const sort of ['-createdAt', 'status', 'total']) {
      const { body } = await service.get(`/orders?payment=card&sort=${sort}`, { token });
      assert.deepEqual(
        body.data.map((order: TestResponse['body']) => order.id),
        [id],
      );
    }
    const headers = { accept: 'text/csv' };
    const { text } = await service.get('/orders?payment=card', { token, headers });
    assert.match(text, /^id,status,payment,.*\r\n1,paid,card,/);
  });

  test('an imported order may have a payment, if it was paid', async (t) => {
    const { service, token } = await rootService(t);
    const results = await importLines(service, token, [
      customerLine('c'),
      orderLine('1', 'c', { status: 'refunded', payment: 'other' }),
      orderLine('2', 'c', { status: 'cancelled', payment: 'other' }),
    ]);
    assert.deepEqual(results.map(summaryOf), ['1 201', '2 201', '3 422 #/order/payment conflict']);
    assert.equal((await service.get(`/orders/${results[1]?.id}`, { token })).body.payment, 'other');
  });
});
