// The form of the sources: layers, first lines, and constructs that they must not contain.
import assert from 'node:assert/strict';
import { homedir, hostname } from 'node:os';
import { basename, dirname } from 'node:path';
import { suite, test } from 'node:test';
import { version } from '../src/base/version.ts';
import { features } from '../src/service/features.ts';
import { isAt, layerOf, layers, importsOf } from './layers.ts';
import { codeOf, programs, sources, texts } from './source-text.ts';

suite('layers', () => {
  const imports = sources.flatMap((from) => importsOf(from).map((to) => ({ from, to })));

  test('every source is in exactly one layer', () => {
    assert.deepEqual(
      sources.filter((path) => layers.flat().filter((place) => isAt(path, place)).length !== 1),
      [],
    );
  });

  for (const place of layers.flat()) {
    test(`imports of ${place} point downwards`, () => {
      const upwards = imports.filter(
        ({ from, to }) => isAt(from, place) && !isAt(to, place) && layerOf(to) <= layerOf(from),
      );
      assert.deepEqual(upwards, []);
    });
  }

  test('a feature that may be left out imports the code of those that it needs, and of no other', () => {
    const optional = features.filter(({ isCore }) => isCore !== true);
    const folderOf = ({ name }: { readonly name: string }): string => `src/features/${name}/`;
    const crossings = optional.flatMap((feature) => {
      const others = optional.filter((each) => each !== feature && !feature.needs.includes(each));
      return imports.filter(
        ({ from, to }) =>
          from.startsWith(folderOf(feature)) && others.some((other) => to.startsWith(folderOf(other))),
      );
    });
    assert.deepEqual(crossings, []);
  });

  test('in the source folder, start.js is the only file that nothing imports', () => {
    const imported = new Set(imports.map(({ to }) => to));
    assert.deepEqual(
      sources.filter((path) => !imported.has(path)),
      ['src/start.js'],
    );
  });

  test('every source is reached from start.js', () => {
    const reached = new Set(['src/start.js']);
    // grows while it is walked
    for (const path of reached) for (const { from, to } of imports) if (from === path) reached.add(to);
    assert.deepEqual(
      sources.filter((path) => !reached.has(path)),
      [],
    );
  });

  test('every imported file exists', () =>
    assert.deepEqual(
      imports.filter(({ to }) => !texts.has(to)),
      [],
    ));

  test('at run time no file imports itself through others', () => {
    const next = (path: string): string[] => importsOf(path, 'values');
    assert.deepEqual(
      sources.filter((path) => reachable(path, next).has(path)),
      [],
    );
  });

  test('within a resource: x.ts, x-store.ts, x-representation.ts, x-routes.ts', () => {
    const kinds = ['-store.ts', '-representation.ts', '-routes.ts'];
    const height = (path: string): number => kinds.findIndex((kind) => path.endsWith(kind));
    const upwards = imports.filter(
      ({ from, to }) =>
        dirname(from) === dirname(to) &&
        from.startsWith('src/features/') &&
        (height(from) >= 0 || texts.has(from.replace('.ts', '-store.ts'))) &&
        height(to) > height(from),
    );
    assert.deepEqual(upwards, []);
  });
});

suite('every file', () => {
  test('begins with a comment that says what it is for', () => {
    assert.deepEqual(
      programs.filter((path) => !/^(\/\/|\/\*|--) \S.{10}/.test(texts.get(path) ?? '')),
      [],
    );
  });

  test('has a unique name in kebab-case', () => {
    const names = programs.map((path) => basename(path));
    assert.deepEqual(
      names.filter((name, index) => names.indexOf(name) !== index),
      [],
    );
    assert.deepEqual(
      names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.test)?\.\w+$/.test(name)),
      [],
    );
    assert.deepEqual(
      names.filter((name) => /^(index|store|utils?|helpers?|manager|common)\.ts$/.test(name)),
      [],
    );
  });

  test('names no path or host of a machine', () => {
    const machine = [
      ...(/\/.+\//.test(homedir()) ? [homedir()] : []),
      ...(/[-.\d]/.test(hostname()) ? [hostname()] : []),
    ]; // others could be words
    const anyMachine = /(?<![\w.:/~-])\/(home|root|Users|work|farm)\/\w|"resolved": "http|registry\.npm/;
    const telling = [...texts].filter(
      ([path, text]) =>
        path !== 'test/tidy.test.ts' &&
        (anyMachine.test(text) || machine.some((name) => text.includes(name))),
    );
    assert.deepEqual(
      telling.map(([path]) => path),
      [],
    );
  });

  test('ends with a line break, and none of its lines with a blank', () => {
    const untidy = [...texts].filter(
      ([path, text]) =>
        /\.(ts|js|md|json|c|lua|sql)$/.test(path) &&
        !path.startsWith('test/data/') &&
        (/[ \t]$/m.test(text) || !text.endsWith('\n')),
    );
    assert.deepEqual(
      untidy.map(([path]) => path),
      [],
    );
  });
});

suite('the sources', () => {
  const codes = sources.map((path) => ({ path, code: codeOf(texts.get(path) ?? '') }));
  const where = (pattern: RegExp): string[] =>
    codes.flatMap(({ path, code }) =>
      code
        .split('\n')
        .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [])),
    );

  test('the sources have SQL only in stores, migrations and storage/', () => {
    const beginnings = [
      /SELECT\s+[\w*'(]/,
      /INSERT\s+(OR\s+\w+\s+)?INTO/,
      /UPDATE\s+\w+\s+SET/,
      /DELETE\s+FROM/,
      /(CREATE|ALTER|DROP)\s+(TABLE|INDEX|TRIGGER|VIEW)/,
      /PRAGMA\s/,
      /BEGIN\s+(IMMEDIATE|DEFERRED)/,
      /SAVEPOINT\s/,
    ];
    const sql = new RegExp(`\\b(${beginnings.map(({ source }) => source).join('|')})`);
    const isHome = (path: string): boolean => /^src\/storage\/|-(store|migrations)\.ts$/.test(path);
    assert.deepEqual(
      sources.filter((path) => !isHome(path) && sql.test(withoutComments(texts.get(path) ?? ''))),
      [],
    );
    // it would be seen
    assert.ok(sources.filter((path) => isHome(path) && sql.test(texts.get(path) ?? '')).length > 8);
  });

  test('bind a limit as `LIMIT +?`: for `LIMIT ?` SQLite prepares a statement again each time', () => {
    const filesWith = (pattern: RegExp): string[] =>
      sources.filter((path) => pattern.test(withoutComments(texts.get(path) ?? '')));
    assert.deepEqual(filesWith(/LIMIT \?/), []);
    assert.ok(filesWith(/LIMIT \+\?/).length > 8); // it would be seen
  });

  test('import only types of node:http: else each start loads a WebSocket client', () => {
    const importsValues = /^import (?!type\b)[^;]*'node:https?'/m;
    assert.ok(importsValues.test("import {\n  request,\n} from 'node:http';"));
    assert.deepEqual(
      sources.filter((path) => importsValues.test(texts.get(path) ?? '')),
      [],
    );
  });

  test('only http/ and features/webhooks/ import node:http, and only storage/ imports node:sqlite', () => {
    const importing = (module: string): string[] =>
      sources.filter((path) => (texts.get(path) ?? '').includes(`from '${module}'`));
    assert.deepEqual(
      [...importing('node:http'), ...importing('node:https')].filter(
        (path) => !/^src\/(http|features\/webhooks)\//.test(path),
      ),
      [],
    );
    assert.deepEqual(
      importing('node:sqlite').filter((path) => !path.startsWith('src/storage/')),
      [],
    );
  });

  test('call a connection `db` or `writer`, never `database`, which has several', () => {
    assert.deepEqual(where(/\bdb\??: (Pick<)?\w*Database\b|\bdatabase: Connection\b/), []);
    assert.ok(where(/\b(db|writer): Connection\b/).length > 100); // it would be seen
  });

  const absences: readonly (readonly [what: string, pattern: RegExp, seen: string, unseen: string])[] = [
    ['any', /\bany\b/, 'const x: any = 1;', "const x = 'any'; // any"],
    ['!, which only the compiler believes', /[\w)\]]!(?!=)/, 'found!.id', "if (!a && b !== c) say('Oh!');"],
    [
      'enum, namespace or decorator',
      /\b(enum|namespace|module)\s+\w+\s*\{|^\s*@\w+/,
      'export enum Color {',
      'const x = `enum Color {`;',
    ],
    [
      're-exports',
      /^export\s+(\*|(type\s+)?\{)/,
      "export type { A } from './a.ts';",
      'export type A = { b: 1 };',
    ],
    ['default exports', /^export default/, 'export default 1;', 'export const x = { default: 1 };'],
    ['variables of a module', /^(export )?(let|var)\b/, 'let count = 0;', '  let count = 0;'],
    [
      'collections of a module that could change',
      /^(export )?const (?![^=]*: Readonly(Map|Set)<)[^=]*= new (Map|Set|WeakMap|WeakSet|BoundedMap|Array)\b/,
      'const known = new Map<string, number>();',
      'const known: ReadonlyMap<string, number> = new Map();',
    ],
  ];
  for (const [what, pattern, seen, unseen] of absences) {
    test(`the sources have no ${what}`, () => {
      assert.deepEqual(
        [seen, unseen].map((text) => pattern.test(codeOf(text))),
        [true, false],
      );
      assert.deepEqual(where(pattern), []);
    });
  }

  test('functions named check… throw, require… return a value, and …Issues return issues', () => {
    const named = String.raw`(?<![.\w])#?((?:check|require)[A-Z]\w*|\w+Issues)`;
    const returning = String.raw`(?:<[^(]*>)?\((?:[^()]|\([^()]*\))*\): ([^{;=]+?)(?: \{|;| =>)`;
    const declared = new RegExp(named + returning, 'g');
    const returned = codes
      .filter(({ path }) => !path.startsWith('src/console/'))
      .flatMap(({ path, code }) =>
        [...code.matchAll(declared)].map(([, name = '', type = '']) => ({ path, name, type })),
      );
    const isApt = ({ name, type }: { readonly name: string; readonly type: string }): boolean => {
      if (name.startsWith('check')) return /^(void|Promise<void>)$/.test(type);
      if (name.startsWith('require')) return !/\b(void|undefined)\b/.test(type);
      return /^(readonly )?(Issue|string)\[\]$/.test(type);
    };
    assert.ok(returned.length > 40);
    assert.deepEqual(
      returned.filter((each) => !isApt(each)),
      [],
    );
  });

  test('disable no checker', () =>
    assert.deepEqual(
      sources.filter((path) => /@ts-(ignore|expect-error|nocheck)/.test(texts.get(path) ?? '')),
      [],
    ));
});

suite('the package', () => {
  const manifest = JSON.parse(texts.get('package.json') ?? '');

  test('the package needs no other package at run time', () => {
    assert.deepEqual(Object.keys(manifest.dependencies ?? {}), []);
    assert.deepEqual(
      [manifest.optionalDependencies, manifest.peerDependencies, manifest.bundleDependencies],
      [undefined, undefined, undefined],
    );
    const outside = sources
      .flatMap((path) =>
        [...(texts.get(path) ?? '').matchAll(/(?:from|import\() ?'([^'.][^']*)'/g)].map(
          ([, name = '']) => name,
        ),
      )
      .filter((name) => !name.startsWith('node:'));
    assert.deepEqual(outside, []);
  });

  test('pins its development tools', () => {
    for (const [name, wanted] of Object.entries<string>(manifest.devDependencies))
      assert.match(wanted, /^(\d+\.\d+\.\d+|file:.*)$/, name);
  });

  test('has the version that the service says it has', () => assert.equal(manifest.version, version));
});

function reachable(from: string, next: (path: string) => string[]): Set<string> {
  const found = new Set(next(from));
  for (const path of found) for (const each of next(path)) found.add(each); // grows while it is walked
  return found;
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');
}
