// Orders: PATCH of everything but the status.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { assertIssues, newCustomer, newOrder, testIssues, valuesIn } from '../../support/resource-support.ts';
import { insideOnly, serviceFor, type Person, type TestResponse } from '../../support/service.ts';
import { german, tea } from './order-support.ts';

describe('PATCH of an order', () => {
  let ada: Person;
  const service = sharedService({}, async (started) => {
    ada = await started.person();
  });
  const placed = (members: { readonly [name: string]: unknown } = {}): Promise<TestResponse['body']> =>
    newOrder(service(), ada.token, members);
  const patch = (id: number, body: object | string): Promise<TestResponse> =>
    ada.patch(`/orders/${id}`, body);

  test('a patch that changes nothing leaves the tag, and costs no commit', insideOnly, async () => {
    const { stats } = service().inside?.database ?? assert.fail('it is inside');
    const members = { items: [tea], note: 'Ring twice', shippingAddress: german };
    const order = await placed(members);
    const { text, headers } = await ada.get(`/orders/${order.id}`);
    const { commits } = stats;
    for (const sent of [{}, { ...members, status: 'open' }, order, { total: order.total }]) {
      const same = await patch(order.id, sent);
      assert.deepEqual([same.status, same.text, same.headers.etag], [200, text, headers.etag]);
    }
    assert.equal(stats.commits, commits);
    const { body } = await patch(order.id, { ...order, note: 'Gift' });
    assert.deepEqual(body, { ...order, note: 'Gift', updatedAt: body.updatedAt });
    assert.equal(stats.commits, commits + 1);
  });

  test('items are replaced as a whole, and their totals are computed again; a price of -0 is one of 0', async () => {
    const { id } = await placed();
    const { body } = await patch(id, { items: [{ name: 'Coffee', quantity: 3, unitPrice: 100 }] });
    const items = [{ sku: null, name: 'Coffee', quantity: 3, unitPrice: 100, total: 300 }];
    assert.deepEqual([body.items, body.total], [items, 300]);
    const free = '{"items":[{"name":"Sample","quantity":1,"unitPrice":-0,"total":-0}]}';
    const [first, second] = [await patch(id, free), await patch(id, free)];
    assert.equal(first.body.items[0].unitPrice, 0);
    assert.equal(second.headers['etag'], first.headers['etag']);
  });

  const at = '#/shippingAddress';
  const patchAny = async (body: object): Promise<TestResponse> => patch((await placed()).id, body);
  testIssues('PATCH of an order to', patchAny, [
    [{ items: [tea], total: 1 }, '#/total total'],
    [{ total: 1 }, '#/total total'],
    [{ items: null, currency: null, status: null }, '#/items type', '#/currency type', '#/status type'],
    [{ customerId: null }, '#/customerId type'],
    [{ shippingAddress: { city: 'Emden' } }, `${at}/country required`, `${at}/line1 required`],
  ]);
  const patchAddress = async (shippingAddress: object): Promise<TestResponse> =>
    patch((await placed({ shippingAddress: german })).id, { shippingAddress });
  testIssues('PATCH of an order’s address to', patchAddress, [
    [{ country: 'GB' }, `${at}/postalCode postal-code`],
    [{ city: null }, `${at}/city type`],
  ]);

  test('a PATCH of a part of the address keeps its other parts; null removes address and note', async () => {
    const { id } = await placed({ note: 'a', shippingAddress: german });
    const change = { line1: 'Am Hafen 2', name: 'c/o Bob' };
    const { body } = await patch(id, { shippingAddress: change });
    assert.deepEqual(body.shippingAddress, { ...german, line2: null, region: null, ...change });
    await patch(id, { shippingAddress: { line2: '2nd floor', region: 'NI' } });
    const { body: shorter } = await patch(id, { shippingAddress: { line2: null, region: null } });
    assert.deepEqual(shorter.shippingAddress, body.shippingAddress);
    const emptied = { note: null, shippingAddress: null };
    assert.partialDeepStrictEqual((await patch(id, emptied)).body, emptied);
    assert.equal((await patch(id, { shippingAddress: german })).body.shippingAddress.city, german.city);
  });

  test('the customer of an open order can be corrected, and every list follows', async () => {
    const order = await placed();
    const { id: right } = await newCustomer(service(), ada.token);
    const totals = () =>
      Promise.all(
        [order.customerId, right].map(
          async (id) => (await ada.get(`/customers/${id}/orders?total=true`)).body.total,
        ),
      );
    assert.deepEqual(await totals(), [1, 0]);
    const { body } = await patch(order.id, { customerId: right });
    assert.deepEqual(body, { ...order, customerId: right, updatedAt: body.updatedAt });
    assert.deepEqual(await totals(), [0, 1]);
    const [last] = valuesIn(await ada.get(`/orders/${order.id}/events`), 'type', 'changes');
    assert.deepEqual(last, ['order.changed', { customerId: null }]);
    assertProblem(await ada.delete(`/customers/${right}`), 'customer-has-orders');
  });

  test('an order gets no customer who is unknown or another user’s, and none once it is shipped', async () => {
    const [stranger, staff] = [await service().person(), await service().person('staff')];
    const { id: theirs } = await newCustomer(service(), stranger.token);
    const { id: other } = await newCustomer(service(), ada.token);
    const { id, customerId } = await placed();
    for (const status of ['open', 'paid']) {
      assert.equal((await staff.patch(`/orders/${id}`, { status })).status, 200);
      for (const unknown of [theirs, 999_999])
        assertIssues(await patch(id, { customerId: unknown }), 422, ['#/customerId unknown']);
    }
    assert.equal((await patch(id, { customerId: other })).body.customerId, other);
    await staff.patch(`/orders/${id}`, { status: 'shipped' });
    const late = await patch(id, { customerId });
    assertProblem(late, 'order-not-open');
    assert.match(late.body.detail, /customerId can only be changed while it is open or paid/);
  });

  test('changes within a millisecond each have a time and an ETag of their own', insideOnly, async () => {
    const { id, createdAt } = await placed();
    const responses = [await ada.get(`/orders/${id}`)];
    for (const note of ['one', 'two', 'three']) responses.push(await patch(id, { note }));
    service().clock.advance(-20_000); // further back tokens would not be good yet
    responses.push(await patch(id, { note: 'four' }));
    service().clock.advance(25_000);
    responses.push(await patch(id, { note: 'five' }));
    const times: string[] = responses.map(({ body }) => body.updatedAt);
    assert.deepEqual(times, [...new Set(times)].sort());
    assert.equal(Date.parse(times.at(-1) ?? ''), Date.parse(createdAt) + 5_000);
    assert.ok(responses.every(({ body }) => body.createdAt === createdAt));
    assert.equal(new Set(responses.map(({ headers }) => headers.etag)).size, responses.length);
    assert.equal((await ada.get(`/orders/${id}`)).headers.etag, responses.at(-1)?.headers.etag);
  });

  test('of fifty concurrent patches none is applied in part: the order is that of one of them', async () => {
    const { id } = await placed();
    const patches = Array.from({ length: 50 }, (_, index) => {
      const note = `n${index}`;
      return patch(id, { note, items: [{ name: note, quantity: 1, unitPrice: index }] });
    });
    assert.ok((await Promise.all(patches)).every(({ status }) => status === 200));
    const { body } = await ada.get(`/orders/${id}`);
    assert.deepEqual([body.items[0].name, `n${body.total}`], [body.note, body.note]);
  });
});

for (const cacheBytes of ['0', '8000', '20000'])
  test(`with ${cacheBytes} bytes of cache a change is read back, however aged the entry`, async (t) => {
    const service = await serviceFor(t, { settings: { 'cache-bytes': cacheBytes } });
    const { token, get, patch } = await service.person();
    const made = [];
    while (made.length < 12) made.push(await newOrder(service, token));
    for (const [paths, member] of [
      [made.map(({ id }) => `/orders/${id}`), 'note'],
      [made.map(({ customerId }) => `/customers/${customerId}`), 'name'],
    ] as const)
      for (const [readSince, path] of paths.entries()) {
        const others = paths.filter((other) => other !== path).slice(0, readSince);
        for (const read of [path, ...others]) await get(read);
        const changed = await patch(path, { [member]: `changed after ${readSince} others were read` });
        const again = await get(path);
        assert.deepEqual([again.text, again.headers.etag], [changed.text, changed.headers.etag]);
      }
  });
