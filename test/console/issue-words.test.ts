// The texts of the console's forms for the issues that the service reports.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { issueInWords } from '../../src/console/words/issue-words.ts';
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
      'Country: this country is unknown.',
    ],
  ] as const)
    test(`an issue is worded for its field: ${words}`, () => {
      const issues = schemaIssues(NewOrder, { ...order, ...sent });
      assert.deepEqual(
        issues.map((issue) => issueInWords(issue, { label, limit, country })),
        [words],
      );
    });

  for (const postalCode of ['1', null])
    test(`an issue is worded for its field: the postal code ${postalCode}`, () => {
      const detail = postalCodeIssue('DE', postalCode) ?? '';
      const issue = { pointer: '/shippingAddress/postalCode', code: 'postal-code', detail };
      assert.equal(
        issueInWords(issue, { label: 'Postal code', limit, country }),
        'An address in Germany needs a postal code such as 26133.',
      );
    });

  for (const [pointer, code, detail, words] of [
    ['/code', 'mismatch', 'code is wrong, or was used already.', 'This code is wrong, or was used already.'],
    ['/address/line1', 'required', 'line1 is required.', 'Field is required.'],
    ['/items/7/name', 'min-length', 'items[7].name must not be empty.', 'Field must not be empty.'],
    [
      '/items',
      'max-items',
      'items must have at most 100 items, not 101.',
      'At most 100 are possible: Field.',
    ],
    ['/sku', 'taken', 'Product 6 has the sku art-0005.', 'Product 6 has this SKU.'],
    [
      '/password',
      'password',
      'A password must have 8 to 128 characters.',
      'A password must have 8 to 128 characters.',
    ],
    ['/url', 'format', 'url must begin with https://.', 'Field must begin with https://.'],
    ['/note', 'brand-new', 'note is odd.', 'Field is odd.'],
  ] as const)
    test(`an issue is worded by its code: ${words}`, () =>
      assert.equal(issueInWords({ pointer, code, detail }, { label: 'Field', limit, country }), words));

  test('what is too long is said to be, with how much it is', () => {
    const issue = { pointer: '/sku', code: 'max-length', detail: 'sku must have at most 64 characters.' };
    const wording = { label: 'SKU', limit, country, entered: 80 };
    assert.equal(issueInWords(issue, wording), 'SKU must have at most 64 characters: it has 80.');
  });

  test('a phone number’s issue has the calling code of the shop’s country', () => {
    const issue = { pointer: '/phone', code: 'format', detail: 'phone must be complete.' };
    const words = issueInWords(issue, { label: 'Phone', limit, country, callingCode: '+353' });
    assert.match(words, /with a calling code such as \+353;/);
    assert.equal(
      issueInWords(issue, { label: 'Phone', limit, country }),
      'Phone must be complete, such as +49 441 12345678: the shop has no country yet (page Shop).',
    );
  });

  test('an issue of the console itself stays as it is', () =>
    assert.equal(
      issueInWords({ pointer: '/name', detail: 'Choose one.' }, { label: 'Name', limit, country }),
      'Choose one.',
    ));
});
