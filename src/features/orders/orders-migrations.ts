// The tables of orders.
import { metadataMigration } from '../../storage/metadata.ts';
import type { Migration } from '../../storage/migrations.ts';

/** SQLite can't change a CHECK: a status more needs a further migration, which makes the table anew. */
const firstStatuses = ['open', 'paid', 'shipped', 'delivered', 'cancelled', 'refunded'];

export const ordersMigrations: readonly Migration[] = [
  {
    name: 'orders',
    sql: `
-- Orders have no AUTOINCREMENT: they are never deleted, so no id is used twice. The CHECK of their status
-- uses OR, because IN would fill a temporary table for each insert.
CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  status TEXT NOT NULL CHECK (${firstStatuses.map((status) => `status = '${status}'`).join(' OR ')}),
  customerId INTEGER NOT NULL REFERENCES customers ON DELETE RESTRICT,
  userId INTEGER,
  currency TEXT NOT NULL,
  items TEXT NOT NULL,
  total INTEGER NOT NULL CHECK (total >= 0),
  shippingAddress TEXT,
  note TEXT,
  createdAt INTEGER NOT NULL,
  updatedAt INTEGER NOT NULL
) STRICT;

-- Every index costs every order placed, so there are no more than lists need. Status comes before the sort
-- key, since a page without a status filter merges the streams of the statuses. After the id come the columns
-- that other filters test and other sorts need. A user's or a customer's orders are few, so they are read
-- from one index and sorted: one more index for each sort would dirty one more page for each order.
CREATE INDEX orders_status_id ON orders (status, id, createdAt, updatedAt, currency);
CREATE INDEX orders_status_createdAt_id ON orders (status, createdAt, id, updatedAt, total, currency);
CREATE INDEX orders_status_updatedAt_id ON orders (status, updatedAt, id, createdAt, total, currency);
CREATE INDEX orders_status_total_id ON orders (status, total, id, createdAt, updatedAt, currency);
CREATE INDEX orders_userId_status_createdAt_id ON orders
  (userId, status, createdAt, id, updatedAt, total, currency);
CREATE INDEX orders_customerId_status_createdAt_id ON orders
  (customerId, status, createdAt, id, updatedAt, total, currency, userId);
CREATE INDEX orders_currency_status_createdAt_id ON orders
  (currency, status, createdAt, id, updatedAt, total);
`,
  },
  {
    name: 'order-payments',
    sql: `
ALTER TABLE orders ADD COLUMN payment TEXT
  CHECK (payment = 'cash' OR payment = 'card' OR payment = 'transfer' OR payment = 'other');
`,
  },
  {
    // a filter by the payment then reads no row: neither of all orders, nor of a customer or user who has many
    name: 'order-payment-indexes',
    sql: `
DROP INDEX orders_status_createdAt_id;
DROP INDEX orders_status_updatedAt_id;
DROP INDEX orders_userId_status_createdAt_id;
DROP INDEX orders_customerId_status_createdAt_id;
CREATE INDEX orders_status_createdAt_id ON orders (status, createdAt, id, updatedAt, total, currency, payment);
CREATE INDEX orders_status_updatedAt_id ON orders (status, updatedAt, id, createdAt, total, currency, payment);
CREATE INDEX orders_userId_status_createdAt_id ON orders
  (userId, status, createdAt, id, updatedAt, total, currency, payment);
CREATE INDEX orders_customerId_status_createdAt_id ON orders
  (customerId, status, createdAt, id, updatedAt, total, currency, userId, payment);
`,
  },
  { name: 'order-metadata', sql: metadataMigration('orders') },
  // most shops have one currency, and each order placed wrote a page of this index
  { name: 'order-currency-index', sql: 'DROP INDEX orders_currency_status_createdAt_id' },
];
