// The files of the console as browsers receive them: modules without their types, and the stylesheet.
import { readdirSync, readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

export type ConsoleFile = { readonly name: string; readonly mediaType: string; readonly text: string };

/** The entry point of the console; its other modules and the stylesheet are in the same folder. */
const entry = new URL('../console/console-main.ts', import.meta.url);

export const entryName = 'console-main.js';

/**
 * Returns each module under its name with `.js`. The build of a single executable removes the types.
 * Otherwise this takes up to a tenth of a second, most of it the first time, so a thread does it.
 */
export async function consoleFiles(): Promise<ConsoleFile[]> {
  const folder = new URL('.', entry);
  const sources = readdirSync(folder)
    .filter((name) => /\.(ts|js|css)$/.test(name))
    .map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }));
  const typed = sources.filter(({ name }) => name.endsWith('.ts'));
  const plain = await withoutTypes(typed.map(({ text }) => text));
  const modules = typed.map(({ name }, index) => ({
    name: name.replace(/\.ts$/, '.js'),
    text: withoutComments(plain[index] ?? '').replaceAll(/(\bfrom )'(\.\/[\w-]+)\.ts'/g, "$1'$2.js'"),
  }));
  return [...modules, ...sources.filter(({ name }) => !name.endsWith('.ts'))].map((file) => ({
    ...file,
    mediaType: file.name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
  }));
}

/** Empties lines that are comments as a whole: they are for readers of the sources. */
function withoutComments(text: string): string {
  return text.replaceAll(/^ *(?:\/\/.*|\/\*\*[^]*?\*\/)$/gm, (comment) => comment.replaceAll(/.+/g, ''));
}

function withoutTypes(texts: readonly string[]): Promise<string[]> {
  if (texts.length === 0) return Promise.resolve([]);
  const { promise, resolve, reject } = Promise.withResolvers<string[]>();
  new Worker(`(${stripTypes.toString()})()`, {
    eval: true,
    workerData: texts,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
    .on('message', resolve)
    .on('error', reject);
  return promise;
}

/** Runs on the thread. Code keeps its lines. */
function stripTypes(): void {
  const { stripTypeScriptTypes } = process.getBuiltinModule('node:module');
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const texts: readonly string[] = workerData;
  /** Types become blanks: those go, too. */
  const withoutBlanks = (text: string, typed: string): string => {
    let kept = '';
    for (let index = 0; index < text.length; index += 1)
      if (text[index] !== ' ' || typed[index] === ' ') kept += text[index];
    return kept;
  };
  parentPort?.postMessage(texts.map((text) => withoutBlanks(stripTypeScriptTypes(text), text)));
}
