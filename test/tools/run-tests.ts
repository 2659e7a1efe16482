// Runs the tests in two processes, one a core of a small machine: `npm test`, or `npm test -- FILE…` for
// some.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const shards = 2;
const files = process.argv.slice(2);

async function run(shard: number): Promise<number> {
  const child = spawn(
    process.execPath,
    [
      '--test',
      '--test-isolation=none',
      ...(files.length > 0 ? files : [`--test-shard=${shard}/${shards}`, 'test/**/*.test.ts']),
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const [status] = await once(child, 'exit');
  return status === 0 ? 0 : 1; // null when it was killed
}

const statuses = await Promise.all(
  files.length > 0 ? [run(1)] : Array.from({ length: shards }, (_, index) => run(index + 1)),
);
process.exitCode = Math.max(...statuses);
