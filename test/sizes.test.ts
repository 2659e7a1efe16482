// How much a reader has to keep in mind: bounds on lines, functions and files.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { codeOf, programs, sources, texts } from './source-text.ts';

const lineLengthMax = 110;
/** Tables of text, which a formatter can't wrap. */
const tables = ['src/auth/common-passwords.ts', 'src/resources/customers/postal-codes.ts'];
const functionLinesMax = 60;
const functionLinesMedianMax = 10;
const fileLinesMax = 300;
const parametersMax = 3;

suite('the files', () => {
  const read = programs.filter((path) => !tables.includes(path));

  test(`has at most ${lineLengthMax} columns`, () => {
    const offenders = read.flatMap((path) => {
      const long = linesOf(path).filter((line) => line.length > lineLengthMax);
      return long.length > 0 ? [`${path} has ${long.length}: ${long[0]}`] : [];
    });
    assert.deepEqual(offenders, []);
  });

  test('has one statement a line', () => {
    const crowded = read.filter((path) => /\.(ts|js)$/.test(path)).flatMap(crowdedLines);
    assert.deepEqual(crowded, []);
  });

  test(`has at most ${fileLinesMax} lines a file`, () => {
    const offenders = read
      .map((path) => ({ path, lines: linesOf(path).length }))
      .filter(({ lines }) => lines > fileLinesMax);
    assert.deepEqual(offenders, []);
  });

  test(`has at most ${functionLinesMax} lines a function in the sources, and half have far less`, () => {
    const found = sources.flatMap(functionsOf);
    const lengths = found.map(({ lines }) => lines).sort((a, b) => a - b);
    assert.ok(found.length > 500, `only ${found.length} are seen`);
    assert.ok((lengths[Math.floor(lengths.length / 2)] ?? 0) <= functionLinesMedianMax);
    const long = found.filter(({ lines }) => lines > functionLinesMax);
    assert.deepEqual(long, []);
  });

  test(`has at most ${parametersMax} positional parameters in the sources`, () => {
    const offenders = sources.flatMap((path) =>
      functionHeads(texts.get(path) ?? '')
        .filter(({ parameters }) => parameters > parametersMax)
        .map(({ name }) => `${path} ${name}`),
    );
    assert.deepEqual(offenders, []);
  });

  test('parameters are counted without `this`, rest parameters and those of types', () => {
    const code = [
      'export function one({ a, b }: Pair, c = f(1, 2), d: (x: A, y: B) => C, e = []): D {',
      '  two(this: object, a: Map<string, number>, ...rest: string[]): void {',
      'const three = async <T>(a: T, b: T): Promise<void> => {',
    ].join('\n');
    assert.deepEqual(functionHeads(code), [
      { name: 'one', parameters: 4 },
      { name: 'two', parameters: 1 },
      { name: 'three', parameters: 2 },
    ]);
  });

  test('functions are measured without those inside them', () => {
    const code = [
      'function outer() {',
      '  const x = 1;',
      '  const inner = () => {',
      '    go();',
      '  };',
      '}',
    ];
    assert.deepEqual(
      functionsIn('a.ts', code).map(({ name, lines }) => `${name} ${lines}`),
      ['a.ts inner 3', 'a.ts outer 3'],
    );
    const long = [
      'async function f({',
      '  a,',
      '}: A): Promise<B> {',
      '  if (',
      '    a',
      '  ) {',
      '  }',
      '}',
    ];
    assert.deepEqual(functionsIn('b.ts', long), [{ name: 'b.ts f', lines: 6 }]);
  });
});

function linesOf(path: string): string[] {
  return (texts.get(path) ?? '').trimEnd().split('\n');
}

/** Lines on which a second statement follows the end of one; `for (;;)` has its semicolons in brackets. */
function crowdedLines(path: string): string[] {
  const lines = codeOf(texts.get(path) ?? '').split('\n');
  return lines.flatMap((line, index) =>
    /;\s*[\w{]/.test(withoutBrackets(line)) ? [`${path}:${index + 1}`] : [],
  );
}

function withoutBrackets(line: string): string {
  let inner = line;
  let before = '';
  while (inner !== before) {
    before = inner;
    inner = inner.replaceAll(/\([^()]*\)|\{[^{}]*\}/g, '');
  }
  return inner;
}

type Measured = { readonly name: string; readonly lines: number };

function functionsOf(path: string): Measured[] {
  return functionsIn(path, linesOf(path));
}

/**
 * Functions with a block, as the formatter lays them out: a function ends at the first line with a closing
 * brace that is indented like its first line. Counts its lines without those of the functions inside; if
 * parameters have their own lines, from the last of these.
 */
function functionsIn(path: string, lines: readonly string[]): Measured[] {
  const open: { readonly depth: number; readonly start: number; inner: number }[] = [];
  const found: Measured[] = [];
  for (const [index, line] of lines.entries()) {
    const current = open.at(-1);
    if (current !== undefined && depthOf(line) === current.depth && /^ *\}/.test(line)) {
      open.pop();
      const whole = index - current.start + 1;
      const outer = open.at(-1);
      if (outer !== undefined) outer.inner += whole;
      found.push({ name: `${path} ${nameAt(lines, current.start)}`, lines: whole - current.inner });
    }
    if (beginsFunction(lines, index)) open.push({ depth: depthOf(line), start: index, inner: 0 });
  }
  return found;
}

function beginsFunction(lines: readonly string[], index: number): boolean {
  const line = lines[index] ?? '';
  if (/=> \{$/.test(line) || /^ *(export )?(async )?function\b.*[^({] \{$/.test(line)) return true;
  const isMethod = /^ +(async |get |set |\*)*[\w$]+\(.*\)(: .+)? \{$/.test(line);
  if (isMethod) return !/^ *(if|for|while|switch|catch|with)\b/.test(line);
  return /^ *\}?\)?(: .+)? \{$/.test(line) && /[):]/.test(line) && !isStatement(lines, index);
}

/** Whether the line ends the head of an `if` or loop with several lines. */
function isStatement(lines: readonly string[], index: number): boolean {
  return /^ *(\} else )?(if|for|while|switch)\b/.test(lines[headOf(lines, index)] ?? '');
}

/** The last line before it with the same indentation. */
function headOf(lines: readonly string[], index: number): number {
  const depth = depthOf(lines[index] ?? '');
  return lines.findLastIndex((line, at) => at < index && line !== '' && depthOf(line) === depth);
}

function nameAt(lines: readonly string[], index: number): string {
  let head = index;
  while (/^ *[)}]/.test(lines[head] ?? '')) head = headOf(lines, head);
  const line = lines[head] ?? '';
  return /(?:function |const |^ *(?:async |get )?)([\w$]+)(?= = |\(| \{)/.exec(line)?.[1] ?? line.trim();
}

function depthOf(line: string): number {
  return line.length - line.trimStart().length;
}

type Head = { readonly name: string; readonly parameters: number };

/** The functions and methods of a source with the numbers of their positional parameters. */
function functionHeads(text: string): Head[] {
  const code = codeOf(text);
  const beginning =
    /(?:\bfunction\*? |^ +(?:async |static |\*)*|\bconst )(#?\w+)(?: = (?:async )?)?(?:<[^(]*>)?\(/gm;
  const statements = ['if', 'for', 'while', 'switch', 'catch'];
  return [...code.matchAll(beginning)].flatMap(({ 0: head, 1: name = '', index }) => {
    const { parts, after } = splitParameters(code.slice(index + head.length));
    const isFunction = /^:?[^\n;=]*?(?: =>| \{)/.test(after) && !statements.includes(name);
    const positional = parts.filter((part) => !/^(?:this\b|\.\.\.)/.test(part));
    return isFunction ? [{ name, parameters: positional.length }] : [];
  });
}

/** Splits what follows an opening bracket at its commas; `after` follows the closing bracket. */
function splitParameters(rest: string): { readonly parts: readonly string[]; readonly after: string } {
  const parts = [''];
  let depth = 0;
  let index = 0;
  for (; index < rest.length; index += 1) {
    const character = rest.charAt(index);
    const isArrow = character === '>' && rest[index - 1] === '=';
    if ('([{<'.includes(character)) depth += 1;
    if (')]}>'.includes(character) && !isArrow) depth -= 1;
    if (depth < 0) break;
    if (character === ',' && depth === 0) parts.push('');
    else parts.push(`${parts.pop()}${character}`);
  }
  const trimmed = parts.map((part) => part.trim()).filter((part) => part !== '');
  return { parts: trimmed, after: rest.slice(index + 1) };
}
