// Modules joined into few files do what they did on their own, and what the bundler can't join is an error.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleModules } from '../../src/features/console/bundler.ts';

/** As in a module; the checks of this project's own imports don't see it. */
const at = (name: string): string => `'./${name}.ts'`;
const json = "'./table.json', { with: { type: 'json' } }";

const modules = {
  entry: `import { twice } from ${at('numbers')};
import { Box,
  label } from ${at('box-of')};
const result = twice(4);
export const all = { result, label, boxed: new Box(result).value, load: () => import(${at('later')}) };
`,
  numbers: `const factor = 2;
export function twice(value) { return value * factor; }
export async function* count() { yield 1; }
`,
  'box-of': `import { twice } from ${at('numbers').replace('./', '../room/')};
const ownFactor = 'its own';
export class Box { constructor(value) { this.value = value; } }
export const label = [ownFactor, twice(1)].join(' ');
`,
  later: `import { Box } from ${at('box-of')};
import { own } from ${at('own')};
export const made = [new Box(own), Box];
export const load = () => import(${at('last')});
`,
  own: `export const own = 'only of the later file';
`,
  last: `import { own } from ${at('own')};
import { twice } from ${at('numbers')};
export const last = [own, twice(2)];
`,
};

function joined(texts: Readonly<Record<string, string>>): Map<string, string> {
  return bundleModules(new Map(Object.entries(texts)), 'entry');
}

test('joined modules do what they do on their own, with names of their own', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-bundler-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const files = joined(modules);
  assert.deepEqual([...files.keys()], ['entry', 'later', 'last']);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  for (const [name, text] of files) writeFileSync(join(folder, `${name}.js`), text);
  const { all, Box } = await import(pathToFileURL(join(folder, 'entry.js')).href);
  const { result, label, boxed, load } = all;
  assert.deepEqual([result, label, boxed], [8, 'its own 2', 8]);
  const { made, load: loadLast } = await load();
  assert.equal(made[0].value, 'only of the later file');
  assert.deepEqual((await loadLast()).last, ['only of the later file', 4]);
  assert.equal(made[1], Box, 'a file that is loaded later shares the modules of the first one');
});

test('a module may wait for a JSON file, and so do the modules after it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-bundler-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const files = joined({
    entry: `import { word } from ${at('words')};\nexport const said = word.toUpperCase();\n`,
    words: `const table = (await import(${json})).default;\nexport const word = table.word;\n`,
    table: `{ "word": "Brot" }\n`,
  });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  for (const [name, text] of files) writeFileSync(join(folder, `${name}.js`), text);
  const { said } = await import(pathToFileURL(join(folder, 'entry.js')).href);
  assert.equal(said, 'BROT');
});

for (const [what, texts, message] of [
  [
    'modules that import each other',
    { entry: `import { a } from ${at('a')};`, a: `import { b } from ${at('entry')};` },
    /entry imports what imports it/,
  ],
  ['a module that is missing', { entry: `import { a } from ${at('a')};` }, /no module a/],
  ['an export that may change', { entry: 'export let a = 1;' }, /export let a/],
  ['a default export', { entry: 'export default 1;' }, /export default/],
  ['an export in a list', { entry: 'const a = 1;\nexport { a };' }, /export \{ a \}/],
  ['an import of all names', { entry: `import * as a from ${at('a')};`, a: '' }, /import \* as a/],
  ['an import under another name', { entry: `import { a as b } from ${at('a')};`, a: '' }, /a as b/],
  [
    'two modules with one name for two things',
    { entry: `import { a } from ${at('a')};\nconst [, b] = [];`, a: 'const b = 1;\nexport const a = 1;' },
    /entry declares b, as another module does/,
  ],
  ['an import of a package', { entry: `import { a } from 'package';` }, /package/],
  [
    'a file for a module that is needed at once',
    {
      entry: `import { a } from ${at('a')}; \nimport(${at('a')});`.replace('; ', ';'),
      a: 'export const a = 1;',
    },
    /a can’t have a file of its own: entry needs it/,
  ],
] as const)
  test(`the bundler rejects ${what}`, () => assert.throws(() => joined(texts), message));
