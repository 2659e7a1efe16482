// The history of an object: what each change records, and who sees it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedService } from '../../support/http-support.ts';
import { serviceFor, type TestResponse, type Person, type TestService } from '../../support/service.ts';
import { items, newCustomer, newKey, newOrder } from '../../support/resource-support.ts';

type Event = TestResponse['body'];

async function historyOf(service: TestService, path: string, token: string): Promise<Event[]> {
  const { status, body, text } = await service.get(`${path}/events`, { token });
  assert.equal(status, 200, text);
  return body.data;
}

describe('the history of an order', () => {
  let ada: Person, staff: Person;
  const service = sharedService({}, async (started) => {
    [ada, staff] = await Promise.all([started.person(), started.person('staff')]);
  });

  test('the history of an order begins with its creation, and names who, when and with which request', async () => {
    const customerId = (await newCustomer(service(), ada.token)).id;
    const headers = { 'x-request-id': 'till-3.17' };
    const body = { customerId, currency: 'EUR', items };
    const { id } = (await service().post('/orders', { token: ada.token, headers, body })).body;
    const [event, ...others] = await historyOf(service(), `/orders/${id}`, ada.token);
    assert.deepEqual(others, []);
    assert.deepEqual(event, {
      id: event.id,
      type: 'order.created',
      createdAt: event.createdAt,
      subject: `/orders/${id}`,
      actor: { userId: ada.id, keyId: null },
      requestId: 'till-3.17',
      reason: null,
      changes: { status: [null, 'open'], currency: [null, 'EUR'], total: [null, 1498] },
    });
  });

  test('what an API key changes names the key', async () => {
    const { id: keyId, key } = await newKey(service(), ada.token, { scopes: ['customers:write'] });
    const body = { name: 'Grace Hopper' };
    const { status, body: customer } = await service().post('/customers', { key, body });
    assert.equal(status, 201);
    const [event] = await historyOf(service(), `/customers/${customer.id}`, ada.token);
    assert.deepEqual(event.actor, { userId: ada.id, keyId });
  });

  test('the history of an order has each step, newest first, with its reason', async () => {
    const { id } = await newOrder(service(), ada.token);
    const step = (body: object): Promise<TestResponse> =>
      service().patch(`/orders/${id}`, { token: staff.token, body });
    await step({ status: 'paid', reason: 'Paid in cash.' });
    await step({ status: 'refunded', note: 'Came back.' });
    const history = await historyOf(service(), `/orders/${id}`, ada.token);
    assert.deepEqual(
      history.map(({ type, reason, changes, actor }) => ({ type, reason, changes, by: actor.userId })),
      [
        {
          type: 'order.refunded',
          reason: null,
          changes: { status: ['paid', 'refunded'], note: null },
          by: staff.id,
        },
        { type: 'order.paid', reason: 'Paid in cash.', changes: { status: ['open', 'paid'] }, by: staff.id },
        {
          type: 'order.created',
          reason: null,
          changes: { status: [null, 'open'], currency: [null, 'EUR'], total: [null, 1498] },
          by: ada.id,
        },
      ],
    );
  });

  test('the history of an order shows items before and after, unless they are long', async () => {
    const { id, items: before } = await newOrder(service(), ada.token);
    const fewer = [{ sku: null, name: 'Tea', quantity: 1, unitPrice: 749 }];
    const many = Array.from({ length: 100 }, (_, index) => ({
      name: `Tea ${index}`,
      quantity: 1,
      unitPrice: 1,
    }));
    await service().patch(`/orders/${id}`, { token: ada.token, body: { items: fewer } });
    await service().patch(`/orders/${id}`, { token: ada.token, body: { items: many } });
    const [long, short] = await historyOf(service(), `/orders/${id}`, ada.token);
    assert.deepEqual(short.changes, {
      items: [before, [{ sku: null, name: 'Tea', quantity: 1, unitPrice: 749, total: 749 }]],
      total: [1498, 749],
    });
    assert.deepEqual(long.changes, { items: null, total: [749, 100] });
  });

  test('the history of an order has no events of requests that change nothing, are rejected or replayed', async () => {
    const { id } = await newOrder(service(), ada.token);
    const sent = { token: ada.token, headers: { 'idempotency-key': 'once' }, body: { note: 'Ring twice.' } };
    await service().patch(`/orders/${id}`, { token: ada.token, body: { status: 'open', reason: 'None.' } });
    await service().patch(`/orders/${id}`, { token: ada.token, body: { status: 'paid' } });
    await service().patch(`/orders/${id}`, sent);
    const replayed = await service().patch(`/orders/${id}`, sent);
    assert.equal(replayed.headers['idempotency-replayed'], 'true');
    const types = (await historyOf(service(), `/orders/${id}`, ada.token)).map(({ type }) => type);
    assert.deepEqual(types, ['order.changed', 'order.created']);
  });

  test('the history of an order is a list like any other', async () => {
    const { id } = await newOrder(service(), ada.token);
    for (const note of ['a', 'b', 'c'])
      await service().patch(`/orders/${id}`, { token: ada.token, body: { note } });
    const first = await service().get(`/orders/${id}/events?limit=3&total=true`, { token: ada.token });
    assert.equal(first.body.total, 4);
    const second = await service().get(first.body.next, { token: ada.token });
    assert.deepEqual(
      second.body.data.map(({ type }: Event) => type),
      ['order.created'],
    );
    assert.equal(second.body.next, null);
  });
});

test('the history of a customer holds no personal data', async (t) => {
  const service = await serviceFor(t);
  const ada = await service.person();
  const { id } = await newCustomer(service, ada.token);
  const address = { line1: 'Am Markt 1', city: 'Oldenburg', postalCode: '26122', country: 'DE' };
  const body = { name: 'Grace B. Hopper', email: 'grace@example.com', phone: '+4944112345678', address };
  await service.patch(`/customers/${id}`, { token: ada.token, body });
  const [changed, created] = await historyOf(service, `/customers/${id}`, ada.token);
  assert.equal(created.type, 'customer.created');
  assert.deepEqual(created.changes, {});
  assert.equal(changed.type, 'customer.changed');
  assert.deepEqual(changed.changes, { name: null, email: null, phone: null, address: null });
});
