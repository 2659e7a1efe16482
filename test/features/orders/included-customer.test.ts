// include=customer: orders with their customer's name, wherever orders are shown.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, issuesOf, sharedService } from '../../support/http-support.ts';
import { serviceFor, type Person } from '../../support/service.ts';
import { newCustomer, newKey, newOrder, valuesIn } from '../../support/resource-support.ts';

describe('an order with its customer', () => {
  const name = 'Zoë "Ö" Müller';
  let ada: Person, staff: Person, customer: number;
  let lists: readonly string[] = [];
  let single: readonly string[] = [];
  const service = sharedService({}, async (started) => {
    [ada, staff] = [await started.person(), await started.person('staff')];
    customer = (await newCustomer(started, ada.token, { name })).id;
    const { id } = await newOrder(started, ada.token, { customerId: customer });
    await newOrder(started, ada.token, { customerId: customer });
    lists = ['/orders', `/customers/${customer}/orders`, `/api/users/${ada.id}/orders`];
    single = [`/orders/${id}`, `/api/users/${ada.id}/orders/${id}`];
  });

  test('an order with its customer has their id and name, in every list, on every page and by itself', async () => {
    const expected = { id: customer, name };
    await staff.patch(`/customers/${customer}`, { name });
    for (const { get } of [ada, staff]) {
      for (const path of lists)
        assert.deepEqual(valuesIn(await get(`${path}?include=customer`), 'customer'), [expected, expected]);
      for (const path of single) {
        const { customer: included, ...order } = (await get(`${path}?include=customer`)).body;
        assert.deepEqual([included, order], [expected, (await get(path)).body]);
      }
      const { next } = (await get('/orders?include=customer&limit=1')).body;
      assert.deepEqual(valuesIn(await get(next), 'customer'), [expected]);
    }
  });

  test('an order with its customer is another representation when the customer’s name changes', async () => {
    for (const path of [...lists, ...single]) {
      const target = `${path}?include=customer`;
      const known = { 'if-none-match': String((await ada.get(target)).headers.etag) };
      assert.equal((await ada.get(target, known)).status, 304);
      const changed = `Zoë Müller of ${path}`;
      await ada.patch(`/customers/${customer}`, { name: changed });
      assert.ok((await ada.get(target, known)).text.includes(changed));
    }
  });

  test('an order with another include has an issue', async () => {
    for (const include of ['', 'customers', 'customer,customer', 'customer,items', 'Customer'])
      for (const path of [...lists, ...single]) {
        const response = await ada.get(`${path}?include=${include}`);
        assert.equal(response.status, path.startsWith('/api') ? 400 : 422);
        assert.match(issuesOf(response).join(), /^include (enum|max-items)/);
      }
  });

  test('an order with its customer needs an API key with the scope for customers', async () => {
    const narrow = await newKey(service(), ada.token, { scopes: ['orders:read'] });
    const wide = await newKey(service(), ada.token, { scopes: ['orders:read', 'customers:read'] });
    for (const path of ['/orders?status=refunded', ...single.map((each) => `${each}?`)]) {
      assert.equal((await service().get(path, narrow)).status, 200);
      assertProblem(await service().get(`${path}&include=customer`, narrow), 'insufficient-scope');
      assert.equal((await service().get(`${path}&include=customer`, wide)).status, 200);
    }
  });
});

test('the customer of somebody else stays unnamed', async (t) => {
  const service = await serviceFor(t);
  const [ada, bob, staff] = [await service.person(), await service.person(), await service.person('staff')];
  const { id: customerId, name } = await newCustomer(service, bob.token, { name: 'Known to Bob' });
  const { id } = await newOrder(service, staff.token, { customerId, userId: ada.id });
  for (const path of ['/orders', `/orders/${id}`, `/api/users/${ada.id}/orders`]) {
    const { body, text } = await ada.get(`${path}?include=customer`);
    assert.equal((body.data?.[0] ?? body).customer, null);
    assert.doesNotMatch(text, /Bob/);
  }
  const { body } = await staff.get(`/orders/${id}?include=customer`);
  assert.deepEqual(body.customer, { id: customerId, name });
});

test('a page with customers ends before its text exceeds 1 MiB', async (t) => {
  const service = await serviceFor(t);
  const { token, get } = await service.person();
  const { id: customerId } = await newCustomer(service, token, { name: 'Ö'.repeat(200) });
  const items = Array.from({ length: 100 }, () => ({ name: 'ä'.repeat(200), quantity: 1, unitPrice: 1 }));
  for (let index = 0; index < 25; index += 1) await newOrder(service, token, { customerId, items });
  let count = 0;
  for (let next: string | null = '/orders?include=customer&limit=200'; next !== null;) {
    const { text, body } = await get(next);
    assert.ok(Buffer.byteLength(text) <= 1024 ** 2 + 1_000, `${Buffer.byteLength(text)} bytes`);
    count += body.data.length;
    next = body.next;
  }
  assert.equal(count, 25);
});
