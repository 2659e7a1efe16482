// The tables of what was imported, by the key of its line.
import type { Migration } from '../../storage/migrations.ts';

export const importsMigrations: readonly Migration[] = [
  {
    name: 'imports',
    sql: `
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
`,
  },
  {
    // orders keep their keys: otherwise the same file would create them again
    name: 'imports 2',
    sql: `
CREATE TRIGGER importedCustomers_erased AFTER INSERT ON erasures BEGIN
  DELETE FROM importedCustomers WHERE customerId = NEW.customerId;
END;
`,
  },
];
