// The first schema. Times are milliseconds since 1970; JSON columns hold what responses show, spliced in
// as text.

const statuses = ['open', 'paid', 'shipped', 'delivered', 'cancelled', 'refunded'];

export const migration0001 = {
  name: 'users-customers-orders',
  sql: `
CREATE TABLE users (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  nameKey TEXT NOT NULL,
  email TEXT NOT NULL,
  emailKey TEXT NOT NULL UNIQUE,
  passwordHash TEXT NOT NULL,
  passwordExpiresAt INTEGER,
  role TEXT NOT NULL CHECK (role IN ('user', 'staff', 'admin')),
  createdAt INTEGER NOT NULL,
  version INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX users_passwordExpiresAt ON users (passwordExpiresAt) WHERE passwordExpiresAt IS NOT NULL;

-- The owner of a customer or an order is not a foreign key, since SQLite would change all rows that refer to
-- a removed user in one statement, and they may be a million. A trigger records the removed user, and slices
-- of work clear the rows (storage/slices.ts).
CREATE TABLE removedUsers (id INTEGER PRIMARY KEY) STRICT;
CREATE TRIGGER users_removed AFTER DELETE ON users BEGIN
  INSERT INTO removedUsers (id) VALUES (OLD.id);
END;

CREATE INDEX users_nameKey_id ON users (nameKey, id, createdAt, emailKey);
CREATE INDEX users_createdAt_id ON users (createdAt, id, nameKey);
CREATE INDEX users_emailKey_id ON users (emailKey, id, nameKey);
CREATE INDEX users_role_id ON users (role, id, nameKey);
CREATE INDEX users_role_nameKey_id ON users (role, nameKey, id, createdAt, emailKey);
CREATE INDEX users_role_createdAt_id ON users (role, createdAt, id, nameKey);
CREATE INDEX users_role_emailKey_id ON users (role, emailKey, id, nameKey);

CREATE TABLE suspensions (
  userId INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  createdAt INTEGER NOT NULL,
  reason TEXT,
  version INTEGER NOT NULL DEFAULT 1
) STRICT;

CREATE TABLE totpSecrets (
  userId INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  sealedUnder TEXT NOT NULL,
  sealed BLOB NOT NULL,
  lastStep INTEGER NOT NULL,
  createdAt INTEGER NOT NULL,
  confirmedAt INTEGER
) STRICT;
CREATE INDEX totpSecrets_sealedUnder ON totpSecrets (sealedUnder);
CREATE TABLE recoveryCodes (
  userId INTEGER NOT NULL REFERENCES totpSecrets ON DELETE CASCADE,
  hash BLOB NOT NULL,
  PRIMARY KEY (userId, hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  userId INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  refreshSeed BLOB NOT NULL,
  refreshGeneration INTEGER NOT NULL DEFAULT 0,
  createdAt INTEGER NOT NULL,
  lastUsedAt INTEGER NOT NULL,
  expiresAt INTEGER NOT NULL,
  userAgent TEXT,
  usesCookie INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX sessions_userId ON sessions (userId);
CREATE INDEX sessions_expiresAt ON sessions (expiresAt);

CREATE TABLE knownAddresses (
  userId INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  addressBucket TEXT NOT NULL,
  usedAt INTEGER NOT NULL,
  PRIMARY KEY (userId, addressBucket)
) STRICT, WITHOUT ROWID;
CREATE INDEX knownAddresses_usedAt ON knownAddresses (usedAt);

CREATE TABLE apiKeys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  userId INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  hash BLOB NOT NULL,
  prefix TEXT NOT NULL,
  createdAt INTEGER NOT NULL,
  expiresAt INTEGER,
  lastUsedAt INTEGER
) STRICT;
CREATE INDEX apiKeys_userId ON apiKeys (userId);

CREATE TABLE customers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  userId INTEGER,
  name TEXT NOT NULL,
  nameKey TEXT NOT NULL,
  email TEXT,
  emailKey TEXT,
  phone TEXT,
  address TEXT CHECK (address IS NULL OR json_valid(address)),
  createdAt INTEGER NOT NULL,
  updatedAt INTEGER NOT NULL
) STRICT;
CREATE INDEX customers_nameKey_id ON customers (nameKey, id, createdAt);
CREATE INDEX customers_createdAt_id ON customers (createdAt, id, nameKey);
CREATE INDEX customers_emailKey_id ON customers (emailKey, id, createdAt, nameKey, userId);
CREATE INDEX customers_userId_id ON customers (userId, id, nameKey);
CREATE INDEX customers_userId_nameKey_id ON customers (userId, nameKey, id, createdAt);
CREATE INDEX customers_userId_createdAt_id ON customers (userId, createdAt, id, nameKey);

-- The trigrams of the beginning of each customer's searchText, by the customer's id, without the text itself.
-- searchText has folded case and accents, as the words of a query are folded. The trigrams of a deleted
-- customer are removed immediately. FTS5's alternative, tombstones, would keep them, and has row ids past
-- 2^53, for which node:sqlite throws.
CREATE VIRTUAL TABLE customerSearch USING fts5 (text, content = '', tokenize = 'trigram case_sensitive 1');
INSERT INTO customerSearch (customerSearch, rank) VALUES ('secure-delete', 1);

-- Orders have no AUTOINCREMENT: they are never deleted, so no id is used twice. The CHECK of their status
-- uses OR, because IN would fill a temporary table for each insert.
CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  status TEXT NOT NULL CHECK (${statuses.map((status) => `status = '${status}'`).join(' OR ')}),
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

-- What the shop sells. Orders copy SKU, name and price, so no row refers to a product.
CREATE TABLE products (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  sku TEXT NOT NULL,
  skuKey TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  nameKey TEXT NOT NULL,
  unitPrice INTEGER NOT NULL CHECK (unitPrice >= 0),
  currency TEXT NOT NULL,
  barcode TEXT UNIQUE,
  active INTEGER NOT NULL CHECK (active IN (0, 1)),
  createdAt INTEGER NOT NULL,
  updatedAt INTEGER NOT NULL
) STRICT;
CREATE INDEX products_nameKey_id ON products (nameKey, id, active, currency);
CREATE INDEX products_skuKey_id ON products (skuKey, id, active, currency);
CREATE INDEX products_createdAt_id ON products (createdAt, id, active, currency);

CREATE TABLE importedCustomers (
  key TEXT PRIMARY KEY,
  customerId INTEGER NOT NULL UNIQUE REFERENCES customers ON DELETE CASCADE,
  fingerprint BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- No index by order, which SQLite would look in for each order that is deleted: none is. The foreign key lets
-- "orderly check" find a key that names no order.
CREATE TABLE importedOrders (
  key TEXT PRIMARY KEY,
  orderId INTEGER NOT NULL REFERENCES orders,
  fingerprint BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  createdAt INTEGER NOT NULL,
  type TEXT NOT NULL,
  topic TEXT NOT NULL,
  topicId INTEGER NOT NULL,
  subjectId INTEGER,
  ownerId INTEGER,
  formerOwnerId INTEGER,
  actorId INTEGER,
  keyId INTEGER,
  requestId TEXT,
  reason TEXT,
  changes TEXT,
  currency TEXT,
  received INTEGER
) STRICT;
CREATE INDEX events_topic_topicId_id ON events (topic, topicId, id);
-- Only of payments, refunds and corrected payments, so that it costs no order placed.
CREATE INDEX events_currency_type_createdAt ON events (currency, type, createdAt, received)
  WHERE currency IS NOT NULL;
CREATE TRIGGER events_fixed BEFORE UPDATE ON events BEGIN
  SELECT RAISE(ABORT, 'An event is never changed.');
END;
CREATE TABLE feed (
  epoch TEXT NOT NULL,
  file TEXT NOT NULL
) STRICT;
INSERT INTO feed (epoch, file) VALUES (lower(hex(randomblob(8))), '');

CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  url TEXT NOT NULL,
  types TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('enabled', 'paused', 'disabled')),
  position INTEGER NOT NULL,
  sealedUnder TEXT NOT NULL,
  sealed BLOB NOT NULL,
  previousSealedUnder TEXT,
  previousSealed BLOB,
  previousEndsAt INTEGER,
  lastStatus INTEGER,
  lastAt INTEGER,
  failingSince INTEGER,
  failures INTEGER NOT NULL DEFAULT 0,
  retryAt INTEGER,
  createdAt INTEGER NOT NULL,
  version INTEGER NOT NULL DEFAULT 1
) STRICT;

CREATE TABLE storedResponses (
  request BLOB PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  objectId INTEGER NOT NULL,
  ownerId INTEGER,
  status INTEGER NOT NULL,
  location TEXT,
  etag TEXT NOT NULL,
  body BLOB NOT NULL,
  createdAt INTEGER NOT NULL
) STRICT;
CREATE INDEX storedResponses_createdAt ON storedResponses (createdAt);
`,
};
