// The tables of API keys.
import type { Migration } from '../../storage/migrations.ts';

export const keysMigrations: readonly Migration[] = [
  {
    name: 'keys',
    sql: `
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
`,
  },
];
