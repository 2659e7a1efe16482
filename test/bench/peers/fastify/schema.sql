-- The tables of the Fastify peer: the service's columns and the indexes that its lists need.
PRAGMA journal_mode = WAL;

CREATE TABLE users (id INTEGER PRIMARY KEY, role TEXT NOT NULL) STRICT;
CREATE TABLE sessions (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users (id)) STRICT;
INSERT INTO users VALUES (1, 'admin');
INSERT INTO sessions VALUES (1, 1);

CREATE TABLE customers (
  id INTEGER PRIMARY KEY,
  user_id INTEGER,
  name TEXT NOT NULL,
  email TEXT,
  phone TEXT,
  address TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  status TEXT NOT NULL,
  customer_id INTEGER NOT NULL REFERENCES customers (id),
  user_id INTEGER,
  currency TEXT NOT NULL,
  items TEXT NOT NULL,
  total INTEGER NOT NULL,
  shipping_address TEXT,
  note TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  version INTEGER NOT NULL DEFAULT 1
) STRICT;

CREATE INDEX orders_by_creation ON orders (created_at, id);
CREATE INDEX orders_by_status ON orders (status, created_at, id);
CREATE INDEX orders_by_customer ON orders (customer_id, created_at, id);
CREATE INDEX orders_by_user ON orders (user_id, created_at, id);
