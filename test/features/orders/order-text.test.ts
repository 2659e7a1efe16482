// The text of an order that SQLite joins equals that of JSON.stringify.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { migratedInMemory } from '../../support/memory-database.ts';
import { customers } from '../../../src/features/customers/customers.ts';
import { orderContentOf, type NewOrder } from '../../../src/features/orders/order-members.ts';
import {
  addOrder,
  findOrder,
  orderAudit,
  orderSource,
  findOrderTexts,
  replaceOrder,
} from '../../../src/features/orders/order-store.ts';
import { requireOwned } from '../../../src/storage/object-access.ts';
import { addUser } from '../../../src/features/users/user-store.ts';
import { auditRows } from '../../../src/storage/audit.ts';
import { Connection } from '../../../src/storage/connection.ts';
import { commandPermit } from '../../../src/storage/permit.ts';

const sqlite = migratedInMemory();
after(() => sqlite.close());
const db = new Connection(sqlite);
const permit = commandPermit(db);
const role = 'user';
const { id: userId } = addUser(permit, { name: 'Ada', email: 'ada@example.com', role, passwordHash: '' }, 0);
const customer = {
  name: 'Grace',
  email: null,
  phone: null,
  address: null,
  note: null,
  reference: null,
  metadata: {},
  userId,
};
const { id: customerId } = customers.add(permit, customer, 0);

const tea = { name: 'Green tea, 250 g', quantity: 2, unitPrice: 749 };
const orders: Readonly<Record<string, Omit<NewOrder, 'customerId' | 'currency'>>> = {
  'as small as can be': { items: [tea] },
  'that was paid by card': { items: [tea], status: 'paid', payment: 'card' },
  'with items of every kind': { items: [tea, { ...tea, sku: 'TEA-250' }, { ...tea, quantity: 1_000_000 }] },
  'with the highest price': { items: [{ ...tea, quantity: 1, unitPrice: 1e12 }] },
  'with an address': {
    items: [tea],
    shippingAddress: {
      line1: 'Ammerländer Heerstraße 114',
      city: 'Oldenburg',
      postalCode: 'sw1a 1aa',
      country: 'GB',
    },
  },
  'with signs that JSON escapes': {
    items: [{ ...tea, name: 'a "b" \\ / \u2028 é 茶 🍵' }],
    note: '"\n\t\\\u2029',
  },
};

for (const [name, order] of Object.entries(orders)) {
  test(`the text of an order ${name} is the same, spliced or made from its members`, () => {
    const content = orderContentOf({ customerId, currency: 'EUR', ...order });
    const added = addOrder(permit, { ...content, userId }, { createdAt: 1, updatedAt: 2 });
    assert.deepEqual(findOrder(db, added.id), added);
    const text = { id: added.id, json: JSON.stringify(added), ownerId: userId, updatedAt: 2 };
    assert.deepEqual(findOrderTexts(db, [added.id])[0], text);
    assert.deepEqual(findOrderTexts(db, [999, added.id]), [text]);
    const stored = requireOwned(orderSource, permit, added.id);
    const replaced = replaceOrder(permit, stored, { ...content, status: 'paid', note: null });
    assert.deepEqual(findOrder(db, added.id), replaced);
    assert.equal(findOrderTexts(db, [added.id])[0]?.json, JSON.stringify(findOrder(db, added.id)));
  });
}

test('check reports JSON in a row that is not as the service writes it', () => {
  const content = orderContentOf({ customerId, currency: 'EUR', items: [tea] });
  const { id } = addOrder(permit, { ...content, userId }, { createdAt: 1, updatedAt: 1 });
  const check = (): string[] => {
    const reported: string[] = [];
    auditRows(db, orderAudit, { report: (issue) => reported.push(issue), progress() {} });
    return reported.filter((issue) => issue.startsWith(`order ${id} `));
  };
  assert.deepEqual(check(), []);
  sqlite.exec(`UPDATE orders SET items = replace(items, '":', '": ') WHERE id = ${id}`);
  assert.deepEqual(check(), [`order ${id} at /items: The JSON is not as the service writes it.`]);
  sqlite.exec(`DELETE FROM orders WHERE id = ${id}`);
});

test('the text of an order of a removed user is the same, spliced or made from its members', () => {
  const content = orderContentOf({ customerId, currency: 'EUR', items: [tea] });
  const { id: removed } = addUser(
    permit,
    { name: 'Bob', email: 'bob@example.com', role, passwordHash: '' },
    0,
  );
  const order = { ...content, userId: removed };
  const { id } = addOrder(permit, order, { createdAt: 1, updatedAt: 1 });
  sqlite.exec(`DELETE FROM users WHERE id = ${removed}`);
  assert.equal(findOrder(db, id)?.userId, null);
  const text = { id, json: JSON.stringify(findOrder(db, id)), ownerId: null, updatedAt: 1 };
  assert.deepEqual(findOrderTexts(db, [id])[0], text);
});

test('an order that doesn’t exist has no text', () =>
  assert.deepEqual([findOrder(db, 999), findOrderTexts(db, [999])], [undefined, []]));
