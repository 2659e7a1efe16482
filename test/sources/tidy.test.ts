// The rules of the sources that the compiler doesn't know: the layers of the picture in src/ARCHITECTURE.md, and
// constructs that the sources must not contain.
import assert from 'node:assert/strict';
import { homedir, hostname } from 'node:os';
import { dirname, join, matchesGlob, normalize } from 'node:path';
import { suite, test } from 'node:test';
import { version } from '../../src/base/version.ts';
import { features } from '../../src/service/features.ts';
import { codeOf, programs, sources, texts } from '../support/source-text.ts';

suite('layers', () => {
  const layers = layersOfPicture();
  /** The values of features know the code of all of them; they lie beside it, and are a layer of their own. */
  const values = 'src/features/*/*-feature.ts';
  /** The features that may be left out: those that have no other place. */
  const optional = 'src/features/*/';
  const isAt = (path: string, place: string): boolean => {
    if (matchesGlob(path, values)) return place === values;
    if (place !== optional) return path.startsWith(place);
    return matchesGlob(path, `${optional}*`) && !layers.flat().some((other) => path.startsWith(other));
  };
  const layerOf = (path: string): number =>
    layers.findIndex((layer) => layer.some((place) => isAt(path, place)));
  const placeOf = (path: string): string | undefined => layers.flat().find((place) => isAt(path, place));
  const imports = sources.flatMap((from) => importsOf(from).map((to) => ({ from, to })));

  test('the picture of the layers has each source in exactly one place', () => {
    assert.ok(layers.length > 15, `only ${layers.length} layers are seen`);
    assert.deepEqual(
      sources.filter((path) => layers.flat().filter((place) => isAt(path, place)).length !== 1),
      [],
    );
  });

  test('the picture of the layers names the features that every service has, and no other', () => {
    const core = features.filter(({ isCore }) => isCore === true).map(({ name }) => `src/features/${name}/`);
    const named = layers.flat().filter((place) => /^src\/features\/\w+\/$/.test(place));
    assert.deepEqual(named.sort(), core.sort());
  });

  test('imports point downwards in the picture of the layers', () => {
    const upwards = imports.filter(
      ({ from, to }) => placeOf(from) !== placeOf(to) && layerOf(to) <= layerOf(from),
    );
    assert.deepEqual(upwards, []);
  });

  test('a feature that may be left out imports the code of those that it needs, and of no other', () => {
    const mayGo = features.filter(({ isCore }) => isCore !== true);
    const folderOf = ({ name }: { readonly name: string }): string => `src/features/${name}/`;
    const crossings = mayGo.flatMap((feature) => {
      const others = mayGo.filter((each) => each !== feature && feature.needs?.includes(each) !== true);
      return imports.filter(
        ({ from, to }) =>
          from.startsWith(folderOf(feature)) && others.some((other) => to.startsWith(folderOf(other))),
      );
    });
    assert.deepEqual(crossings, []);
  });

  test('what lies with the tests of a feature that may be left out is imported by no test that stays', () => {
    const tests = programs.filter((path) => path.startsWith('test/') && !path.startsWith('test/console/'));
    const stranded = features.flatMap((feature) => {
      if (feature.isCore === true) return [];
      const goes = features.filter((each) => each === feature || each.needs?.includes(feature) === true);
      const folders = goes.map(({ name }) => `test/features/${name}/`);
      return tests.flatMap((from) => {
        if (folders.some((folder) => from.startsWith(folder))) return [];
        return importsOf(from)
          .filter((to) => to.startsWith(`test/features/${feature.name}/`))
          .map((to) => ({ from, to }));
      });
    });
    assert.deepEqual(stranded, []);
  });

  test('no file imports itself through others, not even types', () => {
    assert.deepEqual(
      sources.filter((path) => reachable(path).has(path)),
      [],
    );
  });

  test('no two folders of http/ import each other, and connections/ imports no other', () => {
    const folderIn = (path: string): string | undefined => /^src\/http\/(\w+)\//.exec(path)?.[1];
    const pairs = new Set(
      imports.flatMap(({ from, to }) => {
        const [folder, other] = [folderIn(from), folderIn(to)];
        return folder === undefined || other === undefined || folder === other ? [] : [`${folder} ${other}`];
      }),
    );
    assert.ok(pairs.size > 5, 'the folders are seen');
    const isReturned = (pair: string): boolean => pairs.has(pair.split(' ').toReversed().join(' '));
    assert.deepEqual(
      [...pairs].filter((pair) => isReturned(pair) || pair.startsWith('connections ')),
      [],
    );
  });

  test('folders of the console import only from the folders that they may know, and none but the shell their views', () => {
    const folderIn = (path: string): string | undefined => /^src\/console\/(\w+)\//.exec(path)?.[1];
    const inConsole = sources.filter((path) => path.startsWith('src/console/'));
    assert.deepEqual([...new Set(inConsole.map(folderIn))].sort(), Object.keys(knownFolders));
    const crossings = inConsole.flatMap((from) => {
      const [, known = []] = Object.entries(knownFolders).find(([folder]) => folder === folderIn(from)) ?? [];
      return importsOf(from)
        .filter((to) => folderIn(to) !== folderIn(from))
        .filter(
          (to) =>
            !known.includes(folderIn(to) ?? '') || (to.endsWith('-view.ts') && folderIn(from) !== 'shell'),
        )
        .map((to) => ({ from, to }));
    });
    assert.deepEqual(crossings, []);
  });

  test('every source is reached from start.js', () => {
    const reached = reachable('src/start.js');
    assert.deepEqual(
      sources.filter((path) => !reached.has(path)),
      ['src/start.js'],
    );
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
    const crossings = imports.filter(
      ({ from, to }) =>
        isInside(from) && !others.includes(from) && (to.startsWith('src/http/') || isOutside(to)),
    );
    assert.deepEqual(crossings, []);
  });
});

suite('the sources', () => {
  const codes = sources.map((path) => ({ path, code: codeOf(texts.get(path) ?? '') }));

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
      /^src\/(storage|resource)\/|-(store|migrations)\.ts$/.test(path) ||
      declares.test(texts.get(path) ?? '');
    assert.deepEqual(
      sources.filter((path) => !isHome(path) && sql.test(withoutComments(texts.get(path) ?? ''))),
      [],
    );
    // it would be seen
    assert.ok(sources.filter((path) => isHome(path) && sql.test(texts.get(path) ?? '')).length > 8);
  });

  test('the sources bind a limit as `LIMIT +?`: for `LIMIT ?` SQLite prepares a statement again each time', () => {
    const filesWith = (pattern: RegExp): string[] =>
      sources.filter((path) => pattern.test(withoutComments(texts.get(path) ?? '')));
    assert.deepEqual(filesWith(/LIMIT \?/), []);
    assert.ok(filesWith(/LIMIT \+\?/).length > 8); // it would be seen
  });

  test('the sources import only types of node:http: else each start loads a WebSocket client', () => {
    const importsValues = /^import (?!type\b)[^;]*'node:https?'/m;
    assert.ok(importsValues.test("import {\n  request,\n} from 'node:http';"));
    assert.deepEqual(
      sources.filter((path) => importsValues.test(texts.get(path) ?? '')),
      [],
    );
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
        const text = withoutComments(texts.get(path) ?? '').replaceAll(
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
        placesOf(files, (path) => pattern.test(codeOf(texts.get(path) ?? ''))),
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
    assert.deepEqual(
      inAuth.flatMap(({ path, code }) =>
        code
          .split('\n')
          .filter((line) => compared.test(line))
          .map((line) => path + line),
      ),
      [],
    );
  });

  test('only one line relies on undocumented behaviour of node:http', () => {
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
    const home = 'src/http/connections/http-server.ts';
    assert.deepEqual(
      seams.flatMap((seam) =>
        codes.filter(({ code }) => seam.test(code)).map(({ path }) => `${seam} ${path}`),
      ),
      [`/httpAllowHalfOpen/ ${home}`],
    );
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
    assert.deepEqual(
      withoutOwned.map(([, name]) => name),
      [],
    );
  });

  test('no file exports a name that no other file imports', () => {
    const declaration = /^export (?:type|const|(?:async )?function|class) (\w+)/gm;
    // the code of this page is in no source, but what it imports is for it
    const shown = (texts.get('src/docs/new-resource.md') ?? '').matchAll(
      /^`(src\/\S+)`:\n\n```ts\n([^]*?)^```$/gm,
    );
    const byPage = Array.from(shown, ([, path = '', text = '']) => importedNames(path, text)).flat();
    const imported = new Set([...byPage, ...programs.flatMap((path) => importedNames(path))]);
    const exported = sources.flatMap((path) =>
      [...(texts.get(path) ?? '').matchAll(declaration)].map(([, name]) => `${path} ${name}`),
    );
    assert.deepEqual(
      exported.filter((each) => !imported.has(each)),
      [],
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
      const found = codes.flatMap(({ path, code }) =>
        code
          .split('\n')
          .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [])),
      );
      assert.deepEqual(found, []);
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
    assert.deepEqual(changed(`${memo}const isLast = memo.last === 0;`), []);
    const found = codes.flatMap(({ path, code }) => changed(code).map((each) => `${path} ${each}`));
    assert.deepEqual(found, []);
  });

  test('the sources disable no checker', () =>
    assert.deepEqual(
      sources.filter((path) => /@ts-(ignore|expect-error|nocheck)/.test(texts.get(path) ?? '')),
      [],
    ));
});

suite('the package', () => {
  const manifest = JSON.parse(texts.get('package.json') ?? '');

  test('the scripts of the package find its Node without the link of npm, which npm 8 to 11.3 remove', () => {
    const linked = Object.entries<string>(manifest.scripts).filter(([, line]) =>
      /(^|&& )node\b(?!_)/.test(line),
    );
    assert.deepEqual(linked, []);
  });

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

  test('the package has the version that the service says it has', () =>
    assert.equal(manifest.version, version));

  test('the package names no path or host of a machine', () => {
    const machine = [
      ...(/\/.+\//.test(homedir()) ? [homedir()] : []),
      ...(/[-.\d]/.test(hostname()) ? [hostname()] : []),
    ]; // others could be words
    const anyMachine = /(?<![\w.:/~-])\/(home|root|Users|work|farm)\/\w|"resolved": "http|registry\.npm/;
    const telling = [...texts].filter(
      ([path, text]) =>
        path !== 'test/sources/tidy.test.ts' &&
        (anyMachine.test(text) || machine.some((name) => text.includes(name))),
    );
    assert.deepEqual(
      telling.map(([path]) => path),
      [],
    );
  });
});

/** The folders of the console, and those that each may know. */
const knownFolders: Readonly<Record<string, readonly string[]>> = {
  customers: ['orders', 'parts'],
  office: ['parts'],
  orders: ['customers', 'office', 'parts', 'products'],
  parts: [],
  products: ['parts'],
  shell: ['customers', 'office', 'orders', 'parts', 'products'],
};

/** From top to bottom; what is in one line doesn't import each other. */
function layersOfPicture(): string[][] {
  const [, picture = ''] = /```text\n([\s\S]+?)```/.exec(texts.get('src/ARCHITECTURE.md') ?? '') ?? [];
  return picture
    .split('\n')
    .map((line) => line.match(/[\w./*-]+(?:\/|\.ts|\.js)(?= |$)/g) ?? [])
    .filter((names) => names.length > 0)
    .map((names) => names.map((name) => `src/${name}`));
}

/** Returns the project's files that a file loads: imports, and workers by their URL. */
function importsOf(path: string): string[] {
  const text = texts.get(path) ?? '';
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
function importedNames(path: string, text = texts.get(path) ?? ''): string[] {
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

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');
}
