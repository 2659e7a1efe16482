// A database of each released schema is kept in test/data: this version opens all of them, and released
// migrations stay as they were.
import assert from 'node:assert/strict';
import { copyFileSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { migrations } from '../../src/migrations/migrations.ts';
import { serviceFor } from '../service.ts';

const data = join(import.meta.dirname, '../data');
const files = globSync('schema-*.db', { cwd: data }).sort();

test('there is a database of every schema', () => {
  assert.deepEqual(
    files,
    migrations.map((_, index) => `schema-${String(index + 1).padStart(4, '0')}.db`),
  );
});

for (const [index, file] of files.entries()) {
  test(`${file} was made by the migrations up to ${index + 1}, as they are`, () => {
    const made = new DatabaseSync(':memory:');
    for (const { sql } of migrations.slice(0, index + 1)) made.exec(sql);
    const kept = new DatabaseSync(join(data, file), { readOnly: true });
    const schemaOf = (db: DatabaseSync): unknown =>
      db.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').all();
    assert.deepEqual(schemaOf(kept), schemaOf(made));
    kept.close();
  });

  test(`what was written to ${file} is there with this version`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'orderly-schema-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    copyFileSync(join(data, file), join(folder, 'orderly.db'));
    const service = await serviceFor(t, { folder });
    const { token } = await service.signIn('ada@example.com', 'a password for tests');
    const { body: orders } = await service.get('/orders', { token });
    assert.deepEqual(
      orders.data.map(({ total, status, note }: { total: number; status: string; note: string }) => [
        total,
        status,
        note,
      ]),
      [[1498, 'open', 'Please ring twice.']],
    );
    assert.equal((await service.get('/customers/1', { token })).body.address.postalCode, '26129');
    assert.equal((await service.get('/api/keys', { token })).body.data[0].name, 'till');
  });
}
