// Deleted content is removed from the file: the free pages of a stolen backup contain none of it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { backup } from '../../src/storage/backup.ts';
import { databaseFile } from '../../src/storage/database-file.ts';
import { newCustomer, newOrder } from '../support/resource-support.ts';
import { admin, serviceFor } from '../support/service.ts';
import { until } from '../support/storage-support.ts';
import { newFolder } from '../support/command-support.ts';

const customers = 60;
const deleted = 'Zebulon Quillfeather';
const kept = 'Ottoline Farthingale';

test('a backup contains no deleted users and customers, and no earlier versions of orders', async (t) => {
  const service = await serviceFor(t);
  const { id, token } = await service.person('user', deleted);
  const order = await newOrder(service, token, { note: `${deleted} `.repeat(80).trim() });
  for (let made = 0; made < customers; made += 1) {
    const address = { line1: `${deleted}, ${made}`, city: 'Ulm', country: 'DE', postalCode: '89073' };
    const customer = await newCustomer(service, token, { name: `${deleted} ${made}`, address });
    assert.equal((await service.delete(`/customers/${customer.id}`, { token })).status, 204);
  }
  await newCustomer(service, token, { name: kept });
  assert.equal((await service.patch(`/orders/${order.id}`, { token, body: { note: 'none' } })).status, 200);
  assert.equal((await service.delete(`/api/users/${id}`, { token })).status, 204);
  const copy = join(newFolder(t), 'copy.db');
  await backup(service.folder, copy);
  const bytes = readFileSync(copy);
  assert.ok(bytes.includes(kept));
  assert.ok(!bytes.includes(deleted));
  assert.ok(!bytes.includes(deleted.toLowerCase()), 'the key of an index');
  assert.ok(!bytes.includes('ZEB') && !bytes.includes('QUI'), 'trigrams of the search');
});

test('what is erased leaves the database and its write-ahead log while the service runs', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.signIn(admin.email, admin.password);
  const customer = await newCustomer(service, token, { name: deleted, note: deleted });
  await newOrder(service, token, { customerId: customer.id, note: deleted });
  const isOnDisk = (): boolean =>
    ['', '-wal'].some((end) => readFileSync(`${databaseFile(service.folder)}${end}`).includes(deleted));
  assert.ok(isOnDisk());
  assert.equal((await service.put(`/customers/${customer.id}/erasure`, { token })).status, 204);
  await until(() => !isOnDisk());

  const person = await service.person('user', deleted);
  assert.ok(isOnDisk());
  assert.equal((await service.delete(`/api/users/${person.id}`, { token })).status, 204);
  await until(() => !isOnDisk());
});
