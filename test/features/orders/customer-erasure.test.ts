// A customer with orders is erased at once: for clients, then from the files, even after a restart.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { Connection } from '../../../src/storage/connection.ts';
import { orderly } from '../../support/command-support.ts';
import { assertProblem } from '../../support/http-support.ts';
import { items, newCustomer, newOrder } from '../../support/resource-support.ts';
import { executable, serviceFor } from '../../support/service.ts';
import { until } from '../../support/storage-support.ts';
import { assertShort, TurnWatch } from '../../support/turn-watch.ts';
import { address, assertErased, copyOrder, ofOrder, personal } from './erased-customer.ts';

const insideOnly = executable === undefined ? {} : { skip: 'needs the database' };
const rows = 20_000;

function isCleared(db: Connection | undefined): boolean {
  return db?.get<[number]>('SELECT count(*) FROM erasures')?.[0] === 0;
}

test('erasing a customer takes what is personal from customer, orders and search', async (t) => {
  const service = await serviceFor(t);
  const owner = await service.person();
  const { token } = await service.person('admin');
  const customer = await newCustomer(service, owner.token, personal);
  const order = await newOrder(service, owner.token, { customerId: customer.id, ...ofOrder });
  const other = await newOrder(service, owner.token, ofOrder);
  const path = `/customers/${customer.id}`;
  await service.get(path, { token });
  const { headers } = await service.get(`/orders/${order.id}`, { token }); // from now on both are cached

  const erased = await service.put(`${path}/erasure`, { token });
  assert.deepEqual([erased.status, erased.text], [204, '']);
  const now = (await service.get(path, { token })).body;
  const nothing = { name: 'erased', email: null, phone: null, address: null, note: null, reference: null };
  assert.deepEqual(now, { ...customer, ...nothing, updatedAt: now.updatedAt });
  const known = { 'if-none-match': String(headers.etag) };
  const orderNow = (await service.get(`/orders/${order.id}`, { token, headers: known })).body;
  assert.deepEqual(orderNow, { ...order, shippingAddress: null, note: null });
  assert.deepEqual((await service.get(`/orders/${other.id}`, { token })).body, other);
  const listed = await service.get(`/orders?customerId=${customer.id}&include=customer`, { token });
  assert.deepEqual(listed.body.data, [{ ...orderNow, customer: { id: customer.id, name: 'erased' } }]);
  for (const q of ['Qzorvath', 'uxl', '2349876', 'QZ-77', 'qzorvath@example.com'])
    assert.deepEqual((await service.get(`/customers?q=${q}`, { token })).body.data, [], q);
  const found = await service.get('/customers?q=erased', { token });
  assert.deepEqual(found.body.data, [now]);
});

test('erasing a customer again changes nothing, and clears what orders were given since', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person('admin');
  const { id: customerId } = await newCustomer(service, token, personal);
  const path = `/customers/${customerId}`;
  await service.put(`${path}/erasure`, { token });
  const before = await service.get(path, { token });
  const { id } = await newOrder(service, token, { customerId, ...ofOrder });
  assert.deepEqual(
    (await service.get(`/orders/${id}`, { token })).body.shippingAddress?.line1,
    address.line1,
  );
  assert.equal((await service.put(`${path}/erasure`, { token })).status, 204);
  assert.deepEqual((await service.get(`/orders/${id}`, { token })).body.note, null);
  const after = await service.get(path, { token });
  assert.equal(after.headers.etag, before.headers.etag);
  const { body } = await service.get(`${path}/events`, { token });
  assert.deepEqual(
    body.data.map(({ type }: { readonly type: string }) => type),
    ['customer.erased', 'customer.created'],
  );
  assert(!JSON.stringify(body).includes('Qzorvath'));
});

test('erasing needs an administrator who signed in recently, and a customer', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person('admin');
  const staff = await service.person('staff');
  const { id } = await newCustomer(service, staff.token, personal);
  const path = `/customers/${id}/erasure`;
  assertProblem(await service.put(path, { token: staff.token }), 'forbidden', 403);
  assertProblem(await service.put('/customers/4711/erasure', { token }), 'not-found', 404);
  service.clock.advance(601_000);
  assertProblem(await service.put(path, { token }), 'step-up-required', 401);
  const unchanged = await service.get(`/customers/${id}`, { token });
  assert.equal(unchanged.body.name, personal.name);
});

test('no file has what was erased, after the cleanup and a stop', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person('admin');
  const post = (path: string, body: object) =>
    service.post(path, { token, body, headers: { 'Idempotency-Key': randomUUID() } });
  const { id: customerId } = (await post('/customers', personal)).body;
  const placed = await post('/orders', { customerId, currency: 'EUR', items, ...ofOrder });
  assert.equal(placed.status, 201);
  const { id: orderId } = (await post('/orders', { customerId, currency: 'EUR', items })).body;
  const headers = { 'Idempotency-Key': randomUUID() };
  const changed = await service.patch(`/orders/${orderId}`, { token, body: ofOrder, headers });
  assert.equal(changed.status, 200);
  const line = JSON.stringify({ key: 'Qzorvath 1', customer: { ...personal, email: 'wuxlem@example.com' } });
  const type = { 'Content-Type': 'application/x-ndjson' };
  const imported = await service.post('/imports', { token, headers: type, body: line });
  const importedId = JSON.parse(imported.text.split('\n')[0] ?? '').id;
  for (const id of [customerId, importedId])
    assert.equal((await service.put(`/customers/${id}/erasure`, { token })).status, 204);
  await until(() => isCleared(service.inside?.database.read));
  await service.stop();

  assertErased(service.folder);
  const db = new DatabaseSync(join(service.folder, 'orderly.db'));
  t.after(() => db.close());
  const blocks = db.prepare('SELECT block FROM customerSearch_data').all();
  const index = blocks.map(({ block }) => Buffer.from(block as Uint8Array).toString('latin1')).join(' ');
  for (const trigram of ['QZO', 'WUX']) assert(!index.includes(trigram), trigram);
  assert(index.includes('ERA'));
});

test(
  'the orders of an erased customer are hidden at once, and a restart clears the rest',
  insideOnly,
  async (t) => {
    const service = await serviceFor(t);
    const root = await service.person('admin');
    const { id: customerId } = await newCustomer(service, root.token, personal);
    const { id } = await newOrder(service, root.token, { customerId, ...ofOrder });
    await service.inside?.database.write((db) => copyOrder(db, id, rows));
    assert.equal((await service.put(`/customers/${customerId}/erasure`, { token: root.token })).status, 204);
    await service.restart();
    const { token } = await service.signIn(root.email, root.password);
    const left = 'SELECT count(*) FROM orders WHERE note IS NOT NULL OR shippingAddress IS NOT NULL';
    const leftNow = (): number => Number(service.inside?.database.read.get<[number]>(left)?.[0]);
    assert(leftNow() > 0, 'stopping waits for a slice at most');
    const last = await service.get(`/orders/${id + rows}`, { token });
    assert.deepEqual([last.body.note, last.body.shippingAddress], [null, null]);
    const { text } = await service.get('/orders?limit=200', { token });
    assert(!text.includes('Zyxwallee') && !text.includes('Qzorvath'));
    const found = await service.get('/orders?q=oldenburg', { token });
    assert.deepEqual(found.body.data, []);
    const added = await newOrder(service, token, { customerId, ...ofOrder });
    assert.deepEqual((await service.get(`/orders/${added.id}`, { token })).body, added);
    const paid = await service.patch(`/orders/${id}`, { token, body: { status: 'paid' } });
    assert.deepEqual([paid.status, paid.body.note], [200, null]);
    const checked = await orderly(['check', `--data=${service.folder}`]);
    assert.equal(checked.status, 0, checked.stdout); // it says how far it is, if that takes long
    const turns = new TurnWatch();
    await service.inside?.app.cleanup.run();
    assertShort(turns);
    assert(isCleared(service.inside?.database.read));
    assert.equal(leftNow(), 1, 'the order that was placed afterwards');
    assert.deepEqual((await service.get(`/orders/${added.id}`, { token })).body, added);
    const lastNow = await service.get(`/orders/${id + rows}`, { token });
    assert.equal(lastNow.headers.etag, last.headers.etag);
  },
);
