// The tables of webhooks.
import type { Migration } from '../../storage/migrations.ts';

export const webhooksMigrations: readonly Migration[] = [
  {
    name: 'webhooks',
    sql: `
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
  lastError TEXT,
  failures INTEGER NOT NULL DEFAULT 0,
  retryAt INTEGER,
  createdAt INTEGER NOT NULL,
  version INTEGER NOT NULL DEFAULT 1
) STRICT;
`,
  },
  {
    name: 'webhook-error-codes',
    sql: `
ALTER TABLE webhooks ADD COLUMN lastErrorCode TEXT;
UPDATE webhooks SET lastErrorCode = CASE WHEN lastError LIKE 'status %' THEN 'status' ELSE 'other' END
  WHERE lastError IS NOT NULL;
`,
  },
];
