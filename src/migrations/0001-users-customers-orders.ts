// The first schema. Times are milliseconds since 1970; JSON columns hold what answers show, spliced in as
// text.

/**
 * Every index costs every order placed, so there are no more than lists need (see `selectOrders`). All orders
 * and those of a user have one for each sort; status comes before the key, since a page without a status
 * filter merges the statuses' streams. For a customer's orders, which are few, and those in a currency there
 * is one.
 */
function orderIndexes(): string {
  const sorted = ['', 'userId, '].flatMap((family) =>
    ['', ', createdAt', ', updatedAt', ', total'].map((key) => `${family}status${key}`),
  );
  return [...sorted, 'customerId, status, createdAt', 'currency, status, createdAt']
    .map((columns) => `CREATE INDEX orders_${columns.replaceAll(', ', '_')} ON orders (${columns});`)
    .join('\n');
}

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
  role TEXT NOT NULL CHECK (role IN ('user', 'staff', 'admin')),
  createdAt INTEGER NOT NULL,
  version INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX users_nameKey ON users (nameKey);
CREATE INDEX users_createdAt ON users (createdAt);
CREATE INDEX users_role ON users (role);
CREATE INDEX users_role_nameKey ON users (role, nameKey);
CREATE INDEX users_role_emailKey ON users (role, emailKey);
CREATE INDEX users_role_createdAt ON users (role, createdAt);

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  userId INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  refreshHash BLOB NOT NULL,
  createdAt INTEGER NOT NULL,
  lastUsedAt INTEGER NOT NULL,
  expiresAt INTEGER NOT NULL,
  userAgent TEXT
) STRICT;
CREATE INDEX sessions_userId ON sessions (userId);
CREATE INDEX sessions_expiresAt ON sessions (expiresAt);

CREATE TABLE usedRefreshTokens (
  hash BLOB PRIMARY KEY,
  sessionId INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX usedRefreshTokens_sessionId ON usedRefreshTokens (sessionId);

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
  userId INTEGER REFERENCES users ON DELETE SET NULL,
  name TEXT NOT NULL,
  nameKey TEXT NOT NULL,
  email TEXT,
  emailKey TEXT,
  phone TEXT,
  address TEXT CHECK (address IS NULL OR json_valid(address)),
  createdAt INTEGER NOT NULL,
  updatedAt INTEGER NOT NULL
) STRICT;
CREATE INDEX customers_nameKey ON customers (nameKey);
CREATE INDEX customers_createdAt ON customers (createdAt);
CREATE INDEX customers_userId ON customers (userId);
CREATE INDEX customers_userId_nameKey ON customers (userId, nameKey);
CREATE INDEX customers_userId_createdAt ON customers (userId, createdAt);
CREATE INDEX customers_emailKey ON customers (emailKey);

CREATE TABLE orders (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  status TEXT NOT NULL CHECK (status IN ('open', 'paid', 'shipped', 'delivered', 'cancelled', 'refunded')),
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
${orderIndexes()}

CREATE TABLE keptAnswers (
  request BLOB PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  status INTEGER NOT NULL,
  location TEXT,
  etag TEXT NOT NULL,
  text TEXT NOT NULL,
  createdAt INTEGER NOT NULL
) STRICT;
CREATE INDEX keptAnswers_createdAt ON keptAnswers (createdAt);
`,
};
