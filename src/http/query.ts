// A request's target and its query parameters, read strictly.
import { Problem } from '../problem.ts';
import { fromText, schemaIssues } from '../schema/schema-check.ts';
import type { Issue, JsonSchema } from '../schema/schema.ts';

/**
 * Splits a target by hand at its first `?`: `new URL` throws on `//`. The absolute form and `*` (RFC 9112
 * section 3.2) are accepted, too.
 */
export function splitTarget(sent: string): { path: string; query: string } {
  const target = sent.startsWith('/') ? sent : sent.replace(/^(?:\*|\w[\w+.-]*:\/\/[^/?]*)?\/?/, '/');
  const mark = target.indexOf('?');
  return mark === -1
    ? { path: decodeUnreserved(target), query: '' }
    : { path: decodeUnreserved(target.slice(0, mark)), query: target.slice(mark + 1) };
}

/**
 * Unreserved characters that were percent-encoded, as themselves (RFC 3986 section 6.2.2.2). What else was
 * encoded stays so: `%2F` separates no segments, and `%2531` is no `1`. A text with a `%` that begins no
 * encoding is returned as it is: of `%%33%31` it would make the encoding `%31`.
 */
export function decodeUnreserved(text: string): string {
  if (!text.includes('%') || strayPercent.test(text)) return text;
  return text.replace(encodedUnreserved, (encoded) =>
    String.fromCharCode(Number.parseInt(encoded.slice(1), 16)),
  );
}

const strayPercent = /%(?![\da-f]{2})/i;
/** The encodings of letters, digits, hyphen, period, underscore and tilde. */
const encodedUnreserved = /%(?:2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\dae])/gi;

export type QueryValues = Record<string, unknown>;

type Schemas = Readonly<Record<string, JsonSchema>>;
/** A parameter whose value is invalid is undefined. */
export type ReadQuery = { readonly query: QueryValues; readonly issues: readonly Issue[] };

const withoutParameters: ReadQuery = { query: {}, issues: [] };

/** The parameters by their schemas; what isn't declared, is repeated or doesn't fit is an issue. */
export function readQuery(text: string, schemas: Schemas = {}): ReadQuery {
  if (text === '') return withoutParameters;
  const query: QueryValues = {};
  const issues: Issue[] = [];
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const sent = splitPair(pair);
    const name = decode(sent.name);
    const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
    if (schema === undefined) issues.push(unknownParameter(name, schemas));
    else if (Object.hasOwn(query, name)) issues.push(repeatedParameter(name));
    else {
      const value = fromText(schema, decode(sent.value));
      const found = schemaIssues(schema, value);
      query[name] = found.length === 0 ? canonical(value) : undefined;
      issues.push(...found.map((issue) => issueAt(name, issue)));
    }
  }
  return { query, issues };
}

function unknownParameter(name: string, schemas: Schemas): Issue {
  const known = Object.keys(schemas).join(', ');
  const detail = `Unknown parameter "${name}". Supported: ${known === '' ? 'none' : known}.`;
  return { parameter: name, code: 'unknown-parameter', detail };
}

function repeatedParameter(name: string): Issue {
  const detail = `Parameter "${name}" is sent more than once.`;
  return { parameter: name, code: 'repeated-parameter', detail };
}

/** An issue of a parameter's value, which its schema calls a body, or an item of a list. */
function issueAt(name: string, { code, detail }: Issue): Issue {
  return { parameter: name, code, detail: detail.replace(/^(The body|\[\d+\])/, name) };
}

function splitPair(pair: string): { readonly name: string; readonly value: string } {
  const equals = pair.indexOf('=');
  if (equals === -1) return { name: pair, value: '' };
  return { name: pair.slice(0, equals), value: pair.slice(equals + 1) };
}

/** A list's values are a set: in one order, so that the same filter has the same cursors and cached pages. */
function canonical(value: unknown): unknown {
  return Array.isArray(value) ? [...new Set(value)].sort() : value;
}

/** `+` means a space, as in the form encoding that URLSearchParams writes. */
export function decode(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new Problem('bad-request', 'The query must be percent-encoded UTF-8.');
  }
}

/**
 * Takes `api_key` out of a query, so that it never reaches a log, `instance` or `next`; the keys as they were
 * sent, not decoded.
 */
export function takeApiKey(text: string): { rest: string; keys: readonly string[] } {
  if (!text.includes('api_key') && !text.includes('%')) return { rest: text, keys: noKeys };
  const pairs = text.split('&');
  const isKey = (pair: string): boolean => decodeUnreserved(splitPair(pair).name) === 'api_key';
  return {
    rest: pairs.filter((pair) => !isKey(pair)).join('&'),
    keys: pairs.filter(isKey).map((pair) => splitPair(pair).value),
  };
}

const noKeys: readonly string[] = [];
