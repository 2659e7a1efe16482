// A bundler: joins the dozens of modules of the console into few files, since each request costs a round trip. A file
// has one module after the other, each after the modules that it imports, and no imports between them. So all modules
// share one scope, in which no two may declare the same name. (A test finds names that browsers have, too.)
//
// The bundler knows only what the console's modules use:
//
// - imports of names, from modules in any folder of the console: without circles, and no two modules have the same name
// - exports where they are declared
// - `import(…)` of a module: that module gets a file of its own, which is loaded when it is needed
// - JSON files: modules whose default is their value
//
// Anything else fails.
import assert from 'node:assert/strict';

type Module = {
  readonly name: string;
  /** The names of the modules that this module imports. */
  readonly imports: readonly string[];
  /** The names that it imports from these modules. */
  readonly uses: readonly string[];
  /** The names of the modules that this module loads later. */
  readonly loads: readonly string[];
  /** What it declares at its top. */
  readonly declared: readonly string[];
  readonly code: string;
};

type Modules = ReadonlyMap<string, Module>;

const importPattern = /^import \{([^}]*)\} from ["']\.\.?\/(?:[\w-]+\/)?([\w-]+)\.(?:ts|js)["'];\n?/gm;
const declarationPattern =
  /^(?:export )?(?:(?:async )?function\*?|class|const) (?:([\w$]+)|[{[]([^=]*)[}\]] =)/gm;
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
  /** The file that declares this name. */
  const placeOf = new Map<string, string>();
  const wanted = new Set([entry]);
  for (const file of wanted) {
    assert(!fileOf.has(file), `${file} can’t have a file of its own: ${fileOf.get(file)} needs it at once`);
    const own = withImports(modules, file, fileOf);
    const imported = Map.groupBy(new Set(own.flatMap(({ uses }) => uses)), (name) => placeOf.get(name));
    imported.delete(undefined); // of modules in this file
    const head = [...imported].map(
      ([place, names]) => `import { ${names.join(', ')} } from "./${place}.js";\n`,
    );
    files.set(file, [...head, ...own.map(({ code }) => code)].join(''));
    for (const { name, loads, declared } of own) {
      fileOf.set(name, file);
      for (const each of declared) {
        assert(!placeOf.has(each), `${name} declares ${each}, as another module does`);
        placeOf.set(each, file);
      }
      for (const each of loads) wanted.add(each);
    }
  }
  return files;
}

function moduleOf(name: string, text: string): Module {
  if (text.startsWith('{')) {
    const code = `export default ${JSON.stringify(JSON.parse(text))};\n`;
    return { name, imports: [], uses: [], loads: [], declared: [], code };
  }
  const imports: string[] = [];
  const uses: string[] = [];
  const loads: string[] = [];
  const code = text
    .replaceAll(importPattern, (_, names: string, from: string) => {
      imports.push(from);
      uses.push(...names.split(',').map((each) => each.trim()));
      return '';
    })
    .replaceAll(loadPattern, (_, from: string) => {
      loads.push(from);
      return `import("./${from}.js")`;
    });
  const other = /^(?:import(?!\()|export (?!(?:async )?function|class|const)).*/m.exec(code)?.[0];
  const renamed = uses.find((each) => /\s/.test(each));
  assert((other ?? renamed) === undefined, `${name} has what the bundler doesn’t know: ${other ?? renamed}`);
  const declared = [...code.matchAll(declarationPattern)].flatMap(([, one, several = '']) =>
    one === undefined ? (several.match(/[\w$]+/g) ?? []) : [one],
  );
  return { name, imports, uses, loads, declared, code };
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
