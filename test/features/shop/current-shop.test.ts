// The shop in effect, in memory.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { shopMigrations } from '../../../src/features/shop/shop-migrations.ts';
import { CurrentShop } from '../../../src/features/shop/shop-store.ts';
import { readCommandLine } from '../../../src/service/command-line.ts';
import { Connection } from '../../../src/storage/connection.ts';

test('the former shop is in effect while its row can’t be read, and then the present one', () => {
  const sqlite = new DatabaseSync(':memory:', { returnArrays: true });
  for (const { sql } of shopMigrations) sqlite.exec(sql);
  let isDamaged = false;
  let reads = 0;
  const read = new Connection(sqlite, (run) => {
    reads += 1;
    assert(!isDamaged, 'database disk image is malformed');
    return run();
  });
  const { config } = readCommandLine(['--default-country', 'DE'], {});
  const shop = new CurrentShop(read, config);
  sqlite.exec("INSERT INTO shop (id, country, updatedAt) VALUES (1, 'AT', 0)");
  isDamaged = true;
  shop.onDurableChanges(['everything']);
  assert.equal(shop.country, 'DE');
  isDamaged = false;
  assert.equal(shop.country, 'AT');
  const readsBefore = reads;
  assert.equal(shop.country, 'AT');
  assert.equal(reads, readsBefore);
});
