// The configurations of the page "Deployment", as the checks start them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const page = textOf('deployment.md');

function textOf(name: string): string {
  return readFileSync(new URL(`../../../src/docs/${name}`, import.meta.url), 'utf8');
}

/** The flags of the service behind each of the proxies. */
export const proxiedSettings: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from(
    (/^orderly then runs with `(.*)`/m.exec(page)?.[1] ?? '').matchAll(/--(\S+) (\S+)/g),
    ([, flag = '', value = '']) => [flag, value],
  ),
);

/** The code block of a page whose first line begins so. */
export function blockOf(beginning: string, of = 'deployment.md'): string {
  for (const [, block = ''] of textOf(of).matchAll(/^```\w*\n([^]*?)^```$/gm))
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
