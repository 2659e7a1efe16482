// A database that is missing, empty or older than the last run: no start hides that it was lost.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { serviceFor } from '../support/service.ts';
import { dataFolder, newFolder, orderly, rootVariables, serving } from '../support/command-support.ts';

const losses: readonly (readonly [what: string, lose: (folder: string) => void])[] = [
  ['deleted', (folder) => rmSync(join(folder, 'orderly.db'))],
  ['emptied', (folder) => truncateSync(join(folder, 'orderly.db'))],
];
for (const [what, lose] of losses) {
  test(`a database that was ${what} is not replaced by a new one, unless last-event is also deleted`, async (t) => {
    const { folder, stop } = await serviceFor(t);
    await stop();
    lose(folder);
    for (const command of [['serve', '--port=0'], ['admin', 'create', '--email=a@example.com'], ['sample']]) {
      const { status, stderr } = await orderly([...command, `--data=${folder}`]);
      assert.equal(status, 1, stderr);
      assert.match(
        stderr,
        /^orderly: \S+orderly\.db is missing or empty, but had events up to 1\. Restore a backup; /,
      );
      assert.match(stderr, /to begin with an empty database, delete \S+last-event\.\n$/);
    }
    rmSync(join(folder, 'last-event'));
    const { inside, logged } = await serviceFor(t, { folder });
    assert.match((inside?.created ?? logged).join(), /an administrator, admin@example\.com/);
  });
}

test('a lost database is noticed even if the service was killed in its first minute and left its WAL', async (t) => {
  const folder = newFolder(t);
  const { end } = await serving(t, [`--data=${folder}`, '--tls=off'], { env: rootVariables });
  await end('SIGKILL');
  for (const file of ['orderly.db-wal', 'orderly.db-shm']) rmSync(join(folder, file));
  const { status, stderr } = await orderly(['serve', '--port=0', `--data=${folder}`], {
    env: rootVariables,
  });
  assert.deepEqual([status, /is missing or empty/.test(stderr)], [1, true], stderr);
});

test('a lost database is not replaced while its WAL exists, and the WAL stays', async (t) => {
  const folder = await dataFolder(t);
  writeFileSync(join(folder, 'orderly.db'), '');
  writeFileSync(join(folder, 'orderly.db-wal'), 'frames');
  const before = readdirSync(folder);
  const { status, stderr } = await orderly(['serve', '--port=0', `--data=${folder}`], {
    env: rootVariables,
  });
  assert.equal(status, 1);
  assert.match(stderr, /orderly\.db is missing or empty, but its write-ahead log is there: put the file /);
  assert.deepEqual(readdirSync(folder), before);
});

test('a service starts and stops without a place for the number of its latest event', async (t) => {
  const { folder, stop } = await serviceFor(t);
  await stop();
  rmSync(join(folder, 'last-event'));
  mkdirSync(join(folder, 'last-event')); // as good as a full disk
  const { get } = await serviceFor(t, { folder });
  assert.equal((await get('/health/ready')).status, 200);
});
