// A service that is killed while it erases a customer: the next one continues, and no file keeps the name.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { newCustomer, newOrder } from '../../support/resource-support.ts';
import { until } from '../../support/storage-support.ts';
import { runCommand, startChild, type ChildService } from '../../support/child-service.ts';
import { settings, signedInFolder } from '../../torture/signed-in-folder.ts';
import { assertErased, copyOrder, ofOrder, personal } from './erased-customer.ts';

const copies = 12_000;

test('after kill -9 in the middle of an erasure the next start completes it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  let path = '';
  const { token } = await signedInFolder(folder, async (service, root) => {
    const customer = await newCustomer(service, root.token, personal);
    path = `/customers/${customer.id}`;
    const { id } = await newOrder(service, root.token, { customerId: customer.id, ...ofOrder });
    await service.inside?.database.write((db) => copyOrder(db, id, copies));
  });
  const first = await startChild({ folder, settings });
  assert.equal((await ask(first, 'PUT', `${path}/erasure`, token)).status, 204);
  await until(() => personalOrders(folder) <= copies - copies / 20);
  await first.kill('SIGKILL');
  assert(personalOrders(folder) > copies / 20, 'it was killed in the middle');
  const { code, output } = await runCommand(folder, ['check']);
  assert.equal(code, 0, output);

  const second = await startChild({ folder, settings });
  t.after(() => second.kill('SIGKILL'));
  assert.equal((await ask(second, 'PUT', `${path}/erasure`, token)).status, 204, 'it can be repeated');
  const order = await (await ask(second, 'GET', `/orders/${copies}`, token)).text();
  assert.match(order, /"shippingAddress":null,"note":null/);
  await until(() => personalOrders(folder) === 0);
  await second.kill('SIGTERM');
  assertErased(folder);
  const after = await runCommand(folder, ['check']);
  assert.equal(after.code, 0, after.output);
});

/** The orders that still have something personal, as they are in the file. */
function personalOrders(folder: string): number {
  using database = new DatabaseSync(join(folder, 'orderly.db'), { readOnly: true });
  const sql = 'SELECT count(*) AS rows FROM orders WHERE note IS NOT NULL OR shippingAddress IS NOT NULL';
  return Number(database.prepare(sql).get()?.['rows']);
}

function ask({ port }: ChildService, method: string, path: string, token: string): Promise<Response> {
  const headers = { authorization: `Bearer ${token}` };
  return fetch(`http://127.0.0.1:${port}${path}`, { method, headers });
}
