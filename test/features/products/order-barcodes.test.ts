// The parameter q of /orders finds orders by the barcode of a product that they have.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newKey, newOrder } from '../../support/resource-support.ts';
import { serviceFor } from '../../support/service.ts';
import { found } from '../customers/search-support.ts';

const product = { sku: 'tea-250', name: 'Sencha', unitPrice: 749, currency: 'EUR', barcode: '4006381333931' };
const item = { sku: 'TEA-250', name: 'Sencha', quantity: 1, unitPrice: 749 };

test('an order is found by the barcode of a product that it has', async (t) => {
  const service = await serviceFor(t);
  const staff = await service.person('staff');
  await service.post('/products', { token: staff.token, body: product });
  const { id } = await newOrder(service, staff.token, { items: [item] });
  await newOrder(service, staff.token, { items: [{ ...item, sku: null }] });
  assert.deepEqual(await found(service, staff, '/orders', product.barcode), [id]);
  assert.deepEqual(await found(service, staff, '/orders', '400638133393'), []);
});

test('a service without products finds no order by a barcode', async (t) => {
  const service = await serviceFor(t, { settings: { without: 'products,imports,console' } });
  const staff = await service.person('staff');
  const { id } = await newOrder(service, staff.token, { items: [item] });
  assert.deepEqual(await found(service, staff, '/orders', product.barcode), []);
  assert.deepEqual(await found(service, staff, '/orders', 'tea-25'), [id]);
});

test('a key finds orders by a barcode only if it may read products', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person('staff');
  await service.post('/products', { token, body: product });
  const { id } = await newOrder(service, token, { items: [item] });
  const foundWith = async (scopes: readonly string[]): Promise<number[]> => {
    const { key } = await newKey(service, token, { scopes });
    const { body } = await service.get(`/orders?q=${product.barcode}`, { headers: { 'X-API-Key': key } });
    return body.data.map((order: { readonly id: number }) => order.id);
  };
  assert.deepEqual(await foundWith(['orders:read']), []);
  assert.deepEqual(await foundWith(['orders:read', 'products:read']), [id]);
});
