// `npm run check:contents FILE`: takes an executable for Linux apart, and compares each file in it with the sources of
// its commit, and its Node with the runtime that runs this, which `.ci/runtime/SHA256SUMS` lists.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ElfFile } from './check-contents/elf-file.ts';
import { noteName, readEmbedded, type Embedded } from './check-contents/embedded-files.ts';
import { compareNode } from './check-contents/node-code.ts';
import { embeddedFlags } from './build-executable.ts';
import { requireListedRuntime } from './runtime.ts';
import { project, stageSources } from './staged-sources.ts';

/** Without a warning, with files, as a file system, and with flags of Node: what the build asks for. */
const expectedFlags = 0x39;

type Contents = { readonly issues: readonly string[]; readonly report: readonly string[] };

/** Compares the executable; the report says what was equal. */
export function contentsOf(executable: Buffer): Contents {
  requireListedRuntime(process.execPath);
  const found = new ElfFile(executable);
  const [note = Buffer.alloc(0), ...others] = found.notes(noteName);
  assert.equal(others.length, 0, 'Node could find other files, too');
  const embedded = readEmbedded(note);
  const node = compareNode(found, new ElfFile(readFileSync(process.execPath)));
  const version = versionIn(embedded);
  const files = compareFiles(embedded, version);
  return {
    issues: [...node.issues, ...files.issues],
    report: [
      `version ${version}: ${embedded.files.size} files, compared with those of ${files.origin}`,
      `Node ${process.versions.node}: ${node.sections.join(' ')}, what is loaded where, libraries and symbols`,
    ],
  };
}

function versionIn({ files }: Embedded): string {
  const text = files.get('base/version.js')?.toString() ?? '';
  return /^export const version = '(.*)';$/m.exec(text)?.[1] ?? '';
}

function compareFiles(embedded: Embedded, version: string): { issues: string[]; origin: string } {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-contents-'));
  try {
    const commit = /\+([\da-f]+)$/.exec(version)?.[1];
    const [from, stage] = [join(folder, 'sources'), join(folder, 'stage')];
    for (const each of [from, stage]) mkdirSync(each);
    if (commit !== undefined) unpack(commit, from);
    const names = stageSources(commit === undefined ? project : from, stage, version);
    const expected = new Map(names.map((name) => [name, readFileSync(join(stage, name))]));
    const issues = [...new Set([...expected.keys(), ...embedded.files.keys()])].flatMap((name) => {
      const [found, wanted] = [embedded.files.get(name), expected.get(name)];
      if (found === undefined) return [`${name} is missing`];
      if (wanted === undefined) return [`${name} is in no source`];
      return found.equals(wanted) ? [] : [`${name} differs from its source`];
    });
    const isAsBuilt = embedded.main === 'start.js' && embedded.flags === expectedFlags;
    if (!isAsBuilt || embedded.nodeFlags.join(' ') !== embeddedFlags.join(' '))
      issues.push('it starts otherwise');
    return { issues, origin: commit === undefined ? 'this folder' : `commit ${commit}` };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function unpack(commit: string, folder: string): void {
  const archive = execFileSync('git', ['archive', commit, 'src'], { cwd: project, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
}

if (import.meta.main) {
  const [, , file = join(project, 'dist/orderly')] = process.argv;
  process.removeAllListeners('warning'); // that taking types out is still an experiment of Node's
  const { issues, report } = contentsOf(readFileSync(file));
  for (const line of report) console.log(line);
  for (const issue of issues) console.error(`✗ ${issue}`);
  console.log(issues.length === 0 ? 'everything is equal' : `${issues.length} differences`);
  process.exitCode = issues.length === 0 ? 0 : 1;
}
