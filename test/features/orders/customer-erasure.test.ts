// A customer with orders is erased at once: for clients, then from the files, even after a restart.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { Connection } from '../../../src/storage/connection.ts';
import { orderly } from '../../support/command-support.ts';
import { assertProblem } from '../../support/http-support.ts';
import { customerLine, importLines } from '../../support/import-support.ts';
import { assertInNoFile, items, newCustomer, newOrder, valuesIn } from '../../support/resource-support.ts';
import { insideOnly, serviceFor } from '../../support/service.ts';
import { until } from '../../support/storage-support.ts';
import { assertShort, TurnWatch } from '../../support/turn-watch.ts';

/** Unusual words, which the tests look for in the files. */
const address = { line1: 'Zyxwallee 7', city: 'Oldenburg', postalCode: '26133', country: 'DE' };
const personal = {
  name: 'Qzorvath Wuxlem',
  email: 'qzorvath@example.com',
  phone: '+4944112349876',
  address,
  note: 'Wuxlem rings twice.',
  reference: 'QZ-77',
};
const words = ['Qzorvath', 'Wuxlem', 'qzorvath', 'wuxlem', '4411234', 'Zyxwallee', 'zyxw'];
const nothing = { name: 'erased', email: null, phone: null, address: null, note: null, reference: null };
const ofOrder = { shippingAddress: address, note: 'To Qzorvath’s back door.' };

function isCleared(db: Connection | undefined): boolean {
  return db?.get<[number]>('SELECT count(*) FROM erasures')?.[0] === 0;
}

test('erasing a customer takes what is personal from customer, orders and search', async (t) => {
  const service = await serviceFor(t);
  const owner = await service.person();
  const admin = await service.person('admin');
  const customer = await newCustomer(service, owner.token, personal);
  const order = await newOrder(service, owner.token, { customerId: customer.id, ...ofOrder });
  const other = await newOrder(service, owner.token, ofOrder);
  const path = `/customers/${customer.id}`;
  await admin.get(path);
  const { headers } = await admin.get(`/orders/${order.id}`); // from now on both are cached

  const erased = await admin.put(`${path}/erasure`);
  assert.deepEqual([erased.status, erased.text], [204, '']);
  const now = (await admin.get(path)).body;
  assert.deepEqual(now, { ...customer, ...nothing, updatedAt: now.updatedAt });
  const known = { 'if-none-match': String(headers.etag) };
  const orderNow = (await admin.get(`/orders/${order.id}`, known)).body;
  assert.deepEqual(orderNow, { ...order, shippingAddress: null, note: null });
  assert.deepEqual((await admin.get(`/orders/${other.id}`)).body, other);
  const listed = await admin.get(`/orders?customerId=${customer.id}&include=customer`);
  assert.deepEqual(listed.body.data, [{ ...orderNow, customer: { id: customer.id, name: 'erased' } }]);
  for (const q of ['Qzorvath', 'uxl', '2349876', 'QZ-77', 'qzorvath@example.com'])
    assert.deepEqual((await admin.get(`/customers?q=${q}`)).body.data, [], q);
  assert.deepEqual((await admin.get('/customers?q=erased')).body.data, [now]);
});

test('erasing a customer again changes nothing, and clears what orders were given since', async (t) => {
  const service = await serviceFor(t);
  const admin = await service.person('admin');
  const { id: customerId } = await newCustomer(service, admin.token, personal);
  const path = `/customers/${customerId}`;
  await admin.put(`${path}/erasure`);
  const before = await admin.get(path);
  const order = await newOrder(service, admin.token, { customerId, ...ofOrder });
  assert.deepEqual((await admin.get(`/orders/${order.id}`)).body, order);
  assert.equal((await admin.put(`${path}/erasure`)).status, 204);
  assert.equal((await admin.get(`/orders/${order.id}`)).body.note, null);
  assert.equal((await admin.get(path)).headers.etag, before.headers.etag);
  const history = await admin.get(`${path}/events`);
  assert.deepEqual(valuesIn(history, 'type'), ['customer.erased', 'customer.created']);
  assert(!history.text.includes('Qzorvath'));
});

test('erasing needs an administrator who signed in recently, and a customer', async (t) => {
  const service = await serviceFor(t);
  const [admin, staff] = [await service.person('admin'), await service.person('staff')];
  const { id } = await newCustomer(service, staff.token, personal);
  assertProblem(await staff.put(`/customers/${id}/erasure`), 'forbidden');
  assertProblem(await admin.put('/customers/4711/erasure'), 'not-found');
  service.clock.advance(601_000);
  assertProblem(await admin.put(`/customers/${id}/erasure`), 'step-up-required');
  assert.equal((await admin.get(`/customers/${id}`)).body.name, personal.name);
});

test('no file has what was erased, after the cleanup and a stop', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const admin = await service.person('admin');
  const withKey = (): Record<string, string> => ({ 'Idempotency-Key': randomUUID() });
  const { id: customerId } = (await admin.post('/customers', personal, withKey())).body;
  const wanted = { customerId, currency: 'EUR', items };
  const placed = [
    await admin.post('/orders', { ...wanted, ...ofOrder }, withKey()),
    await admin.post('/orders', wanted, withKey()),
  ];
  const changed = await admin.patch(`/orders/${placed[1]?.body.id}`, ofOrder, withKey());
  assert.deepEqual([placed[0]?.status, changed.status], [201, 200]);
  const line = customerLine('Qzorvath 1', { ...personal, email: 'wuxlem@example.com' });
  const [imported] = await importLines(service, admin.token, [line]);
  for (const id of [customerId, imported?.id])
    assert.equal((await admin.put(`/customers/${id}/erasure`)).status, 204);
  await until(() => isCleared(service.inside?.database.read));
  await service.stop();

  assertInNoFile(service.folder, words);
  using db = new DatabaseSync(join(service.folder, 'orderly.db'));
  const blocks = db.prepare('SELECT block FROM customerSearch_data').all();
  const index = blocks.map(({ block }) => Buffer.from(block as Uint8Array).toString('latin1')).join(' ');
  for (const trigram of ['QZO', 'WUX']) assert(!index.includes(trigram), trigram);
  assert(index.includes('ERA'));
});

/** Copies the order, with its event, as often as `copies` says: all are of the same time. */
function copyOrder(db: Pick<Connection, 'run'>, id: number, copies: number): void {
  const columns =
    'status, customerId, userId, currency, items, total, shippingAddress, note, createdAt, updatedAt';
  db.run(
    'WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT ?) ' +
      `INSERT INTO orders (${columns}) SELECT ${columns} FROM orders, n WHERE id = ?`,
    copies,
    id,
  );
  db.run(
    'INSERT INTO events (createdAt, type, topic, topicId, subjectId, ownerId) ' +
      "SELECT createdAt, 'order.created', 'order', id, id, userId FROM orders WHERE id > ?",
    id,
  );
}

test('orders of an erased customer are hidden at once, and cleared by a restart', insideOnly, async (t) => {
  const copies = 10_000;
  const service = await serviceFor(t);
  const admin = await service.person('admin');
  const { id: customerId } = await newCustomer(service, admin.token, personal);
  const { id } = await newOrder(service, admin.token, { customerId, ...ofOrder });
  await service.inside?.database.write((db) => copyOrder(db, id, copies));
  assert.equal((await admin.put(`/customers/${customerId}/erasure`)).status, 204);
  await service.restart();
  const { token, get, patch } = await service.signIn(admin.email, admin.password);
  const left = 'SELECT count(*) FROM orders WHERE note IS NOT NULL OR shippingAddress IS NOT NULL';
  const leftNow = (): number => Number(service.inside?.database.read.get<[number]>(left)?.[0]);
  assert(leftNow() > 0, 'stopping waits for a slice at most');
  const last = await get(`/orders/${id + copies}`);
  assert.deepEqual([last.body.note, last.body.shippingAddress], [null, null]);
  const { text } = await get('/orders?limit=200');
  assert(!text.includes('Zyxwallee') && !text.includes('Qzorvath'));
  assert.deepEqual((await get('/orders?q=oldenburg')).body.data, []);
  const added = await newOrder(service, token, { customerId, ...ofOrder });
  assert.deepEqual((await get(`/orders/${added.id}`)).body, added);
  const paid = await patch(`/orders/${id}`, { status: 'paid' });
  assert.deepEqual([paid.status, paid.body.note], [200, null]);
  const checked = await orderly(['check', `--data=${service.folder}`]);
  assert.equal(checked.status, 0, checked.stdout); // it says how far it is, if that takes long
  const turns = new TurnWatch();
  await service.inside?.cleanup.run();
  assertShort(turns);
  assert(isCleared(service.inside?.database.read));
  assert.equal(leftNow(), 1, 'the order that was placed afterwards');
  assert.deepEqual((await get(`/orders/${added.id}`)).body, added);
  assert.equal((await get(`/orders/${id + copies}`)).headers.etag, last.headers.etag);
  await patch(`/orders/${added.id}`, { shippingAddress: null, note: null });
  await service.stop();
  assertInNoFile(service.folder, words);
});
