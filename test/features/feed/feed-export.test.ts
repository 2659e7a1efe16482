// An export of the feed: a gap breaks it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../../../src/auth/access.ts';
import { feedElements } from '../../../src/features/feed/feed-routes.ts';
import { insideOnly, serviceFor } from '../../support/service.ts';

test(
  'an export of events that are removed before it reads them fails, instead of looking whole',
  insideOnly,
  async (t) => {
    const service = await serviceFor(t);
    const { database } = service.inside ?? assert.fail('it is inside');
    const sql =
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120) INSERT INTO events ' +
      "(createdAt, type, topic, topicId, subjectId, changes) SELECT i, 'order.changed', 'order', 1, 1, '{}' FROM n";
    await database.write((writer) => void writer.run(sql));
    const [latest = 0] = database.read.get<[number]>('SELECT max(id) FROM events') ?? [];
    const admin = { role: 'admin' } as Caller; // whose other members it doesn't read
    const elements = feedElements(database.read, { types: undefined, after: 0, latest }, admin)(() => admin);
    const steps = elements[Symbol.asyncIterator]();
    assert.equal((await steps.next()).done, false);
    await database.write((writer) => void writer.run('DELETE FROM events WHERE id <= ?', latest - 5));
    await assert.rejects(steps.next(), /events were removed before their export/);
  },
);
