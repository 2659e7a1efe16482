// The files of the project as text, for the tests of their form.
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const isElsewhere = (path: string): boolean => /(^|\/)(node_modules|\.git|dist)(\/|$)/.test(path);
export const paths = globSync(['*', '.ci/**/*', 'src/**/*', 'test/**/*'], {
  cwd: root,
  exclude: isElsewhere,
})
  .filter((path) => statSync(join(root, path)).isFile())
  .sort();
export const texts = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
export const sources = paths.filter((path) => /^src\/.*\.(ts|js)$/.test(path));
export const programs = paths.filter((path) => /^(src|test)\/.*\.(ts|js|c|lua)$/.test(path));

/** The texts in backquotes in a cell of a table. */
export function quotedIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);
}

/** The text without comments, strings and patterns, with the same lines. */
export function codeOf(text: string): string {
  const tokens = [
    /\/\*[^]*?\*\//, // comments
    /\/\/.*/,
    /'(?:\\.|[^'\\\n])*'/, // strings
    /"(?:\\.|[^"\\\n])*"/,
    /(?<=(?:[=(,:?!&|[>;{]|\breturn)\s*)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/\w*/, // patterns
    /[^/'"`{}]+/, // what begins none of these, nor ends a template's expression
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
      const isCode = part.length === 1 || !/^[/'"]/.test(part);
      code += isCode ? part : `''${lineBreaksOf(part)}`;
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
