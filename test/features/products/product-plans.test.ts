// SQLite's plan for a page of products: it walks an index in order, and sorts or scans nothing.
import { describe, test } from 'node:test';
import { productResource } from '../../../src/features/products/products.ts';
import { assertCheap, choices } from '../../support/query-plan-support.ts';

describe('a page of products walks an index in order', () => {
  const deep = { name: ['tea', 500], sku: ['tea-1', 500], createdAt: [1_772_357_400_000, 500] } as const;
  for (const sort of productResource.sortNames) {
    test(`a page of products by ${sort} walks an index in order, with every choice of filters`, async () => {
      const key = sort.replace('-', '') as keyof typeof deep; // it has nothing else
      for (const filter of choices([{ active: true }, { currency: 'EUR' }]))
        await assertCheap(productResource.selection('all', { ...filter, sort }), deep[key]);
    });
  }
});
