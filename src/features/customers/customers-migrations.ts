// The tables of customers, and the index of their search.
import { emailKey, formerEmailKey } from '../../schema/email.ts';
import { rowsByKey } from '../../storage/audit.ts';
import type { Connection } from '../../storage/connection.ts';
import { metadataMigration } from '../../storage/metadata.ts';
import type { Migration } from '../../storage/migrations.ts';
import { remakeNameKeys } from '../../storage/unique-keys.ts';
import { refillCustomerSearch } from './customer-search-store.ts';

/** The indexes of the keys, as they were made first. */
const keyIndexes: readonly (readonly [index: string, columns: string, where?: string])[] = [
  ['customers_nameKey_id', 'nameKey, id, createdAt'],
  ['customers_createdAt_id', 'createdAt, id, nameKey'],
  ['customers_emailKey_id', 'emailKey, id, createdAt, nameKey, userId'],
  ['customers_userId_id', 'userId, id, nameKey'],
  ['customers_userId_nameKey_id', 'userId, nameKey, id, createdAt'],
  ['customers_userId_createdAt_id', 'userId, createdAt, id, nameKey'],
  ['customers_phone_nameKey', 'phone, nameKey', 'WHERE phone IS NOT NULL'],
];

function remakeCustomerKeys(db: Connection): void {
  remakeNameKeys(db, 'customers');
  const emails = 'SELECT id, email FROM customers WHERE id > ? AND email IS NOT NULL ORDER BY id LIMIT +?';
  for (const [id, email] of rowsByKey<[id: number, email: string]>(db, emails))
    if (emailKey(email) !== formerEmailKey(email))
      db.run('UPDATE customers SET emailKey = ? WHERE id = ?', emailKey(email), id);
}

export const customersMigrations: readonly Migration[] = [
  {
    name: 'customers',
    sql: `
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
`,
  },
  { name: 'customer-notes', sql: 'ALTER TABLE customers ADD COLUMN note TEXT' },
  {
    name: 'customer-phones',
    sql: 'CREATE INDEX customers_phone_userId ON customers (phone, userId) WHERE phone IS NOT NULL',
  },
  {
    // the erased customers whose orders are still to be cleared, each with the position of the last cleared order
    name: 'customer-erasures',
    sql: `
CREATE TABLE erasures (
  customerId INTEGER PRIMARY KEY REFERENCES customers ON DELETE CASCADE,
  lastOrderId INTEGER NOT NULL,
  status TEXT NOT NULL DEFAULT '',
  createdAt INTEGER NOT NULL DEFAULT 0,
  orderId INTEGER NOT NULL DEFAULT 0
) STRICT;
`,
  },
  { name: 'customer-cities', sql: '' }, // in the text of the search, which a later migration makes anew
  {
    name: 'customer-references',
    sql: `
ALTER TABLE customers ADD COLUMN reference TEXT;
CREATE INDEX customers_reference_userId ON customers (reference, userId) WHERE reference IS NOT NULL;
`,
  },
  {
    name: 'customer-phones 2',
    sql:
      'CREATE INDEX customers_phone_userId_emailKey ON customers (phone, userId, emailKey) ' +
      'WHERE phone IS NOT NULL AND emailKey IS NULL',
  },
  {
    // an import finds customers of all owners, by the phone number together with the name
    name: 'customer-phones 3',
    sql: `
DROP INDEX customers_phone_userId;
DROP INDEX customers_phone_userId_emailKey;
CREATE INDEX customers_phone_nameKey ON customers (phone, nameKey) WHERE phone IS NOT NULL;
`,
  },
  {
    // folded names, and domains of e-mail addresses in ASCII; without indexes it takes less time
    name: 'customer-keys',
    sql: keyIndexes.map(([index]) => `DROP INDEX ${index};`).join('\n'),
    fill: remakeCustomerKeys,
  },
  {
    name: 'customer-keys 2',
    sql: keyIndexes
      .map(([index, columns, where = '']) =>
        `CREATE INDEX ${index} ON customers (${columns}) ${where}`.trim(),
      )
      .join(';\n'),
  },
  { name: 'customer-metadata', sql: metadataMigration('customers') },
  { name: 'customer-search', sql: '', fill: refillCustomerSearch }, // words without the signs in them
];
