// Items below 0: discounts, and deposits that are given back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decimalAmount, minorUnitsOf } from '../../../src/schema/decimal.ts';
import { importTable } from '../../support/import-support.ts';
import { assertIssues, newOrder, newProduct, rootService, valuesIn } from '../../support/resource-support.ts';
import { serviceFor, type TestResponse } from '../../support/service.ts';

const tea = { sku: 'TEA', name: 'Tea', quantity: 2, unitPrice: 749 };
const discount = { name: '10 %', quantity: 1, unitPrice: -150 };
const deposit = { sku: '-5.00', name: '-Deposit', quantity: 12, unitPrice: -8 };

test('a line may be below 0, and is so in the order, its file, its figures and after changes', async (t) => {
  const service = await serviceFor(t);
  const { token, get, patch } = await service.person('staff');
  const order = await newOrder(service, token, { items: [tea, discount, deposit] });
  assert.deepEqual(
    [order.total, ...valuesIn({ body: { data: order.items } }, 'total')],
    [1252, 1498, -150, -96],
  );
  const path = `/orders/${order.id}`;
  assert.deepEqual((await get(path)).body, order);

  const { text } = await get('/orders', { accept: 'text/csv' });
  const [, ...rows] = text.trimEnd().split('\r\n');
  assert.deepEqual(
    rows.map((row) => row.split(',').slice(-7).join()),
    ['12.52,1,TEA,Tea,2,7.49,14.98', ',2,,10 %,1,-1.50,-1.50', ",3,'-5.00,'-Deposit,12,-0.08,-0.96"],
  );

  assertIssues(await patch(path, { items: [discount] }), 422, ['#/total minimum']);
  const wrong = { items: [tea, { ...discount, total: 150 }] };
  assertIssues(await patch(path, wrong), 422, ['#/items/1/total total']);
  const free = await patch(path, { items: [tea, { ...discount, unitPrice: -1498 }] });
  assert.equal(free.body.total, 0);
  const changed = await patch(path, { items: [tea, { ...discount, total: -150 }], total: 1348 });
  assert.equal(changed.body.total, 1348);
  for (const status of ['paid', 'shipped', 'refunded'])
    assert.equal((await patch(path, { status })).status, 200);

  await newOrder(service, token, { customerId: order.customerId, items: [tea, deposit, discount] });
  service.clock.advance(1_000);
  const { body: sold } = await get('/sales/items');
  assert.deepEqual(valuesIn({ body: { data: sold.items } }, 'name', 'quantity', 'total'), [
    ['Tea', 2, 1498],
    ['-Deposit', 12, -96],
    ['10 %', 1, -150],
  ]);
  const { body: money } = await get('/sales?of=received');
  const data = money.buckets.flatMap((bucket: TestResponse['body']) => bucket.figures);
  assert.deepEqual(valuesIn({ body: { data } }, 'total'), [1348, -1348]);
});

test('a product may have a price below 0, also from a file', async (t) => {
  const { service, root, token } = await rootService(t);
  const { id } = await newProduct(service, token, { sku: 'PFAND', unitPrice: -25 });
  const { text: zero } = await root.patch(`/products/${id}`, '{"unitPrice": -0}');
  assert.match(zero, /"unitPrice":0,/);
  await root.patch(`/products/${id}`, { unitPrice: -25 });

  const { text } = await root.get('/products', { accept: 'text/csv' });
  assert.match(text, /,PFAND,[^\r]*,-0\.25,EUR,/);
  const query = '?of=products';
  assert.equal((await importTable(service, { token, text, query }))[0]?.result, 'unchanged');
  const lines = ['A,A,-1.00,EUR', 'B,B,"-1,50",EUR', 'C,C,−3,JPY', "D,D,'-2.00,EUR", 'E,E,--1,EUR'];
  const table = ['sku,name,unitPrice,currency', ...lines].join('\n');
  const results = await importTable(service, { token, text: table, query });
  assert.deepEqual(
    results.map(({ status }) => status),
    [201, 201, 201, 201, 422],
  );
  assert.deepEqual(valuesIn(await root.get('/products?sort=sku'), 'unitPrice'), [-100, -150, -3, -200, -25]);
});

test('amounts below 0 are written and read in decimals', () => {
  for (const [minorUnits, currency, text] of [
    [-1498, 'EUR', '-14.98'],
    [-5, 'EUR', '-0.05'],
    [-5, 'JPY', '-5'],
    [-5, 'BHD', '-0.005'],
    [-1e12, 'EUR', '-10000000000.00'],
  ] as const)
    assert.deepEqual([decimalAmount(minorUnits, currency), minorUnitsOf(text, currency)], [text, minorUnits]);
});
