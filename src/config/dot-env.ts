// Reads the text of a .env file, whose lines are `NAME=value`.
import type { Environment } from './config.ts';

/**
 * A value in quotes is taken as it is, and may have several lines; without quotes, a `#` begins a comment only
 * after a blank.
 */
const lineKinds = [
  /[ \t]*(?:#.*)?(?:\r?\n|$)/,
  /[ \t]*(?:export[ \t]+)?(?<name>[A-Za-z_][\w.-]*)[ \t]*=[ \t]*(?<quote>["'`])(?<value>(?:(?!\k<quote>)[^])*)\k<quote>[ \t]*(?:#.*)?(?:\r?\n|$)/,
  /[ \t]*(?:export[ \t]+)?(?<name>[A-Za-z_][\w.-]*)[ \t]*=(?<value>(?:(?![ \t]#)[^\r\n"'`])*)(?:[ \t]#.*)?(?:\r?\n|$)/,
];

type DotEnv = { readonly variables: Environment; readonly issues: readonly string[] };

/** Reports the first line that isn't `NAME=value`, and ends there: the lines after it may belong to its value. */
export function parseDotEnv(text: string): DotEnv {
  const variables: Record<string, string> = {};
  for (let position = 0; position < text.length;) {
    const found = matchAt(text, position);
    if (found === undefined) {
      const number = text.slice(0, position).split('\n').length;
      return {
        variables,
        issues: [`line ${number} of .env can't be read: write NAME=value, or NAME="value"`],
      };
    }
    const { name, quote, value = '' } = found.groups ?? {};
    if (name !== undefined) variables[name] = valueOf(value, quote);
    position += found[0].length;
  }
  return { variables, issues: [] };
}

function valueOf(text: string, quote: string | undefined): string {
  if (quote === undefined) return text.trim();
  return quote === '"' ? text.replaceAll('\\n', '\n') : text;
}

function matchAt(text: string, position: number): RegExpExecArray | undefined {
  for (const source of lineKinds) {
    const line = new RegExp(source, 'y'); // a shared one would keep its position
    line.lastIndex = position;
    const found = line.exec(text);
    if (found !== null) return found;
  }
  return undefined;
}
