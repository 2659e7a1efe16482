// The shape of the sources: floors, first lines, and what must not be there.
import assert from 'node:assert/strict';
import { globSync, readFileSync, statSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { basename, dirname, join, normalize } from 'node:path';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { version } from '../src/version.ts';

/**
 * From top to bottom; imports point from a floor to a lower one. What shares a line doesn't know the other.
 */
const floors: readonly (readonly string[])[] = [
  ['src/start.js'],
  ['src/main.ts'],
  ['src/commands/'],
  ['src/app.ts'],
  ['src/config.ts'],
  ['src/resources/system/', 'src/resources/orders/'],
  ['src/resources/customers/', 'src/resources/keys/', 'src/resources/sessions/'],
  ['src/resources/users/'],
  ['src/web/', 'src/migrations/'],
  ['src/http/'],
  ['src/auth/', 'src/storage/'],
  ['src/errors.ts', 'src/log.ts', 'src/bounded-map.ts'],
  ['src/limits.ts', 'src/version.ts', 'src/last-made.ts'],
  ['src/schema/'],
];
const lineLengthMax = 110;
/** Tables of text: a formatter has nothing to wrap there. */
const tables = ['src/auth/common-passwords.ts', 'src/resources/customers/postal-codes.ts'];
const functionLinesMax = 60;
const functionLinesMedianMax = 10;
const fileLinesMax = 300;
/** What was longer when these bounds came, and how long: only ever to be made smaller. */
const longLinesLeft: Readonly<Record<string, number>> = {
  'src/app.ts': 1,
  'src/auth/certificate.ts': 1,
  'src/auth/password.ts': 1,
  'src/config.ts': 1,
  'src/http/answer.ts': 4,
  'src/http/body.ts': 1,
  'src/http/cursor.ts': 1,
  'src/http/head.ts': 1,
  'src/http/idempotency.ts': 2,
  'src/http/list.ts': 2,
  'src/http/password-checks.ts': 1,
  'src/http/permit.ts': 1,
  'src/http/problem.ts': 1,
  'src/http/rate-limit.ts': 2,
  'src/log.ts': 2,
  'src/resources/keys/key-store.ts': 2,
  'src/resources/sessions/session-store.ts': 3,
  'src/resources/system/kept-answer-store.ts': 2,
  'src/resources/users/user-routes.ts': 1,
  'src/resources/users/user-store.ts': 4,
  'src/resources/users/user.ts': 1,
  'src/storage/data-folder.ts': 2,
  'src/storage/database.ts': 2,
  'src/storage/keyset.ts': 1,
  'src/storage/migrate.ts': 1,
  'src/storage/slices.ts': 1,
  'test/http/list-pages.test.ts': 1,
  'test/resources/removed-users.test.ts': 2,
  'test/resources/sign-in-limits.test.ts': 1,
  'test/storage/database.test.ts': 1,
  'test/tools/check-abuse/forwarded-requests.ts': 1,
  'test/tools/check-abuse/hashing-queue.ts': 1,
  'test/tools/check-abuse/long-work.ts': 1,
  'test/tools/check-abuse/odd-requests.ts': 1,
  'test/tools/check-abuse/owners-and-secrets.ts': 1,
  'test/tools/check-abuse/prober.ts': 1,
  'test/tools/check-abuse/restored-data.ts': 1,
  'test/tools/check-abuse/scarce-descriptors.ts': 2,
  'test/tools/check-abuse/signals.ts': 1,
  'test/tools/check-abuse/stolen-credentials.ts': 2,
  'test/tools/check-abuse/unread-answers.ts': 1,
};
const longFilesLeft: Readonly<Record<string, number>> = {
  'src/config.ts': 377,
  'src/http/openapi.ts': 384,
  'src/http/problem.ts': 314,
  'src/schema/schema.ts': 372,
  'test/auth/jwt.test.ts': 303,
  'test/commands/backup-and-check.test.ts': 327,
  'test/commands/serve-process.test.ts': 309,
  'test/http/access-matrix.test.ts': 348,
  'test/http/conditional.test.ts': 304,
  'test/http/connections.test.ts': 779,
  'test/http/fuzz.test.ts': 497,
  'test/http/idempotency.test.ts': 539,
  'test/http/limits.test.ts': 421,
  'test/http/lists.test.ts': 905,
  'test/http/negotiation.test.ts': 546,
  'test/http/openapi.test.ts': 448,
  'test/http/problems.test.ts': 377,
  'test/http/transport.test.ts': 734,
  'test/http/withdrawn-rights.test.ts': 337,
  'test/requirements.test.ts': 959,
  'test/resources/customers.test.ts': 522,
  'test/resources/keys.test.ts': 491,
  'test/resources/orders.test.ts': 714,
  'test/resources/sessions.test.ts': 868,
  'test/resources/users.test.ts': 631,
  'test/schema/schema.test.ts': 466,
  'test/service.ts': 348,
  'test/storage/database.test.ts': 395,
  'test/tidy.test.ts': 575,
  'test/torture/faults.test.ts': 409,
  'test/torture/mixed-writes.ts': 485,
  'test/torture/torture-rounds.ts': 347,
  'test/types.test.ts': 437,
  'test/web/browser-check.ts': 301,
  'test/web/docs-page.test.ts': 370,
};
const longFunctionsLeft: Readonly<Record<string, number>> = {
  'src/app.ts createApp': 110,
  'src/http/metrics.ts text': 93,
  'src/resources/customers/customer-routes.ts customerRoutes': 87,
  'src/resources/orders/order-routes.ts orderRoutes': 75,
  'src/resources/sessions/session-routes.ts sessionRoutes': 68,
  'src/resources/system/system-routes.ts systemRoutes': 109,
  'src/resources/users/user-routes.ts userRoutes': 102,
  'src/storage/group-commit.ts createGroupCommit': 63,
};

const root = fileURLToPath(new URL('..', import.meta.url));
const isElsewhere = (path: string): boolean => /(^|\/)(node_modules|\.git|dist)(\/|$)/.test(path);
const paths = globSync(['*', '.ci/**/*', 'data/README.md', 'src/**/*', 'test/**/*'], {
  cwd: root,
  exclude: isElsewhere,
})
  .filter((path) => statSync(join(root, path)).isFile())
  .sort();
const texts = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
const sources = paths.filter((path) => /^src\/.*\.(ts|js)$/.test(path));
const programs = paths.filter((path) => /^(src|test)\/.*\.(ts|js|c|lua)$/.test(path));

suite('floors', () => {
  const imports = sources.flatMap((from) => importsOf(from).map((to) => ({ from, to })));

  test('every source is on one', () => {
    assert.deepEqual(
      sources.filter((path) => floors.flat().filter((place) => path.startsWith(place)).length !== 1),
      [],
    );
  });

  for (const place of floors.flat()) {
    test(`imports of ${place} point downwards`, () => {
      const upwards = imports.filter(
        ({ from, to }) => from.startsWith(place) && !to.startsWith(place) && floorOf(to) <= floorOf(from),
      );
      assert.deepEqual(upwards, []);
    });
  }

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

  test('what is imported is there', () =>
    assert.deepEqual(
      imports.filter(({ to }) => !texts.has(to)),
      [],
    ));

  test('no file imports itself by way of others, but for types', () => {
    const next = (path: string): string[] => importsOf(path, 'values');
    assert.deepEqual(
      sources.filter((path) => reachable(path, next).has(path)),
      [],
    );
  });

  test('within a resource: x.ts, then x-store.ts, then x-routes.ts', () => {
    const height = (path: string): number =>
      path.endsWith('-routes.ts') ? 3 : path.endsWith('-store.ts') ? 2 : 1;
    const upwards = imports.filter(
      ({ from, to }) =>
        dirname(from) === dirname(to) && from.startsWith('src/resources/') && height(to) > height(from),
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

  test('has a name of its own in kebab-case', () => {
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

  test('ends with a line break, and no line of it with a blank', () => {
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

  test('hold SQL only in stores, migrations and storage', () => {
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
    const isHome = (path: string): boolean => /^src\/(storage|migrations)\/|-store\.ts$/.test(path);
    assert.deepEqual(
      sources.filter((path) => !isHome(path) && sql.test(withoutComments(texts.get(path) ?? ''))),
      [],
    );
    // it would be seen
    assert.ok(sources.filter((path) => isHome(path) && sql.test(texts.get(path) ?? '')).length > 8);
  });

  test('know node:http only in http/, node:sqlite only in storage/ and where there is no database', () => {
    const importing = (module: string): string[] =>
      sources.filter((path) => (texts.get(path) ?? '').includes(`from '${module}'`));
    assert.deepEqual(
      [...importing('node:http'), ...importing('node:https')].filter((path) => !path.startsWith('src/http/')),
      [],
    );
    assert.deepEqual(
      importing('node:sqlite').filter((path) => !path.startsWith('src/storage/')),
      ['src/commands/print-openapi.ts'],
    );
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
    test(`have no ${what}`, () => {
      assert.deepEqual(
        [seen, unseen].map((text) => pattern.test(codeOf(text))),
        [true, false],
      );
      assert.deepEqual(where(pattern), []);
    });
  }

  test('silence no checker', () =>
    assert.deepEqual(
      sources.filter((path) => /@ts-(ignore|expect-error|nocheck)/.test(texts.get(path) ?? '')),
      [],
    ));
});

suite('what is read', () => {
  const read = programs.filter((path) => !tables.includes(path));

  test(`has at most ${lineLengthMax} columns`, () => {
    const long = new Map(
      read.map((path) => [path, linesOf(path).filter((line) => line.length > lineLengthMax)]),
    );
    for (const [path, lines] of long)
      assert.ok(lines.length <= (longLinesLeft[path] ?? 0), `${path} has ${lines.length}: ${lines[0]}`);
  });

  test('has one statement a line', () => {
    const crowded = read.filter((path) => /\.(ts|js)$/.test(path)).flatMap(crowdedLines);
    assert.deepEqual(crowded, []);
  });

  test(`has at most ${fileLinesMax} lines a file`, () => {
    for (const path of read)
      assert.ok(
        linesOf(path).length <= (longFilesLeft[path] ?? fileLinesMax),
        `${path} has ${linesOf(path).length} lines`,
      );
  });

  test(`has at most ${functionLinesMax} lines a function in the sources, and half have far less`, () => {
    const found = sources.flatMap(functionsOf);
    const lengths = found.map(({ lines }) => lines).sort((a, b) => a - b);
    assert.ok(found.length > 500, `only ${found.length} are seen`);
    assert.ok((lengths[Math.floor(lengths.length / 2)] ?? 0) <= functionLinesMedianMax);
    const long = found.filter(({ name, lines }) => lines > (longFunctionsLeft[name] ?? functionLinesMax));
    assert.deepEqual(long, []);
  });

  test('functions are measured without those inside them', () => {
    const code = [
      'function outer() {',
      '  const x = 1;',
      '  const inner = () => {',
      '    go();',
      '  };',
      '}',
    ];
    assert.deepEqual(
      functionsIn('a.ts', code).map(({ name, lines }) => `${name} ${lines}`),
      ['a.ts inner 3', 'a.ts outer 3'],
    );
    const long = [
      'async function f({',
      '  a,',
      '}: A): Promise<B> {',
      '  if (',
      '    a',
      '  ) {',
      '  }',
      '}',
    ];
    assert.deepEqual(functionsIn('b.ts', long), [{ name: 'b.ts f', lines: 6 }]);
  });
});

suite('the package', () => {
  const manifest = JSON.parse(texts.get('package.json') ?? '');

  test('needs no other at run time', () => {
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

  test('pins what it is made with', () => {
    for (const [name, wanted] of Object.entries<string>(manifest.devDependencies))
      assert.match(wanted, /^(\d+\.\d+\.\d+|file:.*)$/, name);
  });

  test('has the version that the service says it has', () => assert.equal(manifest.version, version));
});

function linesOf(path: string): string[] {
  return (texts.get(path) ?? '').trimEnd().split('\n');
}

/** Lines on which a second statement follows the end of one; `for (;;)` has its semicolons in brackets. */
function crowdedLines(path: string): string[] {
  const lines = codeOf(texts.get(path) ?? '').split('\n');
  return lines.flatMap((line, index) =>
    /;\s*[\w{]/.test(withoutBrackets(line)) ? [`${path}:${index + 1}`] : [],
  );
}

function withoutBrackets(line: string): string {
  let inner = line;
  let before = '';
  while (inner !== before) {
    before = inner;
    inner = inner.replaceAll(/\([^()]*\)|\{[^{}]*\}/g, '');
  }
  return inner;
}

type Measured = { readonly name: string; readonly lines: number };

function functionsOf(path: string): Measured[] {
  return functionsIn(path, linesOf(path));
}

/**
 * Functions with a block, as the formatter lays them out: one ends at the first line as deep as its first
 * that begins with a brace. Their own lines, without those of the functions inside them; where the parameters have
 * lines of their own, from the line that ends them.
 */
function functionsIn(path: string, lines: readonly string[]): Measured[] {
  const open: { readonly depth: number; readonly start: number; inner: number }[] = [];
  const found: Measured[] = [];
  for (const [index, line] of lines.entries()) {
    const current = open.at(-1);
    if (current !== undefined && depthOf(line) === current.depth && /^ *\}/.test(line)) {
      open.pop();
      const whole = index - current.start + 1;
      const outer = open.at(-1);
      if (outer !== undefined) outer.inner += whole;
      found.push({ name: `${path} ${nameAt(lines, current.start)}`, lines: whole - current.inner });
    }
    if (beginsFunction(lines, index)) open.push({ depth: depthOf(line), start: index, inner: 0 });
  }
  return found;
}

function beginsFunction(lines: readonly string[], index: number): boolean {
  const line = lines[index] ?? '';
  if (/=> \{$/.test(line) || /^ *(export )?(async )?function\b.*[^({] \{$/.test(line)) return true;
  const isMethod = /^ +(async |get |set |\*)*[\w$]+\(.*\)(: .+)? \{$/.test(line);
  if (isMethod) return !/^ *(if|for|while|switch|catch|with)\b/.test(line);
  return /^ *\}?\)?(: .+)? \{$/.test(line) && /[):]/.test(line) && !isStatement(lines, index);
}

/** Whether what ends here is the head of an `if` or a loop that has several lines. */
function isStatement(lines: readonly string[], index: number): boolean {
  return /^ *(\} else )?(if|for|while|switch)\b/.test(lines[headOf(lines, index)] ?? '');
}

/** The line before it that is as deep. */
function headOf(lines: readonly string[], index: number): number {
  const depth = depthOf(lines[index] ?? '');
  return lines.findLastIndex((line, at) => at < index && line !== '' && depthOf(line) === depth);
}

function nameAt(lines: readonly string[], index: number): string {
  let head = index;
  while (/^ *[)}]/.test(lines[head] ?? '')) head = headOf(lines, head);
  const line = lines[head] ?? '';
  return /(?:function |const |^ *(?:async |get )?)([\w$]+)(?= = |\(| \{)/.exec(line)?.[1] ?? line.trim();
}

function depthOf(line: string): number {
  return line.length - line.trimStart().length;
}

function floorOf(path: string): number {
  return floors.findIndex((floor) => floor.some((place) => path.startsWith(place)));
}

/** Files of ours that a file loads: imports, and workers by their URL. */
function importsOf(path: string, what: 'values' | 'all' = 'all'): string[] {
  const text = texts.get(path) ?? '';
  const ways = [
    /^(?:import|export)\s+(?<type>type\s)?(?:[^'";]*?\sfrom\s)?'(?<static>\.[^']+)'/,
    /import\('(?<dynamic>\.[^']+)'\)/,
    /new URL\('(?<worker>\.[^']+)', import\.meta\.url\)/,
  ];
  const found = text.matchAll(new RegExp(ways.map(({ source }) => source).join('|'), 'gm'));
  return [...found].flatMap(({ groups = {} }) => {
    const name = groups['static'] ?? groups['dynamic'] ?? groups['worker'];
    return name === undefined || (what === 'values' && groups['type'] !== undefined)
      ? []
      : [normalize(join(dirname(path), name))];
  });
}

function reachable(from: string, next: (path: string) => string[]): Set<string> {
  const found = new Set(next(from));
  for (const path of found) for (const each of next(path)) found.add(each); // grows while it is walked
  return found;
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');
}

/** The text without comments, strings and patterns, line by line as it was. */
function codeOf(text: string): string {
  const tokens = [
    /\/\*[^]*?\*\//, // comments
    /\/\/.*/,
    /'(?:\\.|[^'\\\n])*'/, // strings
    /"(?:\\.|[^"\\\n])*"/,
    /(?<=(?:[=(,:?!&|[]|\breturn)\s*)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/\w*/, // patterns
    /[^]/,
  ];
  const token = new RegExp(tokens.map(({ source }) => source).join('|'), 'y');
  const templatePart = /(?:\\[^]|\$(?!\{)|[^`\\$])*(?:`|\$\{)/y;
  const depths: number[] = []; // how many braces are open in each ${} around
  let code = '';
  while (token.lastIndex < text.length) {
    const [part = ''] = token.exec(text) ?? [];
    const depth = depths.at(-1);
    if (part === '{' && depth !== undefined) depths[depths.length - 1] = depth + 1;
    if (part === '}' && depth !== undefined) depths[depths.length - 1] = depth - 1;
    const goesOn = part === '}' && depth === 0;
    if (part !== '`' && !goesOn) {
      code += part.length === 1 ? part : `''${lineBreaksOf(part)}`;
      continue;
    }
    if (goesOn) depths.pop();
    templatePart.lastIndex = token.lastIndex;
    const [piece = ''] = templatePart.exec(text) ?? [];
    token.lastIndex += piece.length;
    if (piece.endsWith('${')) depths.push(0);
    code += `''${lineBreaksOf(piece)}`;
  }
  return code;
}

function lineBreaksOf(text: string): string {
  return '\n'.repeat(text.split('\n').length - 1);
}
