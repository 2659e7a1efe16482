// Placing an order dirties fewer pages, and what filters test is in the index: orders and their indexes are made anew.

/**
 * Every index costs every order placed, so there are no more than lists need (see `selectOrders`). Status comes before the sort
 * key, since a page without a status filter merges the statuses' streams. After the id comes what other filters test and other
 * sorts need. A user's or a customer's orders are few, so they are gathered from one index and sorted: one more for each sort
 * would dirty one more page for each order, since every owner's entries are elsewhere in it.
 */
const orderIndexes = [
  ['status', 'id', 'createdAt', 'currency'],
  ['status', 'createdAt', 'id', 'updatedAt', 'total', 'currency'],
  ['status', 'updatedAt', 'id', 'createdAt', 'currency'],
  ['status', 'total', 'id', 'createdAt', 'currency'],
  ['userId', 'status', 'createdAt', 'id', 'updatedAt', 'total', 'currency'],
  ['customerId', 'status', 'createdAt', 'id', 'updatedAt', 'total', 'currency', 'userId'],
  ['currency', 'status', 'createdAt', 'id', 'updatedAt', 'total'],
].map((columns) => `CREATE INDEX orders_${columns.slice(0, columns.indexOf('id') + 1).join('_')} ON orders (${columns.join(', ')});`).join('\n');

// No AUTOINCREMENT: orders are never deleted, so no id comes twice. OR, as IN would fill a table for each order.
export const migration0002 = {
  name: 'fewer-writes-an-order',
  sql: `
CREATE TABLE ordersAnew (
  id INTEGER PRIMARY KEY,
  status TEXT NOT NULL CHECK (${['open', 'paid', 'shipped', 'delivered', 'cancelled', 'refunded'].map((status) => `status = '${status}'`).join(' OR ')}),
  customerId INTEGER NOT NULL REFERENCES customers ON DELETE RESTRICT,
  userId INTEGER REFERENCES users ON DELETE SET NULL,
  currency TEXT NOT NULL,
  items TEXT NOT NULL,
  total INTEGER NOT NULL CHECK (total >= 0),
  shippingAddress TEXT,
  note TEXT,
  createdAt INTEGER NOT NULL,
  updatedAt INTEGER NOT NULL
) STRICT;
INSERT INTO ordersAnew SELECT id, status, customerId, userId, currency, items, total, shippingAddress, note, createdAt, updatedAt FROM orders;
DROP TABLE orders;
ALTER TABLE ordersAnew RENAME TO orders;
${orderIndexes}

DROP INDEX customers_nameKey;
CREATE INDEX customers_nameKey ON customers (nameKey, id, createdAt);
DROP INDEX customers_userId_nameKey;
CREATE INDEX customers_userId_nameKey ON customers (userId, nameKey, id, createdAt);
`,
};
