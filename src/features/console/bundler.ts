// A bundler: joins the modules of the console into few files, since there are dozens of modules, and each
// request costs a round trip. A module becomes a function that is called once, so its names stay private, but for
// those that it exports: they are names of the file, which the modules after it see without an import.
//
//     export const { form, field } = (() => {
//     function form() { … }
//     return { form, field };
//     })();
//
// A module is a function because two modules may use a name for two things; what they export has one name in all of
// them. The bundler knows only what the console's modules use: imports of names from modules of the same folder or
// another, without circles (no two modules have the same name); exports of functions, classes and constants, where
// they are declared; and `import(…)` of a module, which gets its own file and is loaded when needed. A module may wait
// for such a file, and the modules after it then wait for it. A JSON file is a module whose default is its value.
// Anything else fails.
import assert from 'node:assert/strict';

type Module = {
  readonly name: string;
  /** The names of the modules that this module imports. */
  readonly imports: readonly string[];
  /** What it imports. */
  readonly uses: readonly string[];
  /** The names of the modules that this module loads later. */
  readonly loads: readonly string[];
  readonly exported: readonly string[];
  /** The module's function, as a declaration of what it exports. */
  readonly code: string;
};

type Modules = ReadonlyMap<string, Module>;

const importPattern = /^import \{([^}]*)\} from ["']\.\.?\/(?:[\w-]+\/)?([\w-]+)\.(?:ts|js)["'];\n?/gm;
const exportPattern = /^export (?=(?:(?:async )?function\*?|class|const) ([\w$]+))/gm;
/** A constant of the module that has to be waited for. */
const waitPattern = /^(?:export )?const [^;{]*?\bawait\b/m;
const loadPattern =
  /\bimport\(["']\.\.?\/(?:[\w-]+\/)?([\w-]+)\.(?:ts|js|json)["'](?:, \{ with: \{ type: ["']json["'] \} \})?\)/g;

/**
 * Takes the text of each module, without types, by its name without an extension. Returns the text of the entry's
 * file, which has all modules that the entry needs at once, and of each file that is loaded later. A module is in the
 * first file that needs it: later files import that file.
 */
export function bundleModules(texts: ReadonlyMap<string, string>, entry: string): Map<string, string> {
  const modules = new Map([...texts].map(([name, text]) => [name, moduleOf(name, text)]));
  const files = new Map<string, string>();
  const fileOf = new Map<string, string>();
  /** The file that has this name. */
  const placeOf = new Map<string, string>();
  const wanted = new Set([entry]);
  for (const file of wanted) {
    assert(!fileOf.has(file), `${file} can’t have a file of its own: ${fileOf.get(file)} needs it at once`);
    const own = withImports(modules, file, fileOf);
    const imported = new Map<string, Set<string>>();
    for (const name of own.flatMap(({ uses }) => uses)) {
      const place = placeOf.get(name);
      if (place !== undefined) imported.set(place, (imported.get(place) ?? new Set()).add(name));
    }
    const head = [...imported].map(
      ([place, names]) => `import { ${[...names].join(', ')} } from "./${place}.js";\n`,
    );
    files.set(file, [...head, ...own.map(({ code }) => code)].join(''));
    for (const { name, loads, exported } of own) {
      fileOf.set(name, file);
      for (const each of exported) {
        assert(!placeOf.has(each), `${name} exports ${each}, as another module does`);
        placeOf.set(each, file);
      }
      for (const each of loads) wanted.add(each);
    }
  }
  return files;
}

function moduleOf(name: string, text: string): Module {
  if (text.startsWith('{'))
    return { name, imports: [], uses: [], loads: [], exported: [], code: `export default ${text};\n` };
  const imports: string[] = [];
  const uses: string[] = [];
  const loads: string[] = [];
  const exported: string[] = [];
  const body = text
    .replaceAll(importPattern, (_, names: string, from: string) => {
      imports.push(from);
      for (const each of names.split(',').map((one) => one.trim())) {
        assert(!/\s/.test(each), `${name} imports under another name: ${each}`);
        uses.push(each);
      }
      return '';
    })
    .replaceAll(exportPattern, (_, declared: string) => {
      exported.push(declared);
      return '';
    })
    .replaceAll(loadPattern, (_, from: string) => {
      loads.push(from);
      return `import("./${from}.js")`;
    });
  const other = /^(?:export|import(?!\()).*/m.exec(body);
  assert(other === null, `${name} has what the bundler doesn’t know: ${other?.[0]}`);
  const names = `{ ${exported.join(', ')} }`;
  const head = exported.length === 0 ? '' : `export const ${names} = `;
  const start = waitPattern.test(body) ? 'await (async () => {' : '(() => {';
  const end = exported.length === 0 ? '' : `return ${names};\n`;
  return { name, imports, uses, loads, exported, code: `${head}${start}\n${body}\n${end}})();\n` };
}

/** Returns a module and all that it imports, except what is in a file. Each module follows its own imports. */
function withImports(modules: Modules, entry: string, fileOf: ReadonlyMap<string, string>): Module[] {
  const ready = new Set<Module>();
  const begun = new Set<string>();
  function visit(name: string): void {
    const module = modules.get(name);
    assert(module !== undefined, `there is no module ${name}`);
    if (fileOf.has(name) || ready.has(module)) return;
    assert(!begun.has(name), `${name} imports what imports it`);
    begun.add(name);
    for (const each of module.imports) visit(each);
    ready.add(module);
  }
  visit(entry);
  return [...ready];
}
