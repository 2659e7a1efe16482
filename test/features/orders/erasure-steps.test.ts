// The cleanup of an erasure, step by step: it reaches every order, and hides none that came later.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { clearErasedOrders, eraseCustomer } from '../../../src/features/orders/customer-erasure-store.ts';
import { addCustomer, customerSource } from '../../../src/features/customers/customer-store.ts';
import { orderContentOf } from '../../../src/features/orders/order-members.ts';
import type { OrderStatus } from '../../../src/features/orders/order-status.ts';
import { addOrder, findOrder, findOrderText } from '../../../src/features/orders/order-store.ts';
import { addUser } from '../../../src/features/users/user-store.ts';
import { migrations } from '../../../src/service/features.ts';
import { Connection } from '../../../src/storage/connection.ts';
import { requireOwned } from '../../../src/storage/object-access.ts';
import { commandPermit } from '../../../src/storage/permit.ts';
import { address } from './erased-customer.ts';

const sqlite = new DatabaseSync(':memory:', { returnArrays: true });
after(() => sqlite.close());
for (const { sql } of migrations) sqlite.exec(sql);
const db = new Connection(sqlite);
const permit = commandPermit(db);
const userId = addUser(permit, { name: 'Ada', email: 'ada@example.com', role: 'user', passwordHash: '' }, 0);

function newCustomer(): number {
  const nothing = { email: null, phone: null, address: null, note: null, reference: null };
  return addCustomer(permit, { name: 'Grace', ...nothing, userId }, 0);
}

function place(customerId: number, status: OrderStatus, createdAt: number): number {
  const items = [{ name: 'Tea', quantity: 1, unitPrice: 749 }];
  const content = orderContentOf({ customerId, currency: 'EUR', items, status, shippingAddress: address });
  return addOrder(permit, { ...content, userId }, { createdAt, updatedAt: createdAt }).id;
}

test('steps of two orders reach all orders: of one time, of one status, and of later ones', () => {
  const customerId = newCustomer();
  for (const status of ['delivered', 'open', 'paid'] as const)
    for (const createdAt of [1, 1, 1, 2, 3]) place(customerId, status, createdAt);
  eraseCustomer(permit, requireOwned(customerSource, permit, customerId));
  while (clearErasedOrders(db, 2) > 0);
  const left = db.get(
    'SELECT count(*) FROM orders WHERE customerId = ? AND shippingAddress IS NOT NULL',
    customerId,
  );
  assert.deepEqual(left, [0]);
});

test('an order placed while the cleanup goes on keeps its address, and an earlier one shows none', () => {
  const customerId = newCustomer();
  const earlier = place(customerId, 'open', 1);
  eraseCustomer(permit, requireOwned(customerSource, permit, customerId));
  const later = place(customerId, 'open', 1);
  const shown = (): unknown[] =>
    [earlier, later].flatMap((id) => [
      findOrder(db, id)?.shippingAddress?.city ?? null,
      JSON.parse(findOrderText(db, id)?.json ?? '{}').shippingAddress?.city ?? null,
    ]);
  const expected = [null, null, address.city, address.city];
  assert.deepEqual(shown(), expected, 'before the cleanup');
  while (clearErasedOrders(db, 2) > 0);
  assert.deepEqual(shown(), expected, 'after it');
});
