// The cleanup of an erasure, step by step: it reaches every order and its stored responses.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { clearErasedOrders, eraseCustomer } from '../../../src/features/orders/customer-erasure-store.ts';
import { customerResource } from '../../../src/features/customers/customers.ts';
import { orderContentOf } from '../../../src/features/orders/order-members.ts';
import type { OrderStatus } from '../../../src/features/orders/order-status.ts';
import { createStoredResponses } from '../../../src/features/idempotency/stored-response-store.ts';
import { addOrder, orderSource, replaceOrder } from '../../../src/features/orders/order-store.ts';
import { addUser } from '../../../src/features/users/user-store.ts';
import { migratedInMemory } from '../../support/memory-database.ts';
import { Connection } from '../../../src/storage/connection.ts';
import { metadataCheck, type Metadata } from '../../../src/storage/metadata.ts';
import { requireOwned } from '../../../src/storage/object-access.ts';
import { commandPermit } from '../../../src/storage/permit.ts';
import { address } from './erased-customer.ts';

const sqlite = migratedInMemory();
after(() => sqlite.close());
const db = new Connection(sqlite);
const permit = commandPermit(db);
const { id: userId } = addUser(
  permit,
  { name: 'Ada', email: 'ada@example.com', role: 'user', passwordHash: '' },
  0,
);

function newCustomer(): number {
  const nothing = { email: null, phone: null, address: null, note: null, reference: null, metadata: {} };
  return customerResource.add(permit, { name: 'Grace', ...nothing, userId }, 0).id;
}

function place(customerId: number, status: OrderStatus, createdAt: number, metadata: Metadata = {}): number {
  const items = [{ name: 'Tea', quantity: 1, unitPrice: 749 }];
  const content = orderContentOf({
    customerId,
    currency: 'EUR',
    items,
    status,
    shippingAddress: address,
    metadata,
  });
  return addOrder(permit, { ...content, userId }, { createdAt, updatedAt: createdAt }).id;
}

test('steps of two orders reach all orders: of one time, of one status, and of later ones', () => {
  const customerId = newCustomer();
  for (const status of ['delivered', 'open', 'paid'] as const)
    for (const createdAt of [1, 1, 1, 2, 3]) place(customerId, status, createdAt);
  eraseCustomer(permit, requireOwned(customerResource.source, permit, customerId), []);
  while (clearErasedOrders(db, 2) > 0);
  const left = db.get(
    'SELECT count(*) FROM orders WHERE customerId = ? AND shippingAddress IS NOT NULL',
    customerId,
  );
  assert.deepEqual(left, [0]);
});

const { find, save } = createStoredResponses([]);

/** Stores the responses to placing and to changing the order; returns how many of them would be sent again. */
function respondTo(orderId: number): () => number {
  const locations = [`/orders/${orderId}`, null];
  const keyOf = (location: string | null): string => `${location} ${orderId}`;
  for (const location of locations) {
    const response = {
      fingerprint: '',
      objectId: orderId,
      ownerId: userId,
      status: 200,
      location,
      etag: '""',
    };
    save(db, { ...response, text: address.line1 }, { storageKey: keyOf(location), now: 0 });
  }
  return () => locations.filter((location) => find(db, keyOf(location), 0) !== undefined).length;
}

test('no response stored for an order of the customer is sent again, even before the cleanup', () => {
  const customerId = newCustomer();
  const replayable = respondTo(place(customerId, 'open', 1));
  const ofOther = respondTo(place(newCustomer(), 'open', 1));
  eraseCustomer(permit, requireOwned(customerResource.source, permit, customerId), []);
  const later = respondTo(place(customerId, 'open', 1));
  const found = (): number[] => [replayable(), ofOther(), later()];
  assert.deepEqual(found(), [0, 2, 2], 'before the cleanup');
  while (clearErasedOrders(db, 2) > 0);
  assert.deepEqual(found(), [0, 2, 2], 'after it');
});

test('an order that takes a status before those already cleared leaves no stored response', () => {
  const customerId = newCustomer();
  const statuses = ['delivered', 'open'] as const;
  const [, id = 0] = statuses.map((status) => place(customerId, status, 1));
  const replayable = respondTo(id);
  eraseCustomer(permit, requireOwned(customerResource.source, permit, customerId), []);
  clearErasedOrders(db, 1);
  const order = requireOwned(orderSource, permit, id);
  replaceOrder(permit, order, { ...order, status: 'cancelled' });
  while (clearErasedOrders(db, 1) > 0);
  assert.equal(replayable(), 0);
});

test('an order whose address was removed before the erasure leaves no stored response that shows it', () => {
  const customerId = newCustomer();
  const id = place(customerId, 'open', 1);
  const replayable = respondTo(id);
  const order = requireOwned(orderSource, permit, id);
  replaceOrder(permit, order, { ...order, shippingAddress: null, note: null });
  eraseCustomer(permit, requireOwned(customerResource.source, permit, customerId), []);
  while (clearErasedOrders(db, 2) > 0);
  assert.equal(replayable(), 0);
});

test('metadata that are written during an erasure are found, but for those of the erased customer', () => {
  const erased = newCustomer();
  const ids = [place(newCustomer(), 'open', 1, { receipt: 'A' }), place(erased, 'open', 1, { receipt: 'A' })];
  eraseCustomer(permit, requireOwned(customerResource.source, permit, erased), []);
  for (const id of ids) {
    const order = requireOwned(orderSource, permit, id);
    replaceOrder(permit, order, { ...order, metadata: { receipt: 'B' } });
  }
  while (clearErasedOrders(db, 2) > 0);
  const [id] = ids;
  assert.deepEqual(db.all('SELECT name, value, id FROM ordersMetadata'), [['receipt', 'B', id]]);
  metadataCheck('orders').run(db, assert.fail);
});
