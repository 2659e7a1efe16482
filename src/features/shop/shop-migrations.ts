// The table of the shop: one row, once something was set.
import type { Migration } from '../../storage/migrations.ts';

export const shopMigrations: readonly Migration[] = [
  {
    name: 'shop',
    sql: `
CREATE TABLE shop (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  name TEXT,
  address TEXT,
  country TEXT,
  currency TEXT,
  timeZone TEXT,
  registration TEXT,
  updatedAt INTEGER NOT NULL
) STRICT;
`,
  },
];
