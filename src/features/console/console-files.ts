// The files of the console as browsers receive them: its modules without types, joined into few files, the stylesheet,
// and what a home screen needs.
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'node:path';
import { Thread, type Handler } from '../../base/thread.ts';
import { bundleModules } from './bundler.ts';

export type ConsoleFile = {
  readonly name: string;
  readonly mediaType: string;
  readonly content: string | Buffer;
};

const entry = new URL('../../console/shell/console-main.ts', import.meta.url);
/** The stylesheet is here, the modules are in its folders. */
const folder = new URL('..', entry);

export const entryFile = 'console-main.js';
export const styleFile = 'console.css';
export const manifestFile = 'console.webmanifest';
export const iconFile = 'icon.png';

/** The window keeps the browser’s ways to reload, print and save. */
const manifest = {
  name: 'orderly',
  start_url: '/console',
  scope: '/console',
  display: 'minimal-ui',
  icons: [{ src: iconFile, sizes: '192x192', type: 'image/png' }],
};

/** 192 × 192 pixels. Home screens of iPads take no SVG. */
const iconPixels =
  'iVBORw0KGgoAAAANSUhEUgAAAMAAAADAAQMAAABoEv5EAAAABlBMVEU0Rsj///9eeLFmAAAAL0lEQVR42u3UMREAIAwEweDfFJLi' +
  'INQoYPjZba+/KgA+sOayhZgAwb9qISsAwDsH+x/TkfNkyoYAAAAASUVORK5CYII=';

/**
 * Returns the files. In a single executable the build has removed the types. Otherwise a thread removes them,
 * since this takes up to a tenth of a second.
 */
export async function consoleFiles(): Promise<ConsoleFile[]> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const names = paths.filter((path) => /\.(ts|js|json)$/.test(path));
  const typed = names.filter((name) => name.endsWith('.ts'));
  const plain = await withoutTypes(typed.map(textOf));
  const stripped = new Map(typed.map((name, index) => [name, plain[index]]));
  const modules = names.map((name): [string, string] => [
    parse(name).name,
    withoutComments(stripped.get(name) ?? textOf(name)),
  ]);
  const files = [...bundleModules(new Map(modules), 'console-main')].map(([name, text]) => ({
    name: `${name}.js`,
    mediaType: 'text/javascript; charset=utf-8',
    content: compact(text),
  }));
  return [
    ...files,
    { name: styleFile, mediaType: 'text/css; charset=utf-8', content: compactStyle(textOf(styleFile)) },
    { name: manifestFile, mediaType: 'application/manifest+json', content: JSON.stringify(manifest) },
    { name: iconFile, mediaType: 'image/png', content: Buffer.from(iconPixels, 'base64') },
  ];
}

function textOf(name: string): string {
  return readFileSync(new URL(name, folder), 'utf8');
}

/** Drops comments and empty lines. A comment after code begins with `//` between blanks, as no text does. */
function withoutComments(text: string): string {
  const code = text.replaceAll(/^ *(?:\/\/.*|\/\*\*(?:(?!\*\/)[^])*\*\/)?\n/gm, '');
  return code.replaceAll(/ \/\/ .*$/gm, '');
}

/** Drops blanks at both ends of lines and where types were, also those of a text, and the ends that need no new line. */
function compact(text: string): string {
  const lines = text.replaceAll(/^ +| +$| +(?=[),;])/gm, '').replaceAll(/ {2,}/g, ' ');
  return lines.replaceAll(/(?<=[,;{([])\n/g, '');
}

function compactStyle(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\/\n?/g, '').replaceAll(/(?<=[;,:{}]|^)\s+|\s+(?=\{)/g, '');
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

/** The program of the thread. */
function stripTypes(): Handler<readonly string[], string[]> {
  const { stripTypeScriptTypes } = process.getBuiltinModule('node:module');
  return (texts) => texts.map((text) => stripTypeScriptTypes(text));
}
