// Builds dist/orderly: the sources and the Node that runs this in one file, with the same bytes each time.
// `node test/tools/build-executable.ts [OUTPUT]`; with STRIP=1 Node's symbols are left out, which needs
// binutils.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { requireListedRuntime } from './runtime.ts';

const sources = join(import.meta.dirname, '../../src');

export function buildExecutable(output: string, isStripped: boolean): void {
  requireListedRuntime(process.execPath);
  const stage = mkdtempSync(join(tmpdir(), 'orderly-build-'));
  try {
    const modules = globSync('**/*.{js,ts,css,json}', { cwd: sources })
      .sort()
      .map((file) => stageModule(file, stage));
    // Its paths become part of the result, so all are relative to the stage.
    writeFileSync(
      join(stage, 'build.json'),
      JSON.stringify({
        main: 'start.js',
        mainFormat: 'module',
        output: 'orderly',
        disableExperimentalSEAWarning: true,
        useVfs: true,
        // as in the start script
        execArgv: [
          '--max-semi-space-size=8',
          '--disable-sigusr1',
          '--no-memory-pool-share-memory-on-teardown',
        ],
        assets: Object.fromEntries(modules.filter((file) => file !== 'start.js').map((file) => [file, file])),
      }),
    );
    execFileSync(nodeFor(stage, isStripped), ['--build-sea', 'build.json'], {
      cwd: stage,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    mkdirSync(dirname(output), { recursive: true });
    rmSync(output, { force: true }); // one that runs can't be written over
    cpSync(join(stage, 'orderly'), output);
  } finally {
    rmSync(stage, { recursive: true });
  }
}

/** Removes the types here rather than at each start. Lines stay the same, so that stack traces are right. */
function stageModule(file: string, stage: string): string {
  const code = readFileSync(join(sources, file), 'utf8');
  const name = file.replace(/\.ts$/, '.js');
  mkdirSync(join(stage, dirname(name)), { recursive: true });
  const plain = file.endsWith('.ts') ? stripTypeScriptTypes(code) : code;
  writeFileSync(join(stage, name), plain.replace(/(\bfrom |\bimport\()'(\.[^']+)\.ts'/g, "$1'$2.js'"));
  return name;
}

/** Symbols have to be removed before the build: afterwards the executable wouldn't start. */
function nodeFor(stage: string, isStripped: boolean): string {
  if (!isStripped) return process.execPath;
  const node = join(stage, 'node');
  copyFileSync(process.execPath, node);
  execFileSync('strip', [node]);
  return node;
}

if (import.meta.main) {
  const [, , output = join(import.meta.dirname, '../../dist/orderly')] = process.argv;
  process.removeAllListeners('warning'); // that taking types out is still an experiment of Node's
  buildExecutable(resolve(output), process.env['STRIP'] === '1');
  const digest = createHash('sha256').update(readFileSync(output)).digest('hex');
  console.log(`${output}: ${(statSync(output).size / 1e6).toFixed(1)} MB, sha256 ${digest}`);
}
