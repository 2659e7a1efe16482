// Parses JSON more strictly than JSON.parse does.
import { isUtf8 } from 'node:buffer';
import { jsonDepthMax } from '../limits.ts';
import { Problem } from '../problem.ts';

/** Returns the value of a JSON text (RFC 8259). Rejects texts that parsers interpret differently. */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw malformed('The body is empty; it must be JSON.');
  if (!isUtf8(bytes)) throw malformed('The body must be UTF-8.');
  const text = bytes.toString('utf8');
  if (text.charCodeAt(0) === 0xfeff) throw malformed('The body must not begin with a byte-order mark.');
  const { members, isRounding } = scan(text);
  const value = isRounding ? parse(text, roundedAsNaN) : parse(text);
  if (countKeys(value) !== members)
    throw malformed('An object in the body contains a duplicate member; send each name once.');
  if (text.includes('\\u') && !isWellFormed(value))
    throw malformed('A string in the body contains an unpaired surrogate.');
  return value;
}

/** ECMAScript 2025 passes a context to the reviver; TypeScript's library doesn't declare it yet. */
type Parse = (text: string, reviver?: Reviver) => unknown;
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

function parse(text: string, reviver?: Reviver): unknown {
  try {
    return (JSON.parse as Parse)(text, reviver);
  } catch (error) {
    throw malformed(`The body is not JSON: ${positionText(String(error), text)}.`);
  }
}

/** Returns NaN, which no schema accepts, for a number that is an integer only because it was rounded. */
const roundedAsNaN: Reviver = (_key, value, { source }) =>
  typeof value === 'number' && source !== undefined && isRounded(source) ? Number.NaN : value;

/** Whether a number is an integer only once it is rounded, such as 0.99999999999999999999. */
function isRounded(number: string): boolean {
  return Number.isInteger(Number(number)) && !isInteger(number);
}

function isInteger(number: string): boolean {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const digits = whole + fraction;
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  return end === 0 || end <= whole.length + Number(exponent);
}

/** Takes only the position from V8's message, which quotes the body. */
function positionText(message: string, text: string): string {
  const position = Number(/position (\d+)/.exec(message)?.[1] ?? text.length);
  const lines = text.slice(0, position).split('\n');
  return `syntax error at line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

type Scan = { readonly members: number; readonly isRounding: boolean };

/**
 * Counts the members of a JSON text by the colons outside its strings: if the parsed value has fewer keys,
 * the text has duplicates. Also limits the depth, before JSON.parse exhausts its stack, and looks for numbers
 * that are rounded to integers.
 */
function scan(text: string): Scan {
  let members = 0;
  let depth = 0;
  let isRounding = false;
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case 0x22: // "
        index = endOfString(text, index);
        break;
      case 0x3a: // :
        members += 1;
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        if (depth > jsonDepthMax)
          throw malformed(`The body must be nested at most ${jsonDepthMax} levels deep.`);
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
      case 0x2e: // .
      case 0x45: // E
      case 0x65: // e, which also ends true and false
        if (!isDigit(text.charCodeAt(index - 1))) break;
        const number = numberAt(text, index);
        isRounding ||= isRounded(number.text);
        index = number.end - 1;
        break;
    }
  }
  return { members, isRounding };
}

/** Returns the number whose decimal point or exponent is at `index`, and where it ends. */
function numberAt(text: string, index: number): { readonly text: string; readonly end: number } {
  let start = index;
  while (isDigit(text.charCodeAt(start - 1))) start -= 1;
  let end = index + 1;
  while (/[\d.eE+-]/.test(text.charAt(end))) end += 1;
  return { text: text.slice(start, end), end };
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, quote: number): boolean {
  let first = quote;
  while (text.charCodeAt(first - 1) === 0x5c) first -= 1; // backslash
  return (quote - first) % 2 === 1;
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) for (const item of value) keys += countKeys(item);
  else for (const key in value) keys += 1 + countKeys((value as Record<string, unknown>)[key]);
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
