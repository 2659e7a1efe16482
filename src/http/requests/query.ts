// Reads the query parameters of a request strictly.
import { Problem } from '../../problem.ts';
import { canonicalTime } from '../../schema/rfc3339.ts';
import { fromText, schemaIssues } from '../../schema/schema-check.ts';
import type { Issue, JsonSchema } from '../../schema/schema.ts';
import { decodeUnreserved } from '../routing/request-target.ts';

export type QueryValues = Record<string, unknown>;

type Schemas = Readonly<Record<string, JsonSchema>>;
/** The checked parameters and their issues; an invalid parameter is undefined. */
type ParsedQuery = { readonly query: QueryValues; readonly issues: readonly Issue[] };

const withoutParameters: ParsedQuery = { query: {}, issues: [] };

/**
 * Reads the parameters by their schemas; an unknown or invalid parameter is an issue, and a repeated one whose
 * value is not a list. `status=open&status=paid` is `status=open,paid`.
 */
export function readQuery(text: string, schemas: Schemas = {}): ParsedQuery {
  if (text === '') return withoutParameters;
  const issues: Issue[] = [];
  const sent = new Map<string, { readonly schema: JsonSchema; readonly value: string }>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const encoded = splitPair(pair);
    const name = decode(encoded.name);
    const value = decode(encoded.value);
    const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
    const before = sent.get(name);
    if (schema === undefined) issues.push(unknownParameter(name, schemas));
    else if (before === undefined) sent.set(name, { schema, value });
    else if (schema.type === 'array') sent.set(name, { schema, value: `${before.value},${value}` });
    else issues.push(repeatedParameter(name));
  }
  const query: QueryValues = {};
  for (const [name, { schema, value }] of sent) {
    const read = fromText(schema, value);
    const found = schemaIssues(schema, read);
    query[name] = found.length === 0 ? canonical(schema, read) : undefined;
    issues.push(...found.map((issue) => issueAt(name, issue)));
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

/**
 * Turns the issue of a value, whose text says "The body" or names an item, into an issue of the parameter.
 */
function issueAt(name: string, { code, detail }: Issue): Issue {
  return { parameter: name, code, detail: detail.replace(/^(The body|\[\d+\])/, name) };
}

function splitPair(pair: string): { readonly name: string; readonly value: string } {
  const equals = pair.indexOf('=');
  if (equals === -1) return { name: pair, value: '' };
  return { name: pair.slice(0, equals), value: pair.slice(equals + 1) };
}

/** Returns the same form for all equal values, so that their cursors are the same. */
function canonical({ format }: JsonSchema, value: unknown): unknown {
  if (Array.isArray(value)) return [...new Set(value)].sort(); // a list is a set
  return format === 'date-time' && typeof value === 'string' ? canonicalTime(value) : value;
}

/** Decodes a name or value. `+` means a space, as in the form encoding that URLSearchParams writes. */
export function decode(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new Problem('bad-request', 'The query must be percent-encoded UTF-8.');
  }
}

/**
 * Separates the values of `api_key`, still encoded, from the rest of a query, so that no key ever reaches a
 * log, `instance` or `next`.
 */
export function separateApiKeys(text: string): { rest: string; keys: readonly string[] } {
  if (!text.includes('api_key') && !text.includes('%')) return { rest: text, keys: noKeys };
  const pairs = text.split('&');
  const isKey = (pair: string): boolean => decodeUnreserved(splitPair(pair).name) === 'api_key';
  return {
    rest: pairs.filter((pair) => !isKey(pair)).join('&'),
    keys: pairs.filter(isKey).map((pair) => splitPair(pair).value),
  };
}

const noKeys: readonly string[] = [];
