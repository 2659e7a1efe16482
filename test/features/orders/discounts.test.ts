// Items below 0: discounts, and deposits that are given back.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { decimalAmount, minorUnitsOf } from '../../../src/schema/decimal.ts';
import { assertIssues, newOrder, newProduct } from '../../support/resource-support.ts';
import { serviceFor } from '../../support/service.ts';

const tea = { sku: 'TEA', name: 'Tea', quantity: 2, unitPrice: 749 };
const discount = { name: '10 %', quantity: 1, unitPrice: -150 };
const deposit = { sku: '-5.00', name: '-Deposit', quantity: 12, unitPrice: -8 };

test('a line may be below 0, and is so in the order, its file, its figures and after changes', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person('staff');
  const order = await newOrder(service, token, { items: [tea, discount, deposit] });
  assert.equal(order.total, 1252);
  assert.deepEqual(
    order.items.map(({ total }: { total: number }) => total),
    [1498, -150, -96],
  );
  const read = await service.get(`/orders/${order.id}`, { token });
  assert.deepEqual(read.body, order);

  const { text } = await service.get('/orders', { token, headers: { accept: 'text/csv' } });
  const [, ...rows] = text.trimEnd().split('\r\n');
  assert.deepEqual(
    rows.map((row) => row.split(',').slice(-7)),
    [
      ['12.52', '1', 'TEA', 'Tea', '2', '7.49', '14.98'],
      ['', '2', '', '10 %', '1', '-1.50', '-1.50'],
      ['', '3', "'-5.00", "'-Deposit", '12', '-0.08', '-0.96'],
    ],
  );

  const path = `/orders/${order.id}`;
  const change = (body: object) => service.patch(path, { token, body });
  assertIssues(await change({ items: [discount] }), 422, ['#/total minimum']);
  assertIssues(await change({ items: [tea, { ...discount, total: 150 }] }), 422, ['#/items/1/total total']);
  const changed = await change({ items: [tea, { ...discount, total: -150 }], total: 1348 });
  assert.equal(changed.body.total, 1348);
  const free = await change({ items: [tea, { ...discount, unitPrice: -1498 }] });
  assert.equal(free.body.total, 0);
  await change({ items: [tea, discount] });
  for (const status of ['paid', 'shipped', 'refunded']) assert.equal((await change({ status })).status, 200);

  await newOrder(service, token, { customerId: order.customerId, items: [tea, deposit, discount] });
  service.clock.advance(1_000);
  const { body: sold } = await service.get('/sales/items', { token });
  assert.deepEqual(
    sold.items.map(({ name, quantity, total }: Record<string, unknown>) => [name, quantity, total]),
    [
      ['Tea', 2, 1498],
      ['-Deposit', 12, -96],
      ['10 %', 1, -150],
    ],
  );
  const { body: money } = await service.get('/sales?of=received', { token });
  const figures = money.buckets.flatMap((bucket: { figures: { total: number }[] }) => bucket.figures);
  assert.deepEqual(
    figures.map(({ total }: { total: number }) => total),
    [1348, -1348],
  );
});

test('a product may have a price below 0, also from a file', async (t) => {
  const service = await serviceFor(t);
  const { admin } = service;
  const { token } = await service.signIn(admin.email, admin.password);
  const { id, unitPrice } = await newProduct(service, token, { sku: 'PFAND', unitPrice: -25 });
  assert.equal(unitPrice, -25);
  const zero = await service.patch(`/products/${id}`, { token, body: '{"unitPrice": -0}' });
  assert.match(zero.text, /"unitPrice":0,/);
  await service.patch(`/products/${id}`, { token, body: { unitPrice: -25 } });

  const { text } = await service.get('/products', { token, headers: { accept: 'text/csv' } });
  assert.match(text, /,PFAND,[^\r]*,-0\.25,EUR,/);
  const send = (body: string) =>
    service.post('/imports?of=products', { token, body, headers: { 'content-type': 'text/csv' } });
  assert.match((await send(text)).text, /"result":"unchanged"/);
  const table =
    'sku,name,unitPrice,currency\nA,A,-1.00,EUR\nB,B,"-1,50",EUR\nC,C,−3,JPY\nD,D,\'-2.00,EUR\nE,E,--1,EUR\n';
  const results = (await send(table)).text.trim().split('\n');
  assert.deepEqual(
    results.map((line) => JSON.parse(line).status),
    [201, 201, 201, 201, 422],
  );
  const { body } = await service.get('/products?sort=sku', { token });
  assert.deepEqual(
    body.data.map((product: { unitPrice: number }) => product.unitPrice),
    [-100, -150, -3, -200, -25],
  );
});

suite('amounts below 0 are written and read in decimals', () => {
  for (const [minorUnits, currency, text] of [
    [-1498, 'EUR', '-14.98'],
    [-5, 'EUR', '-0.05'],
    [-5, 'JPY', '-5'],
    [-5, 'BHD', '-0.005'],
    [-1e12, 'EUR', '-10000000000.00'],
  ] as const)
    test(`an amount below 0: ${text} ${currency}`, () => {
      assert.equal(decimalAmount(minorUnits, currency), text);
      assert.equal(minorUnitsOf(text, currency), minorUnits);
    });
});
