// Joins the modules of the console into few files: there are dozens of modules, and each request costs a
// round trip. A module becomes a function that is called once, so its names stay private:
//
//     export const $forms = (() => {
//     const { h, fill: draw } = $elements;
//     function form() { … }
//     return { form };
//     })();
//
// A module is a function because two modules may use a name for two things. The joiner knows only what the
// console's modules use: imports of names from modules in the same folder, without circles; exports of
// functions, classes and constants, where they are declared; and `import(…)` of a module, which gets its own
// file and is loaded when needed. Anything else fails.
import assert from 'node:assert/strict';

type Module = {
  readonly name: string;
  /** The names of the modules that this module imports. */
  readonly imports: readonly string[];
  /** The names of the modules that this module loads later. */
  readonly loads: readonly string[];
  /** The module's function, as a declaration of its result. */
  readonly code: string;
};

type Modules = ReadonlyMap<string, Module>;

const importPattern = /^import \{([^}]*)\} from ["']\.\/([\w-]+)\.(?:ts|js)["'];$/gm;
const exportPattern = /^export (?=(?:(?:async )?function\*?|class|const) ([\w$]+))/gm;
const loadPattern = /\bimport\(["']\.\/([\w-]+)\.(?:ts|js)["']\)/g;

/**
 * Takes the text of each module without types, by the module's name without extension. Returns the text of
 * the entry's file, with all modules that the entry imports, and the text of each file that is loaded later.
 */
export function joinModules(texts: ReadonlyMap<string, string>, entry: string): Map<string, string> {
  const modules = new Map([...texts].map(([name, text]) => [name, moduleOf(name, text)]));
  const first = withImports(modules, entry, new Set());
  const firstNames = first.map(({ name }) => name);
  const files = new Map([[entry, first.map(({ code }) => code).join('')]]);
  const placed = new Set(firstNames);
  for (const name of new Set(first.flatMap(({ loads }) => loads))) {
    const own = withImports(modules, name, new Set(firstNames));
    for (const each of own) {
      assert(!placed.has(each.name), `${each.name} would be in two files`);
      assert(each.loads.length === 0, `${each.name} can’t load a file: it is loaded later itself`);
      placed.add(each.name);
    }
    const shared = new Set(own.flatMap(({ imports }) => imports)).intersection(new Set(firstNames));
    const head = `import { ${[...shared].map(resultOf).join(', ')} } from "./${entry}.js";\n`;
    files.set(name, head + own.map(({ code }) => code).join(''));
  }
  return files;
}

function moduleOf(name: string, text: string): Module {
  const imports: string[] = [];
  const exported: string[] = [];
  const loads: string[] = [];
  const body = text
    .replaceAll(importPattern, (_, names: string, from: string) => {
      imports.push(from);
      return `const {${names.replaceAll(' as ', ': ')}} = ${resultOf(from)};`;
    })
    .replaceAll(exportPattern, (_, declared: string) => {
      exported.push(declared);
      return '';
    })
    .replaceAll(loadPattern, (_, from: string) => {
      loads.push(from);
      return `import("./${from}.js").then((file) => file.${resultOf(from)})`;
    });
  const other = /^(?:export|import(?!\()).*/m.exec(body);
  assert(other === null, `${name} has what the joiner doesn’t know: ${other?.[0]}`);
  const head = `export const ${resultOf(name)} = (() => {\n`;
  return { name, imports, loads, code: `${head}${body}\nreturn { ${exported.join(', ')} };\n})();\n` };
}

/** The name of a module's result; no other name begins with a dollar sign. */
function resultOf(name: string): string {
  return `$${name.replaceAll('-', '_')}`;
}

/** Returns a module and all that it imports, except `others`. Each module follows its own imports. */
function withImports(modules: Modules, entry: string, others: ReadonlySet<string>): Module[] {
  const ready = new Set<Module>();
  const begun = new Set<string>();
  function visit(name: string): void {
    const module = modules.get(name);
    assert(module !== undefined, `there is no module ${name}`);
    if (others.has(name) || ready.has(module)) return;
    assert(!begun.has(name), `${name} imports what imports it`);
    begun.add(name);
    for (const each of module.imports) visit(each);
    ready.add(module);
  }
  visit(entry);
  return [...ready];
}
