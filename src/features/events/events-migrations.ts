// The tables of events, and the epoch of the feed.
import type { Migration } from '../../storage/migrations.ts';

export const eventsMigrations: readonly Migration[] = [
  {
    name: 'events',
    sql: `
CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  createdAt INTEGER NOT NULL,
  type TEXT NOT NULL,
  topic TEXT NOT NULL,
  topicId INTEGER NOT NULL,
  subjectId INTEGER,
  ownerId INTEGER,
  formerOwnerId INTEGER,
  actorId INTEGER,
  keyId INTEGER,
  requestId TEXT,
  reason TEXT,
  changes TEXT,
  currency TEXT,
  received INTEGER
) STRICT;
CREATE INDEX events_topic_topicId_id ON events (topic, topicId, id);
-- Only of payments, refunds and corrected payments, so that it costs no order placed.
CREATE INDEX events_currency_type_createdAt ON events (currency, type, createdAt, received)
  WHERE currency IS NOT NULL;
CREATE TRIGGER events_fixed BEFORE UPDATE ON events BEGIN
  SELECT RAISE(ABORT, 'An event is never changed.');
END;
CREATE TABLE feed (
  epoch TEXT NOT NULL,
  file TEXT NOT NULL
) STRICT;
INSERT INTO feed (epoch, file) VALUES (lower(hex(randomblob(8))), '');
`,
  },
];
