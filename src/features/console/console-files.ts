// The files of the console as browsers receive them: modules without their types, and the stylesheet.
import { readdirSync, readFileSync } from 'node:fs';
import { Thread, type Handler } from '../../base/thread.ts';

export type ConsoleFile = { readonly name: string; readonly mediaType: string; readonly text: string };

/** The entry point of the console; its other modules and the stylesheet are in the same folder. */
const entry = new URL('../../console/console-main.ts', import.meta.url);

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

async function withoutTypes(texts: readonly string[]): Promise<string[]> {
  if (texts.length === 0) return [];
  const thread = new Thread({ program: stripTypes, data: undefined, helpers: [] });
  try {
    return await thread.call(texts);
  } finally {
    await thread.end();
  }
}

/** The program of the thread. Code keeps its lines. */
function stripTypes(): Handler<readonly string[], string[]> {
  const { stripTypeScriptTypes } = process.getBuiltinModule('node:module');
  return (texts) => texts.map((text) => withoutBlanks(stripTypeScriptTypes(text), text));

  /** Types become blanks: those go, too. */
  function withoutBlanks(text: string, typed: string): string {
    let kept = '';
    for (let index = 0; index < text.length; index += 1)
      if (text[index] !== ' ' || typed[index] === ' ') kept += text[index];
    return kept;
  }
}
