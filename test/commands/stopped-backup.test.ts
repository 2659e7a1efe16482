// A signal during a backup ends it, and nothing of the incomplete copy remains.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { until } from '../support/storage-support.ts';
import { dataFolder, newFolder, program } from '../support/command-support.ts';

const databaseBytes = 128 * 1024 ** 2;

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} during a backup leaves nothing`, async (t) => {
    const { child, exited, target } = await startBackup(t);
    child.kill(signal);
    const [status] = await exited;
    assert.equal(status, 128 + constants.signals[signal]);
    assert.deepEqual(readdirSync(target), []);
  });
}

test(
  'where memory runs out, Linux ends a backup rather than the service beside it',
  { skip: process.platform !== 'linux' },
  async (t) => {
    const { child } = await startBackup(t);
    assert.equal(readFileSync(`/proc/${child.pid}/oom_score_adj`, 'latin1'), '500\n');
  },
);

/** Starts a backup of a large database, and returns while it copies. */
async function startBackup(t: TestContext) {
  const data = await dataFolder(t);
  using sqlite = new DatabaseSync(join(data, 'orderly.db'));
  sqlite.exec(`PRAGMA synchronous = OFF; CREATE TABLE filling (bytes BLOB) STRICT;
    INSERT INTO filling VALUES (zeroblob(${databaseBytes}))`);
  const target = newFolder(t);
  const file = join(target, 'backup.db');
  const [command = '', ...first] = program;
  const child = spawn(command, [...first, 'backup', file, `--data=${data}`], {
    stdio: 'ignore',
    env: { PATH: process.env['PATH'] },
  });
  const exited = once(child, 'exit');
  t.after(() => child.kill('SIGKILL'));
  await until(() => existsSync(`${file}.partial`));
  return { child, exited, target };
}
