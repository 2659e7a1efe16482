// One reading of SKUs and barcodes: when they are stored, searched and imported, and when orders are found by them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedService } from '../../support/http-support.ts';
import { linesOf, resultsOf, sendImport } from '../../support/import-support.ts';
import { assertIssues, idsIn, newKey, newOrder, newProduct } from '../../support/resource-support.ts';
import { serviceFor, type Person } from '../../support/service.ts';
import { found } from '../customers/search-support.ts';

const tea = { sku: 'TEA-250', name: 'Sencha', unitPrice: 749, currency: 'EUR' };
const item = { sku: 'TEA-250', name: 'Sencha', quantity: 1, unitPrice: 749 };

describe('the code of a product', () => {
  let staff: Person, id: number, order: number;
  const service = sharedService({}, async (started) => {
    staff = await started.person('admin');
    const body = { ...tea, sku: ' TEA\u200b-250\u00a0', barcode: ' 012345678905\u2069' };
    const made = await staff.post('/products', body);
    assert.deepEqual([made.body.sku, made.body.barcode], ['TEA-250', '012345678905'], made.text);
    id = made.body.id;
    order = (await newOrder(started, staff.token, { items: [item] })).id;
    await newOrder(started, staff.token, { items: [{ ...item, sku: null }] });
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
      const taken = await staff.post('/products', { ...tea, sku, barcode: '0012345678905' });
      assertIssues(taken, 422, ['#/barcode taken', '#/sku taken']);
    });

  test('the code of a product has something that is seen', async () => {
    const unseen = await staff.post('/products', { ...tea, sku: '\u200b', barcode: '4006\u00a0381' });
    assertIssues(unseen, 422, ['#/barcode format', '#/sku format']);
  });

  test('the code of a product finds the orders that have it, to a key only if it may read products', async () => {
    for (const [q, orders] of [
      ['0012345678905', [order]],
      ['(01)00012345678905', [order]],
      ['01234567890', []],
    ] as const)
      assert.deepEqual(await found(service(), staff, '/orders', q), orders, q);
    for (const [scopes, orders] of [
      [['orders:read'], []],
      [['orders:read', 'products:read'], [order]],
    ] as const) {
      const { get } = service().as(await newKey(service(), staff.token, { scopes }));
      assert.deepEqual(idsIn(await get('/orders?q=012345678905')), orders);
    }
  });

  test('the code of a product names it in an import, which warns of a GTIN that was cut', async () => {
    const lines = [
      { product: { ...tea, sku: 'TEA-250 ', barcode: '0012345678905' } },
      { product: { ...tea, sku: 'CUT', barcode: '12345678905' } },
    ];
    const { text } = await sendImport(service(), linesOf(lines), { token: staff.token });
    const [changed, cut] = resultsOf(text);
    assert.partialDeepStrictEqual(changed, { result: 'changed', id });
    assert.equal(changed?.warning, undefined);
    assert.match(cut?.warning ?? '', /may be a GTIN that has lost its zeros/);
  });

  test('a new SKU that differs from another only in zeros is created, with the other as sameAs', async () => {
    const { id } = await newProduct(service(), staff.token, { sku: '00777' });
    const expected = { '0777': id, '00777': undefined, '7770': undefined, A00777: undefined, '777': id };
    const lines = Object.keys(expected).map((sku) => ({ product: { ...tea, sku } }));
    for (const line of lines) {
      const headers = { 'content-type': 'application/x-ndjson' };
      const { text } = await staff.post('/imports?dryRun=true', linesOf([line]), headers);
      const sku = line.product.sku as keyof typeof expected; // as the line above makes it
      assert.equal(resultsOf(text)[0]?.sameAs, expected[sku], sku);
    }
  });
});

test('a service without products finds no order by a barcode', async (t) => {
  const service = await serviceFor(t, { settings: { without: 'products,imports,console' } });
  const staff = await service.person('staff');
  const { id } = await newOrder(service, staff.token, { items: [item] });
  assert.deepEqual(await found(service, staff, '/orders', '4006381333931'), []);
  assert.deepEqual(await found(service, staff, '/orders', 'tea-25'), [id]);
});
