// The tables of sessions, and of the networks from which accounts were used.
import type { Migration } from '../../storage/migrations.ts';

export const sessionsMigrations: readonly Migration[] = [
  {
    name: 'sessions',
    sql: `
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
`,
  },
];
