// The history of an object: what each change records, who sees it, and the names of those who made the changes.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, issuesOf, sharedService } from '../../support/http-support.ts';
import { items, newCustomer, newKey, newOrder, valuesIn } from '../../support/resource-support.ts';
import { serviceFor, type Client, type Person, type TestResponse } from '../../support/service.ts';

type Reader = Pick<Client, 'get'>;
const name = 'Zoë "Ö" Müller';
const created = { status: [null, 'open'], currency: [null, 'EUR'], total: [null, 1498] };

async function historyOf({ get }: Reader, path: string): Promise<TestResponse['body'][]> {
  const { status, body, text } = await get(`${path}/events`);
  assert.equal(status, 200, text);
  return body.data;
}

describe('the history of an order', () => {
  let ada: Person, staff: Person, paid: string;
  const service = sharedService({}, async (started) => {
    [ada, staff] = [await started.person('user', 'Ada'), await started.person('staff', name)];
    paid = `/orders/${(await newOrder(started, ada.token)).id}`;
    await staff.patch(paid, { status: 'paid' });
  });
  const placed = async (): Promise<string> => `/orders/${(await newOrder(service(), ada.token)).id}`;
  const namesAt = async ({ get }: Reader, path = `${paid}/events?include=actorName`): Promise<unknown[]> =>
    valuesIn(await get(path), 'actorName');

  test('the history of an order begins with its creation, and names who, when and with which request', async () => {
    const customerId = (await newCustomer(service(), ada.token)).id;
    const headers = { 'x-request-id': 'till-3.17' };
    const { id, createdAt } = (await ada.post('/orders', { customerId, currency: 'EUR', items }, headers))
      .body;
    const [event, ...others] = await historyOf(ada, `/orders/${id}`);
    assert.deepEqual(others, []);
    assert.deepEqual(event, {
      id: event.id,
      type: 'order.created',
      createdAt,
      subject: `/orders/${id}`,
      actor: { userId: ada.id, keyId: null },
      requestId: 'till-3.17',
      reason: null,
      changes: created,
    });
  });

  test('what an API key changes names the key', async () => {
    const { id: keyId, key } = await newKey(service(), ada.token, { scopes: ['customers:write'] });
    const { body } = await service().as({ key }).post('/customers', { name: 'Grace Hopper' });
    const [event] = await historyOf(ada, `/customers/${body.id}`);
    assert.deepEqual(event.actor, { userId: ada.id, keyId });
  });

  test('the history of an order has each step, newest first, with its reason', async () => {
    const path = await placed();
    await staff.patch(path, { status: 'paid', reason: 'Paid in cash.' });
    await staff.patch(path, { status: 'refunded', note: 'Came back.' });
    const history = await historyOf(ada, path);
    assert.deepEqual(
      history.map(({ type, reason, changes, actor }) => [type, reason, changes, actor.userId]),
      [
        ['order.refunded', null, { status: ['paid', 'refunded'], note: null }, staff.id],
        ['order.paid', 'Paid in cash.', { status: ['open', 'paid'] }, staff.id],
        ['order.created', null, created, ada.id],
      ],
    );
  });

  test('the history of an order shows items before and after, unless they are long', async () => {
    const { id, items: before } = await newOrder(service(), ada.token);
    const tea = { sku: null, name: 'Tea', quantity: 1, unitPrice: 749 };
    const many = Array.from({ length: 100 }, (_, index) => ({ ...tea, name: `Tea ${index}`, unitPrice: 1 }));
    for (const items of [[tea], many]) await ada.patch(`/orders/${id}`, { items });
    const [long, short] = await historyOf(ada, `/orders/${id}`);
    assert.deepEqual(short.changes, { items: [before, [{ ...tea, total: 749 }]], total: [1498, 749] });
    assert.deepEqual(long.changes, { items: null, total: [749, 100] });
  });

  test('the history of an order has no events of requests that change nothing, are rejected or replayed', async () => {
    const path = await placed();
    const once = { 'idempotency-key': 'once' };
    await ada.patch(path, { status: 'open', reason: 'None.' });
    await ada.patch(path, { status: 'paid' });
    await ada.patch(path, { note: 'Ring twice.' }, once);
    const replayed = await ada.patch(path, { note: 'Ring twice.' }, once);
    assert.equal(replayed.headers['idempotency-replayed'], 'true');
    const types = (await historyOf(ada, path)).map(({ type }) => type);
    assert.deepEqual(types, ['order.changed', 'order.created']);
  });

  test('the history of an order is a list like any other, and keeps names on its next page', async () => {
    const first = await staff.get(`${paid}/events?include=actorName&limit=1&total=true`);
    assert.equal(first.body.total, 2);
    const second = await staff.get(first.body.next);
    assert.deepEqual(valuesIn(second, 'type', 'actorName'), [['order.created', 'Ada']]);
    assert.equal(second.body.next, null);
  });

  test('a history with names names everybody to staff and administrators, and a user only to themselves', async () => {
    for (const caller of [staff, await service().root()])
      assert.deepEqual(await namesAt(caller), [name, 'Ada']);
    assert.deepEqual(await namesAt(ada), [null, 'Ada']);
    assert.doesNotMatch((await ada.get(`${paid}/events?include=actorName`)).text, /Zoë/);
    const own = await namesAt(ada, `/api/users/${ada.id}/events?include=actorName`);
    assert.deepEqual([...new Set(own)], ['Ada']);
    const named = (await staff.get(`${paid}/events?include=actorName`)).body.data;
    const withoutNames = named.map(({ actorName: _name, ...event }: TestResponse['body']) => event);
    assert.deepEqual(withoutNames, await historyOf(staff, paid));
  });

  for (const include of ['', 'actor', 'actorName,actorName', 'customer'])
    test(`a history with include=${include} has an issue`, async () => {
      const response = await staff.get(`${paid}/events?include=${include}`);
      assert.equal(response.status, 422);
      assert.match(issuesOf(response).join(), /^include (enum|max-items)/);
    });

  test('a history with names needs an API key with the scope for users', async () => {
    const get = async (...scopes: string[]): Promise<TestResponse> => {
      const { key } = await newKey(service(), staff.token, { scopes });
      return service().get(`${paid}/events?include=actorName`, { key });
    };
    assertProblem(await get('events:read'), 'insufficient-scope');
    assert.equal((await get('events:read', 'users:read')).status, 200);
  });
});

test('a history shows the name that an account has now, and none once it is deleted', async (t) => {
  const service = await serviceFor(t);
  const [staff, root] = [await service.person('staff'), await service.root()];
  const other = await service.person('staff', 'Till');
  const { id } = await newCustomer(service, other.token);
  const target = `/customers/${id}/events?include=actorName`;
  const known = { 'if-none-match': (await staff.get(target)).headers.etag ?? '' };
  assert.equal((await staff.get(target, known)).status, 304);
  await root.patch(`/api/users/${other.id}`, { name: 'Till King' });
  assert.deepEqual(valuesIn(await staff.get(target, known), 'actorName'), ['Till King']);
  await root.delete(`/api/users/${other.id}`);
  assert.equal(valuesIn(await staff.get(target), 'actorName').at(-1), null);
});

test('the history of a customer holds no personal data', async (t) => {
  const service = await serviceFor(t);
  const ada = await service.person();
  const { id } = await newCustomer(service, ada.token);
  const address = { line1: 'Am Markt 1', city: 'Oldenburg', postalCode: '26122', country: 'DE' };
  const body = { name: 'Grace B. Hopper', email: 'grace@example.com', phone: '+4944112345678', address };
  await ada.patch(`/customers/${id}`, body);
  assert.deepEqual(valuesIn(await ada.get(`/customers/${id}/events`), 'type', 'changes'), [
    ['customer.changed', { name: null, email: null, phone: null, address: null }],
    ['customer.created', {}],
  ]);
});
