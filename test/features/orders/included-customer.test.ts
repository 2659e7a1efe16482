// include=customer: orders with their customer's name, wherever orders are shown.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, issuesOf, sharedService } from '../../support/http-support.ts';
import { serviceFor, type Person } from '../../support/service.ts';
import { newCustomer, newKey, newOrder } from '../../support/resource-support.ts';

type Fixture = {
  readonly ada: Person;
  readonly staff: Person;
  readonly customer: number;
  readonly order: number;
};

describe('an order with its customer', () => {
  let fixture: Fixture;
  let places: readonly string[] = [];
  let single: readonly string[] = [];
  const service = sharedService({}, async (started) => {
    const [ada, staff] = [await started.person(), await started.person('staff')];
    const customer = (await newCustomer(started, ada.token, { name: 'Zoë "Ö" Müller' })).id;
    const order = (await newOrder(started, ada.token, { customerId: customer })).id;
    await newOrder(started, ada.token, { customerId: customer });
    fixture = { ada, staff, customer, order };
    places = ['/orders', `/customers/${customer}/orders`, `/api/users/${ada.id}/orders`];
    single = [`/orders/${order}`, `/api/users/${ada.id}/orders/${order}`];
  });

  test('an order with its customer has their id and name, in every list and by itself', async () => {
    const { ada, staff, customer } = fixture;
    const expected = { id: customer, name: 'Zoë "Ö" Müller' };
    const renamed = { token: staff.token, body: { name: expected.name } };
    await service().patch(`/customers/${customer}`, renamed);
    for (const { token } of [ada, staff]) {
      for (const path of places) {
        const { body } = await service().get(`${path}?include=customer`, { token });
        assert.deepEqual(
          body.data.map((order: { customer: object }) => order.customer),
          [expected, expected],
        );
      }
      for (const path of single) {
        const { body } = await service().get(`${path}?include=customer`, { token });
        const { customer: included, ...order } = body;
        assert.deepEqual(included, expected);
        assert.deepEqual(order, (await service().get(path, { token })).body);
      }
    }
  });

  test('a list of orders keeps its customers on the next page', async () => {
    const { token } = fixture.ada;
    const first = await service().get('/orders?include=customer&limit=1', { token });
    const second = await service().get(first.body.next, { token });
    assert.equal(second.body.data[0].customer.id, fixture.customer);
  });

  test('an order with its customer is another representation when the customer’s name changes', async () => {
    const { token } = fixture.ada;
    for (const path of [...places, ...single]) {
      const target = `${path}?include=customer`;
      const { headers } = await service().get(target, { token });
      const sent = { token, headers: { 'if-none-match': headers.etag ?? '' } };
      assert.equal((await service().get(target, sent)).status, 304);
      const body = { name: `Zoë Müller of ${path}` };
      await service().patch(`/customers/${fixture.customer}`, { token, body });
      const after = await service().get(target, sent);
      assert.equal(after.status, 200);
      assert.ok(after.text.includes(body.name));
    }
  });

  for (const include of ['', 'customers', 'customer,customer', 'customer,items', 'Customer']) {
    test(`an order with include=${include} has an issue`, async () => {
      for (const path of [...places, ...single]) {
        const response = await service().get(`${path}?include=${include}`, { token: fixture.ada.token });
        assert.equal(response.status, path.startsWith('/api') ? 400 : 422);
        assert.match(issuesOf(response).join(), /^include (enum|max-items)/);
      }
    });
  }

  test('an order with its customer needs an API key with the scope for customers', async () => {
    const { token } = fixture.ada;
    const narrow = await newKey(service(), token, { scopes: ['orders:read'] });
    const wide = await newKey(service(), token, { scopes: ['orders:read', 'customers:read'] });
    for (const path of ['/orders', '/orders?status=refunded', `/orders/${fixture.order}`]) {
      const target = `${path}${path.includes('?') ? '&' : '?'}include=customer`;
      assertProblem(await service().get(target, { key: narrow.key }), 'insufficient-scope');
      assert.equal((await service().get(path, { key: narrow.key })).status, 200);
      assert.equal((await service().get(target, { key: wide.key })).status, 200);
    }
  });
});

test('the customer of somebody else stays unnamed', async (t) => {
  const service = await serviceFor(t);
  const [ada, bob, staff] = [
    await service.person(),
    await service.person('user', 'Bob'),
    await service.person('staff'),
  ];
  const customerId = (await newCustomer(service, bob.token, { name: 'Known to Bob' })).id;
  const order = await newOrder(service, staff.token, { customerId, userId: ada.id });
  for (const path of ['/orders', `/orders/${order.id}`, `/api/users/${ada.id}/orders`]) {
    const response = await service.get(`${path}?include=customer`, { token: ada.token });
    assert.equal((response.body.data?.[0] ?? response.body).customer, null);
    assert.doesNotMatch(response.text, /Bob/);
  }
  const shown = await service.get(`/orders/${order.id}?include=customer`, { token: staff.token });
  assert.deepEqual(shown.body.customer, { id: customerId, name: 'Known to Bob' });
});

test('a page with customers ends before its text exceeds 1 MiB', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person();
  const customerId = (await newCustomer(service, token, { name: 'Ö'.repeat(200) })).id;
  const items = Array.from({ length: 100 }, () => ({ name: 'ä'.repeat(200), quantity: 1, unitPrice: 1 }));
  for (let index = 0; index < 25; index += 1) await newOrder(service, token, { customerId, items });
  let target: string | null = '/orders?include=customer&limit=200';
  let count = 0;
  while (target !== null) {
    const { text, body } = await service.get(target, { token });
    assert.ok(Buffer.byteLength(text) <= 1024 ** 2 + 1_000, `${Buffer.byteLength(text)} bytes`);
    count += body.data.length;
    target = body.next;
  }
  assert.equal(count, 25);
});
