// Writes src/features/customers/postal-codes.ts from test/data/postal-codes.json: node
// test/tools/generate-postal-codes.ts
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';

export type Territory = {
  readonly patterns: readonly string[];
  readonly required: boolean;
  readonly examples: readonly string[];
  /** What is printed before the code, such as `LT-`. */
  readonly prefix?: string;
};

const source = new URL('../data/postal-codes.json', import.meta.url);
export const generatedFile = new URL('../../src/features/customers/postal-codes.ts', import.meta.url);

/** Quoted as by the formatter. */
const lineLengthMax = 110;

/** The public data, by territory. */
export function readTerritories(): ReadonlyMap<string, Territory> {
  const { territories } = JSON.parse(readFileSync(source, 'utf8')) as {
    territories: Record<string, Territory>;
  }; // the file is ours
  return new Map(Object.entries(territories));
}

/** The text of the generated file. */
export function postalCodesSource(territories: ReadonlyMap<string, Territory>): string {
  const rows = [...territories]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([country, territory]) => rowsOf(country, territory));
  const tool = 'test/tools/generate-postal-codes.ts';
  return `// Postal codes by country: pattern, examples. Written by ${tool}; don't edit.
// From commerceguys/addressing (MIT) and google/libaddressinput (Apache-2.0), see test/data/README.md.
// The examples have each place of separators once. A territory that isn't listed has no pattern and needs no code.

type PostalCode = readonly [pattern: RegExp, examples: string, required?: 'required'];

export const postalCodes: ReadonlyMap<string, PostalCode> = new Map(
  Object.entries<PostalCode>({
${rows.join('\n')}
  }),
);
`;
}

/**
 * No row where there is no pattern: such a territory must not require a code. A literal, since V8 compiles it
 * only at its first use and tsc checks it.
 */
function rowsOf(country: string, { patterns, required, examples }: Territory): string[] {
  assert(patterns.length > 0 || !required, `${country} requires a code that has no pattern`);
  const [first] = patterns;
  if (first === undefined) return [];
  const pattern = patterns.join('|');
  assert(!/[\/\n]/.test(pattern), `${country}: the pattern can't be written as a literal`);
  const literal = `/^${pattern.includes('|') ? `(?:${pattern})` : pattern}$/v`;
  const shapes = new Map(
    examples.map((example) => [example.replaceAll(/[A-Z\d]/g, '_'), example] as const).reverse(),
  );
  const shown = shapes.size === 0 ? [exampleOf(country, first)] : [...shapes.values()].reverse();
  const parts = [literal, `'${shown.join(', ')}'`];
  if (required) parts.push("'required'");
  const row = `    ${country}: [${parts.join(', ')}],`;
  if (row.length <= lineLengthMax) return [row];
  return [`    ${country}: [`, ...parts.map((part) => `      ${part},`), '    ],'];
}

/** For the few patterns without an example, which are `\d{n}`. */
function exampleOf(country: string, pattern: string): string {
  const example = pattern.replaceAll(/\\d\{(\d)\}/g, (_, count: string) => '12345'.slice(0, Number(count)));
  assert(/^\d+$/.test(example), `${country} needs an example`);
  return example;
}

if (import.meta.main) writeFileSync(generatedFile, postalCodesSource(readTerritories()));
