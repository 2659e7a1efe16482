// Products: what the shop sells, found by code and name, and brought in and out as files.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedService } from '../../support/http-support.ts';
import { importTable, linesOf, resultsOf, sendImport, summaryOf } from '../../support/import-support.ts';
import { assertIssues, newKey, newProduct, testIssues, valuesIn } from '../../support/resource-support.ts';
import type { Person, TestResponse } from '../../support/service.ts';

const tea = { sku: 'TEA-250', name: 'Green tea, 250 g', unitPrice: 749, currency: 'EUR' };

describe('a product', () => {
  let staff: Person;
  const service = sharedService({}, async (started) => {
    staff = await started.person('staff');
  });
  const post = (change: object): Promise<TestResponse> =>
    staff.post('/products', { ...tea, sku: 'OTHER', ...change });

  test('a product is sold by default, and its event shows its currency', async () => {
    const { next } = (await staff.get('/events?from=latest')).body;
    const { status, body, headers } = await staff.post('/products', tea);
    const { id, createdAt } = body;
    assert.deepEqual([status, headers.location], [201, `/products/${id}`]);
    const times = { createdAt, updatedAt: createdAt };
    assert.deepEqual(body, { id, ...tea, barcode: null, active: true, metadata: {}, ...times });
    await staff.patch(`/products/${id}`, { name: 'Sencha', unitPrice: 1 });
    const { data } = (await staff.get(next)).body;
    const changes = data.map((event: TestResponse['body']) => event.changes);
    assert.deepEqual(changes, [{ currency: [null, 'EUR'] }, { name: null, unitPrice: null }]);
  });

  const none = { sku: undefined, name: undefined, unitPrice: undefined, currency: undefined };
  testIssues('a product with', post, [
    [none, '#/sku required', '#/name required', '#/unitPrice required', '#/currency required'],
    [{ unitPrice: -1e12 - 1 }, '#/unitPrice minimum'],
    [{ unitPrice: 7.49 }, '#/unitPrice type'],
    [{ currency: 'EUX' }, '#/currency format'],
    [{ sku: 'x'.repeat(65) }, '#/sku max-length'],
    [{ sku: null }, '#/sku type'],
    [{ barcode: '4006 381' }, '#/barcode format'],
    [{ barcode: '4'.repeat(49) }, '#/barcode max-length'],
    [{ unitPrice: '7', id: 1 }, '#/id unknown-member', '#/unitPrice type'],
    [{ active: 0 }, '#/active type'],
  ]);

  test('a product has a SKU, whatever its case, and a barcode that no other product has', async () => {
    const codes = { sku: 'Café-1', barcode: '4006381333931' };
    const { id } = await newProduct(service(), staff.token, codes);
    const { id: other } = await newProduct(service(), staff.token);
    const taken = { ...codes, sku: 'CAFE\u0301-1' };
    assertIssues(await post(taken), 422, ['#/barcode taken', '#/sku taken']);
    assertIssues(await staff.patch(`/products/${other}`, taken), 422, ['#/barcode taken', '#/sku taken']);
    await staff.delete(`/products/${id}`);
    assert.equal((await staff.patch(`/products/${other}`, taken)).status, 200);
  });
});

describe('the list of products', () => {
  let admin: Person;
  const service = sharedService({}, async (started) => {
    admin = await started.person('admin');
    for (const [sku, name, more] of [
      ['b-2', 'Écharpe en laine 80 500', { barcode: '4006381333931', currency: 'CHF' }],
      ['A-1', 'wool hat', { active: false }],
      ['c-3', 'Zebra wool socks', { barcode: 'B-2x' }],
      ['wool', 'Gloves', { active: false, currency: 'CHF' }],
    ] as const)
      await newProduct(started, admin.token, { sku, name, ...more });
  });

  for (const [query, found] of [
    ['', 'b-2 wool A-1 c-3'],
    ['?sort=-name', 'c-3 A-1 wool b-2'],
    ['?sort=sku', 'A-1 b-2 c-3 wool'],
    ['?sort=-sku', 'wool c-3 b-2 A-1'],
    ['?sort=createdAt', 'b-2 A-1 c-3 wool'],
    ['?sort=-createdAt&active=true', 'c-3 b-2'],
    ['?active=false&currency=EUR', 'A-1'],
    ['?currency=CHF', 'b-2 wool'],
    ['?q=B-2', 'b-2'],
    ['?q=4006381333931', 'b-2'],
    ['?q=400638133393', ''],
    ['?q=B-2x', 'c-3'],
    ['?q=a-', 'A-1'],
    ['?q=wool', 'wool c-3 A-1'],
    ['?q=wool&active=true', 'c-3'],
    ['?q=ooL%20hat', 'A-1'],
    ['?q=echarpe%2080%20500', 'b-2'],
    ['?q=wool&limit=1', 'wool'],
  ] as const)
    test(`the list of products ${query} has ${found || 'none'}`, async () => {
      assert.equal(valuesIn(await admin.get(`/products${query}`), 'sku').join(' '), found);
    });

  // declared-resources.test.ts shows that an unchanged file changes nothing
  test('the list of products is a file as CSV, which changes what was edited when it comes in again', async () => {
    const { get, token } = admin;
    const { text } = await get('/products', { accept: 'text/csv' });
    assert.match(text, /^id,sku,name,unitPrice,currency,barcode,active,metadata,createdAt,updatedAt\r\n/);
    assert.match(text, /^1,b-2,Écharpe en laine 80 500,7\.49,CHF,4006381333931,true,,2026-/m);
    const before = await get('/products');
    const edited =
      'sku;unitPrice;name;currency;active\n' +
      'WOOL;12,5;Gloves;CHF;TRUE\n' + // its barcode stays
      'new;3;Scarf;JPY;\n' +
      'NEW;3,5;Scarf;JPY;\n' +
      'b-2;7.499;Scarf;CHF;maybe\n';
    const statusesOf = async (query: string): Promise<number[]> =>
      (await importTable(service(), { token, text: edited, query })).map(({ status }) => status);
    assert.deepEqual(await statusesOf('?of=products&dryRun=true'), [200, 201, 422, 422]);
    assert.deepEqual((await get('/products')).body, before.body);
    assert.deepEqual(await statusesOf('?of=products'), [200, 201, 422, 422]);
    const [wool] = (await get('/products?q=wool')).body.data;
    assert.deepEqual([wool.sku, wool.unitPrice, wool.active], ['WOOL', 1250, true]);
    assert.equal((await get('/products?currency=JPY')).body.data[0].unitPrice, 3);
  });

  test('the list of products takes lines of JSON, whose key is the SKU, with the scope for products', async () => {
    const { key } = await newKey(service(), admin.token, { scopes: ['orders:write'] });
    const lines = [
      { product: { ...tea, sku: 'J-1', barcode: 'J1' } },
      { key: 'shop-1', product: { ...tea, sku: 'j-1', unitPrice: 1 } },
      { product: { ...tea, sku: 'J-2', barcode: 'J1' } },
      { customer: { name: 'Grace' } },
      { key: 'shop-2', product: { ...tea, sku: 'J-3' }, customer: { name: 'Grace' } },
    ];
    const invalid = ['4 422 #/key required', '5 422 # conflict'];
    for (const [credential, ...expected] of [
      [{ key }, ...[1, 2, 3].map((line) => `${line} 403 # insufficient-scope`)],
      [admin, '1 201', '2 200', '3 422 #/product/barcode taken'],
    ] as const) {
      const { text } = await sendImport(service(), linesOf(lines), credential);
      assert.deepEqual(resultsOf(text).map(summaryOf), [...expected, ...invalid]);
    }
    const [product] = (await admin.get('/products?q=j-1')).body.data;
    assert.deepEqual([product.sku, product.unitPrice, product.barcode], ['j-1', 1, 'J1']);
  });
});
