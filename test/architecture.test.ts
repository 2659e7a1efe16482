// The claims of src/ARCHITECTURE.md: the steps of its paths, the files and the tests that it names. Its picture of
// the layers is what tidy.test.ts holds imports to.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paths, quotedIn, sources, texts } from './source-text.ts';

const architecture = texts.get('src/ARCHITECTURE.md') ?? '';

test('every step that ARCHITECTURE.md names is a function of its file', () => {
  const places = ['## One read', '## One write', 'And the way back:', '## One list'];
  const steps = places.flatMap((place) => tableAfter('| file | function | what it does |', place));
  assert.ok(steps.length > 50, `only ${steps.length} are seen`);
  const missing = steps.filter(([file = '', name = '']) => !defines(quotedIn(file), quotedIn(name)));
  assert.deepEqual(missing, []);
});

test('every rule of ARCHITECTURE.md names a test that exists', () => {
  const rules = tableAfter('| rule | test |');
  assert.ok(rules.length > 20, `only ${rules.length} are seen`);
  const missing = rules.filter(([, test = '']) => {
    const [, file = '', title = ''] = /^`([\w.-]+)`: (.+)$/.exec(test) ?? [];
    const path = paths.find((each) => each.endsWith(`/${file}`)) ?? '';
    return title === '' || texts.get(path)?.includes(title) !== true;
  });
  assert.deepEqual(missing, []);
});

test('every file that ARCHITECTURE.md names exists', () => {
  const names = [...architecture.matchAll(/`([\w./-]+\.(?:ts|js))`/g)].map(([, name = '']) => name);
  const missing = names.filter((name) => !paths.some((path) => `/${path}`.endsWith(`/${name}`)));
  assert.deepEqual(missing, [
    'x.ts',
    'x-store.ts',
    'x-routes.ts',
    'x-representation.ts',
    'x-migrations.ts',
    'x-feature.ts',
  ]);
});

/** The cells of each row of the first table with this head, after this place. */
function tableAfter(head: string, place = ''): string[][] {
  const start = architecture.indexOf(head, architecture.indexOf(place));
  assert.notEqual(start, -1, head);
  const [rows = ''] = architecture.slice(start).split('\n\n', 1);
  return rows
    .trimEnd()
    .split('\n')
    .slice(2)
    .map((row) =>
      row
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}

/** Whether the file has a function or method of that name. */
function defines([file = '']: readonly string[], [name = '']: readonly string[]): boolean {
  const definition = new RegExp(`^ *(export )?((async )?function |(async |get )?#?)${name}(<.*>)?\\(`, 'm');
  const path = sources.find((each) => each.endsWith(`/${file}`)) ?? '';
  return definition.test(texts.get(path) ?? '');
}
