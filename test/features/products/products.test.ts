// Products: what the shop sells, found by code and name, changed by staff, and brought in and out as files.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedService } from '../../support/http-support.ts';
import { serviceFor, type Person, type TestResponse, type TestService } from '../../support/service.ts';
import { importTable, linesOf, resultsOf, sendImport, summaryOf } from '../../support/import-support.ts';
import { assertIssues, idsIn, newKey, newProduct } from '../../support/resource-support.ts';

const tea = { sku: 'TEA-250', name: 'Green tea, 250 g', unitPrice: 749, currency: 'EUR' };

describe('a product', () => {
  let staff: Person;
  const service = sharedService({}, async (started) => {
    staff = await started.person('staff');
  });
  const post = (body: object): Promise<TestResponse> =>
    service().post('/products', { token: staff.token, body });
  let count = 0;
  const newSku = (): string => `SKU-${(count += 1)}`;

  test('a product is sold by default', async () => {
    const { status, body, headers } = await post(tea);
    const { id, createdAt } = body;
    assert.deepEqual([status, headers.location], [201, `/products/${id}`]);
    assert.deepEqual(body, {
      id,
      ...tea,
      barcode: null,
      active: true,
      metadata: {},
      createdAt,
      updatedAt: createdAt,
    });
  });

  for (const [what, members, issues] of [
    [
      'no members',
      { sku: undefined, name: undefined, unitPrice: undefined, currency: undefined },
      ['sku', 'name', 'unitPrice', 'currency'].map((name) => `#/${name} required`),
    ],
    ['a price below -10^12', { unitPrice: -1e12 - 1 }, ['#/unitPrice minimum']],
    ['a decimal price', { unitPrice: 7.49 }, ['#/unitPrice type']],
    ['an unknown currency', { currency: 'EUX' }, ['#/currency format']],
    ['a long SKU', { sku: 'x'.repeat(65) }, ['#/sku max-length']],
    ['no SKU', { sku: null }, ['#/sku type']],
    ['a barcode with a blank', { barcode: '4006 381' }, ['#/barcode format']],
    ['a long barcode', { barcode: '4'.repeat(49) }, ['#/barcode max-length']],
    ['a price of text and an id', { unitPrice: '7', id: 1 }, ['#/id unknown-member', '#/unitPrice type']],
    ['neither true nor false', { active: 0 }, ['#/active type']],
  ] as const) {
    test(`a product with ${what} is invalid`, async () => {
      assertIssues(await post({ ...tea, sku: newSku(), ...members }), 422, issues);
    });
  }

  test('a product has a SKU, whatever its case, and a barcode that no other product has', async () => {
    const { id } = await newProduct(service(), staff.token, { sku: 'Café-1', barcode: '4006381333931' });
    const other = await newProduct(service(), staff.token, { sku: newSku() });
    const taken = { ...tea, sku: 'CAFE\u0301-1', barcode: '4006381333931' };
    assertIssues(await post(taken), 422, ['#/barcode taken', '#/sku taken']);
    const path = `/products/${other.id}`;
    const change = (body: object): Promise<TestResponse> =>
      service().patch(path, { token: staff.token, body });
    assertIssues(await change({ sku: 'CAFÉ-1' }), 422, ['#/sku taken']);
    assertIssues(await change({ barcode: '4006381333931' }), 422, ['#/barcode taken']);
    await service().delete(`/products/${id}`, { token: staff.token });
    assert.equal((await change({ sku: 'CAFÉ-1', barcode: '4006381333931' })).status, 200);
  });

  test('the event of a new product shows its currency, and those of changes name their members', async () => {
    const { body: start } = await service().get('/events?from=latest', { token: staff.token });
    const { id } = await newProduct(service(), staff.token);
    await service().patch(`/products/${id}`, { token: staff.token, body: { name: 'Sencha', unitPrice: 1 } });
    await service().delete(`/products/${id}`, { token: staff.token });
    const { data } = (await service().get(start.next, { token: staff.token })).body;
    assert.deepEqual(
      data.map(({ type, subject, changes }: TestResponse['body']) => [type, subject, changes]),
      [
        ['product.created', `/products/${id}`, { currency: [null, 'EUR'] }],
        ['product.changed', `/products/${id}`, { name: null, unitPrice: null }],
        ['product.deleted', `/products/${id}`, {}],
      ],
    );
  });
});

/** Adds four products, and returns their ids by SKU. */
async function addFour(service: TestService, token: string): Promise<Record<string, number>> {
  const ids: Record<string, number> = {};
  for (const [sku, name, more] of [
    ['b-2', 'Écharpe en laine 80 500', { barcode: '4006381333931', currency: 'CHF' }],
    ['A-1', 'wool hat', { active: false }],
    ['c-3', 'Zebra wool socks', { barcode: 'B-2x' }],
    ['wool', 'Gloves', { active: false, currency: 'CHF' }],
  ] as const)
    ids[sku] = (await newProduct(service, token, { sku, name, ...more })).id;
  return ids;
}

describe('the list of products', () => {
  let staff: Person;
  let ids: Record<string, number> = {};
  const service = sharedService({}, async (started) => {
    staff = await started.person('staff');
    ids = await addFour(started, staff.token);
  });
  const get = (query: string): Promise<TestResponse> =>
    service().get(`/products${query}`, { token: staff.token });

  for (const [query, skus] of [
    ['', ['b-2', 'wool', 'A-1', 'c-3']],
    ['?sort=-name', ['c-3', 'A-1', 'wool', 'b-2']],
    ['?sort=sku', ['A-1', 'b-2', 'c-3', 'wool']],
    ['?sort=-sku', ['wool', 'c-3', 'b-2', 'A-1']],
    ['?sort=createdAt', ['b-2', 'A-1', 'c-3', 'wool']],
    ['?sort=-createdAt&active=true', ['c-3', 'b-2']],
    ['?active=false&currency=EUR', ['A-1']],
    ['?currency=CHF', ['b-2', 'wool']],
    ['?q=B-2', ['b-2']],
    ['?q=4006381333931', ['b-2']],
    ['?q=400638133393', []],
    ['?q=B-2x', ['c-3']],
    ['?q=a-', ['A-1']],
    ['?q=wool', ['wool', 'c-3', 'A-1']],
    ['?q=wool&active=true', ['c-3']],
    ['?q=ooL%20hat', ['A-1']],
    ['?q=echarpe%2080%20500', ['b-2']],
    ['?q=wool&limit=1', ['wool']],
  ] as const) {
    test(`the list of products ${query} has ${skus.length === 0 ? 'none' : skus.join(', ')}`, async () => {
      const response = await get(query);
      assert.equal(response.status, 200, response.text);
      assert.deepEqual(
        idsIn(response),
        skus.map((sku) => ids[sku]),
      );
    });
  }

  test('the list of products rejects unknown parameters, and a sort of a search', async () => {
    assertIssues(await get('?sort=id&active=yes'), 422, ['active type', 'sort enum']);
    assertIssues(await get('?q=wool&sort=sku'), 422, ['sort not-with-q']);
  });

  test('the list of products is a file as CSV, which comes in again and changes what was edited', async (t) => {
    const own = await serviceFor(t);
    const { token } = await own.person('admin');
    await addFour(own, token);
    const get = (query: string): Promise<TestResponse> => own.get(`/products${query}`, { token });
    const file = await own.get('/products', { token, headers: { accept: 'text/csv' } });
    const lines = file.text.split('\r\n');
    assert.equal(lines[0], 'id,sku,name,unitPrice,currency,barcode,active,metadata,createdAt,updatedAt');
    assert.match(
      String(lines.find((line) => line.includes('b-2'))),
      /^1,b-2,Écharpe en laine 80 500,7\.49,CHF,4006381333931,true,,2026-/,
    );
    const before = await get('?sort=sku');
    const importFile = async (text: string, query = ''): Promise<number[]> => {
      const results = await importTable(own, { token, text, query: `?of=products${query}` });
      return results.map(({ status }) => status);
    };
    assert.deepEqual(await importFile(file.text), [200, 200, 200, 200]);
    assert.deepEqual((await get('?sort=sku')).body, before.body); // not even updatedAt
    const edited =
      'sku;unitPrice;name;currency;active\n' +
      'WOOL;12,5;Gloves;CHF;TRUE\n' + // its barcode stays
      'new;3;Scarf;JPY;\n' +
      'NEW;3,5;Scarf;JPY;\n' +
      'b-2;7.499;Scarf;CHF;maybe\n';
    assert.deepEqual(await importFile(edited, '&dryRun=true'), [200, 201, 422, 422]);
    assert.deepEqual((await get('?sort=sku')).body, before.body);
    assert.deepEqual(await importFile(edited), [200, 201, 422, 422]);
    const { data } = (await get('?q=wool')).body;
    assert.deepEqual([data[0].sku, data[0].unitPrice, data[0].active], ['WOOL', 1250, true]);
    assert.deepEqual((await get('?currency=JPY')).body.data[0].unitPrice, 3);
  });

  test('the list of products takes lines of JSON, whose key is the SKU, with the scope for products', async (t) => {
    const own = await serviceFor(t);
    const { token } = await own.person('admin');
    const { key } = await newKey(own, token, { scopes: ['orders:write'] });
    const lines = [
      { product: { ...tea, sku: 'J-1', barcode: 'J1' } },
      { key: 'shop-1', product: { ...tea, sku: 'j-1', unitPrice: 1 } },
      { product: { ...tea, sku: 'J-2', barcode: 'J1' } },
      { customer: { name: 'Grace' } },
      { key: 'shop-2', product: { ...tea, sku: 'J-3' }, customer: { name: 'Grace' } },
    ];
    const results = async (credential: object): Promise<string[]> =>
      resultsOf((await sendImport(own, linesOf(lines), credential)).text).map(summaryOf);
    const invalid = ['4 422 #/key required', '5 422 # conflict'];
    const denied = [1, 2, 3].map((line) => `${line} 403 # insufficient-scope`);
    assert.deepEqual(await results({ key }), [...denied, ...invalid]);
    assert.deepEqual(await results({ token }), [
      '1 201',
      '2 200',
      '3 422 #/product/barcode taken',
      ...invalid,
    ]);
    const { data } = (await own.get('/products?q=j-1', { token })).body;
    assert.deepEqual([data[0].sku, data[0].unitPrice, data[0].barcode], ['j-1', 1, 'J1']);
  });
});
