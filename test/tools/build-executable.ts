// Builds dist/orderly: the sources and the Node that runs this in one file, with the same bytes each time; and beside it
// its SBOM and the SHA-256 of both. `node test/tools/build-executable.ts [OUTPUT]`; with STRIP=1 Node's symbols are left
// out, which needs binutils.
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { requireListedRuntime, sha256 } from './runtime.ts';
import { sbom } from './sbom.ts';
import { buildVersion, project, stageSources } from './staged-sources.ts';

/** The flags of Node in the executable, as in the start script. */
const embeddedFlags = [
  '--max-semi-space-size=8',
  '--disable-sigusr1',
  '--no-memory-pool-share-memory-on-teardown',
];

export function buildExecutable(output: string, isStripped: boolean): void {
  requireListedRuntime(process.execPath);
  const stage = mkdtempSync(join(tmpdir(), 'orderly-build-'));
  try {
    const version = buildVersion();
    const files = stageSources(project, stage, version);
    // Its paths become part of the result, so all are relative to the stage.
    writeFileSync(
      join(stage, 'build.json'),
      JSON.stringify({
        main: 'start.js',
        mainFormat: 'module',
        output: 'orderly',
        disableExperimentalSEAWarning: true,
        useVfs: true,
        execArgv: embeddedFlags,
        assets: Object.fromEntries(files.filter((file) => file !== 'start.js').map((file) => [file, file])),
      }),
    );
    execFileSync(nodeFor(stage, isStripped), ['--build-sea', 'build.json'], {
      cwd: stage,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    mkdirSync(dirname(output), { recursive: true });
    rmSync(output, { force: true }); // one that runs can't be written over
    cpSync(join(stage, 'orderly'), output);
    describe(output, version);
  } finally {
    rmSync(stage, { recursive: true });
  }
}

/** Symbols have to be removed before the build: afterwards the executable wouldn't start. */
function nodeFor(stage: string, isStripped: boolean): string {
  if (!isStripped) return process.execPath;
  const node = join(stage, 'node');
  copyFileSync(process.execPath, node);
  execFileSync('strip', [node]);
  return node;
}

function describe(output: string, version: string): void {
  const list = `${output}.cdx.json`;
  writeFileSync(list, `${JSON.stringify(sbom({ version, file: output }), null, 2)}\n`);
  const lines = [output, list].map((file) => `${sha256(readFileSync(file))}  ${basename(file)}\n`);
  writeFileSync(join(dirname(output), 'SHA256SUMS'), lines.join(''));
}

if (import.meta.main) {
  const [, , output = join(project, 'dist/orderly')] = process.argv;
  process.removeAllListeners('warning'); // that taking types out is still an experiment of Node's
  buildExecutable(resolve(output), process.env['STRIP'] === '1');
  const size = (statSync(output).size / 1e6).toFixed(1);
  console.log(`${output}: ${buildVersion()}, ${size} MB, sha256 ${sha256(readFileSync(output))}`);
}
