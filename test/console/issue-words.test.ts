// The texts of the console's forms for the issues that the service reports.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { inWords } from '../../src/console/parts/issue-words.ts';
import { postalCodeIssue } from '../../src/features/customers/address.ts';
import { NewOrder } from '../../src/features/orders/order-members.ts';
import { schemaIssues } from '../../src/schema/schema-check.ts';

suite('an issue of the service is worded for its field', () => {
  const item = { name: 'Tea', quantity: 1, unitPrice: 749 };
  const shippingAddress = { line1: 'Am Markt 1', city: 'Oldenburg', country: 'DE', postalCode: '26122' };
  const order = { customerId: 1, currency: 'EUR', items: [item], shippingAddress };
  const limit = (value: number): string => value.toLocaleString('en');
  const country = (code: string): string => {
    assert.match(code, /^[A-Z]{2}$/, 'browsers throw for other texts');
    return code === 'DE' ? 'Germany' : code;
  };

  for (const [label, sent, words] of [
    ['Quantity', { items: [{ ...item, quantity: 1_000_001 }] }, 'Quantity must be at most 1,000,000.'],
    ['Quantity', { items: [item, { ...item, quantity: 0 }] }, 'Quantity must be at least 1.'],
    ['Quantity', { items: [{ ...item, quantity: 1.5 }] }, 'Quantity must be a whole number.'],
    ['Item', { items: [{ ...item, name: '' }] }, 'Item must not be empty.'],
    ['City', { shippingAddress: { ...shippingAddress, city: '' } }, 'City must not be empty.'],
    [
      'Country',
      { shippingAddress: { ...shippingAddress, country: 'ZZ' } },
      'ZZ is not an ISO 3166-1 country code.',
    ],
  ] as const)
    test(`an issue is worded for its field: ${words}`, () => {
      const issues = schemaIssues(NewOrder, { ...order, ...sent });
      assert.deepEqual(
        issues.map((issue) => inWords(issue, { label, limit, country })),
        [words],
      );
    });

  for (const [postalCode, words] of [
    ['1', 'A postal code of Germany looks like 26133.'],
    [null, 'An address in Germany needs a postal code, such as 26133.'],
  ] as const)
    test(`an issue is worded for its field: ${words}`, () => {
      const detail = postalCodeIssue('DE', postalCode) ?? '';
      const issue = { pointer: '/shippingAddress/postalCode', detail };
      assert.equal(inWords(issue, { label: 'Postal code', limit, country }), words);
    });

  for (const [member, label, sent, words] of [
    [
      'code',
      'Code that the app shows now',
      'code is wrong, or was used already.',
      'This code is wrong, or was used already.',
    ],
    ['line1', 'Street', 'line1 is required.', 'Street is required.'],
    ['sku', 'SKU', 'Product 6 has the SKU art-0005.', 'Product 6 has the SKU art-0005.'],
  ] as const)
    test(`an issue doesn’t put a label where no member was: ${words}`, () => {
      const issue = { pointer: `/${member}`, detail: sent };
      assert.equal(inWords(issue, { label, limit, country }), words);
    });

  test('an issue of the whole body stays as it is', () =>
    assert.equal(
      inWords({ detail: 'The body must be an object.' }, { label: 'Item', limit, country }),
      'The body must be an object.',
    ));
});
