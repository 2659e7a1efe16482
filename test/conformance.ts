// Compares every exchange of every test with the OpenAPI document: a status, a header field or a body that
// isn't as declared fails the test.
import assert from 'node:assert/strict';
import type { Service } from '../src/running-service.ts';
import { openapiDocument } from '../src/openapi/openapi.ts';
import type { TestResponse, Call } from './service.ts';

type Json = { readonly [name: string]: unknown };
type Exchange = {
  readonly method: string;
  readonly path: string;
  readonly sent: Call;
  readonly response: TestResponse;
};

/** The documents by their routes: services with the same routes share one. */
const documents = new Map<string, Promise<Json>>();
const ofService = new WeakMap<Service, Promise<Json>>();

export async function checkExchange(
  service: Service,
  { method, path, sent, response }: Exchange,
): Promise<void> {
  const document = await documentOf(service);
  const [pathname = ''] = path.split('?');
  const found = findPath(document, pathname);
  if (found === undefined || method === 'OPTIONS') return; // a path that isn't declared has its 404 only
  const declared = found[(method === 'HEAD' ? 'GET' : method).toLowerCase()];
  const where = `${method} ${pathname} → ${response.status}`;
  if (declared === undefined)
    return assert.equal(response.status, 405, `${where}: the method isn't declared`);
  const operation = declared as Json;
  const listed = (operation['responses'] as Record<string, Json>)[String(response.status)];
  if (response.status === 417 && listed === undefined) return; // declared for operations with a body
  assert.ok(listed !== undefined, `${where}: the status isn't declared. ${response.text}`);
  const described = resolve(document, listed);
  checkHeaders(document, described, response, where);
  if (method !== 'HEAD') checkBody(document, described, response, where);
  if (response.status < 300) checkRequest(document, operation, sent, where);
}

function documentOf(service: Service): Promise<Json> {
  const known = ofService.get(service);
  if (known !== undefined) return known;
  const { mounted } = service.app.router;
  const routes = JSON.stringify(
    mounted.map(({ route: { method, path, access, deprecated } }) => [method, path, access, deprecated]),
  );
  const document = documents.get(routes) ?? openapiDocument(mounted, service.publicUrl, '0.0.0');
  documents.set(routes, document);
  ofService.set(service, document);
  return document;
}

function findPath(document: Json, pathname: string): Json | undefined {
  const paths = document['paths'] as Record<string, Json>;
  return paths[pathname] ?? patternsOf(paths).find(([pattern]) => pattern.test(pathname))?.[1];
}

const patternsOf = memoized((paths: Json) =>
  Object.entries(paths as Record<string, Json>).map(([template, item]) => {
    const source = template.replace('{name}', '[^/]+').replaceAll(/\{\w+\}/g, '[1-9]\\d*');
    return [new RegExp(`^${source}$`), item] as const;
  }),
);

/** Fields of HTTP itself, which no operation declares. */
const ofHttp = new Set([
  'date',
  'connection',
  'keep-alive',
  'content-type',
  'content-length',
  'transfer-encoding',
  'allow',
]);
const ofCors = /^access-control-/;

function checkHeaders(document: Json, described: Json, response: TestResponse, where: string): void {
  const declared = headersOf(described);
  for (const [name, value] of Object.entries(response.headers)) {
    if (ofHttp.has(name) || ofCors.test(name)) continue;
    const found = declared.get(name);
    assert.ok(found !== undefined, `${where}: the header ${name} isn't declared`);
    const header = resolve(document, found);
    const issues = validate(document, header['schema'] as Json, String(value), name);
    assert.deepEqual(issues, [], `${where}: the header ${name} is ill-formed: ${value}`);
  }
}

const headersOf = memoized((described: Json) => {
  const headers = (described['headers'] ?? {}) as Record<string, Json>;
  return new Map(Object.entries(headers).map(([name, header]) => [name.toLowerCase(), header]));
});

function checkBody(document: Json, described: Json, response: TestResponse, where: string): void {
  const content = described['content'] as Record<string, Json> | undefined;
  if (content === undefined) return assert.equal(response.text, '', `${where}: a body isn't declared`);
  const type = (response.headers['content-type'] ?? '').split(';')[0] ?? '';
  const media = content[type];
  assert.ok(media !== undefined, `${where}: the type ${type} isn't declared`);
  if (response.body === undefined) return;
  assert.deepEqual(
    validate(document, media['schema'] as Json, response.body, ''),
    [],
    `${where}: the body isn't as declared: ${response.text.slice(0, 500)}`,
  );
}

/** What is accepted has to be declared, too. */
function checkRequest(document: Json, operation: Json, sent: Call, where: string): void {
  if (sent.body === undefined || typeof sent.body === 'string' || Buffer.isBuffer(sent.body)) return;
  const content = (operation['requestBody'] as Json | undefined)?.['content'] as
    Record<string, Json> | undefined;
  assert.ok(content !== undefined, `${where}: a request body isn't declared`);
  assert.deepEqual(
    validate(
      document,
      content['application/json']?.['schema'] as Json,
      JSON.parse(JSON.stringify(sent.body)),
      '',
    ),
    [],
    `${where}: it took a body that isn't declared`,
  );
}

function resolve(document: Json, node: Json): Json {
  const reference = node['$ref'];
  if (typeof reference !== 'string') return node;
  let at = document;
  for (const step of reference.slice(2).split('/')) at = at[step] as Json;
  return at;
}

/** Caches a value for each part of a document, since every request of every test needs it. */
function memoized<T>(make: (part: Json) => T): (part: Json) => T {
  const made = new WeakMap<Json, T>();
  return (part) => {
    const known = made.get(part) ?? make(part);
    made.set(part, known);
    return known;
  };
}

const annotations = new Set([
  'description',
  'examples',
  'format',
  'title',
  'readOnly',
  'writeOnly',
  'default',
  'deprecated',
  'additionalProperties',
]);

/**
 * A small JSON Schema validator, independent of the service's own; a keyword that it doesn't know is a
 * failure. Objects have the declared members and no others: that responses are open is for later versions.
 */
export function validate(document: Json, schemaOrRef: Json, value: unknown, at: string): string[] {
  const schema = resolve(document, schemaOrRef);
  return Object.entries(schema).flatMap(([keyword, rule]) => {
    if (keyword === 'anyOf') {
      const fits = (rule as Json[]).some((each) => validate(document, each, value, at).length === 0);
      return issueUnless(fits, `${at}: fits none of anyOf`);
    }
    const issues = keywordIssues(keyword, rule, value).map((issue) => `${at}: ${issue}`);
    for (const { name, schema: inner, value: part } of partsOf(keyword, rule, value))
      issues.push(...validate(document, inner, part, `${at}/${name}`));
    return issues;
  });
}

type Part = { readonly name: string; readonly schema: Json; readonly value: unknown };

/** The items of a value, or its declared members, each with its schema; none for other keywords. */
function partsOf(keyword: string, rule: unknown, value: unknown): Part[] {
  if (keyword === 'items' && Array.isArray(value))
    return value.map((item, index) => ({ name: String(index), schema: rule as Json, value: item }));
  if (keyword !== 'properties' || !isObject(value)) return [];
  return Object.entries(rule as Record<string, Json>)
    .filter(([name]) => Object.hasOwn(value, name))
    .map(([name, schema]) => ({ name, schema, value: value[name] }));
}

/** What is wrong with the value itself, by one keyword. */
function keywordIssues(keyword: string, rule: unknown, value: unknown): string[] {
  const check = checks[keyword];
  if (check !== undefined) return check(value, rule);
  return annotations.has(keyword) ? [] : [`has the unknown keyword ${keyword}`];
}

const checks: Readonly<Record<string, (value: unknown, rule: unknown) => string[]>> = {
  type: (value, rule) =>
    issueUnless(
      [rule].flat().some((type) => isOfType(value, type)),
      `is ${typeOf(value)}, not ${String(rule)}`,
    ),
  enum: (value, rule) => issueUnless((rule as unknown[]).includes(value), `is none of ${String(rule)}`),
  minLength: (value, rule) =>
    issueUnless(typeof value !== 'string' || [...value].length >= Number(rule), 'is too short'),
  maxLength: (value, rule) =>
    issueUnless(typeof value !== 'string' || [...value].length <= Number(rule), 'is too long'),
  pattern: (value, rule) =>
    issueUnless(
      typeof value !== 'string' || new RegExp(String(rule), 'u').test(value),
      `doesn't match ${String(rule)}`,
    ),
  minimum: (value, rule) => issueUnless(typeof value !== 'number' || value >= Number(rule), 'is too small'),
  maximum: (value, rule) => issueUnless(typeof value !== 'number' || value <= Number(rule), 'is too large'),
  minItems: (value, rule) =>
    issueUnless(!Array.isArray(value) || value.length >= Number(rule), 'has too few items'),
  maxItems: (value, rule) =>
    issueUnless(!Array.isArray(value) || value.length <= Number(rule), 'has too many items'),
  uniqueItems: (value) =>
    issueUnless(!Array.isArray(value) || new Set(value).size === value.length, 'names one twice'),
  required(value, rule) {
    if (!isObject(value)) return [];
    return (rule as string[]).filter((name) => !Object.hasOwn(value, name)).map((name) => `lacks ${name}`);
  },
  items: () => [],
  properties(value, rule) {
    if (!isObject(value)) return [];
    const undeclared = Object.keys(value).filter((name) => !Object.hasOwn(rule as object, name));
    return undeclared.map((name) => `has ${name}`);
  },
};

function issueUnless(fits: boolean, issue: string): string[] {
  return fits ? [] : [issue];
}

function isOfType(value: unknown, type: unknown): boolean {
  return typeOf(value) === type || (type === 'integer' && Number.isInteger(value));
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeOf(value) === 'object';
}
