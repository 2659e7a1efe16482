// Whether RE2 (as in Go, here by its port re2js) and PCRE (as in PHP) compile all patterns of the OpenAPI document. GNU grep brings PCRE.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { folderWith } from './outside-tools.ts';

type Re2Module = { readonly RE2JS: { readonly compile: (pattern: string) => unknown } };

export function uncompiledPatterns(document: string, parent: string): string[] {
  // the package's own interface
  const { RE2JS } = createRequire(join(folderWith('re2', parent), 'here.js'))('re2js') as Re2Module;
  const violations: string[] = [];
  for (const pattern of patternsIn(document)) {
    try {
      RE2JS.compile(pattern);
    } catch (error) {
      violations.push(`RE2: ${pattern}: ${String(error)}`);
    }
    const env = { ...process.env, LC_ALL: 'C.UTF-8' };
    const { status, stderr } = spawnSync('grep', ['-qP', '-e', pattern], {
      input: '',
      encoding: 'utf8',
      env,
    });
    if (status !== 0 && status !== 1) violations.push(`PCRE: ${pattern}: ${stderr}`);
  }
  return violations;
}

export function patternsIn(document: string): Set<string> {
  const patterns = new Set<string>();
  JSON.parse(document, (key, value: unknown) => {
    if (key === 'pattern' && typeof value === 'string') patterns.add(value);
    return value;
  });
  return patterns;
}
