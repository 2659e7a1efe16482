// The code blocks of the pages of src/docs, as tests and checks run them.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { program } from './command-support.ts';
import { runProgram } from './running-program.ts';

export function pageOf(name: string): string {
  return readFileSync(new URL(`../../src/docs/${name}`, import.meta.url), 'utf8');
}

/** The code block of a page whose first line begins so. */
export function blockOf(name: string, beginning: string): string {
  for (const [, block = ''] of pageOf(name).matchAll(/^```\w*\n([^]*?)^```$/gm))
    if (block.startsWith(beginning)) return block;
  return assert.fail(`${beginning} isn't on the page`);
}

/** Replaces texts that must be there, each wherever it occurs. */
export function replaced(text: string, replacements: Readonly<Record<string, string>>): string {
  let result = text;
  for (const [before, after] of Object.entries(replacements)) {
    assert(result.includes(before), `${before} isn't in the configuration`);
    result = result.replaceAll(before, after);
  }
  return result;
}

/** Runs commands as a reader would paste them; `orderly` is the one under test. */
export async function paste(script: string, folder: string): Promise<string> {
  const orderly = `orderly() { ${program.map((word) => `'${word}'`).join(' ')} "$@"; }\n`;
  writeFileSync(join(folder, 'pasted'), `set -e\n${orderly}${script}`);
  const { ended, output, written } = runProgram(['sh', 'pasted'], { cwd: folder });
  const { code } = await ended;
  assert.equal(code, 0, written());
  return output.stdout;
}
