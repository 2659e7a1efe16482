// An operation of the OpenAPI document: one route.
import assert from 'node:assert';
import { bodyTypesOf } from '../http/responses/media-types.ts';
import { eventStream } from '../http/responses/server-sent-events.ts';
import { nameParameter, type Method, type Route } from '../http/routing/route.ts';
import type { MountedRoute } from '../http/routing/router.ts';
import { integer, string, type JsonSchema } from '../schema/schema.ts';
import { exampleOf, pascalCase, type Components, type Json } from './openapi-components.ts';
import { contentOf, responsesOf } from './openapi-responses.ts';

export function describeOperation({ route, invalidStatus }: MountedRoute, components: Components): Json {
  return {
    operationId: operationIdOf(route),
    tags: [route.tag],
    summary: route.summary,
    description: descriptionOf(route),
    'x-access': { callers: route.access.callers, scope: scopeOf(route) },
    security: securityOf(route),
    parameters: parametersOf(route, components),
    requestBody:
      route.body === undefined ? streamedBodyOf(route, components) : bodyOf(route, route.body, components),
    responses: responsesOf(route, invalidStatus, components),
  };
}

/** Returns a name such as `listOrders` or `createSession`, unless the route names its operation. */
function operationIdOf({ method, path, reply, operationId }: Route): string {
  if (operationId !== undefined) return operationId;
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== 'api');
  const words = segments.map((segment, index) => {
    if (segment.startsWith('{')) return '';
    const isNamed = segments[index + 1]?.startsWith('{') === true;
    const isCreated = method === 'POST' && index === segments.length - 1;
    return pascalCase(isNamed || isCreated ? segment.replace(/s$/, '') : segment);
  });
  const verb = method === 'GET' && reply.kind === 'list' ? 'list' : verbs[method];
  return verb + (words.join('') || 'Home');
}

const verbs: Readonly<Record<Method, string>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'replace',
  PATCH: 'update',
  DELETE: 'delete',
};

function bodyOf({ method }: Route, body: JsonSchema, components: Components): Json {
  const content = contentOf(bodyTypesOf(method), components.use(body, 'request'), exampleOf(body));
  return { required: true, content };
}

/** Describes a body of lines. OpenAPI 3.1 can't refer to a schema of each line. */
function streamedBodyOf({ streamedBody }: Route, components: Components): Json | undefined {
  if (streamedBody === undefined) return undefined;
  const content: Json = {};
  for (const [mediaType, { description, example, lineSchema }] of Object.entries(streamedBody.contents)) {
    const schema = string({ maxLength: streamedBody.bytesMax, description });
    const line = lineSchema && { 'x-line-schema': components.use(lineSchema, 'request') };
    content[mediaType] = { schema, example, ...line };
  }
  return { required: true, content };
}

function descriptionOf({ description, access, scope }: Route): string {
  const paragraphs = [description, access.description];
  if (scope !== undefined && scope !== 'any') paragraphs.push(`An API key needs the scope \`${scope}\`.`);
  return paragraphs.filter(Boolean).join('\n\n');
}

/** The scope that an API key needs; null if keys can't call the operation, or need none. */
function scopeOf({ scope }: Route): string | null {
  return scope === undefined || scope === 'any' ? null : scope;
}

function securityOf({ access, scope }: Route): Json[] {
  if (access.credentials === 'ignored') return [];
  const choices: Json[] = [{ bearer: [] }];
  if (access.credentials === 'optional') choices.unshift({});
  if (scope !== undefined) choices.push({ apiKey: [] });
  return choices;
}

function parametersOf(route: Route, components: Components): Json[] {
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) =>
    pathParameter(name, route, components),
  );
  const inQuery = Object.entries(route.query ?? {}).map(([name, schema]) =>
    queryParameter(name, schema, components),
  );
  const fields = ['X-Request-Id'];
  if (route.method === 'GET') fields.push('If-None-Match');
  if (route.method !== 'POST') fields.push('If-Match');
  if (route.reply.mediaTypes?.includes(eventStream) === true) fields.push('Last-Event-ID');
  if (route.acceptsIdempotencyKey === true) fields.push('Idempotency-Key');
  return [...inPath, ...inQuery, ...fields.map((name) => ({ $ref: `#/components/parameters/${name}` }))];
}

function pathParameter(name: string, { path, nameSchema }: Route, components: Components): Json {
  const about = { name, in: 'path', required: true };
  if (name !== nameParameter) return { ...about, description: 'The id of the object.', schema: integer() };
  assert(nameSchema !== undefined, `${path} doesn’t declare what its {name} may be`);
  const { description, ...schema } = components.use(nameSchema, 'request');
  return { ...about, description, schema };
}

/**
 * Describes a parameter of the query. The description comes from the schema itself, since a named schema is
 * only referred to.
 */
function queryParameter(name: string, schema: JsonSchema, components: Components): Json {
  const { description: _description, ...shown } = components.use(schema, 'request');
  const style = schema.type === 'array' ? { style: 'form', explode: false } : {};
  return {
    name,
    in: 'query',
    description: schema.description ?? `Only elements with this ${name}.`,
    ...style,
    schema: shown,
  };
}
