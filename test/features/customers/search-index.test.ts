// The index of the search of customers, as the migration leaves it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refillCustomerSearch } from '../../../src/features/customers/customer-search-store.ts';
import { Connection } from '../../../src/storage/connection.ts';
import { migratedInMemory } from '../../support/memory-database.ts';

test('an index that was made anew is one segment, which no later change has to merge', () => {
  const sqlite = migratedInMemory();
  sqlite.exec(
    `INSERT INTO customers (name, nameKey, createdAt, updatedAt)
     WITH RECURSIVE s (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM s WHERE value < 5000)
     SELECT hex(randomblob(40)), '', 0, 0 FROM s`,
  );
  const db = new Connection(sqlite);
  refillCustomerSearch(db);
  assert.deepEqual(db.get('SELECT count(DISTINCT segid) FROM customerSearch_idx'), [1]);
});
