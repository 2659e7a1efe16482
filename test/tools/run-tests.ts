// Runs the tests and, at the same time, the type checks: `npm test`, or `npm test -- FILE…` for some. More
// processes run at once than a small machine has cores, since many tests wait for processes of their own; and
// there are twice as many in total, so that no core is idle at the end.
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { OutcomeLine } from './outcome-reporter.ts';

const shards = 12;
const shardsAtOnce = Math.max(6, availableParallelism());
const root = join(import.meta.dirname, '../..');
const cache = join(root, 'node_modules/.cache/orderly');
const files = process.argv.slice(2);
const outcomePrefix = 'outcome-';
const folder = mkdtempSync(join(placeForFiles(), 'orderly-tests-'));
chmodSync(folder, 0o711); // some tests start a service under another account
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const tests = files.length > 0 ? runTests(files) : runShards();
const typeErrors = (await Promise.all(['.', 'src/console'].map(typeErrorsOf))).join('');
process.stderr.write(typeErrors);
const isGood = await tests;
if (files.length === 0) reportOutcome(isGood);
process.stderr.write(typeErrors); // once more: these lines are far above by now
process.exitCode = isGood && typeErrors === '' ? 0 : 1;

/** What the compiler reports; empty if nothing is wrong. It keeps what it found for the next time. */
async function typeErrorsOf(project: string): Promise<string> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const known = join(cache, `types-of-${basename(join(root, project))}.json`);
  const args = ['--noEmit', '--incremental', '--tsBuildInfoFile', known, '--singleThreaded', '-p', project];
  const child = spawn(process.execPath, [compiler, ...args], {
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

/**
 * The sources are compiled once for all processes, and for the next time, as start.js does it. A test that
 * never ends fails, with its name.
 */
async function runTests(which: readonly string[]): Promise<boolean> {
  const outcome = join(folder, `${outcomePrefix}${randomUUID()}`);
  const reporters = { spec: 'stdout', [import.meta.resolve('./outcome-reporter.ts')]: outcome };
  const flags = Object.entries(reporters).flatMap(([reporter, destination]) => [
    `--test-reporter=${reporter}`,
    `--test-reporter-destination=${destination}`,
  ]);
  const child = spawn(
    process.execPath,
    ['--test', '--test-isolation=none', '--test-timeout=300000', ...flags, ...which],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, TMPDIR: folder, NODE_COMPILE_CACHE: cache },
    },
  );
  return succeeds(child);
}

async function succeeds(child: ChildProcess): Promise<boolean> {
  const [status] = await once(child, 'exit');
  return status === 0; // null when it was killed
}

/** Writes what failed in any process, whose own output is far above by now, and the counts of all. */
function reportOutcome(isGood: boolean): void {
  const lines = readOutcomes();
  const failures = lines.flatMap((line) => ('failure' in line ? [line.failure] : []));
  if (!isGood && failures.length === 0) failures.push('✖ A process of tests ended early.\n');
  for (const failure of failures) process.stderr.write(`\n${failure}`);
  const countOf = (kind: string): number =>
    lines.reduce((sum, line) => sum + ('counts' in line ? (line.counts[kind] ?? 0) : 0), 0);
  const shown = ['passed', 'failed', 'cancelled', 'skipped'].map((kind) => `${countOf(kind)} ${kind}`);
  console.log(`\nOf ${countOf('tests')} tests, ${shown.join(', ')}; ${Math.round(process.uptime())} s.`);
}

function readOutcomes(): OutcomeLine[] {
  const names = readdirSync(folder).filter((name) => name.startsWith(outcomePrefix));
  const texts = names.map((name) => readFileSync(join(folder, name), 'utf8'));
  const lines = texts.join('').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
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
