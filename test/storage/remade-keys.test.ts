// What migrations make of the keys of kept rows, and of rows that have the same key from then on.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { migrations } from '../../src/service/features.ts';
import { openMigrated } from '../../src/storage/migrations.ts';
import { orderly } from '../support/command-support.ts';
import { keptSecret, placeKeptDatabase } from '../support/kept-databases.ts';
import { password, serviceFor } from '../support/service.ts';
import { assertIssues } from '../support/resource-support.ts';
import { assertProblem } from '../support/http-support.ts';
import { DatabaseSync } from 'node:sqlite';

const settings = { 'jwt-secrets': keptSecret };

/** The database of 1.0.0 with products and users that 1.0.0 told apart. */
function folderWithTwins(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-keys-'));
  t.after(() => rmSync(folder, { recursive: true }));
  using db = new DatabaseSync(placeKeptDatabase('1.0.0', folder));
  const product = db.prepare(
    'INSERT INTO products (id, sku, skuKey, name, nameKey, unitPrice, currency, barcode, active, createdAt, updatedAt) ' +
      "VALUES (?, ?, ?, ?, ?, 1, 'EUR', ?, 1, 1, 1)",
  );
  product.run(101, 'TRIM-1 ', 'trim-1 ', 'Öfen', 'öfen', '012345678905');
  product.run(102, 'TRIM-1', 'trim-1', 'Ofen', 'ofen', '0012345678905');
  product.run(103, 'TRIM-\u200b1', 'trim-\u200b1', 'Zucker', 'zucker', null);
  for (const id of [101, 102, 103])
    db.prepare(
      'INSERT INTO events (createdAt, type, topic, topicId, subjectId, changes) ' +
        "VALUES (1, 'product.created', 'product', ?, ?, '{\"currency\":[null,\"EUR\"]}')",
    ).run(id, id);
  for (const [id, email] of [
    [2, 'Rosa@bücher.example'],
    [5, 'rosa@xn--bcher-kva.example'],
  ] as const)
    db.prepare('UPDATE users SET email = ?, emailKey = ? WHERE id = ?').run(email, email.toLowerCase(), id);
  return folder;
}

test('rows that come to the same key stay two: the older has it, and start and check name both', async (t) => {
  const folder = folderWithTwins(t);
  const service = await serviceFor(t, { folder, settings });
  const { token } = await service.signIn(service.admin.email, service.admin.password);
  const notes = [
    /product 102 has the sku "TRIM-1", that product 101 has, too/,
    /product 103 has the sku .*, that product 101 has, too/,
    /product 102 has the barcode "0012345678905", that product 101 has, too/,
    /user 5 has the email "rosa@xn--bcher-kva.example", that user 2 has, too/,
  ];
  const warnings = service.logged.map((line) => String(JSON.parse(line).message)).join('\n');
  for (const note of notes) assert.match(warnings, note);

  const { body } = await service.get('/products?q=TRIM-1', { token });
  assert.equal(body.data.length, 3, 'nothing is merged or deleted');
  const path = '/products/102';
  assert.equal((await service.patch(path, { token, body: { name: 'Ofen 2' } })).status, 200);
  const sent = { sku: 'trim-1', barcode: '00012345678905' };
  assertIssues(await service.patch(path, { token, body: sent }), 422, ['#/barcode taken', '#/sku taken']);
  assert.equal((await service.patch(path, { token, body: { sku: 'OTHER' } })).status, 200);

  const older = await service.signIn('ROSA@bücher.example', password);
  const newer = await service.signIn('rosa@xn--bcher-kva.example', password);
  assert.deepEqual([older.id, newer.id], [2, 5]);
  assert.equal((await service.patch('/api/users/5', { token, body: { name: 'Rosa' } })).status, 200);
  const email = 'rosa@BÜCHER.example';
  assertProblem(await service.patch('/api/users/5', { token, body: { email } }), 'email-taken');

  await service.stop();
  const { status, stdout } = await orderly(['check', `--data=${folder}`]);
  assert.equal(status, 0, stdout);
  for (const note of notes.slice(1)) assert.match(stdout, note);
});

test('an address stays taken by the user who signs in with it, once the older user has another one', async (t) => {
  const service = await serviceFor(t, { folder: folderWithTwins(t), settings });
  const { token } = await service.signIn(service.admin.email, service.admin.password);
  const moved = await service.patch('/api/users/2', { token, body: { email: 'rosa@example.com' } });
  assert.equal(moved.status, 200);
  const email = 'ROSA@xn--bcher-kva.example';
  const taken = await service.post('/api/users', { token, body: { name: 'Rosa', email, password } });
  assertProblem(taken, 'email-taken');
  assert.equal((await service.signIn(email, password)).id, 5);
});

test('kept customers are sorted and found by the new keys', async (t) => {
  const folder = folderWithTwins(t);
  {
    using db = new DatabaseSync(join(folder, 'orderly.db'));
    db.exec(
      "UPDATE customers SET name = 'Öfen', nameKey = 'öfen', email = 'a@bücher.example', emailKey = 'a@bücher.example' WHERE id = 1",
    );
  }
  using db = await openMigrated(folder, migrations);
  const row = Object.values(
    db.prepare('SELECT nameKey, emailKey FROM customers WHERE id = 1').get() ?? {},
  ).flat();
  assert.deepEqual(row, ['ofen\u0001Öfen', 'a@xn--bcher-kva.example']);
});
