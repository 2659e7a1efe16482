// The files of the executable, made from the sources: without types, and with the version of the build.
import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, resolve } from 'node:path';

export const project = join(import.meta.dirname, '../..');
const versionFile = 'base/version.ts';
const nodeLicense = 'commands/node-license.txt';

/** Writes the files of the sources in `from` into `stage`, and returns their names. */
export function stageSources(from: string, stage: string, version: string): string[] {
  const names = globSync('**/*.{js,ts,css,json,txt}', { cwd: join(from, 'src') })
    .sort()
    .map((file) => stageFile(join(from, 'src'), file, { stage, version }));
  copyFileSync(join(dirname(process.execPath), '../LICENSE'), join(stage, nodeLicense));
  return [...names, nodeLicense];
}

type Stage = { readonly stage: string; readonly version: string };

/** Removes the types here rather than at each start. Lines stay the same, so that stack traces are right. */
function stageFile(sources: string, file: string, { stage, version }: Stage): string {
  const source = readFileSync(join(sources, file), 'utf8');
  const code = file === versionFile ? source.replace(/'.*'/, `'${version}'`) : source;
  const name = file.replace(/\.ts$/, '.js');
  mkdirSync(join(stage, dirname(name)), { recursive: true });
  const plain = file.endsWith('.ts') ? stripTypeScriptTypes(code) : code;
  writeFileSync(join(stage, name), plain.replace(/(\bfrom |\bimport\()'(\.[^']+)\.ts'/g, "$1'$2.js'"));
  return name;
}

/**
 * The version of a build. Before a release it names the commit, as in `1.1.0-dev+0123456789ab`, and whether files differ
 * from it: `1.1.0-dev+0123456789ab.changed`.
 */
export function buildVersion(): string {
  const { version } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
  const commit = version.includes('-') ? commitOfProject() : undefined;
  if (commit === undefined) return version;
  const changes = git('status', '--porcelain', '--', 'src', 'LICENSE', 'package.json', '.ci/runtime');
  return `${version}+${commit}${changes === '' ? '' : '.changed'}`;
}

function commitOfProject(): string | undefined {
  try {
    // a copy without history may lie in the folder of another one
    const isOwn = resolve(git('rev-parse', '--show-toplevel')) === resolve(project);
    return isOwn ? git('rev-parse', '--short=12', 'HEAD') : undefined;
  } catch {
    return undefined;
  }
}

function git(...words: readonly string[]): string {
  return execFileSync('git', words, {
    cwd: project,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}
