// Orders in currencies that were withdrawn: imported, and then treated as all others.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currencyDigits } from '../../../src/schema/decimal.ts';
import { currencies, withdrawnCurrencies } from '../../../src/schema/iso-codes.ts';
import { customerLine, importLines, orderLine } from '../../support/import-support.ts';
import { assertIssues, newCustomer, rootService } from '../../support/resource-support.ts';

test('an order in a withdrawn currency is imported, stepped, refunded and exported; no new one is', async (t) => {
  const { service, root } = await rootService(t);
  const codes = ['BGN', 'HRK', 'DEM', 'ITL', 'LTL', 'ANG', 'CUC', 'ZWL', 'TRL', 'XEU'];
  const [, opened, ...results] = await importLines(service, root.token, [
    customerLine('c'),
    orderLine('open', 'c', { currency: 'BGN' }),
    ...codes.map((currency) => orderLine(currency, 'c', { currency, status: 'paid' })),
    ...['XFO', 'ABC'].map((currency) => orderLine(currency, 'c', { currency })),
  ]);
  assert.deepEqual(
    results.map(({ status }) => status),
    [...codes.map(() => 201), 422, 422],
  );
  for (const { id } of results.slice(0, codes.length))
    for (const status of ['shipped', 'refunded'])
      assert.equal((await root.patch(`/orders/${id}`, { status })).status, 200);
  const lira = await root.get('/orders?currency=ITL', { accept: 'text/csv' });
  assert.match(lira.text, /,ITL,.*,1498,1,/);
  assert.equal((await root.get('/sales')).status, 200);

  const change = (body: object) => root.patch(`/orders/${opened?.id}`, body);
  const items = [{ name: 'Tea', quantity: 1, unitPrice: 5 }];
  assert.equal((await change({ items, currency: 'BGN' })).body.total, 5);
  assertIssues(await change({ currency: 'HRK' }), 422, ['#/currency format']);
  assert.equal((await change({ currency: 'EUR' })).body.currency, 'EUR');
  const { id: customerId } = await newCustomer(service, root.token);
  for (const response of [
    await change({ currency: 'BGN' }),
    await root.post('/orders', { customerId, currency: 'BGN', items }),
    await root.post('/products', { sku: 'A', name: 'A', unitPrice: 5, currency: 'BGN' }),
  ])
    assertIssues(response, 422, ['#/currency format']);
});

test('a withdrawn currency has the minor unit that it had, and is not active', () => {
  for (const [digits, ...codes] of [
    [2, 'BGN', 'HRK', 'DEM', 'FRF'],
    [0, 'ITL', 'ESP', 'BEF', 'GRD', 'TRL', 'BYR'],
  ] as const)
    for (const code of codes)
      assert.deepEqual([withdrawnCurrencies.has(code), currencyDigits(code)], [true, digits], code);
  assert.ok(withdrawnCurrencies.isDisjointFrom(currencies));
});
