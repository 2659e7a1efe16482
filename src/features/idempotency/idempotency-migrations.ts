// The tables of responses that are stored for an Idempotency-Key.
import type { Migration } from '../../storage/migrations.ts';

export const idempotencyMigrations: readonly Migration[] = [
  {
    name: 'idempotency',
    sql: `
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
  },
  {
    // the stored responses of an account go with it
    name: 'idempotency 2',
    sql: `
CREATE INDEX storedResponses_user ON storedResponses (objectId) WHERE location GLOB '/api/users/*';
CREATE TRIGGER storedResponses_userRemoved AFTER DELETE ON users BEGIN
  DELETE FROM storedResponses WHERE objectId = OLD.id AND location GLOB '/api/users/*';
END;
`,
  },
  {
    // so do those of an erased customer and of the customer's orders
    name: 'idempotency 3',
    sql: `
CREATE INDEX storedResponses_customer ON storedResponses (objectId)
  WHERE location GLOB '/customers/*' OR location GLOB '/orders/*';
CREATE TRIGGER storedResponses_customerErased AFTER INSERT ON erasures BEGIN
  DELETE FROM storedResponses WHERE objectId = NEW.customerId AND location GLOB '/customers/*';
END;
`,
  },
  {
    // only changes of orders have no location; the cleanup of an erasure updates each order
    name: 'idempotency 4',
    sql: `
CREATE INDEX storedResponses_changedOrder ON storedResponses (objectId) WHERE location IS NULL;
CREATE TRIGGER storedResponses_orderErased AFTER UPDATE ON orders
WHEN EXISTS (SELECT 1 FROM erasures WHERE customerId = OLD.customerId AND OLD.id <= lastOrderId) BEGIN
  DELETE FROM storedResponses WHERE objectId = OLD.id AND location GLOB '/orders/*';
  DELETE FROM storedResponses WHERE objectId = OLD.id AND location IS NULL;
END;
`,
  },
];
