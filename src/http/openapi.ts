// The OpenAPI 3.1 document: a pure function of the routes.
import { isDeepStrictEqual } from 'node:util';
import { problemKinds, type ProblemKind } from '../errors.ts';
import { pageRowsMax, urlBytesMax } from '../limits.ts';
import { integer, nullableBase, string, type JsonSchema } from '../schema/schema.ts';
import { headerFields, requestFields, securitySchemes, tags, textSchemas } from './openapi-parts.ts';
import { ProblemDocument, problems, statusOf, typeOf } from './problem.ts';
import type { Method, Reply, Route } from './route.ts';
import type { Mounted } from './router.ts';

type Json = { [name: string]: unknown };

export function openapiDocument(mounted: readonly Mounted[], publicUrl: string, version: string): Json {
  const components = createComponents();
  const paths: Record<string, Json> = {};
  const isLocal = /^https?:\/\/(localhost|127\.|\[::1\])/.test(publicUrl);
  for (const each of mounted) {
    (paths[each.route.path] ??= {})[each.route.method.toLowerCase()] = operation(each, components);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'orderly',
      version,
      summary: 'Users, customers and orders.',
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'orderly', url: `${publicUrl}/docs` },
      description:
        'Errors are problem details (RFC 9457). Lists are pages: follow `next`. ' +
        'Objects have a strong ETag for `If-None-Match` and `If-Match`. ' +
        'Money is an integer count of the currency’s minor unit. ' +
        'Paths that accept GET also accept HEAD, and all paths accept OPTIONS.',
    },
    // Spectral's OWASP rules ask for the words and the `x-internal`.
    servers: [
      {
        url: publicUrl,
        description: isLocal ? 'This service, on the local machine.' : 'This service, in production.',
        'x-internal': false,
      },
    ],
    security: [{ bearer: [] }],
    tags,
    paths,
    components: {
      schemas: components.schemas,
      responses: components.responses,
      parameters: requestFields,
      headers: usedHeaders({ ...paths, ...components.responses }),
      securitySchemes,
      examples: Object.fromEntries(
        problemKinds.map((kind) => [
          kind,
          { summary: problems[kind].title, value: problemExample(kind, publicUrl) },
        ]),
      ),
    },
  };
}

function usedHeaders(users: Json): Json {
  const text = JSON.stringify(users);
  return Object.fromEntries(
    Object.entries(headerFields).filter(([name]) => text.includes(`"#/components/headers/${name}"`)),
  );
}

function operation({ route, invalidStatus }: Mounted, components: Components): Json {
  const { reply } = route;
  const bodyTypes = ['application/json'];
  if (route.method === 'PATCH') bodyTypes.unshift('application/merge-patch+json');
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    description: descriptionOf(route),
    deprecated: route.deprecated && true,
    security: securityOf(route),
    parameters: parametersOf(route, components),
    requestBody: route.body && {
      required: true,
      content: contentOf(bodyTypes, components.use(route.body), exampleOf(route.body)),
    },
    responses: {
      [reply.status]: success(route, components),
      ...notModified(route),
      ...failures(route, invalidStatus, components),
    },
  };
}

function descriptionOf({ description, access, scope }: Route): string {
  const paragraphs = [description, access.description];
  if (scope !== undefined && scope !== 'any') paragraphs.push(`An API key needs the scope \`${scope}\`.`);
  return paragraphs.filter(Boolean).join('\n\n');
}

/** `listOrders`, `getUserOrder`, `createSessionToken` … */
function operationId({ method, path, reply }: Route): string {
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== 'api');
  const verbs: Record<Method, string> = {
    GET: reply.kind === 'list' ? 'list' : 'get',
    POST: 'create',
    PUT: 'replace',
    PATCH: 'update',
    DELETE: 'delete',
  };
  const words = segments.map((segment, index) => {
    if (segment.startsWith('{')) return '';
    const isNamed = segments[index + 1]?.startsWith('{') === true;
    const isCreated = method === 'POST' && index === segments.length - 1;
    return capitalized(isNamed || isCreated ? segment.replace(/s$/, '') : segment);
  });
  return verbs[method] + (words.join('') || 'Home');
}

function capitalized(segment: string): string {
  const words = segment.split(/\W/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function securityOf({ access, scope }: Route): Json[] {
  if (access.credentials === 'ignored') return [];
  const choices: Json[] = [{ bearer: [] }];
  if (access.credentials === 'optional') choices.unshift({});
  if (scope !== undefined) choices.push({ apiKey: [] }, { apiKeyInQuery: [] });
  return choices;
}

function parametersOf(route: Route, components: Components): Json[] {
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => pathParameter(name));
  const inQuery = Object.entries(route.query ?? {}).map(([name, schema]) =>
    queryParameter(name, components.use(schema)),
  );
  const fields = ['X-Request-Id'];
  if (route.method === 'GET') fields.push('If-None-Match');
  if (route.method === 'GET' || route.isConditional === true) fields.push('If-Match');
  if (route.isIdempotent === true) fields.push('Idempotency-Key');
  return [...inPath, ...inQuery, ...fields.map((name) => ({ $ref: `#/components/parameters/${name}` }))];
}

function pathParameter(name: string): Json {
  const isKind = name === 'name';
  return {
    name,
    in: 'path',
    required: true,
    description: isKind ? 'The name of a problem type.' : 'The id of the object.',
    schema: isKind ? string({ maxLength: 100, pattern: '^[a-z-]+$' }) : integer(),
  };
}

function queryParameter(name: string, { description, ...schema }: Json): Json {
  const style = schema['type'] === 'array' ? { style: 'form', explode: false } : {};
  return {
    name,
    in: 'query',
    description: description ?? `Only elements with this ${name}.`,
    ...style,
    schema,
  };
}

function contentOf(mediaTypes: readonly string[], schema: Json, example: unknown): Json {
  return Object.fromEntries(
    mediaTypes.map((type) => [
      type,
      textSchemas[type] === undefined ? { schema, example } : { schema: textSchemas[type] },
    ]),
  );
}

function success(route: Route, components: Components): Json {
  const { reply } = route;
  const fields = successFields(route);
  if (reply.kind === 'none') return { description: 'Done.', headers: headerRefs(fields) };
  const shown = reply.schema === undefined ? { type: 'object' } : components.use(reply.schema);
  return {
    description: reply.status === 201 ? 'Created.' : 'OK.',
    headers: headerRefs(fields),
    content: contentOf(
      reply.mediaTypes,
      reply.kind === 'list' ? listSchema(shown) : shown,
      exampleReply(reply),
    ),
    links: reply.links && linksTo(reply.links),
  };
}

function successFields(route: Route): string[] {
  const { reply } = route;
  const fields = commonFields(route);
  if (reply.kind === 'none') return fields;
  fields.push('ETag', 'Cache-Control', 'Vary', 'Content-Security-Policy', 'X-Content-Type-Options');
  if (reply.status === 201) fields.push('Location');
  if (reply.kind === 'list' || isDocument(route)) fields.push('Link');
  if (isDocument(route)) fields.push('Content-Encoding');
  if (reply.mediaTypes.includes('text/html')) fields.push('Referrer-Policy');
  if (route.isIdempotent === true) fields.push('Idempotency-Replayed');
  return fields;
}

/** Made once, and compressed for who accepts that. */
function isDocument({ reply }: Route): boolean {
  return reply.kind === 'page' && reply.cacheControl !== 'no-store';
}

function listSchema(element: Json): Json {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['data', 'next'],
    properties: {
      data: { type: 'array', items: element, maxItems: pageRowsMax },
      next: {
        type: ['string', 'null'],
        maxLength: urlBytesMax,
        pattern: '^/',
        description: 'Path and query of the next page; null on the last page.',
      },
      total: integer({ minimum: 0, description: 'With `total=true`: the number of all elements.' }),
    },
  };
}

function exampleReply({ kind, schema }: Reply<unknown>): unknown {
  const example = exampleOf(schema ?? {});
  return kind === 'list' ? { data: [example], next: null } : example;
}

function linksTo(targets: NonNullable<Reply<unknown>['links']>): Json {
  return Object.fromEntries(
    Object.entries(targets).map(([name, target]) => {
      const [method = '', path = ''] = target.split(' ');
      const id = operationId({
        method,
        path,
        reply: { kind: path.endsWith('}') ? 'object' : 'list' },
      } as Route); // all that operationId looks at
      return [name, { operationId: id, parameters: { id: '$response.body#/id' } }];
    }),
  );
}

function notModified(route: Route): Json {
  if (route.method !== 'GET') return {};
  const fields = [...commonFields(route), 'ETag', 'Cache-Control', 'Vary'];
  if (route.reply.kind === 'list') fields.push('Link');
  return {
    304: { description: 'Not modified: the client’s copy is current.', headers: headerRefs(fields) },
  };
}

/** Any answer of the route may have these. */
function commonFields({ isUnlimited, deprecated }: Route): string[] {
  const limits = isUnlimited === true ? [] : ['RateLimit-Policy', 'RateLimit'];
  const ending = deprecated === undefined ? [] : ['Deprecation', 'Sunset', 'Link'];
  return ['X-Request-Id', ...limits, 'Strict-Transport-Security', 'Access-Control-Allow-Origin', ...ending];
}

function headerRefs(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Every problem that the route can tell of, by status. */
function failures(route: Route, invalidStatus: 400 | 422, components: Components): Json {
  const byStatus = Map.groupBy(kindsOf(route), (kind) => statusOf(kind, invalidStatus));
  const schema = components.use(ProblemDocument);
  const entries = [...byStatus].map(([status, kinds]) => {
    const fields = failureFields(route, status, kinds);
    const examples = kinds.map((kind) => [kind, { $ref: `#/components/examples/${kind}` }]);
    const response = {
      description: `${kinds.map((kind) => problems[kind].title).join(', ')}.`,
      headers: headerRefs(fields),
      content: { 'application/problem+json': { schema, examples: Object.fromEntries(examples) } },
    };
    const name: (string | number)[] = [status, ...kinds];
    if (route.isUnlimited === true) name.push('unlimited');
    if (route.deprecated !== undefined) name.push('deprecated');
    if (fields.includes('Accept-Patch')) name.push('patch');
    return [status, components.response(name.join('.'), response)];
  });
  return Object.fromEntries(entries);
}

function failureFields(route: Route, status: number, kinds: readonly ProblemKind[]): string[] {
  const fields = commonFields(route);
  fields.push('Cache-Control', 'Content-Security-Policy', 'X-Content-Type-Options');
  if (status === 401 || kinds.includes('insufficient-scope')) fields.push('WWW-Authenticate');
  if (status === 429 || status === 503 || kinds.includes('idempotency-key-in-progress'))
    fields.push('Retry-After');
  if (status === 415 && route.method === 'PATCH') fields.push('Accept-Patch');
  return fields;
}

function kindsOf(route: Route): ProblemKind[] {
  const { access, body, reply } = route;
  const kinds = new Set<ProblemKind>([
    'bad-request',
    'validation-failed',
    'not-acceptable',
    'request-timeout',
    'uri-too-long',
    'headers-too-large',
    'tls-required',
    'internal-error',
    'unavailable',
  ]);
  if (route.isUnlimited !== true) kinds.add('quota-exceeded');
  if (access.credentials !== 'ignored')
    kinds.add('invalid-token').add('multiple-credentials').add('insufficient-scope');
  if (access.credentials === 'required') kinds.add('unauthenticated').add('forbidden');
  if (/\{\w+\}/.test(route.path)) kinds.add('not-found');
  if (body !== undefined) kinds.add('malformed-json').add('unsupported-media-type').add('content-too-large');
  if (route.method === 'GET' || route.isConditional === true) kinds.add('precondition-failed');
  if (route.isIdempotent === true) kinds.add('idempotency-key-reused').add('idempotency-key-in-progress');
  if (reply.kind === 'list') kinds.add('invalid-cursor');
  for (const kind of route.problems ?? []) kinds.add(kind);
  return [...kinds];
}

function problemExample(kind: ProblemKind, publicUrl: string): Json {
  const { status, title, about } = problems[kind];
  const example: Json = {
    type: typeOf(kind, publicUrl),
    title,
    status,
    detail: about.replaceAll('`', ''),
    instance: '/orders',
    requestId: 'mB2x-1',
  };
  if (kind === 'validation-failed') example['errors'] = [issueExample];
  if (kind === 'invalid-transition') Object.assign(example, transitionExample);
  return example;
}

const issueExample = {
  pointer: '#/items/0/quantity',
  code: 'minimum',
  detail: 'items[0].quantity must be at least 1.',
};
const transitionExample = { from: 'shipped', to: 'open', allowed: ['delivered', 'refunded'] };

/** A value that fits, from the schema's own examples. */
function exampleOf(schema: JsonSchema): unknown {
  if (Array.isArray(schema['examples'])) return schema['examples'][0];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'object')
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([name, member]) => [name, exampleOf(member)]),
    );
  if (type === 'array') return [exampleOf(schema.items ?? {})];
  if (type === 'integer') return schema['minimum'];
  return type === 'boolean' ? true : undefined;
}

type Components = ReturnType<typeof createComponents>;

/** Named schemas, and responses alike, become components, and are referred to. */
function createComponents() {
  const made: Record<'schemas' | 'responses', Record<string, Json>> = { schemas: {}, responses: {} };

  function component(kind: keyof typeof made, name: string, json: Json): Json {
    const known = (made[kind][name] ??= json);
    if (!isDeepStrictEqual(known, json)) throw new TypeError(`two ${kind} are named ${name}`);
    return { $ref: `#/components/${kind}/${name}` };
  }

  function use(schema: JsonSchema): Json {
    const base = nullableBase(schema);
    if (base !== undefined) return { anyOf: [use(base), { type: 'null' }] };
    const { title, ...shown }: Json = schema;
    const { properties, items } = schema;
    if (properties !== undefined)
      shown['properties'] = Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [name, use(member)]),
      );
    if (items !== undefined) shown['items'] = use(items);
    return typeof title === 'string' ? component('schemas', title, shown) : shown;
  }

  return { ...made, use, response: (name: string, json: Json) => component('responses', name, json) };
}
