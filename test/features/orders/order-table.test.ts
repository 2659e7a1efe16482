// The CHECKs of the table of orders accept the words of the sources, and no others.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { payments, statuses } from '../../../src/features/orders/order-status.ts';
import { migrations } from '../../../src/service/features.ts';

for (const [column, words] of Object.entries({ status: statuses, payment: payments }))
  test(`the table of orders accepts each ${column} of the sources, and no other`, (t) => {
    const sqlite = new DatabaseSync(':memory:');
    t.after(() => sqlite.close());
    for (const { sql } of migrations) sqlite.exec(sql);
    const [table] = sqlite.prepare("SELECT sql FROM sqlite_schema WHERE name = 'orders'").all();
    const accepted = [...String(table?.['sql']).matchAll(new RegExp(`\\b${column} = '(\\w+)'`, 'g'))];
    assert.deepEqual(accepted.map(([, word]) => word).toSorted(), words.toSorted());
  });
