// The parts of the OpenAPI document that operations share: header fields of requests and security schemes.
import { RequestId } from '../http/connections/request-fields.ts';
import type { ResponseField } from '../http/responses/cors.ts';
import { acceptPatch } from '../http/responses/media-types.ts';
import type { Json } from './openapi-components.ts';

const value = { type: 'string', maxLength: 8192 } as const;

/** Header fields of requests. */
const requestFields = {
  'X-Request-Id': {
    description: 'An identifier for the request, in the log and in the response.',
    schema: RequestId,
  },
  'If-None-Match': {
    description: 'ETags that the client has; 304 if one of them is current.',
    schema: value,
  },
  'If-Match': { description: 'The ETag that the client has; 412 if it is not current.', schema: value },
  'Last-Event-ID': {
    description: 'Where to resume an event stream: the `id` of the last event received.',
    schema: { type: 'string', maxLength: 4_000, pattern: '^[\\x21-\\x7e]*$' },
  },
  'Idempotency-Key': {
    description:
      'A unique key for this change: repeated within 24 hours, it returns the first response again.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  },
};

export const requestFieldParameters = Object.fromEntries(
  Object.entries(requestFields).map(([name, field]) => [name, { name, in: 'header', ...field }]),
);

/** Header fields of responses. */
export const responseHeaders = {
  ETag: { description: 'The version of the content, for `If-None-Match` and `If-Match`.', schema: value },
  Link: {
    description:
      'The next page, with `rel="next"`; of the OpenAPI document itself, with `rel="service-desc"`.',
    schema: value,
  },
  Location: { description: 'The path of the new object.', schema: { ...value, pattern: '^/' } },
  RateLimit: {
    description: 'For each limit that applies, how much is left (`r`), and for how many seconds (`t`).',
    schema: value,
  },
  'RateLimit-Policy': {
    description: 'For each limit that applies, its quota (`q`) and its window in seconds (`w`).',
    schema: value,
  },
  'Retry-After': {
    description: 'When to try again, in seconds.',
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': { description: 'Which credentials are needed (RFC 6750).', schema: value },
  'X-Request-Id': { description: 'The request’s identifier, as in the log.', schema: RequestId },
  'Idempotency-Replayed': {
    description: 'Sent with the first response to an Idempotency-Key when that is returned again.',
    schema: { type: 'boolean', const: true },
  },
  'Content-Disposition': { description: 'The name of the file.', schema: value },
  Allow: { description: 'The methods of the path.', schema: value },
  Accept: { description: 'The media types that a body may have.', schema: value },
  'Accept-Encoding': { description: 'That bodies are sent uncompressed: `identity`.', schema: value },
  'Accept-Patch': { description: `The media types of a PATCH: \`${acceptPatch}\`.`, schema: value },
} satisfies Record<ResponseField, Json>;

export const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The access token of a session: `Authorization: Bearer …`.',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description:
      'An API key: acts as its user, within its scopes. Where a client can’t set header fields, the query ' +
      'parameter `api_key` carries the key instead; URLs are logged in many places, so that form is less ' +
      'secure, and an operator can disable it.',
  },
};
