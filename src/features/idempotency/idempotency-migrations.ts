// The tables of responses that are stored for an Idempotency-Key.
import type { Migration } from '../../storage/applied-migrations.ts';

export const idempotencyMigrations: readonly Migration[] = [
  {
    name: 'idempotency',
    isInFirstList: true,
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
];
