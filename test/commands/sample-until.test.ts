// `sample --until`: data of another year than the default.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { dayMilliseconds } from '../../src/base/durations.ts';
import { newFolder, orderly } from '../support/command-support.ts';

const root = { ORDERLY_ADMIN_EMAIL: 'root@example.com', ORDERLY_ADMIN_PASSWORD: 'the first administrator' };

test('sample data covers the year before the given time', async (t) => {
  const folder = newFolder(t);
  const until = '2024-07-01T12:00:00Z';
  const { status } = await orderly(['sample', '--orders=400', `--until=${until}`, `--data=${folder}`], {
    env: root,
  });
  assert.equal(status, 0);
  using db = new DatabaseSync(join(folder, 'orderly.db'));
  const { first, last } = {
    ...db.prepare('SELECT min(createdAt) first, max(createdAt) last FROM orders').get(),
  };
  const end = Date.parse(until);
  const start = end - 365 * dayMilliseconds;
  assert.ok(Number(first) >= start && Number(first) < start + dayMilliseconds);
  assert.ok(Number(last) <= end && Number(last) > end - dayMilliseconds);
});
