// Parses JSON more strictly than JSON.parse does.
import { isUtf8 } from 'node:buffer';
import { Problem } from '../../problem.ts';
import { jsonDepthMax } from '../connections/request-fields.ts';

/** Returns the value of a JSON text (RFC 8259). Rejects texts that parsers interpret differently. */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw malformed('The body is empty; it must be JSON.');
  if (!isUtf8(bytes)) throw malformed('The body must be UTF-8.');
  const text = bytes.toString('utf8');
  if (text.charCodeAt(0) === 0xfeff) throw malformed('The body must not begin with a byte-order mark.');
  const members = countMembers(text);
  const value = parse(text);
  if (countKeys(value) !== members)
    throw malformed('An object in the body contains a duplicate member; send each name once.');
  if (text.includes('\\u') && !isWellFormed(value))
    throw malformed('A string in the body contains an unpaired surrogate.');
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(mayBeRounded.test(text) ? text.replace(stringOrNumber, keepFraction) : text);
  } catch (error) {
    throw malformed(`The body is not JSON: ${positionText(String(error), text)}.`);
  }
}

/** A double keeps 15 digits, so shorter fractions are never rounded to an integer. */
const mayBeRounded = /[\d.]{17}|\d[eE]/;

const stringOrNumber = /"(?:[^"\\]|\\.)*"?|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Replaces a fraction that JSON.parse would round to an integer by one that stays a fraction: no schema accepts either.
 * The places of syntax errors stay. (A reviver could do that, too, but takes three times as long.)
 */
function keepFraction(token: string): string {
  return Number.isInteger(Number(token)) && !isInteger(token) ? '0.5'.padEnd(token.length) : token;
}

function isInteger(number: string): boolean {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const digits = whole + fraction;
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return end === 0 || end <= whole.length + Number(exponent);
}

/** Takes only the position from V8's message, which quotes the body. */
function positionText(message: string, text: string): string {
  const position = Number(/position (\d+)/.exec(message)?.[1] ?? text.length);
  const lines = text.slice(0, position).split('\n');
  return `syntax error at line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

/**
 * Counts the members of a JSON text by the colons outside its strings: if the parsed value has fewer keys, the
 * text has duplicates. Also limits the depth, before JSON.parse exhausts its stack.
 */
function countMembers(text: string): number {
  let members = 0;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"') index = endOfString(text, index);
    else if (character === ':') members += 1;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > jsonDepthMax) throw malformed(`The body must be nested at most ${jsonDepthMax} levels deep.`);
  }
  return members;
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === 0x5c) first -= 1; // backslash
    if ((end - first) % 2 === 0) return end;
  }
  return text.length;
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner: unknown[] = Object.values(value);
  let keys = Array.isArray(value) ? 0 : inner.length;
  for (const each of inner) if (typeof each === 'object') keys += countKeys(each);
  return keys;
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWellFormed(inner));
}

function malformed(detail: string): Problem {
  return new Problem('malformed-json', detail);
}
