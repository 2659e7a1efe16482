// Orders in currencies that were withdrawn: imported, and then treated as all others.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { currencyDigits } from '../../../src/schema/decimal.ts';
import { currencies, withdrawnCurrencies } from '../../../src/schema/iso-codes.ts';
import { customerLine, orderLine, resultsOf, sendImport, linesOf } from '../../support/import-support.ts';
import { assertIssues, newOrder } from '../../support/resource-support.ts';
import { serviceFor } from '../../support/service.ts';

test('an order in a withdrawn currency is imported, stepped, refunded and exported; no new one is', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.signIn(service.admin.email, service.admin.password);
  const codes = ['BGN', 'HRK', 'DEM', 'ITL', 'LTL', 'ANG', 'CUC', 'ZWL', 'TRL', 'XEU'];
  const lines = codes.map((currency) => orderLine(currency, 'c', { currency, status: 'paid' }));
  const unknown = ['XFO', 'ABC'].map((currency) => orderLine(currency, 'c', { currency }));
  const sent = linesOf([
    customerLine('c'),
    ...lines,
    orderLine('open', 'c', { currency: 'BGN' }),
    ...unknown,
  ]);
  const results = resultsOf((await sendImport(service, sent, { token })).text);
  assert.deepEqual(
    results.map(({ status }) => status),
    [201, ...codes.map(() => 201), 201, 422, 422],
  );
  const ids = results.slice(1, 1 + codes.length).map(({ id }) => id);
  for (const id of ids)
    for (const status of ['shipped', 'refunded']) {
      const { status: answered } = await service.patch(`/orders/${id}`, { token, body: { status } });
      assert.equal(answered, 200);
    }
  const lira = await service.get('/orders?currency=ITL', { token, headers: { accept: 'text/csv' } });
  assert.match(lira.text, /,ITL,.*,1498,1,/);
  assert.equal((await service.get('/sales', { token })).status, 200);

  const open = results[1 + codes.length]?.id;
  const change = (id: unknown, body: object) => service.patch(`/orders/${id}`, { token, body });
  const items = [{ name: 'Tea', quantity: 1, unitPrice: 5 }];
  assert.equal((await change(open, { items, currency: 'BGN' })).body.total, 5);
  assertIssues(await change(open, { currency: 'HRK' }), 422, ['#/currency format']);
  assert.equal((await change(open, { currency: 'EUR' })).body.currency, 'EUR');
  assertIssues(await change(open, { currency: 'BGN' }), 422, ['#/currency format']);

  const { customerId } = await newOrder(service, token);
  const body = { customerId, currency: 'BGN', items };
  assertIssues(await service.post('/orders', { token, body }), 422, ['#/currency format']);
  const product = { sku: 'A', name: 'A', unitPrice: 5, currency: 'BGN' };
  assertIssues(await service.post('/products', { token, body: product }), 422, ['#/currency format']);
});

test('no currency is both active and withdrawn', () => {
  assert.deepEqual(
    [...withdrawnCurrencies].filter((code) => currencies.has(code)),
    [],
  );
});

suite('a withdrawn currency has the minor unit that it had', () => {
  for (const [code, digits] of [
    ['BGN', 2],
    ['HRK', 2],
    ['DEM', 2],
    ['FRF', 2],
    ['ITL', 0],
    ['ESP', 0],
    ['BEF', 0],
    ['GRD', 0],
    ['TRL', 0],
    ['BYR', 0],
  ] as const)
    test(`the minor unit of ${code}`, () => {
      assert.ok(withdrawnCurrencies.has(code));
      assert.equal(currencyDigits(code), digits);
    });
});
