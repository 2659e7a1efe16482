// Whether each feature that may be left out can be deleted: `npm run check:features`, with names for some of
// them, and with `--all` to run all tests that remain instead of those that a deletion touches. A copy of the
// sources loses the feature's folder, its line, its tests, and the features that need it; what remains must
// compile and pass.
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { features } from '../../src/service/features.ts';
import { withDependents } from '../support/dependents.ts';
import { isElsewhere, root } from '../support/source-text.ts';

/** What belongs to a feature besides `src/features/NAME/` and `test/features/NAME/`. */
const alsoOf: Readonly<Record<string, readonly string[]>> = {
  products: ['test/bench/lists-at-scale.ts'],
  console: ['src/console', 'test/console', 'test/tools/check-small.ts', 'test/tools/check-spreadsheet.ts'],
  webhooks: ['console-page.test', 'console-live-check', 'console-today-check', 'api-types.test'].map(
    (name) => `test/console/${name}.ts`,
  ),
};

/** Tests of pages, which describe all features: a person who deletes one edits them. */
const testsOfPages = [
  'sources/architecture',
  'docs/docs',
  'docs/integrators',
  'docs/readme',
  'docs/second-machine',
];

/** Tests of what every service does, and of how the features are put together. */
const touched = ['requirements/*.test.ts', 'sources/tidy.test.ts', 'service/*.test.ts'];

const { values, positionals } = parseArgs({
  options: { all: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const optional = features.filter(({ isCore }) => isCore !== true).map(({ name }) => name);
const names = positionals.length > 0 ? positionals : optional;
const failed = names.filter((name) => !canBeDeleted(name));
console.log(failed.length === 0 ? 'Each can be deleted.' : `These can’t be deleted: ${failed.join(', ')}.`);
process.exitCode = failed.length === 0 ? 0 : 1;

function canBeDeleted(name: string): boolean {
  const start = performance.now();
  const copy = mkdtempSync(join(tmpdir(), 'orderly-without-'));
  try {
    const deleted = withDependents(name);
    copyTree(copy);
    for (const each of deleted) deleteFeature(copy, each);
    for (const page of testsOfPages) rmSync(join(copy, `test/${page}.test.ts`));
    const problem = typeErrors(copy) || failures(copy);
    const seconds = Math.round((performance.now() - start) / 1_000);
    console.log(`${problem === '' ? 'ok    ' : 'FAILED'} without ${deleted.join(', ')} (${seconds} s)`);
    if (problem !== '') console.log(problem);
    return problem === '';
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function copyTree(copy: string): void {
  for (const part of ['src', 'test', 'package.json', 'package-lock.json', 'tsconfig.json', 'README.md'])
    cpSync(join(root, part), join(copy, part), {
      recursive: true,
      filter: (path) => !isElsewhere(path.slice(root.length)),
    });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
}

function deleteFeature(copy: string, name: string): void {
  for (const folder of [`src/features/${name}`, `test/features/${name}`, ...(alsoOf[name] ?? [])])
    rmSync(join(copy, folder), { recursive: true, force: true });
  const list = join(copy, 'src/service/features.ts');
  const lines = readFileSync(list, 'utf8').split('\n');
  const isOf = (line: string): boolean => line === `  ${name},` || line.startsWith(`import { ${name} }`);
  writeFileSync(list, lines.filter((line) => !isOf(line)).join('\n'));
}

function typeErrors(copy: string): string {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  return outputOfFailure(copy, [compiler, '--noEmit']);
}

function failures(copy: string): string {
  const patterns = values.all ? ['**/*.test.ts'] : touched;
  const files = globSync(patterns, { cwd: join(copy, 'test') }).map((file) => join('test', file));
  // a name that only the deleted feature imported may stay exported, and the console may be gone
  const skipped = 'no file exports|folders of the console import';
  const flags = ['--test', '--test-isolation=none', `--test-skip-pattern=${skipped}`];
  const output = outputOfFailure(copy, [...flags, ...files]);
  const [, failing = output] = output.split('failing tests:');
  return failing;
}

/** Empty if the program succeeds. */
function outputOfFailure(cwd: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args], {
    cwd,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  return status === 0 ? '' : stdout + stderr;
}
