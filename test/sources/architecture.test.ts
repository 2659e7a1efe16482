// The claims of src/ARCHITECTURE.md: the steps of its paths, its bounds, the files and tests that it names.
// Its picture of the layers is what tidy.test.ts holds imports to.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settings } from '../../src/service/features.ts';
import { paths, quotedIn, sources, texts } from '../support/source-text.ts';

const architecture = texts.get('src/ARCHITECTURE.md') ?? '';

test('every step that ARCHITECTURE.md names is a function of its file', () => {
  const places = ['## One read', '## One write', '## One list'];
  const steps = places.flatMap((place) => tableAfter('| file | function | what it does, and why |', place));
  assert.ok(steps.length > 30, `only ${steps.length} are seen`);
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
  assert.deepEqual(missing, ['x.ts', 'x-store.ts', 'x-routes.ts', 'x-migrations.ts', 'x-feature.ts']);
});

test('every bound of what one client may hold is that of the sources', () => {
  const rows = tableAfter('| held | by one client | by all | owner |');
  assert.ok(rows.length > 7, `only ${rows.length} are seen`);
  for (const [held = '', byOne = '', byAll = '', owner = ''] of rows) {
    const [file = ''] = quotedIn(owner);
    for (const [, name = '', value = ''] of `${byOne}, ${byAll}`.matchAll(/`([\w-]+)` ([\d,/]+(?: MiB)?)/g))
      assert.equal(
        value.replace(/,$/, ''),
        name.startsWith('--') ? defaultOf(name) : boundIn(file, name),
        held,
      );
  }
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

/** The value of a constant of this file, as the page writes it; undefined if the file has no such constant. */
function boundIn(file: string, name: string): string | undefined {
  const path = sources.find((each) => each.endsWith(`/${file}`)) ?? '';
  const [, factors] =
    new RegExp(`^(?:export )?const ${name} = ([\\d_ *]+);`, 'm').exec(texts.get(path) ?? '') ?? [];
  if (factors === undefined) return undefined;
  const value = factors
    .split('*')
    .reduce((product, factor) => product * Number(factor.replaceAll('_', '')), 1);
  return value < 2 ** 20 ? value.toLocaleString('en') : `${value / 2 ** 20} MiB`;
}

/** The default of a flag. */
function defaultOf(flag: string): string | undefined {
  return settings.find((setting) => `--${setting.flag}` === flag)?.fallback;
}

/** Whether the file has a function or method of that name; a private one is named with its `#`. */
function defines([file = '']: readonly string[], [name = '']: readonly string[]): boolean {
  const definition = new RegExp(`^ *(export )?((async )?function |(async |get )?)${name}(<.*>)?\\(`, 'm');
  const path = sources.find((each) => each.endsWith(`/${file}`)) ?? '';
  return definition.test(texts.get(path) ?? '');
}
