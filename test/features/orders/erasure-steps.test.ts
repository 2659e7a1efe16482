// The cleanup of an erasure, step by step: it reaches every order and its stored responses.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { clearErasedOrders, eraseCustomer } from '../../../src/features/orders/customer-erasure-store.ts';
import { customerResource } from '../../../src/features/customers/customers.ts';
import { orderContentOf, type Order } from '../../../src/features/orders/order-members.ts';
import { createStoredResponses } from '../../../src/features/idempotency/stored-response-store.ts';
import { addOrder, orderSource, replaceOrder } from '../../../src/features/orders/order-store.ts';
import { addUser } from '../../../src/features/users/user-store.ts';
import { migratedInMemory } from '../../support/memory-database.ts';
import { Connection } from '../../../src/storage/connection.ts';
import { metadataCheck } from '../../../src/storage/metadata.ts';
import { requireOwned } from '../../../src/storage/object-access.ts';
import { commandPermit } from '../../../src/storage/permit.ts';

const sqlite = migratedInMemory();
after(() => sqlite.close());
const db = new Connection(sqlite);
const permit = commandPermit(db);
const ada = { name: 'Ada', email: 'ada@example.com', role: 'user', passwordHash: '' } as const;
const { id: userId } = addUser(permit, ada, 0);
const shippingAddress = { line1: 'Zyxwallee 7', city: 'Oldenburg', postalCode: '26133', country: 'DE' };

function newCustomer(): number {
  const nothing = { email: null, phone: null, address: null, note: null, reference: null, metadata: {} };
  return customerResource.add(permit, { name: 'Grace', ...nothing, userId }, 0).id;
}

function place(customerId: number, members: Partial<Order> = {}, time = 1): number {
  const items = [{ name: 'Tea', quantity: 1, unitPrice: 749 }];
  const { status, metadata } = { status: 'open', metadata: {}, ...members } as const;
  const wanted = { customerId, currency: 'EUR', items, status, shippingAddress, metadata };
  return addOrder(permit, { ...orderContentOf(wanted), userId }, { createdAt: time, updatedAt: time }).id;
}

function change(id: number, members: Partial<Order>): void {
  const order = requireOwned(orderSource, permit, id);
  replaceOrder(permit, order, { ...order, ...members });
}

function erase(customerId: number): void {
  eraseCustomer(permit, requireOwned(customerResource.source, permit, customerId), []);
}

function clear(rows = 2): void {
  while (clearErasedOrders(db, rows) > 0);
}

test('steps of two orders reach all orders: of one time, of one status, and of later ones', () => {
  const customerId = newCustomer();
  for (const status of ['delivered', 'open', 'paid'] as const)
    for (const time of [1, 1, 1, 2, 3]) place(customerId, { status }, time);
  erase(customerId);
  clear();
  const sql = 'SELECT count(*) FROM orders WHERE customerId = ? AND shippingAddress IS NOT NULL';
  assert.deepEqual(db.get(sql, customerId), [0]);
});

const { find, save } = createStoredResponses([]);

/** Stores the responses to placing and to changing the order; returns how many of them would be sent again. */
function respondTo(objectId: number): () => number {
  const locations = [`/orders/${objectId}`, null];
  const keyOf = (location: string | null): string => `${location} ${objectId}`;
  const response = {
    fingerprint: '',
    objectId,
    ownerId: userId,
    status: 200,
    etag: '""',
    text: 'Zyxwallee 7',
  };
  for (const location of locations)
    save(db, { ...response, location }, { storageKey: keyOf(location), now: 0 });
  return () => locations.filter((location) => find(db, keyOf(location), 0) !== undefined).length;
}

test('no response stored for an order of the customer is sent again, even before the cleanup', () => {
  const customerId = newCustomer();
  const replayable = respondTo(place(customerId));
  const ofOther = respondTo(place(newCustomer()));
  erase(customerId);
  const later = respondTo(place(customerId));
  const found = (): number[] => [replayable(), ofOther(), later()];
  assert.deepEqual(found(), [0, 2, 2], 'before the cleanup');
  clear();
  assert.deepEqual(found(), [0, 2, 2], 'after it');
});

test('an order that takes a status before those already cleared leaves no stored response', () => {
  const customerId = newCustomer();
  place(customerId, { status: 'delivered' });
  const id = place(customerId);
  const replayable = respondTo(id);
  erase(customerId);
  clearErasedOrders(db, 1);
  change(id, { status: 'cancelled' });
  clear(1);
  assert.equal(replayable(), 0);
});

test('an order whose address was removed before the erasure leaves no stored response that shows it', () => {
  const customerId = newCustomer();
  const id = place(customerId);
  const replayable = respondTo(id);
  change(id, { shippingAddress: null });
  erase(customerId);
  clear();
  assert.equal(replayable(), 0);
});

test('metadata that are written during an erasure are found, but for those of the erased customer', () => {
  const erased = newCustomer();
  const ids = [newCustomer(), erased].map((customerId) => place(customerId, { metadata: { receipt: 'A' } }));
  erase(erased);
  for (const id of ids) change(id, { metadata: { receipt: 'B' } });
  clear();
  assert.deepEqual(db.all('SELECT name, value, id FROM ordersMetadata'), [['receipt', 'B', ids[0] ?? 0]]);
  metadataCheck('orders').run(db, assert.fail);
});
