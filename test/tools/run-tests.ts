// Runs the tests: `npm test`, or `npm test -- FILE…` for some. They run in a few processes, one more than a
// small machine has cores, because many of them wait for processes of their own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const shards = 3;
const files = process.argv.slice(2);
const folder = mkdtempSync(join(placeForFiles(), 'orderly-tests-'));
chmodSync(folder, 0o711); // some tests start a service under another account
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const statuses = await Promise.all(
  files.length > 0 ? [run(1)] : Array.from({ length: shards }, (_, index) => run(index + 1)),
);
process.exitCode = Math.max(...statuses);

async function run(shard: number): Promise<number> {
  const child = spawn(
    process.execPath,
    [
      '--test',
      '--test-isolation=none',
      ...(files.length > 0 ? files : [`--test-shard=${shard}/${shards}`, 'test/**/*.test.ts']),
    ],
    { stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, TMPDIR: folder } },
  );
  const [status] = await once(child, 'exit');
  return status === 0 ? 0 : 1; // null when it was killed
}

/** Memory, where Linux has enough of it: a test need not wait until the files of another are on disk. */
function placeForFiles(): string {
  const memory = '/dev/shm';
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= 2 ** 30 ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}
