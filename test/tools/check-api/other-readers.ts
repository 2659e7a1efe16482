// What Redocly finds in the OpenAPI document, and whether RE2 (as in Go, here by its port re2js) and PCRE (as in PHP, here by
// GNU grep) compile its patterns.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { folderWith, run } from './outside-tools.ts';

type Finding = {
  readonly ruleId: string;
  readonly message: string;
  readonly location: readonly { readonly pointer?: string }[];
};
type Re2Module = { readonly RE2JS: { readonly compile: (pattern: string) => unknown } };

/** Errors and warnings both count. A schema that only `x-line-schema` refers to counts as unused, and isn't. */
const rules = 'extends: [recommended]\nrules:\n  no-unused-components: off\n';

export function redoclyFindings(document: string, parent: string): string[] {
  const folder = folderWith('redocly', parent);
  writeFileSync(join(folder, 'openapi.json'), document);
  writeFileSync(join(folder, 'redocly.yaml'), rules);
  const args = ['lint', 'openapi.json', '--config', 'redocly.yaml', '--format', 'json'];
  const { problems }: { problems: Finding[] } = JSON.parse(run(folder, 'redocly', ...args));
  return problems.map(({ ruleId, location: [at], message }) => `${ruleId} at ${at?.pointer}: ${message}`);
}

export function uncompiledPatterns(document: string, parent: string): string[] {
  // the package's own interface
  const { RE2JS } = createRequire(join(folderWith('re2', parent), 'here.js'))('re2js') as Re2Module;
  const violations: string[] = [];
  const patterns = new Set<string>();
  JSON.parse(document, (key, value: unknown) => {
    if (key === 'pattern' && typeof value === 'string') patterns.add(value);
    return value;
  });
  const env = { ...process.env, LC_ALL: 'C.UTF-8' };
  for (const pattern of patterns) {
    try {
      RE2JS.compile(pattern);
    } catch (error) {
      violations.push(`RE2: ${pattern}: ${String(error)}`);
    }
    const { status, stderr } = spawnSync('grep', ['-qP', '-e', pattern], { input: '', env });
    if (status !== 0 && status !== 1) violations.push(`PCRE: ${pattern}: ${stderr}`);
  }
  return patterns.size === 0 ? ['the document has no patterns'] : violations;
}
