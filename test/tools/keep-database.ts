// Makes the database that is kept of a release: `node test/tools/keep-database.ts` starts the service, creates one of
// everything, and writes `test/data/databases/VERSION.db.br`. It is made once, before the release: from then on the
// tests start on it, so migrations are only added.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { brotliCompressSync } from 'node:zlib';
import { version } from '../../src/base/version.ts';
import { newCustomer, newKey, newOrder, newProduct, newWebhook } from '../support/resource-support.ts';
import { personWithCodes } from '../support/totp-support.ts';
import { keptDatabases, keptSecret } from '../support/kept-databases.ts';
import { serviceFor, type TestService } from '../support/service.ts';

const file = join(keptDatabases, `${version}.db.br`);
assert(!existsSync(file), `${file} exists: the database of a version is made once`);
const folder = mkdtempSync(join(tmpdir(), 'orderly-kept-'));
try {
  await using ends = new AsyncDisposableStack();
  const after = (end: unknown): unknown => ends.defer(end as () => Promise<void>); // it takes no arguments
  const service = await serviceFor({ after }, { folder, settings: { 'jwt-secrets': keptSecret } });
  await createOneOfEverything(service);
  await service.stop();
  const copy = join(folder, 'copy.db');
  using db = new DatabaseSync(join(folder, 'orderly.db'));
  db.exec(`VACUUM INTO '${copy}'`);
  mkdirSync(keptDatabases, { recursive: true });
  writeFileSync(file, brotliCompressSync(readFileSync(copy)));
  console.log(`${file}: ${readFileSync(file).length} bytes`);
} finally {
  rmSync(folder, { recursive: true });
}

async function createOneOfEverything(service: TestService): Promise<void> {
  const { token } = await service.signIn(service.admin.email, service.admin.password);
  const ada = await service.person('user', 'Ada Lovelace');
  const gone = await service.person('user', 'Charles Babbage');
  const suspended = await service.person('user', 'Lord Byron');
  await service.person('staff', 'Till');
  await personWithCodes(service);
  await newKey(service, ada.token);
  await newProduct(service, token, { sku: 'TEA-250', barcode: '4006381333931' });
  const { id: webhookId } = await newWebhook(service, token);
  await service.patch(`/webhooks/${webhookId}`, { token, body: { status: 'paused' } });

  const address = { line1: 'Am Markt 1', city: 'Oldenburg', postalCode: '26122', country: 'DE' };
  const grace = { email: 'grace@example.com', phone: '+4944112345678', address };
  const { id: customerId } = await newCustomer(service, ada.token, grace);
  const body = { customerId, currency: 'EUR', items: [{ name: 'Green tea', quantity: 2, unitPrice: 749 }] };
  const headers = { 'idempotency-key': 'kept' };
  assert.equal((await service.post('/orders', { token: ada.token, body, headers })).status, 201);
  for (const steps of [['paid'], ['paid', 'shipped', 'delivered'], ['cancelled'], ['paid', 'refunded']]) {
    const { id } = await newOrder(service, ada.token, { customerId, shippingAddress: address });
    for (const status of steps)
      assert.equal((await service.patch(`/orders/${id}`, { token, body: { status } })).status, 200);
  }
  const lines = [
    { key: 'kept', customer: { name: 'Mary Shelley' } },
    { key: 'kept', order: { customerKey: 'kept', currency: 'EUR', items: body.items } },
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const imported = await service.post('/imports', {
    token,
    body: text,
    headers: { 'content-type': 'application/x-ndjson' },
  });
  assert.match(imported.text, /"status":201[^]*"status":201/);

  await newOrder(service, gone.token);
  await service.delete(`/api/users/${gone.id}`, { token });
  await service.put(`/api/users/${suspended.id}/suspension`, { token, body: { reason: 'left' } });
}
