// One reading of SKUs and barcodes: when they are stored, searched and imported, and when orders are found by them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedService } from '../../support/http-support.ts';
import { assertIssues, newKey, newOrder } from '../../support/resource-support.ts';
import { linesOf, sendImport } from '../../support/import-support.ts';
import { serviceFor, type Person } from '../../support/service.ts';
import { found } from '../customers/search-support.ts';

const tea = { sku: 'TEA-250', name: 'Sencha', unitPrice: 749, currency: 'EUR' };

describe('the code of a product', () => {
  let staff: Person;
  let id = 0;
  const service = sharedService({}, async (started) => {
    staff = await started.person('admin');
    const body = { ...tea, sku: ' TEA\u200b-250\u00a0', barcode: ' 012345678905\u2069' };
    const made = await started.post('/products', { token: staff.token, body });
    assert.deepEqual([made.body.sku, made.body.barcode], ['TEA-250', '012345678905'], made.text);
    id = made.body.id;
  });

  for (const q of [
    '012345678905',
    '0012345678905',
    '00012345678905',
    ']E00012345678905',
    ']d20100012345678905\u001d10LOT',
    '(01)00012345678905(10)LOT',
    ']Q3\u001d0100012345678905',
    'https://id.gs1.org/01/00012345678905?10=LOT',
    'tea-250 ',
    'TEA\u200b-250',
    ']A0TEA-250',
  ])
    test(`the code of a product is found as ${JSON.stringify(q)}`, async () =>
      assert.deepEqual(await found(service(), staff, '/products', q), [id]));

  for (const sku of ['TEA-250 ', '\u00a0tea-250', 'TEA-\u200b250', '\ufeffTEA-250'])
    test(`the code of a product is taken as ${JSON.stringify(sku)}`, async () => {
      const body = { ...tea, sku, barcode: '0012345678905' };
      assertIssues(await service().post('/products', { token: staff.token, body }), 422, [
        '#/barcode taken',
        '#/sku taken',
      ]);
    });

  test('the code of a product has something that is seen', async () => {
    const body = { ...tea, sku: '\u200b', barcode: '4006\u00a0381' };
    assertIssues(await service().post('/products', { token: staff.token, body }), 422, [
      '#/barcode format',
      '#/sku format',
    ]);
  });

  test('the code of a product finds the orders that have it', async () => {
    const items = [{ sku: 'TEA-250', name: 'Sencha', quantity: 1, unitPrice: 749 }];
    const order = await newOrder(service(), staff.token, { items });
    for (const q of ['0012345678905', '(01)00012345678905'])
      assert.deepEqual(await found(service(), staff, '/orders', q), [order.id]);
  });

  test('the code of a product names it in an import, which warns of a GTIN that was cut', async () => {
    const lines = [
      { product: { ...tea, sku: 'TEA-250 ', barcode: '0012345678905' } },
      { product: { ...tea, sku: 'CUT', barcode: '12345678905' } },
    ];
    const { text } = await sendImport(service(), linesOf(lines), { token: staff.token });
    const results = text.trim().split('\n');
    const [changed, cut] = results.map((line: string) => JSON.parse(line));
    assert.deepEqual([changed.result, changed.id, changed.warning], ['changed', id, undefined], text);
    assert.match(cut.warning, /may be a GTIN that has lost its zeros/);
  });
});

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
