// The claims of src/ARCHITECTURE.md: its layers, the steps of its paths, and the tests that it names.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layers, importsOf } from './layers.ts';
import { codeOf, paths, programs, quotedIn, sources, texts } from './source-text.ts';

const architecture = texts.get('src/ARCHITECTURE.md') ?? '';
const importsByFile = new Map(sources.map((path) => [path, importsOf(path)]));

test('the layers are those that imports are tested against', () => {
  const [, picture = ''] = /```text\n([\s\S]+?)```/.exec(architecture) ?? [];
  const lines = picture.split('\n').map((line) => line.match(/[\w./*-]+(?:\/|\.ts|\.js)(?= |$)/g) ?? []);
  assert.deepEqual(
    lines.filter((names) => names.length > 0).map((names) => names.map((name) => `src/${name}`).sort()),
    layers.map((places) => [...places].sort()),
  );
});

test('every step is a function of its file', () => {
  const places = [
    '## One read',
    '## One write',
    'And the way back:',
    '## One list',
    '## One sign-in',
    '## One event',
    '## One export',
    '## One import',
  ];
  const steps = places.flatMap((place) => tableAfter('| file | function | what it does |', place));
  assert.ok(steps.length > 80, `only ${steps.length} are seen`);
  const missing = steps.filter(([file = '', name = '']) => !defines(quotedIn(file), quotedIn(name)));
  assert.deepEqual(missing, []);
});

test('every rule names a test that exists', () => {
  const [, list = ''] = architecture.split('## Rules, and the tests that hold them\n');
  const rules = list.trim().split(/^- /m).slice(1);
  assert.ok(rules.length > 20, `only ${rules.length} are seen`);
  const missing = rules.filter((rule) => {
    const [, file = '', title = ''] = /^ {2}`([\w.-]+)`: ([\s\S]+)$/m.exec(rule) ?? [];
    const path = paths.find((each) => each.endsWith(`/${file}`)) ?? '';
    return title === '' || texts.get(path)?.includes(title.replaceAll(/\s+/g, ' ').trim()) !== true;
  });
  assert.deepEqual(missing, []);
});

test('every file that is named exists', () => {
  const names = [...architecture.matchAll(/`([\w./-]+\.(?:ts|js))`/g)].map(([, name = '']) => name);
  const missing = names.filter((name) => !paths.some((path) => `/${path}`.endsWith(`/${name}`)));
  assert.deepEqual(missing, ['x.ts', 'x-store.ts', 'x-routes.ts', 'x-representation.ts', 'x-migrations.ts']);
});

test('the page fits 110 columns, except for rows of tables', () => {
  assert.deepEqual(
    architecture.split('\n').filter((line) => line.length > 110 && !line.startsWith('|')),
    [],
  );
});

test('stores and rules know nothing of HTTP', () => {
  const rules = sources
    .filter((path) => path.endsWith('-store.ts'))
    .flatMap((store) => [store, rulesOf(store)]);
  const inFeatures = rules.filter((path) => path.startsWith('src/features/'));
  const crossings = inFeatures.flatMap((from) =>
    (importsByFile.get(from) ?? []).filter((to) => to.startsWith('src/http/')).map((to) => `${from} → ${to}`),
  );
  assert.deepEqual(crossings, [
    // it stores responses
    'src/features/idempotency/stored-response-store.ts → src/http/requests/idempotency.ts',
  ]);
  assert.ok(inFeatures.length > 20); // it would be seen
});

test('no file exports a name that no other file imports', () => {
  const declaration = /^export (?:type|const|(?:async )?function|class) (\w+)/gm;
  const imported = new Set(programs.flatMap((path) => importedNames(texts.get(path) ?? '')));
  const unused = sources.flatMap((path) =>
    [...(texts.get(path) ?? '').matchAll(declaration)]
      .filter(([, name = '']) => !imported.has(name))
      .map(([, name]) => `${path} ${name}`),
  );
  assert.deepEqual(unused, []);
});

test('a file of routes declares at least one', () => {
  const empty = sources.filter((path) => isRoutes(path) && !/\broute\(\{/.test(texts.get(path) ?? ''));
  assert.deepEqual(empty, []);
});

test('the sources start no other process', () => {
  const starting = sources.filter((path) => /'node:(child_process|cluster)'/.test(texts.get(path) ?? ''));
  assert.deepEqual(starting, []);
});

test('only node-internals.ts relies on undocumented behaviour of node:http', () => {
  const seams = [
    /server\.listeners\(/,
    /removeAllListeners\(/,
    /\bparser\b/,
    /_httpMessage/,
    /_header\b/,
    /\.push = /,
    /httpAllowHalfOpen/,
    /socket\.emit\(/,
  ];
  const home = 'src/http/connections/node-internals.ts';
  assert.deepEqual(
    seams.map((seam) => sources.filter((path) => seam.test(codeOf(texts.get(path) ?? '')))),
    seams.map(() => [home]),
  );
});

/** Names between the braces of imports, and those used of dynamic imports. */
function importedNames(text: string): string[] {
  const ways = [
    /import (?<named>[^;'"]*?\{[^}]*\}) from '\./,
    /\{(?<destructured>[^}]*)\} = await import\(/,
    /await import\('[^']*'\)\)\.(?<member>\w+)/,
  ];
  const found = text.matchAll(new RegExp(ways.map(({ source }) => source).join('|'), 'g'));
  return [...found].flatMap(({ groups = {} }) => Object.values(groups).join(' ').match(/\w+/g) ?? []);
}

/** The file with the schemas and rules of a store's rows, if there is one. */
function rulesOf(store: string): string {
  return store.replace('-store.ts', '.ts');
}

function isRoutes(path: string): boolean {
  return path.endsWith('-routes.ts');
}

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
