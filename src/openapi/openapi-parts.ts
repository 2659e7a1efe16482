// The parts of the OpenAPI document that operations share: header fields of requests and security schemes.
import { RequestId } from '../http/connections/request-fields.ts';

const text = { type: 'string', maxLength: 8192 } as const;

/** Header fields of requests. */
export const requestFieldParameters = {
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    description: 'An identifier for the request, in the log and in the response.',
    schema: RequestId,
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description: 'ETags that the client has; 304 if one of them is current.',
    schema: text,
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description: 'The ETag that the client has; 412 if it is not current.',
    schema: text,
  },
  'Last-Event-ID': {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'Where to resume an event stream: the `id` of the last event received.',
    schema: { type: 'string', maxLength: 4_000, pattern: '^[\\x21-\\x7e]*$' },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A unique key for this change: repeated within 24 hours, it returns the first response again.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  },
};

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
