// Names and lines: characters that would make one look like another, or like two lines.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, test } from 'node:test';
import { orderly } from '../support/command-support.ts';
import { issuesOf, sharedService } from '../support/http-support.ts';
import { password, serviceFor } from '../support/service.ts';
import { items, newCustomer, newOrder, newProduct } from '../support/resource-support.ts';

const directions = [...'\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'];
const item = items[0];
const price = { unitPrice: 749, currency: 'EUR' };

suite('a name', async () => {
  const service = sharedService();
  for (const [what, path, bodyOf, pointer] of [
    ['a user', '/api/users', (name) => ({ name, email: 'ada@example.com', password }), '#/name'],
    ['an API key', '/api/keys', (name) => ({ name, scopes: ['orders:read'] }), '#/name'],
    ['a customer', '/customers', (name) => ({ name }), '#/name'],
    ['a product', '/products', (name) => ({ sku: 'TEA-250', name, ...price }), '#/name'],
    [
      'an item',
      '/orders',
      (name) => ({ customerId: 1, currency: 'EUR', items: [{ ...item, name }] }),
      '#/items/0/name',
    ],
    [
      'a recipient',
      '/customers',
      (name) => ({ name: 'Grace', address: { name, line1: 'Main St 1', city: 'Oldenburg', country: 'IE' } }),
      '#/address/name',
    ],
  ] as const satisfies readonly (readonly [string, string, (name: string) => object, string])[])
    test(`the name of ${what} has no controls of direction and no separators of lines`, async () => {
      const { token } = await service().person('staff');
      for (const control of [...directions, '\u2028', '\u2029']) {
        const response = await service().post(path, { token, body: bodyOf(`a${control}b`) });
        assert.deepEqual(
          issuesOf(response).filter((issue) => issue.startsWith(`${pointer} `)),
          [`${pointer} format`],
          `U+${control.charCodeAt(0).toString(16)}: ${response.text}`,
        );
      }
    });

  test('a name may have letters of any direction, and their marks', async () => {
    const { token } = await service().person();
    for (const name of ['שירה כהן', 'ليلى', 'a\u200e(b)\u200f', '\u061cمحل']) {
      const { status, text } = await service().post('/customers', { token, body: { name } });
      assert.equal(status, 201, text);
    }
  });

  test('a search has no separators of lines', async () => {
    const { token } = await service().person();
    assert.deepEqual(issuesOf(await service().get('/customers?q=a%E2%80%A8b', { token })), ['q format']);
  });

  test('a name that an earlier version kept stays, when something else is changed', async (t) => {
    const own = await serviceFor(t);
    const { token } = await own.person('staff');
    const customer = await newCustomer(own, token);
    const product = await newProduct(own, token);
    const order = await newOrder(own, token, { customerId: customer.id });
    const name = 'a\u202eb';
    using db = new DatabaseSync(join(own.folder, 'orderly.db'));
    db.prepare('UPDATE customers SET name = ?').run(name);
    db.prepare('UPDATE products SET name = ?').run(name);
    db.prepare("UPDATE orders SET items = json_replace(items, '$[0].name', ?)").run(name);
    for (const [path, body] of [
      [`/customers/${customer.id}`, { note: 'Rings twice.' }],
      [`/products/${product.id}`, { active: false }],
      [`/orders/${order.id}`, { status: 'paid' }],
    ] as const) {
      const { status, text } = await own.patch(path, { token, body });
      assert.equal(status, 200, text);
      assert.ok(text.includes(name), text);
    }
    const { stdout } = await orderly(['check', `--data=${own.folder}`]);
    assert.doesNotMatch(stdout, /direction/);
  });
});
