// Orders: PATCH of everything but the status.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { executable, type TestResponse, type Person } from '../../support/service.ts';
import { assertIssues, newOrder } from '../../support/resource-support.ts';
import { tea, german } from './order-support.ts';

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

  test('a patch that changes nothing costs no commit', { skip: executable !== undefined }, async () => {
    const { stats } = service().inside?.database ?? assert.fail();
    const members = { items: [tea], note: 'Ring twice' };
    const order = await placed(members);
    const { commits } = stats;
    for (const sent of [{}, { ...members, status: 'open' }, order])
      assert.equal((await patch(order.id, sent)).status, 200);
    assert.equal(stats.commits, commits);
    assert.equal((await patch(order.id, { note: 'Gift' })).status, 200);
    assert.equal(stats.commits, commits + 1);
  });

  test('items are replaced as a whole, and their totals are computed again', async () => {
    const order = await placed();
    const { body } = await patch(order.id, { items: [{ name: 'Coffee', quantity: 3, unitPrice: 100 }] });
    assert.deepEqual(
      [body.items, body.total],
      [[{ sku: null, name: 'Coffee', quantity: 3, unitPrice: 100, total: 300 }], 300],
    );
  });

  test('a price of -0, which JSON has as well, is a price of 0: sent again it changes nothing', async () => {
    const body = '{"items":[{"name":"Sample","quantity":1,"unitPrice":-0,"total":-0}]}';
    const { id } = await placed();
    const first = await service().patch(`/orders/${id}`, { token: ada.token, body });
    const second = await service().patch(`/orders/${id}`, { token: ada.token, body });
    assert.equal(first.body.items[0].unitPrice, 0);
    assert.equal(second.headers['etag'], first.headers['etag']);
  });

  test('a total sent with items must be their sum; one sent alone must be the order’s', async () => {
    const order = await placed();
    assertIssues(await patch(order.id, { items: [tea], total: 1 }), 422, ['#/total total']);
    assertIssues(await patch(order.id, { total: 1 }), 422, ['#/total total']);
    assert.equal((await patch(order.id, { total: order.total })).status, 200);
  });

  test('a whole order can be sent back as its own patch', async () => {
    const order = await placed({ note: 'a', shippingAddress: german });
    const response = await patch(order.id, { ...order, note: 'b' });
    assert.deepEqual(
      [response.status, response.body],
      [200, { ...order, note: 'b', updatedAt: response.body.updatedAt }],
    );
  });

  test('the customer of an open order can be corrected, and every list follows', async () => {
    const customer = async (): Promise<number> =>
      (await service().post('/customers', { token: ada.token, body: { name: 'Grace Hopper' } })).body.id;
    const order = await placed();
    const right = await customer();
    const listed = async (id: number): Promise<number> =>
      (await service().get(`/customers/${id}/orders?total=true`, { token: ada.token })).body.total;
    const before = [await listed(order.customerId), await listed(right)];
    const { status, body } = await patch(order.id, { customerId: right });
    assert.deepEqual([status, body], [200, { ...order, customerId: right, updatedAt: body.updatedAt }]);
    assert.deepEqual([(await listed(order.customerId)) + 1, (await listed(right)) - 1], before);
    const { data } = (await service().get(`/orders/${order.id}/events`, { token: ada.token })).body;
    assert.deepEqual([data[0].type, data[0].changes], ['order.changed', { customerId: null }]);
    const gone = await service().delete(`/customers/${right}`, { token: ada.token });
    assertProblem(gone, 'customer-has-orders');
  });

  test('an order gets no customer who is unknown or another user’s, and none once it is shipped', async () => {
    const stranger = await service().person();
    const { body: theirs } = await service().post('/customers', {
      token: stranger.token,
      body: { name: 'Theirs' },
    });
    const order = await placed();
    for (const customerId of [theirs.id, 999_999])
      assertIssues(await patch(order.id, { customerId }), 422, ['#/customerId unknown']);
    assertIssues(await patch(order.id, { customerId: null }), 422, ['#/customerId type']);
    const staff = await service().person('staff');
    const paid = await service().patch(`/orders/${order.id}`, {
      token: staff.token,
      body: { status: 'paid' },
    });
    assert.equal(paid.status, 200);
    assertIssues(await patch(order.id, { customerId: theirs.id }), 422, ['#/customerId unknown']);
    const { body: other } = await service().post('/customers', { token: ada.token, body: { name: 'Other' } });
    assert.equal((await patch(order.id, { customerId: other.id })).body.customerId, other.id);
    await service().patch(`/orders/${order.id}`, { token: staff.token, body: { status: 'shipped' } });
    const late = await patch(order.id, { customerId: order.customerId });
    assertProblem(late, 'order-not-open');
    assert.match(late.body.detail, /customerId can only be changed until it is shipped/);
  });

  test('null removes note and address, and is invalid for required members', async () => {
    const order = await placed({ note: 'a', shippingAddress: german });
    const { body } = await patch(order.id, { note: null, shippingAddress: null });
    assert.deepEqual([body.note, body.shippingAddress], [null, null]);
    assertIssues(await patch(order.id, { items: null, currency: null, status: null }), 422, [
      '#/items type',
      '#/currency type',
      '#/status type',
    ]);
  });

  test('a PATCH of a part of the address is checked together with its other parts', async () => {
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

  test('an address patched into an order without one must be complete', async () => {
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
      items: [{ name: 'A', quantity: 0, unitPrice: -2e12 }],
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

  test('updatedAt moves with a change, createdAt doesn’t; a clock set back moves neither', async (t) => {
    if (service().inside === undefined) return t.skip('needs the clock');
    const order = await placed();
    service().clock.advance(5000);
    const later = (await patch(order.id, { note: 'later' })).body;
    assert.equal(Date.parse(later.updatedAt), Date.parse(order.createdAt) + 5000);
    service().clock.advance(-20_000); // further back tokens would not be good yet
    const back = (await patch(order.id, { note: 'back' })).body;
    service().clock.advance(15_000);
    assert.deepEqual([back.createdAt, back.updatedAt >= back.createdAt], [order.createdAt, true]);
  });

  test('changes within a millisecond or with a clock set back each have a time and an ETag', async (t) => {
    if (service().inside === undefined) return t.skip('needs the clock');
    const order = await placed();
    const responses = [await service().get(`/orders/${order.id}`, { token: ada.token })];
    for (const note of ['one', 'two', 'three']) responses.push(await patch(order.id, { note }));
    service().clock.advance(-20_000);
    responses.push(await patch(order.id, { note: 'four' }));
    service().clock.advance(20_000);
    const times = responses.map(({ body }) => body.updatedAt);
    assert.deepEqual(times, [...new Set(times)].sort());
    assert.equal(new Set(responses.map(({ headers }) => headers.etag)).size, responses.length);
    const read = await service().get(`/orders/${order.id}`, { token: ada.token });
    assert.equal(read.headers.etag, responses.at(-1)?.headers.etag);
  });

  test('of fifty concurrent patches none is applied in part: the order is that of one of them', async () => {
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
