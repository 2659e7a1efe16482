// The tables of users, of suspensions, and of the secrets of one-time codes.
import type { Migration } from '../../storage/migrations.ts';
import { remakeUserKeys } from './user-store.ts';

export const usersMigrations: readonly Migration[] = [
  {
    name: 'users',
    sql: `
CREATE TABLE users (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  nameKey TEXT NOT NULL,
  email TEXT NOT NULL,
  emailKey TEXT NOT NULL UNIQUE,
  passwordHash TEXT NOT NULL,
  passwordExpiresAt INTEGER,
  role TEXT NOT NULL CHECK (role IN ('user', 'staff', 'admin')),
  createdAt INTEGER NOT NULL,
  version INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX users_passwordExpiresAt ON users (passwordExpiresAt) WHERE passwordExpiresAt IS NOT NULL;

-- The owner of a customer or an order is not a foreign key, since SQLite would change all rows that refer to
-- a removed user in one statement, and they may be a million. A trigger records the removed user, and slices
-- of work clear the rows (storage/slices.ts).
CREATE TABLE removedUsers (id INTEGER PRIMARY KEY) STRICT;
CREATE TRIGGER users_removed AFTER DELETE ON users BEGIN
  INSERT INTO removedUsers (id) VALUES (OLD.id);
END;

CREATE INDEX users_nameKey_id ON users (nameKey, id, createdAt, emailKey);
CREATE INDEX users_createdAt_id ON users (createdAt, id, nameKey);
CREATE INDEX users_emailKey_id ON users (emailKey, id, nameKey);
CREATE INDEX users_role_id ON users (role, id, nameKey);
CREATE INDEX users_role_nameKey_id ON users (role, nameKey, id, createdAt, emailKey);
CREATE INDEX users_role_createdAt_id ON users (role, createdAt, id, nameKey);
CREATE INDEX users_role_emailKey_id ON users (role, emailKey, id, nameKey);

CREATE TABLE suspensions (
  userId INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  createdAt INTEGER NOT NULL,
  reason TEXT,
  version INTEGER NOT NULL DEFAULT 1
) STRICT;

CREATE TABLE totpSecrets (
  userId INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  sealedUnder TEXT NOT NULL,
  sealed BLOB NOT NULL,
  lastStep INTEGER NOT NULL,
  createdAt INTEGER NOT NULL,
  confirmedAt INTEGER
) STRICT;
CREATE INDEX totpSecrets_sealedUnder ON totpSecrets (sealedUnder);
CREATE TABLE recoveryCodes (
  userId INTEGER NOT NULL REFERENCES totpSecrets ON DELETE CASCADE,
  hash BLOB NOT NULL,
  PRIMARY KEY (userId, hash)
) STRICT, WITHOUT ROWID;
`,
  },
  { name: 'user-keys', sql: '', fill: remakeUserKeys }, // folded names, and domains of e-mail addresses in ASCII
];
