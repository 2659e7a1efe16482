// The table of all problem types: title, default status, and the text of the page of each.
import { stepUpSeconds } from '../../auth/access.ts';
import { hourSeconds } from '../../base/durations.ts';
import type { ProblemCode } from '../../problem.ts';
import { string } from '../../schema/schema.ts';
import {
  bodyBytesMax,
  requestMillisecondsMax,
  headerBytesMax,
  headerFieldsMax,
  headersMillisecondsMax,
  urlBytesMax,
  idempotencySecondsMax,
  jsonDepthMax,
} from '../connections/request-fields.ts';
import { jsonType, mergePatchType } from './media-types.ts';

/** Which status invalid data has; `openapi.test.ts` compares it with the routes. */
export const invalidStatusRule =
  'The status is 400 under /api and /webhooks, and 422 for the objects of the shop.';

/** All problems that the service reports, with the texts of their pages. */
export const problemTypes: Readonly<
  Record<ProblemCode, { readonly status: number; readonly title: string; readonly about: string }>
> = {
  'malformed-json': {
    status: 400,
    title: 'Malformed JSON',
    about:
      'The body is not JSON (RFC 8259) in UTF-8, or it has a byte-order mark, duplicate members, ' +
      `unpaired surrogates or more than ${jsonDepthMax} levels of nesting.`,
  },
  'validation-failed': {
    status: 422,
    title: 'Validation failed',
    about:
      'The request was understood, but its data is invalid. `errors` lists every error: ' +
      'where it is (`pointer` into the body, `parameter` or `header`), a `code`, ' +
      `and what would be right. ${invalidStatusRule}`,
  },
  unauthenticated: {
    status: 401,
    title: 'Unauthenticated',
    about:
      'This operation needs a credential: an access token (`Authorization: Bearer …`, ' +
      'from POST /api/sessions) or an API key (`X-API-Key: …`).',
  },
  'invalid-token': {
    status: 401,
    title: 'Invalid token',
    about:
      'The access token or API key is malformed, expired, or no longer valid ' +
      'because its session, key or user was deleted.',
  },
  'invalid-credentials': {
    status: 401,
    title: 'Invalid credentials',
    about:
      'The e-mail address or password is wrong, or the user is suspended, ' +
      'or the refresh token is not the current one of its session.',
  },
  'code-required': {
    status: 401,
    title: 'Code required',
    about:
      'The password is right, and this account also needs a `code`: the six digits that the ' +
      'authenticator app shows, or a recovery code. Each works once.',
  },
  'step-up-required': {
    status: 401,
    title: 'Sign in again',
    about:
      'A sensitive change (a password, an e-mail address, a role, an API key, a webhook, suspending or ' +
      'deleting a user) ' +
      `needs a sign-in within the last ${stepUpSeconds / 60} minutes (RFC 9470): ` +
      'create a new session and use its access token.',
  },
  'multiple-credentials': {
    status: 400,
    title: 'Multiple credentials',
    about: 'Send exactly one credential: an access token or an API key.',
  },
  forbidden: { status: 403, title: 'Forbidden', about: 'The caller is known, but may not do this.' },
  'insufficient-scope': {
    status: 403,
    title: 'Insufficient scope',
    about:
      'The API key lacks the scope that this operation needs, ' +
      'or the operation cannot be called with an API key at all.',
  },
  'not-found': {
    status: 404,
    title: 'Not found',
    about: 'Nothing exists at this path, or no object has this id.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    about: 'The path does not support this method; `Allow` lists the methods that it supports.',
  },
  'not-acceptable': {
    status: 406,
    title: 'Not acceptable',
    about: `The Accept header excludes every available format. Resources are ${jsonType}.`,
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported media type',
    about:
      `The body must be ${jsonType} in UTF-8 (for PATCH also ${mergePatchType}), without Content-Encoding. ` +
      '`Accept`, `Accept-Patch` or `Accept-Encoding` says what is accepted.',
  },
  'content-too-large': {
    status: 413,
    title: 'Content too large',
    about: `The body of a request must have at most ${bodyBytesMax / 1024} KiB, that of an import 32 MiB.`,
  },
  'uri-too-long': {
    status: 414,
    title: 'URI too long',
    about: `The target must have at most ${urlBytesMax / 1024} KiB.`,
  },
  'headers-too-large': {
    status: 431,
    title: 'Header fields too large',
    about:
      `The header fields must be at most ${headerFieldsMax}, of ${headerBytesMax / 1024} KiB in all: ` +
      'names, values, 4 bytes each for separators.',
  },
  'request-timeout': {
    status: 408,
    title: 'Request timeout',
    about:
      `The header fields must arrive within ${headersMillisecondsMax / 1000} seconds, ` +
      `the whole request within ${requestMillisecondsMax / 1000}.`,
  },
  'bad-request': {
    status: 400,
    title: 'Bad request',
    about:
      'The request is not valid HTTP/1.1 (RFC 9112), ended early, or has a body where none is accepted. ' +
      'The status is 417 for an `Expect` other than `100-continue`, ' +
      'and 505 for an export or an import over HTTP/1.0.',
  },
  'email-taken': {
    status: 409,
    title: 'E-mail taken',
    about: 'Another user has this e-mail address; case is ignored in the comparison.',
  },
  'last-admin': {
    status: 409,
    title: 'Last administrator',
    about:
      'The last administrator who is not suspended can be neither deleted, suspended nor given another ' +
      'role; create another one first.',
  },
  'customer-has-orders': {
    status: 409,
    title: 'Customer has orders',
    about: 'A customer with orders cannot be deleted, since orders are never deleted.',
  },
  'in-use': {
    status: 409,
    title: 'In use',
    about: 'Other objects refer to this one, so it cannot be deleted; change or delete them first.',
  },
  'invalid-transition': {
    status: 409,
    title: 'Invalid transition',
    about:
      'The order’s status does not allow this step; ' +
      '`from` and `to` name the step, `allowed` lists the possible ones.',
  },
  'order-not-open': {
    status: 409,
    title: 'Order not open',
    about:
      'The items and the currency of an order can only be changed while it is open, its customer and its ' +
      'shipping address until it is shipped, cancelled or refunded.',
  },
  'precondition-failed': {
    status: 412,
    title: 'Precondition failed',
    about: 'The object changed since the client read it (If-Match); read it again, then repeat the change.',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'Idempotency key reused',
    about:
      'This Idempotency-Key was used with a different body ' +
      `within the last ${idempotencySecondsMax / hourSeconds} hours; use a new one for each new request.`,
  },
  'idempotency-key-in-progress': {
    status: 409,
    title: 'Idempotency key in progress',
    about: 'The first request with this Idempotency-Key is still running; retry in a moment.',
  },
  'invalid-cursor': {
    status: 422,
    title: 'Invalid cursor',
    about:
      'The cursor does not belong to this list, filters and sort: ' +
      `use \`next\` unchanged, or start without a cursor. ${invalidStatusRule}`,
  },
  'events-gone': {
    status: 410,
    title: 'Events gone',
    about:
      'Events after this cursor were removed for their age (`--events-days`), or the database was ' +
      'restored, copied or put back: going on could miss some. Store `next` of GET /events?from=latest, ' +
      'read the objects again, then follow from there.',
  },
  'tls-required': {
    status: 403,
    title: 'TLS required',
    about: 'The service accepts HTTPS only: directly, or through its trusted proxy.',
  },
  unavailable: {
    status: 503,
    title: 'Unavailable',
    about: 'The service cannot handle this request at the moment; `Retry-After` says when to try again.',
  },
  'internal-error': {
    status: 500,
    title: 'Internal error',
    about: 'An unexpected error occurred. The log has its cause under the `requestId`.',
  },
  'quota-exceeded': {
    status: 429,
    title: 'Quota exceeded',
    about:
      'A rate limit is exceeded: `RateLimit-Policy` and `RateLimit` describe it, ' +
      '`Retry-After` says when to continue.',
  },
};

/** An open enumeration: new types may be added, and clients have to accept unknown ones. */
export const problemCode = string({
  maxLength: 40,
  pattern: '^[a-z-]+$',
  description: 'The name of the problem type. Unlike `type` it does not depend on the public URL.',
  examples: ['not-found'],
});

/** The registered type of draft-ietf-httpapi-ratelimit-headers; all others are pages of this service. */
export const quotaExceededType = 'https://iana.org/assignments/http-problem-types#quota-exceeded';

export function problemTypeUri(code: ProblemCode, publicUrl: string): string {
  return code === 'quota-exceeded' ? quotaExceededType : `${publicUrl}/problems/${code}`;
}

export function problemStatus(code: ProblemCode, invalidStatus: 400 | 422): number {
  return code === 'validation-failed' || code === 'invalid-cursor'
    ? invalidStatus
    : problemTypes[code].status;
}
