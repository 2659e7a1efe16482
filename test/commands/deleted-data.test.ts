// Deleted content is removed from the file: the free pages of a stolen backup contain none of it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { backup } from '../../src/storage/backup.ts';
import { newCustomer, newOrder } from '../support/resource-support.ts';
import { serviceFor } from '../support/service.ts';
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
