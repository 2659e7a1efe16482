// Runs the tests and, beside them, the type checks: `npm test`, or `npm test -- FILE…` for some. They run in
// a few processes at once, more than a small machine has cores, because many of them wait for processes of
// their own; and in several more in all, so that no core is idle at the end.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const shards = 12;
const shardsAtOnce = Math.max(4, availableParallelism());
const root = join(import.meta.dirname, '../..');
const files = process.argv.slice(2);
const folder = mkdtempSync(join(placeForFiles(), 'orderly-tests-'));
chmodSync(folder, 0o711); // some tests start a service under another account
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const tests = files.length > 0 ? runTests(files) : runShards();
const typeErrors = (await Promise.all(['.', 'src/console'].map(typeErrorsOf))).join('');
process.stderr.write(typeErrors);
const isGood = await tests;
process.stderr.write(typeErrors); // once more: these lines are far above by now
process.exitCode = isGood && typeErrors === '' ? 0 : 1;

/** What the compiler reports; empty if nothing is wrong. */
async function typeErrorsOf(project: string): Promise<string> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const child = spawn(process.execPath, [compiler, '--noEmit', '-p', project], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [report, isGood] = await Promise.all([text(child.stdout), succeeds(child)]);
  return isGood ? '' : report || `The type check of ${project} failed.\n`;
}

/** Returns whether all tests passed. */
async function runShards(): Promise<boolean> {
  const results: boolean[] = [];
  let begun = 0;
  async function runSome(): Promise<void> {
    while (begun < shards) {
      begun += 1;
      results.push(await runTests([`--test-shard=${begun}/${shards}`, 'test/**/*.test.ts']));
    }
  }
  await Promise.all(Array.from({ length: shardsAtOnce }, runSome));
  return results.every(Boolean);
}

/** The sources are compiled once for all processes, and for the next time, as start.js does it. */
function runTests(which: readonly string[]): Promise<boolean> {
  const compiled = join(root, 'node_modules/.cache/orderly');
  const child = spawn(process.execPath, ['--test', '--test-isolation=none', ...which], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, TMPDIR: folder, NODE_COMPILE_CACHE: compiled },
  });
  return succeeds(child);
}

async function succeeds(child: ChildProcess): Promise<boolean> {
  const [status] = await once(child, 'exit');
  return status === 0; // null when it was killed
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
