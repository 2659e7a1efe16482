// The commands of the page "A second machine", as tests and checks run them.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { program } from './command-support.ts';

const run = promisify(execFile);
const page = readFileSync(new URL('../../src/docs/second-machine.md', import.meta.url), 'utf8');

/** The section's code blocks in this language, in order. */
export function blocksOf(section: string, language: 'sh' | 'yaml' = 'sh'): string[] {
  const [, rest = ''] = page.split(`\n## ${section}\n`);
  const [text = ''] = rest.split('\n## ');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(
    ([, code = '']) => code,
  );
}

export function blockOf(section: string): string {
  const [block = assert.fail(`no commands under ${section}`)] = blocksOf(section);
  return block;
}

/** Runs commands as a reader would paste them; `orderly` is the one under test. */
export async function paste(script: string, folder: string): Promise<string> {
  const orderly = `orderly() { ${program.map((word) => `'${word}'`).join(' ')} "$@"; }\n`;
  writeFileSync(join(folder, 'pasted'), `set -e\n${orderly}${script}`);
  return (await run('sh', ['pasted'], { cwd: folder, maxBuffer: 2 ** 26 })).stdout;
}
