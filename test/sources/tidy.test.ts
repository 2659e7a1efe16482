// The rules of the sources that the compiler doesn't know: the layers of the picture in src/ARCHITECTURE.md, and
// constructs that the sources must not contain.
import assert from 'node:assert/strict';
import { homedir, hostname } from 'node:os';
import { dirname, join, matchesGlob, normalize } from 'node:path';
import { suite, test } from 'node:test';
import { version } from '../../src/base/version.ts';
import { features } from '../../src/service/features.ts';
import { codeOf, programs, sources, texts } from '../support/source-text.ts';

/** The text of a file, and without comments. */
const textOf = (path: string): string => texts.get(path) ?? '';
const plainTextOf = (path: string): string => textOf(path).replaceAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');
const none = (found: readonly unknown[]): void => assert.deepEqual(found, []);

suite('layers', () => {
  const layers = layersOfPicture();
  const places = layers.flat();
  /** The values of features know the code of all of them; they lie beside it, and are a layer of their own. */
  const values = 'src/features/*/*-feature.ts';
  /** The features that may be left out: those that have no other place. */
  const optional = 'src/features/*/';
  const isAt = (path: string, place: string): boolean => {
    if (matchesGlob(path, values)) return place === values;
    if (place !== optional) return path.startsWith(place);
    return matchesGlob(path, `${optional}*`) && !places.some((other) => path.startsWith(other));
  };
  const layerOf = (path: string): number =>
    layers.findIndex((layer) => layer.some((place) => isAt(path, place)));
  const placeOf = (path: string): string | undefined => places.find((place) => isAt(path, place));
  const imports = sources.flatMap((from) => importsOf(from).map((to) => ({ from, to })));
  const mayGo = features.filter(({ isCore }) => isCore !== true);

  test('the picture of the layers has each source in exactly one place', () => {
    assert.ok(layers.length > 15, `only ${layers.length} layers are seen`);
    none(sources.filter((path) => places.filter((place) => isAt(path, place)).length !== 1));
  });

  test('the picture of the layers names the features that every service has, and no other', () => {
    const core = features.filter(({ isCore }) => isCore === true).map(({ name }) => `src/features/${name}/`);
    const named = places.filter((place) => /^src\/features\/\w+\/$/.test(place));
    assert.deepEqual(named.sort(), core.sort());
  });

  test('imports point downwards in the picture of the layers', () => {
    none(imports.filter(({ from, to }) => placeOf(from) !== placeOf(to) && layerOf(to) <= layerOf(from)));
  });

  test('a feature that may be left out imports the code of those that it needs, and of no other', () => {
    const crossings = mayGo.flatMap((feature) => {
      const others = mayGo.filter((each) => each !== feature && feature.needs?.includes(each) !== true);
      const own = imports.filter(({ from }) => from.startsWith(`src/features/${feature.name}/`));
      return own.filter(({ to }) => others.some(({ name }) => to.startsWith(`src/features/${name}/`)));
    });
    none(crossings);
  });

  test('what lies with the tests of a feature that may be left out is imported by no test that stays', () => {
    const tests = programs.filter((path) => path.startsWith('test/') && !path.startsWith('test/console/'));
    const stranded = mayGo.flatMap((feature) => {
      const goes = features.filter((each) => each === feature || each.needs?.includes(feature) === true);
      const stays = tests.filter(
        (path) => !goes.some(({ name }) => path.startsWith(`test/features/${name}/`)),
      );
      const crossing = stays.flatMap((from) => importsOf(from).map((to) => ({ from, to })));
      return crossing.filter(({ to }) => to.startsWith(`test/features/${feature.name}/`));
    });
    none(stranded);
  });

  test('no file imports itself through others, not even types', () => {
    none(sources.filter((path) => reachable(path).has(path)));
  });

  test('no two folders of http/ import each other, and connections/ imports no other', () => {
    const folderIn = (path: string): string | undefined => /^src\/http\/(\w+)\//.exec(path)?.[1];
    const crossing = imports
      .map(({ from, to }) => [folderIn(from), folderIn(to)] as const)
      .filter(([from, to]) => from !== undefined && to !== undefined && from !== to);
    const pairs = new Set(crossing.map((pair) => pair.join(' ')));
    assert.ok(pairs.size > 5, 'the folders are seen');
    none(crossing.filter(([from, to]) => from === 'connections' || pairs.has(`${to} ${from}`)));
  });

  test('folders of the console import only from the folders that they may know, and none but the shell their views', () => {
    const folderIn = (path: string): string => /^src\/console\/(\w+)\//.exec(path)?.[1] ?? '';
    const files = sources.filter((path) => path.startsWith('src/console/'));
    assert.deepEqual([...new Set(files.map(folderIn))].sort(), Object.keys(knownFolders));
    const inConsole = imports.filter(({ from }) => files.includes(from));
    const crossings = inConsole.filter(({ from, to }) => {
      const [own, other] = [folderIn(from), folderIn(to)];
      if (own === other) return false;
      return knownFolders[own]?.includes(other) !== true || (to.endsWith('-view.ts') && own !== 'shell');
    });
    none(crossings);
  });

  test('every source is reached from start.js', () => {
    const reached = reachable('src/start.js');
    none(sources.filter((path) => path !== 'src/start.js' && !reached.has(path)));
  });

  test('neither a store nor the members and rules of a resource import http/, routes or representations', () => {
    const isOutside = (path: string): boolean => /-(routes|representation|feature)\.ts$/.test(path);
    const isInside = (path: string): boolean =>
      /^src\/features\/.*-store\.ts$/.test(path) ||
      (/^src\/features\/(customers|keys|orders|products|sessions|users|webhooks)\//.test(path) &&
        !isOutside(path));
    assert.ok(sources.filter(isInside).length > 30); // it would be seen
    const others = [
      'src/features/idempotency/stored-response-store.ts', // it stores responses
      'src/features/webhooks/outgoing-posts.ts', // it sends requests
    ];
    const checked = imports.filter(({ from }) => isInside(from) && !others.includes(from));
    none(checked.filter(({ to }) => to.startsWith('src/http/') || isOutside(to)));
  });
});

suite('the sources', () => {
  const codes = sources.map((path) => ({ path, code: codeOf(textOf(path)) }));

  test('the sources have SQL only in stores, migrations and storage/', () => {
    const beginnings = [
      /SELECT\s+[\w*'($]/,
      /INSERT\s+(OR\s+\w+\s+)?INTO/,
      /UPDATE\s+\w+\s+SET/,
      /DELETE\s+FROM/,
      /(CREATE|ALTER|DROP)\s+(TABLE|INDEX|TRIGGER|VIEW)/,
      /PRAGMA\s/,
      /BEGIN\s+(IMMEDIATE|DEFERRED)/,
      /SAVEPOINT\s/,
    ];
    const sql = new RegExp(`\\b(${beginnings.map(({ source }) => source).join('|')})`);
    const declares = /\b(resource|declaredFeature)\(\{/; // a declared resource: its statements are beside its declaration
    const isHome = (path: string): boolean =>
      /^src\/(storage|resource)\/|-(store|migrations)\.ts$/.test(path) || declares.test(textOf(path));
    const having = sources.filter((path) => sql.test(plainTextOf(path)));
    none(having.filter((path) => !isHome(path)));
    assert.ok(having.length > 8); // it would be seen
  });

  test('the sources bind a limit as `LIMIT +?`: for `LIMIT ?` SQLite prepares a statement again each time', () => {
    const filesWith = (pattern: RegExp): string[] =>
      sources.filter((path) => pattern.test(plainTextOf(path)));
    none(filesWith(/LIMIT \?/));
    assert.ok(filesWith(/LIMIT \+\?/).length > 8); // it would be seen
  });

  test('the sources import only types of node:http: else each start loads a WebSocket client', () => {
    const importsValues = /^import (?!type\b)[^;]*'node:https?'/m;
    assert.ok(importsValues.test("import {\n  request,\n} from 'node:http';"));
    none(sources.filter((path) => importsValues.test(textOf(path))));
  });

  /** Leaves out the files of a feature that was deleted. */
  const ofPresent = (files: readonly string[]): string[] =>
    files.filter((file) => sources.some((path) => path.startsWith(`${dirname(file)}/`))).toSorted();

  /** Modules that reach beyond the process or run other code, and the only files of the service that use them. */
  const modules: readonly (readonly [names: string, ...files: string[]])[] = [
    ['https?', 'src/http/connections/node-http.ts', 'src/features/webhooks/outgoing-posts.ts'],
    ['net', 'src/http/connections/http-server.ts'],
    ['tls', 'src/service/configured-certificate.ts'],
    ['dns', 'src/features/webhooks/outgoing-posts.ts'],
    ['worker_threads', 'src/base/thread.ts'],
    ['sqlite', 'src/storage/'],
    ['module', 'src/commands/serve.ts', 'src/features/console/console-files.ts', 'src/start.js'],
    ['sea', 'src/features/backups/backup-command.ts', 'src/start.js'],
    ['child_process|cluster|dgram|http2|inspector|quic|repl|vm|wasi'],
  ];
  for (const [names, ...files] of modules) {
    test(`the service uses node:${names} in the files of the table alone`, () => {
      const module = `'(?:node:)?(?:${names})(?:/\\w+)?'`;
      // types are no power, nor are functions that read an address
      const ofAddresses = /\b(type \w+|isIP|BlockList|SocketAddress)\b|[{},\s]/g;
      const isNet = names === 'net';
      const isUsed = (path: string): boolean => {
        const text = plainTextOf(path).replaceAll(
          /\{ isIP(: \w+)? \} = process.getBuiltinModule\('node:net'\)/g,
          '',
        );
        if (new RegExp(`\\b(import|getBuiltinModule(\\?\\.)?)\\(${module}`).test(text)) return true;
        if (new RegExp(`^import ${module}`, 'm').test(text)) return true;
        const imports = text.matchAll(
          new RegExp(`^(?:import|export) (?!type\\b)([^;']*) from ${module}`, 'gm'),
        );
        return [...imports].some(
          ([, imported = '']) => !isNet || imported.replaceAll(ofAddresses, '') !== '',
        );
      };
      assert.deepEqual(placesOf(files, isUsed), ofPresent(files));
    });
  }

  /** The same for what needs no module. */
  const powers: readonly (readonly [what: string, pattern: RegExp, ...files: string[]])[] = [
    ['modules by computed names', /\b(getBuiltinModule(\?\.)?|import)\((?!''\))/],
    ['connect', /\b(connect|createConnection)\b\s*(\?\.)?\(/],
    ['fetch', /(?<![#.\w])(fetch|WebSocket|EventSource|XMLHttpRequest)\b(?!\??:)/],
    ['eval', /\beval\b|\bFunction\s*\(|\bWebAssembly\b/, 'src/base/thread.ts'],
    ['native code', /\b(dlopen|createRequire|\w*[bB]inding)\b/],
    // the data of a locale take 8 ms and 5 MB: these need them, and not at the start
    [
      'Intl',
      /\bIntl\.|\.toLocale\w+\(/,
      'src/features/sales/sales-buckets.ts',
      'src/features/shop/shop.ts',
      'src/schema/country-names.ts',
    ],
    // a comparison of secrets by another operator would take longer the more of them is right
    [
      'timingSafeEqual',
      /\btimingSafeEqual\(/,
      'src/auth/credentials.ts',
      'src/auth/jwt.ts',
      'src/auth/one-time-codes.ts',
      'src/auth/password.ts',
      'src/auth/refresh-tokens.ts',
    ],
  ];
  for (const [what, pattern, ...files] of powers) {
    test(`the service has ${what} in the files of the table alone`, () =>
      assert.deepEqual(
        placesOf(files, (path) => pattern.test(codeOf(textOf(path)))),
        ofPresent(files),
      ));
  }

  /** The places of the table for the files of the service that match; a file that has none stands for itself. */
  function placesOf(files: readonly string[], isUsed: (path: string) => boolean): string[] {
    const using = sources.filter((path) => !path.startsWith('src/console/') && isUsed(path));
    return [...new Set(using.map((path) => files.find((place) => path.startsWith(place)) ?? path))].sort();
  }

  test('no secret, hash or signature is compared by ===', () => {
    const name = String.raw`\b(?!\w*Length\b)\w*(secret|hash|mac|digest|signature|tag|expected)\w*(\([^()]*\))?`;
    const compared = new RegExp(
      `${name} [!=]== (?!undefined|null)|[!=]== ${name}(?!\\w|\\.length)|\\.equals\\(`,
      'i',
    );
    const inAuth = codes.filter(({ path }) => /^src\/(auth|http\/lists\/cursor)/.test(path));
    none(inAuth.flatMap(({ path, code }) => linesWith(compared, path, code)));
  });

  test('only one line relies on undocumented behaviour of node:http', () => {
    const members =
      /server\.listeners\(|removeAllListeners\(|\bparser\b|_httpMessage|_header\b|\.push = |socket\.emit\(/;
    const found = codes.filter(({ code }) => members.test(code) || code.includes('httpAllowHalfOpen'));
    assert.deepEqual(
      found.map(({ path }) => path),
      ['src/http/connections/http-server.ts'],
    );
    none(found.filter(({ code }) => members.test(code)));
  });

  test('a function of a store that changes or removes a row takes it as an `Owned`', () => {
    // what adds an object or an event has no row yet; these are the exceptions under Rights, and what the service does
    const others = ['disableWebhook', 'renewSession', 'upgradePasswordHash', 'useCode', 'useOneTimeCode'];
    const isOther = (name: string): boolean =>
      /^(add|assert|check|import|record)[A-Z]/.test(name) || others.includes(name);
    const functions = codes.flatMap(({ path, code }) =>
      path.endsWith('-store.ts') ? [...code.matchAll(/^export function (\w+)\(([^]*?)\)(?::| \{)/gm)] : [],
    );
    const changing = functions.filter(
      ([, name = '', taken = '']) => /Permit\b/.test(taken) && !isOther(name),
    );
    assert.ok(changing.length > 10); // it would be seen
    const withoutOwned = changing.filter(([, , taken]) => taken?.includes('Owned<') !== true);
    none(withoutOwned.map(([, name]) => name));
  });

  test('no file exports a name that no other file imports', () => {
    const declaration = /^export (?:type|const|(?:async )?function|class) (\w+)/gm;
    // the code of this page is in no source, but what it imports is for it
    const shown = textOf('src/docs/new-resource.md').matchAll(/^`(src\/\S+)`:\n\n```ts\n([^]*?)^```$/gm);
    const byPage = Array.from(shown, ([, path = '', text = '']) => importedNames(path, text)).flat();
    const imported = new Set([...byPage, ...programs.flatMap((path) => importedNames(path))]);
    const exported = sources.flatMap((path) =>
      [...textOf(path).matchAll(declaration)].map(([, name]) => `${path} ${name}`),
    );
    none(exported.filter((each) => !imported.has(each)));
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
      'collections of a module that begin empty',
      /^(export )?const \w+(: (?!readonly )[^=]*\[\]|: Record<[^=]*)? = (\[\]|\{\})/,
      'const seen: string[] = [];',
      'const none: readonly string[] = [];',
    ],
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
      none(codes.flatMap(({ path, code }) => linesWith(pattern, path, code)));
    });
  }

  test('the sources change no object of a module', () => {
    const changed = (code: string): string[] =>
      [...code.matchAll(/^(?:export )?const (\w+)[^=\n]* = [{[]/gm)].flatMap(([, name]) => {
        const change = new RegExp(`(?<![\\w.#])${name}(\\.\\w+|\\[[^\\]]+\\])+( [-+*/%&|?]*= |\\+\\+|--)`);
        return change.exec(code)?.[0] ?? [];
      });
    const memo = 'const memo = { last: 0 };\n';
    assert.deepEqual(changed(`${memo}function next() {\n  memo.last += 1;\n}`), ['memo.last += ']);
    none(changed(`${memo}const isLast = memo.last === 0;`));
    none(codes.flatMap(({ path, code }) => changed(code).map((each) => `${path} ${each}`)));
  });

  test('the sources disable no checker', () =>
    none(sources.filter((path) => /@ts-(ignore|expect-error|nocheck)/.test(textOf(path)))));
});

suite('the package', () => {
  const manifest = JSON.parse(textOf('package.json'));

  test('the scripts of the package find its Node without the link of npm, which npm 8 to 11.3 remove', () => {
    const lines = Object.values<string>(manifest.scripts);
    none(lines.filter((line) => /(^|&& )node\b(?!_)/.test(line)));
  });

  test('the package needs no other package at run time', () => {
    none(Object.keys(manifest.dependencies ?? {}));
    const { optionalDependencies, peerDependencies, bundleDependencies } = manifest;
    const others = [optionalDependencies, peerDependencies, bundleDependencies];
    none(others.filter((each) => each !== undefined));
    const importing = /(?:from|import\() ?'([^'.][^']*)'/g;
    const outside = sources.flatMap((path) => [...textOf(path).matchAll(importing)].map(([, name]) => name));
    none(outside.filter((name) => name?.startsWith('node:') !== true));
  });

  test('the package has the version that the service says it has', () =>
    assert.equal(manifest.version, version));

  test('the package names no path or host of a machine', () => {
    const machine = [
      ...(/\/.+\//.test(homedir()) ? [homedir()] : []),
      ...(/[-.\d]/.test(hostname()) ? [hostname()] : []),
    ]; // others could be words
    const anyMachine = /(?<![\w.:/~-])\/(home|root|Users|work|farm)\/\w|"resolved": "http|registry\.npm/;
    const telling = [...texts].filter(
      ([, text]) => anyMachine.test(text) || machine.some((name) => text.includes(name)),
    );
    none(telling.map(([path]) => path).filter((path) => path !== 'test/sources/tidy.test.ts'));
  });
});

/** The folders of the console that all views share. Each may know those before it. */
const shared = ['browser', 'words', 'service', 'forms', 'page', 'lists'];
/** The folders of the console, and those that each may know. */
const knownFolders: Readonly<Record<string, readonly string[]>> = {
  browser: [],
  customers: [...shared, 'orders'],
  forms: ['browser', 'words', 'service'],
  lists: ['browser', 'words', 'service', 'forms', 'page'],
  office: shared,
  orders: [...shared, 'customers', 'office', 'products'],
  page: ['browser', 'words', 'service', 'forms'],
  products: shared,
  service: ['browser', 'words'],
  shell: [...shared, 'customers', 'office', 'orders', 'products'],
  words: ['browser'],
};

/** From top to bottom; what is in one line doesn't import each other. */
function layersOfPicture(): string[][] {
  const [, picture = ''] = /```text\n([\s\S]+?)```/.exec(textOf('src/ARCHITECTURE.md')) ?? [];
  return picture
    .split('\n')
    .map((line) => line.match(/[\w./*-]+(?:\/|\.ts|\.js)(?= |$)/g) ?? [])
    .filter((names) => names.length > 0)
    .map((names) => names.map((name) => `src/${name}`));
}

/** Returns the project's files that a file loads: imports, and workers by their URL. */
function importsOf(path: string): string[] {
  const text = textOf(path);
  const ways = [
    /^(?:import|export)\s+(?:type\s)?(?:[^'";]*?\sfrom\s)?'(?<static>\.[^']+)'/,
    /import\('(?<dynamic>\.[^']+)'\)/,
    /new URL\('(?<worker>\.[^']+)', import\.meta\.url\)/,
  ];
  const found = text.matchAll(new RegExp(ways.map(({ source }) => source).join('|'), 'gm'));
  return [...found].flatMap(({ groups = {} }) => {
    const name = groups['static'] ?? groups['dynamic'] ?? groups['worker'];
    return name === undefined ? [] : [normalize(join(dirname(path), name))];
  });
}

function reachable(from: string): Set<string> {
  const found = new Set(importsOf(from));
  for (const path of found) for (const each of importsOf(path)) found.add(each); // grows while it is walked
  return found;
}

/** The names that a file imports, each with the path of the file that exports it. */
function importedNames(path: string, text = textOf(path)): string[] {
  const ways = [
    /import [^;'"]*?\{(?<names>[^}]*)\} from '(?<file>\.[^']+)'/,
    /\{(?<names>[^}]*)\} = await import\('(?<file>\.[^']+)'\)/,
    /await import\('(?<file>\.[^']+)'\)\)\.(?<names>\w+)/,
    /import\('(?<file>\.[^']+)'\)\.then\(\s*\(\{(?<names>[^}]*)\}/,
    /import \* as (?<space>\w+) from '(?<file>\.[^']+)'/,
  ];
  const found = text.matchAll(new RegExp(ways.map(({ source }) => source).join('|'), 'g'));
  return [...found].flatMap(({ groups = {} }) => {
    const { names = '', file = '', space } = groups;
    const used = space === undefined ? names : text.match(new RegExp(`\\b${space}\\.\\w+`, 'g'))?.join(' ');
    return (used?.match(/\w+/g) ?? []).map((name) => `${normalize(join(dirname(path), file))} ${name}`);
  });
}

function linesWith(pattern: RegExp, path: string, code: string): string[] {
  const lines = code.split('\n').map((line, index) => ({ line, at: `${path}:${index + 1} ${line.trim()}` }));
  return lines.filter(({ line }) => pattern.test(line)).map(({ at }) => at);
}
