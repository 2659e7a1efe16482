// Runs the checks of the console in a real browser: `npm run check:console`, or with files for some of them.
// Each file has a process of its own, several at once, since a check mostly waits. Some checks measure time, so
// what fails runs once more alone, and has to pass then.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const root = join(import.meta.dirname, '../..');
const filesAtOnce = availableParallelism() + 1;

const named = process.argv.slice(2);
const files = named.length > 0 ? named : globSync('test/console/*-check.ts', { cwd: root }).sort();
const doubtful = await failing(files, filesAtOnce);
const failed = await failing(doubtful, 1);
for (const file of doubtful.filter((each) => !failed.includes(each)))
  console.log(`${file} failed beside others, and passed alone.`);
const seconds = Math.round(process.uptime());
console.log(
  `\nAfter ${seconds} s, by file:\n${files.length - failed.length} passed, ${failed.length} failed`,
);
process.exitCode = files.length > 0 && failed.length === 0 ? 0 : 1;

/** Returns the files that fail, of which so many run at once. */
async function failing(wanted: readonly string[], atOnce: number): Promise<string[]> {
  const waiting = [...wanted];
  const found: string[] = [];
  async function runSome(): Promise<void> {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift())
      if (!(await passes(file))) found.push(file);
  }
  await Promise.all(Array.from({ length: atOnce }, runSome));
  return found;
}

async function passes(file: string): Promise<boolean> {
  const flags = ['--test', '--test-isolation=none', '--test-timeout=900000', '--test-reporter=spec'];
  const child = spawn(process.execPath, [...flags, file], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [report, [status]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  console.log(`${file}\n${report}`);
  return status === 0; // null when it was killed
}
