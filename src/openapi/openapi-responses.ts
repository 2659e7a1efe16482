// The responses of an operation in the OpenAPI document. All operations share one response for each status of
// a problem, and name their own problems next to the reference.
import { STATUS_CODES } from '../http/connections/node-http.ts';
import { urlBytesMax } from '../http/connections/request-fields.ts';
import { pageRowsMax } from '../http/lists/list.ts';
import type { ResponseField } from '../http/responses/cors.ts';
import { csvType, ndjsonType, problemJsonType } from '../http/responses/media-types.ts';
import { ProblemDocument } from '../http/responses/problem-response.ts';
import { problemStatus } from '../http/responses/problem-types.ts';
import { eventStream } from '../http/responses/server-sent-events.ts';
import { mediaTypesOf, statusOf, type Reply } from '../http/routing/reply.ts';
import type { Route } from '../http/routing/route.ts';
import { problemCodes, type ProblemCode } from '../problem.ts';
import { integer } from '../schema/schema.ts';
import { pascalCase, shownExampleOf, type Components, type Json } from './openapi-components.ts';

type DescribedType = { readonly description: string; readonly example: string | object };

const pem = '-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n';

/** Media types without a schema. Each has the type of its example; Postman's import reports bodies without a type. */
const describedTypes: Readonly<Record<string, DescribedType>> = {
  'text/html': { description: 'A page for people.', example: '<!doctype html><title>orderly</title>' },
  'text/plain': { description: 'Prometheus text format.', example: 'orderly_streams 2\n' },
  'text/javascript': { description: 'A module of a page.', example: 'export {};\n' },
  'text/css': { description: 'The stylesheet of a page.', example: 'body { margin: 0 }\n' },
  'application/manifest+json': { description: 'What a home screen needs.', example: { name: 'orderly' } },
  'image/png': { description: 'A picture.', example: '\u0089PNG\r\n' },
  'application/pem-certificate-chain': {
    description: 'A certificate in PEM (RFC 8555 section 9.1).',
    example: pem,
  },
  'application/x-x509-ca-cert': { description: 'A certificate in PEM, as devices install it.', example: pem },
  [csvType]: {
    description:
      'The whole list as a table (RFC 4180), with a header line. The page Files lists the columns.',
    example: 'id,name\r\n7,Grace Hopper\r\n',
  },
  [ndjsonType]: {
    description: 'A JSON object in each line: all elements of a list, or what became of each imported line.',
    example: '{"id":7,"name":"Grace Hopper"}\n',
  },
  [eventStream]: {
    description:
      'Server-sent events (WHATWG), until the client or the service ends them: `id` is the cursor after ' +
      'the event, `event` its type, `data` the event as JSON. A quiet stream has a comment every 15 seconds.',
    example: 'id: eyJ2IjoxfQ\nevent: order.paid\ndata: {"id":7,"type":"order.paid"}\n\n',
  },
};

export function contentOf(mediaTypes: readonly string[], schema: Json, example: unknown): Json {
  const content: Json = {};
  for (const type of mediaTypes) {
    const described = describedTypes[type];
    content[type] =
      described === undefined
        ? { schema, example }
        : {
            schema: { type: typeof described.example, description: described.description },
            example: described.example,
          };
  }
  return content;
}

export function responsesOf(route: Route, invalidStatus: 400 | 422, components: Components): Json {
  const { reply, method } = route;
  const fields = successFieldsOf(route);
  const success = { ...successResponse(reply, components), headers: headerSchemasOf(fields) };
  const responses: Json = { [statusOf(reply)]: success };
  if (reply.newLocation !== undefined) {
    const headers = headerSchemasOf([...fields, 'Location']);
    responses['201'] = { ...success, description: 'Created.', headers };
  }
  if (method === 'GET') {
    const description = 'Not modified: the client’s copy is current.';
    responses['304'] = { description, headers: success.headers };
  }
  const byStatus = Map.groupBy(codesOf(route), (code) => problemStatus(code, invalidStatus));
  for (const [status, codes] of byStatus) {
    const description = `${codes.map((code) => `\`${code}\``).join(', ')}.`;
    responses[status] = { ...documentedProblem(status, components), description };
  }
  return responses;
}

/** The header fields of every response. A few routes count against no rate, and lack its fields. */
const commonFields: readonly ResponseField[] = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy'];

function successFieldsOf({ reply, acceptsIdempotencyKey }: Route): ResponseField[] {
  const fields = [...commonFields];
  if (reply.kind !== 'none' && reply.kind !== 'stream') fields.push('ETag');
  if (reply.location !== undefined) fields.push('Location');
  if (reply.kind === 'list' || reply.kind === 'shared document') fields.push('Link');
  if (mediaTypesOf(reply).includes(csvType)) fields.push('Content-Disposition');
  if (acceptsIdempotencyKey === true) fields.push('Idempotency-Replayed');
  return fields;
}

/** The further header fields of problems with these statuses. */
const problemFields: Readonly<Record<number, readonly ResponseField[]>> = {
  400: ['WWW-Authenticate'],
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  409: ['Retry-After'],
  415: ['Accept', 'Accept-Encoding', 'Accept-Patch'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

function headerSchemasOf(fields: readonly ResponseField[]): Json {
  return Object.fromEntries(fields.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function successResponse(reply: Reply, components: Components): Json {
  if (reply.kind === 'none') return { description: 'Done.' };
  const shown = reply.schema === undefined ? { type: 'object' } : components.use(reply.schema, 'response');
  const schema = reply.kind === 'list' ? pageSchema(shown, components, reply) : shown;
  return {
    description: statusOf(reply) === 201 ? 'Created.' : 'OK.',
    content: contentOf(mediaTypesOf(reply), schema, exampleReply(reply)),
  };
}

/** Names a page of named elements, such as `OrderPage`, or `EventFeed` where no page of the feed is the last. */
function pageSchema(element: Json, components: Components, { isFeed = false }: Reply): Json {
  const name = /\w+$/.exec(String(element['$ref'] ?? ''))?.[0];
  const page = isFeed ? feedPageOf(element) : listPageOf(element);
  return name === undefined ? page : components.schema(`${name}${isFeed ? 'Feed' : 'Page'}`, page);
}

function feedPageOf(element: Json): Json {
  const description =
    'Path and query of the next page, to be read now or later; null only at the end of a list with `sort`.';
  return pageOf(element, { next: { ...nextPage, type: ['string', 'null'], description } });
}

function listPageOf(element: Json): Json {
  const description =
    'Path and query of the next page; null on the last page. A client that calls operations by name ' +
    'passes the `cursor` of this query to the same operation, with the same filters and sort.';
  return pageOf(element, { next: { ...nextPage, type: ['string', 'null'], description }, total });
}

const total = integer({ minimum: 0, description: 'With `total=true`: the number of all elements.' });

const nextPage = { type: 'string', maxLength: urlBytesMax, pattern: '^/' };

function pageOf(element: Json, members: Json): Json {
  return {
    type: 'object',
    required: ['data', 'next'],
    properties: { data: { type: 'array', items: element, maxItems: pageRowsMax }, ...members },
  };
}

function exampleReply({ kind, schema, isFeed }: Reply): unknown {
  const example = shownExampleOf(schema ?? {});
  if (kind !== 'list') return example;
  return { data: [example], next: isFeed === true ? '/events?cursor=eyJ2IjoxfQ' : null };
}

/** Returns a reference to the response with this status, which has an example of each problem. */
function documentedProblem(status: number, components: Components): Json {
  const phrase = STATUS_CODES[status] ?? '';
  const examples: Json = {};
  for (const code of problemCodes) {
    const statuses = [problemStatus(code, 400), problemStatus(code, 422)];
    if (statuses.includes(status)) examples[code] = { $ref: `#/components/examples/${code}` };
  }
  return components.response(pascalCase(phrase), {
    description: phrase,
    headers: headerSchemasOf([...commonFields, ...(problemFields[status] ?? [])]),
    content: { [problemJsonType]: { schema: components.use(ProblemDocument, 'response'), examples } },
  });
}

/** Returns every problem that the route can report. */
function codesOf(route: Route): Set<ProblemCode> {
  const { access, body, streamedBody, reply } = route;
  const codes = new Set<ProblemCode>([
    'bad-request',
    'validation-failed',
    'precondition-failed',
    'request-timeout',
    'uri-too-long',
    'headers-too-large',
    'tls-required',
    'internal-error',
    'unavailable',
  ]);
  if (mediaTypesOf(reply).length > 0) codes.add('not-acceptable');
  if (route.isUnlimited !== true) codes.add('quota-exceeded');
  if (access.credentials !== 'ignored')
    codes.add('invalid-token').add('multiple-credentials').add('insufficient-scope');
  if (access.credentials === 'required') codes.add('unauthenticated').add('forbidden');
  if (/\{\w+\}/.test(route.path)) codes.add('not-found');
  if (body !== undefined) codes.add('malformed-json').add('unsupported-media-type').add('content-too-large');
  if (streamedBody !== undefined) codes.add('unsupported-media-type').add('content-too-large');
  if (route.acceptsIdempotencyKey === true)
    codes.add('idempotency-key-reused').add('idempotency-key-in-progress');
  if (reply.kind === 'list') codes.add('invalid-cursor');
  for (const code of route.problems ?? []) codes.add(code);
  return codes;
}
