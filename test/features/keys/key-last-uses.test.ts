// The times of keys' last uses reach the database, even if the first write of them fails.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cleanup } from '../../../src/service/cleanup.ts';
import { unavailable } from '../../../src/problem.ts';
import type { WriteCallback } from '../../../src/storage/connection.ts';
import { insideOnly, serviceFor } from '../../support/service.ts';
import { newKey } from '../../support/resource-support.ts';

test('a key’s last use is stored by the run after one that failed', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const { database } = service.inside ?? assert.fail('the test is skipped otherwise');
  const { token } = await service.person();
  const idle = await newKey(service, token);
  const busy = await newKey(service, token);
  let isFull = true;
  /** Its changes are undone while the disk is full, as those of a group of writes are. */
  const write = <T>(callback: WriteCallback<T>): Promise<T> =>
    database.write<T>((db) => {
      const result = callback(db);
      if (isFull) throw unavailable('Writes are temporarily unavailable.');
      return result;
    });
  const cleanup = new Cleanup({
    database: { write, emptyWalSoon: () => {} },
    isStopping: () => true,
    lastEventFile: { write: () => Promise.resolve() },
    steps: () => [],
  });
  t.after(() => cleanup.close());
  const time = service.clock.now;
  cleanup.recordKeyUse(idle.id, time + 1_000);
  cleanup.recordKeyUse(busy.id, time + 1_000);
  const failed = assert.rejects(cleanup.run(), /temporarily unavailable/);
  cleanup.recordKeyUse(busy.id, time + 2_000); // used again while the write is waiting
  await failed;
  isFull = false;
  const stored = cleanup.run();
  cleanup.recordKeyUse(busy.id, time + 3_000); // and while one is waiting that succeeds
  await stored;
  await cleanup.run();
  const lastUse = async (id: number): Promise<number> =>
    Date.parse((await service.get(`/api/keys/${id}`, { token })).body.lastUsedAt) - time;
  assert.deepEqual([await lastUse(idle.id), await lastUse(busy.id)], [1_000, 3_000]);
});
