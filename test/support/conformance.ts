// Compares every exchange of every test with the OpenAPI document: a status, a header field or a body that
// isn't as declared fails the test.
import assert from 'node:assert/strict';
import type { Service } from '../../src/service/running-service.ts';
import { Turns } from '../../src/base/turns.ts';
import { openapiDocument } from '../../src/openapi/openapi.ts';
import { responseFields } from '../../src/http/responses/cors.ts';
import type { TestResponse, Call } from './service.ts';

type Json = { readonly [name: string]: unknown };
type Exchange = {
  readonly method: string;
  readonly path: string;
  readonly sent: Call;
  readonly response: TestResponse;
};

/** Documents by routes: services with the same routes share one. */
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
  if (response.status === 417 || response.status === 505) return; // bad requests, which no operation declares
  assert.ok(listed !== undefined, `${where}: the status isn't declared. ${response.text}`);
  checkHeaders(response, where);
  checkDeclaredHeaders(resolve(document, listed), response, where);
  checkCode(listed, response, where);
  if (method !== 'HEAD') checkBody(document, resolve(document, listed), response, where);
  if (response.status < 300) checkRequest(document, operation, sent, where);
}

function documentOf(service: Service): Promise<Json> {
  const known = ofService.get(service);
  if (known !== undefined) return known;
  const { mounted } = service.router;
  const routes = JSON.stringify(mounted.map(({ route: { method, path, access } }) => [method, path, access]));
  const about = { tags: [], publicUrl: service.publicUrl, version: '0.0.0' };
  const document = documents.get(routes) ?? made(openapiDocument(mounted, about));
  documents.set(routes, document);
  ofService.set(service, document);
  return document;
}

function made(steps: Generator<void, Json>): Promise<Json> {
  return new Turns().runSteps(steps);
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

const visible = /^[\x21-\x7e][\x20-\x7e]*$/;

/** The form of each header field that a response may have, besides those of HTTP itself and of CORS. */
export const headerForms: Readonly<Record<string, RegExp>> = {
  Accept: visible,
  'Accept-Encoding': /^identity$/,
  'Accept-Patch': visible,
  Allow: /^[A-Z]+(, [A-Z]+)*$/,
  'Cache-Control': visible,
  'Content-Disposition': /^attachment; filename="[a-z0-9.-]+"$/,
  'Content-Encoding': /^gzip$/,
  'Content-Security-Policy': visible,
  'Cross-Origin-Opener-Policy': /^same-origin$/,
  ETag: /^(W\/)?"[^"]*"$/,
  'Idempotency-Replayed': /^true$/,
  Link: visible,
  Location: /^\//,
  RateLimit: /^"[a-z-]+";r=\d+;t=\d+(, "[a-z-]+";r=\d+;t=\d+)*$/,
  'RateLimit-Policy': /^"[a-z-]+";q=\d+;w=\d+(, "[a-z-]+";q=\d+;w=\d+)*$/,
  'Referrer-Policy': /^no-referrer$/,
  'Retry-After': /^\d+$/,
  'Set-Cookie': /^__Host-Http-orderly(-\d+)?=/,
  'Strict-Transport-Security': /^max-age=\d+$/,
  Vary: visible,
  'WWW-Authenticate': /^Bearer /,
  'X-Accel-Buffering': /^no$/,
  'X-Content-Type-Options': /^nosniff$/,
  'X-Request-Id': /^[A-Za-z0-9._-]+$/,
};
const formOf = new Map(Object.entries(headerForms).map(([name, form]) => [name.toLowerCase(), form]));
const ofHttp = /^(date|connection|keep-alive|content-(type|length)|transfer-encoding|access-control-.*)$/;

function checkHeaders({ headers }: TestResponse, where: string): void {
  for (const [name, value] of Object.entries(headers)) {
    if (ofHttp.test(name)) continue;
    const form = formOf.get(name);
    assert.ok(form !== undefined, `${where}: no response has the header ${name}`);
    assert.match(String(value), form, `${where}: the header ${name} is ill-formed`);
  }
}

/** Fields that clients read are declared where they are sent. */
function checkDeclaredHeaders(declared: Json, { headers }: TestResponse, where: string): void {
  const names = new Set(Object.keys(declared['headers'] ?? {}).map((name) => name.toLowerCase()));
  for (const field of responseFields)
    if (headers[field.toLowerCase()] !== undefined)
      assert.ok(names.has(field.toLowerCase()), `${where}: the header ${field} isn't declared`);
  if (names.has('location')) assert.ok(headers['location'], `${where}: a Location is declared`);
}

/** The operation names the problems that it reports beside their status. */
function checkCode({ description }: Json, { status, body }: TestResponse, where: string): void {
  if (status < 400 || typeof body?.code !== 'string') return;
  assert.ok(String(description).includes(`\`${body.code}\``), `${where}: ${body.code} isn't declared`);
}

function checkBody(document: Json, described: Json, response: TestResponse, where: string): void {
  const content = described['content'] as Record<string, Json> | undefined;
  if (content === undefined) return assert.equal(response.text, '', `${where}: a body isn't declared`);
  const type = (response.headers['content-type'] ?? '').split(';')[0] ?? '';
  const media = content[type];
  assert.ok(media !== undefined, `${where}: the type ${type} isn't declared`);
  if (response.body === undefined) return;
  assertNone(
    validate(document, media['schema'] as Json, response.body, ''),
    `${where}: the body isn't as declared: ${response.text.slice(0, 500)}`,
  );
}

/** An accepted request must be declared as well. */
function checkRequest(document: Json, operation: Json, sent: Call, where: string): void {
  if (sent.body === undefined || typeof sent.body === 'string' || Buffer.isBuffer(sent.body)) return;
  const content = (operation['requestBody'] as Json | undefined)?.['content'] as
    Record<string, Json> | undefined;
  assert.ok(content !== undefined, `${where}: a request body isn't declared`);
  assertNone(
    validate(
      document,
      content['application/json']?.['schema'] as Json,
      JSON.parse(JSON.stringify(sent.body)),
      '',
    ),
    `${where}: it took a body that isn't declared`,
  );
}

/** For each value of each exchange: comparing with an empty array takes longer than validating. */
function assertNone(issues: readonly string[], message: string): void {
  if (issues.length > 0) assert.fail(`${message}\n${issues.join('\n')}`);
}

function resolve(document: Json, node: Json): Json {
  const reference = node['$ref'];
  if (typeof reference !== 'string') return node;
  const known = referencesOf(document);
  const found = known.get(reference) ?? find(document, reference);
  known.set(reference, found);
  return found;
}

const referencesOf = memoized((_document: Json) => new Map<string, Json>());

function find(document: Json, reference: string): Json {
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
]);

/**
 * A small JSON Schema validator, independent of the service's own; a keyword that it doesn't know is a
 * failure. Objects have the declared members and no others, although clients must expect more in later
 * versions.
 */
export function validate(document: Json, schemaOrRef: Json, value: unknown, at: string): string[] {
  const issues: string[] = [];
  for (const [keyword, rule] of rulesOf(resolve(document, schemaOrRef))) {
    if (keyword === 'anyOf') {
      const fits = (rule as Json[]).some((each) => validate(document, each, value, at).length === 0);
      if (!fits) issues.push(`${at}: fits none of anyOf`);
      continue;
    }
    const isMet = checks[keyword];
    if (isMet === undefined) issues.push(`${at}: has the unknown keyword ${keyword}`);
    else if (!isMet(value, rule)) issues.push(`${at}: ${shown(value)} isn't of ${keyword} ${shown(rule)}`);
    for (const { name, schema, value: part } of partsOf(keyword, rule, value))
      issues.push(...validate(document, schema, part, `${at}/${name}`));
  }
  return issues;
}

function shown(value: unknown): string {
  return JSON.stringify(value).slice(0, 200);
}

const rulesOf = memoized((schema) => Object.entries(schema).filter(([keyword]) => !annotations.has(keyword)));

type Part = { readonly name: string; readonly schema: Json; readonly value: unknown };

/** The items of a value, or its declared members, each with its schema; none for other keywords. */
function partsOf(keyword: string, rule: unknown, value: unknown): readonly Part[] {
  if (keyword === 'items' && Array.isArray(value))
    return value.map((item, index) => ({ name: String(index), schema: rule as Json, value: item }));
  // only maps have it as a schema, and they have no `properties`
  if (keyword === 'additionalProperties' && isObject(rule) && isObject(value))
    return Object.entries(value).map(([name, member]) => ({ name, schema: rule, value: member }));
  if (keyword !== 'properties' || !isObject(value)) return noParts;
  const schemas = rule as Record<string, Json>;
  return Object.entries(value).flatMap(([name, member]) => {
    const schema = schemas[name];
    return schema === undefined ? noParts : { name, schema, value: member };
  });
}

const noParts: readonly Part[] = [];

/** Whether a value conforms to a keyword; its parts are checked by their own schemas. */
const checks: Readonly<Record<string, (value: unknown, rule: unknown) => boolean>> = {
  type: (value, rule) =>
    Array.isArray(rule) ? rule.some((type) => isOfType(value, type)) : isOfType(value, rule),
  enum: (value, rule) => (rule as unknown[]).includes(value),
  minLength: (value, rule) => typeof value !== 'string' || [...value].length >= Number(rule),
  maxLength: (value, rule) =>
    typeof value !== 'string' || value.length <= Number(rule) || [...value].length <= Number(rule),
  pattern: (value, rule) => typeof value !== 'string' || patternOf(String(rule)).test(value),
  minimum: (value, rule) => typeof value !== 'number' || value >= Number(rule),
  maximum: (value, rule) => typeof value !== 'number' || value <= Number(rule),
  minItems: (value, rule) => !Array.isArray(value) || value.length >= Number(rule),
  maxItems: (value, rule) => !Array.isArray(value) || value.length <= Number(rule),
  uniqueItems: (value) => !Array.isArray(value) || new Set(value).size === value.length,
  required: (value, rule) =>
    !isObject(value) || (rule as string[]).every((name) => Object.hasOwn(value, name)),
  items: () => true,
  additionalProperties: () => true,
  maxProperties: (value, rule) => !isObject(value) || Object.keys(value).length <= Number(rule),
  propertyNames: (value, rule) =>
    !isObject(value) ||
    Object.keys(value).every((name) => patternOf(String((rule as Json)['pattern'])).test(name)),
  properties: (value, rule) =>
    !isObject(value) || Object.keys(value).every((name) => Object.hasOwn(rule as object, name)),
};

const patterns = new Map<string, RegExp>();

function patternOf(source: string): RegExp {
  const pattern = patterns.get(source) ?? new RegExp(source, 'u');
  patterns.set(source, pattern);
  return pattern;
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
