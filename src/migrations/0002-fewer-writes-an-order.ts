// Placing an order dirties fewer pages, and what filters test is in the index: orders, and the indexes of all
// lists, are made anew.

/**
 * Every index costs every order placed, so there are no more than lists need (see `selectOrders`). Status
 * comes before the sort key, since a page without a status filter merges the statuses' streams. After the id
 * comes what other filters test and other sorts need. A user's or a customer's orders are few, so they are
 * gathered from one index and sorted: one more for each sort would dirty one more page for each order, since
 * every owner's entries are elsewhere in it.
 *
 * No AUTOINCREMENT: orders are never deleted, so no id comes twice. OR, as IN would fill a table for each
 * order.
 */
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
CREATE INDEX orders_status_id ON orders (status, id, createdAt, currency);
CREATE INDEX orders_status_createdAt_id ON orders (status, createdAt, id, updatedAt, total, currency);
CREATE INDEX orders_status_updatedAt_id ON orders (status, updatedAt, id, createdAt, currency);
CREATE INDEX orders_status_total_id ON orders (status, total, id, createdAt, currency);
CREATE INDEX orders_userId_status_createdAt_id ON orders (userId, status, createdAt, id, updatedAt, total, currency);
CREATE INDEX orders_customerId_status_createdAt_id ON orders (customerId, status, createdAt, id, updatedAt, total, currency, userId);
CREATE INDEX orders_currency_status_createdAt_id ON orders (currency, status, createdAt, id, updatedAt, total);

${['nameKey', 'createdAt', 'emailKey', 'userId', 'userId_nameKey', 'userId_createdAt'].map((name) => `DROP INDEX customers_${name};`).join('\n')}
CREATE INDEX customers_nameKey_id ON customers (nameKey, id, createdAt);
CREATE INDEX customers_createdAt_id ON customers (createdAt, id, nameKey);
CREATE INDEX customers_emailKey_id ON customers (emailKey, id, createdAt, nameKey, userId);
CREATE INDEX customers_userId_id ON customers (userId, id, nameKey);
CREATE INDEX customers_userId_nameKey_id ON customers (userId, nameKey, id, createdAt);
CREATE INDEX customers_userId_createdAt_id ON customers (userId, createdAt, id, nameKey);

${['nameKey', 'createdAt', 'role', 'role_nameKey', 'role_emailKey', 'role_createdAt'].map((name) => `DROP INDEX users_${name};`).join('\n')}
CREATE INDEX users_nameKey_id ON users (nameKey, id, createdAt, emailKey);
CREATE INDEX users_createdAt_id ON users (createdAt, id, nameKey);
CREATE INDEX users_emailKey_id ON users (emailKey, id, nameKey);
CREATE INDEX users_role_id ON users (role, id, nameKey);
CREATE INDEX users_role_nameKey_id ON users (role, nameKey, id, createdAt, emailKey);
CREATE INDEX users_role_createdAt_id ON users (role, createdAt, id, nameKey);
CREATE INDEX users_role_emailKey_id ON users (role, emailKey, id, nameKey);
`,
};
