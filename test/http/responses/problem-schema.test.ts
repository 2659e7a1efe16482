// The problem schema of the OpenAPI document, with as many issues as possible.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { sharedService } from '../../support/http-support.ts';

suite('a problem fits its schema, however many issues it has', () => {
  const service = sharedService();
  const longName = 'ü'.repeat(1_300); // as a target, 6 bytes each
  const requests: readonly (readonly [what: string, method: string, path: string, body?: unknown])[] = [
    [
      'a hundred and fifty unknown parameters',
      'GET',
      `/orders?${Array.from({ length: 150 }, (_, index) => `p${index}=1`).join('&')}`,
    ],
    ['a parameter with a name of several lines', 'GET', '/orders?a%0Ab=1'],
    ['a parameter with a long name', 'GET', `/orders?${encodeURIComponent(longName)}=1`],
    ['a path with a long name', 'GET', `/problems/${'x'.repeat(8_000)}`],
    ['a member with a long name', 'POST', '/orders', { [' '.repeat(60_000)]: 1 }],
    [
      'a hundred items with nothing right',
      'POST',
      '/orders',
      { items: Array.from({ length: 100 }, () => ({ sku: 7, name: '', quantity: 0, unitPrice: -1 })) },
    ],
    [
      'a hundred wrong sums, and the sum of them',
      'POST',
      '/orders',
      {
        customerId: 1,
        currency: 'EUR',
        total: 7,
        items: Array.from({ length: 100 }, () => ({ name: 'Tea', quantity: 1, unitPrice: 1, total: 2 })),
      },
    ],
  ];
  for (const [what, method, path, body] of requests) {
    test(`a problem of ${what} fits its schema`, async () => {
      // conformance.ts compares it with the document
      const { token } = await service().person();
      const { status } = await service().call(method, path, { token, body });
      assert.ok(status === 422 || status === 404, String(status));
    });
  }
});
