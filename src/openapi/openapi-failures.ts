// The problems of an operation in the OpenAPI document.
import type { ProblemCode } from '../problem.ts';
import { csv, ndjson, problemJson } from '../http/media-types.ts';
import type { Components, Json } from './openapi-components.ts';
import { pascalCase } from './openapi-names.ts';
import { commonFields, headerRefs } from './openapi-parts.ts';
import { problemTypes, problemStatus } from '../http/problem-types.ts';
import { ProblemDocument } from '../http/problem-response.ts';
import type { Route } from '../http/route.ts';

/** Returns every problem that the route can report, by status. */
export function failureResponses(route: Route, invalidStatus: 400 | 422, components: Components): Json {
  const byStatus = Map.groupBy(codesOf(route), (code) => problemStatus(code, invalidStatus));
  const responses: Json = {};
  for (const [status, codes] of byStatus) {
    const fields = failureFields(route, status, codes);
    // `NotFound`, `InvalidTokenOrUnauthenticated` …
    const name = codes.map(pascalCase).join('Or') + variantsOf(route, fields).join('');
    responses[status] = components.response(name, failureResponse(codes, fields, components));
  }
  if (route.body !== undefined || route.streamedBody !== undefined)
    responses['417'] = badRequest(route, components, expectationFailed);
  if (route.reply.mediaTypes.some((type) => type === csv || type === ndjson))
    responses['505'] = badRequest(route, components, versionNotSupported);
  return responses;
}

/** A `bad-request` with a status of its own. */
type OtherStatus = { readonly status: number; readonly name: string; readonly description: string };

/** A failure of any operation, shown only for those with a body, whose clients may send Expect. */
const expectationFailed: OtherStatus = {
  status: 417,
  name: 'ExpectationFailed',
  description: 'Expectation failed: `Expect` may only be `100-continue`.',
};

const versionNotSupported: OtherStatus = {
  status: 505,
  name: 'VersionNotSupported',
  description: 'HTTP version not supported: files and imports need HTTP/1.1.',
};

function badRequest(route: Route, components: Components, { status, name, description }: OtherStatus): Json {
  const fields = failureFields(route, status, ['bad-request']);
  const fullName = `${name}${variantsOf(route, fields).join('')}`;
  return components.response(fullName, {
    ...failureResponse(['bad-request'], fields, components),
    description,
  });
}

function failureResponse(
  codes: readonly ProblemCode[],
  fields: readonly string[],
  components: Components,
): Json {
  const examples: Json = {};
  for (const code of codes) examples[code] = { $ref: `#/components/examples/${code}` };
  return {
    description: `${codes.map((code) => problemTypes[code].title).join(', ')}.`,
    headers: headerRefs(fields),
    content: {
      [problemJson]: { schema: components.use(ProblemDocument, 'response'), examples },
    },
  };
}

/** Returns the suffixes by which responses with the same problems differ. */
function variantsOf(route: Route, fields: readonly string[]): string[] {
  const variants: string[] = [];
  if (route.isUnlimited === true) variants.push('Unlimited');
  if (fields.includes('Accept-Patch')) variants.push('ForPatch');
  if (fields.includes('Set-Cookie')) variants.push('OfCookie');
  return variants;
}

function failureFields(route: Route, status: number, codes: readonly ProblemCode[]): string[] {
  const fields = commonFields(route);
  fields.push('Cache-Control', 'Content-Security-Policy', 'X-Content-Type-Options');
  if (status === 401 || codes.some(isOfCredentials)) fields.push('WWW-Authenticate');
  if (status === 401 && route.sessionCookie === 'read and set') fields.push('Set-Cookie');
  if (status === 429 || status === 503 || codes.includes('idempotency-key-in-progress'))
    fields.push('Retry-After');
  if (status === 415) fields.push('Accept-Encoding', route.method === 'PATCH' ? 'Accept-Patch' : 'Accept');
  return fields;
}

function isOfCredentials(code: ProblemCode): boolean {
  return code === 'insufficient-scope' || code === 'multiple-credentials';
}

function codesOf(route: Route): ProblemCode[] {
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
  if (reply.mediaTypes.length > 0) codes.add('not-acceptable');
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
  return [...codes];
}
