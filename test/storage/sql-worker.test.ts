// The SQL worker without a thread, and a search with endless rows.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { SqlWorker } from '../../src/storage/sql-worker.ts';

const worker = new URL('../../src/storage/sql-worker.ts', import.meta.url);
/** As a user who may have fewer threads than Node needs. */
const script = `
  import { SqlWorker } from '${worker.href}';
  process.setuid(65534);
  const worker = new SqlWorker({ file: ':memory:', access: 'write' });
  const failed = (error) => console.log(error.name);
  await worker.run('SELECT 1').catch(failed);
  await worker.run('SELECT 2').catch(failed);
`;

test(
  'each query fails while no thread can start, and none waits forever',
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

test('a search through endless rows ends with what it has found', { timeout: 30_000 }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-search-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'orderly.db');
  new DatabaseSync(file).exec('CREATE TABLE anything (id INTEGER)');
  const searcher = new SqlWorker({ file, access: 'read' });
  t.after(() => searcher.close());
  const rows =
    'WITH RECURSIVE rows (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM rows) ' +
    "SELECT id, CASE id WHEN 3 THEN 'green tea' ELSE 'coffee' END FROM rows";

  const search = { phrases: [['TEA']], columns: 'texts', rowsMax: 50 } as const;
  const found = await searcher.run(rows, [], { search });

  assert.deepEqual(found, [[0, 3]]);
});
