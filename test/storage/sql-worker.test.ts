// The SQL worker where no thread can start.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const worker = new URL('../../src/storage/sql-worker.ts', import.meta.url);
/** As a user who may have fewer threads than Node alone has. */
const script = `
  import { SqlWorker } from '${worker.href}';
  process.setuid(65534);
  const synced = () => Promise.resolve();
  const worker = new SqlWorker({ file: ':memory:', access: 'write', starts: 'with its first query', synced });
  const failed = (error) => console.log(error.name);
  await worker.query('SELECT 1').catch(failed);
  await worker.query('SELECT 2').catch(failed);
`;

test(
  'each query fails while no thread can start, and none waits for ever',
  { skip: process.platform === 'linux' && process.getuid?.() === 0 ? false : 'only root can limit threads' },
  () => {
    const node = [process.execPath, '--input-type=module', '--eval', script];
    const { stdout, stderr } = spawnSync('prlimit', ['--nproc=2', ...node], {
      encoding: 'utf8',
      timeout: 10_000,
    });
    assert.equal(stdout, 'ThreadError\nThreadError\n', stderr);
  },
);
