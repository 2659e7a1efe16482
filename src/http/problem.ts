// Problem details (RFC 9457): the one table from kind to status, and the document a client reads.
import { issuesMax } from '../schema/schema-check.ts';
import { array, integer, named, object, optional, string, type Issue } from '../schema/schema.ts';
import { Problem, type ProblemKind } from '../errors.ts';

/** Every problem the service can tell of, with what its page says. */
export const problems: Readonly<
  Record<ProblemKind, { readonly status: number; readonly title: string; readonly about: string }>
> = {
  'malformed-json': {
    status: 400,
    title: 'Malformed JSON',
    about:
      'The body is not JSON as RFC 8259 and RFC 7493 have it: UTF-8 without a byte-order mark, ' +
      'no member named twice, no half surrogate pairs, nested at most 16 deep.',
  },
  'validation-failed': {
    status: 422,
    title: 'Validation failed',
    about:
      'The request was understood, but its data is wrong. `errors` names every fault: ' +
      'where it is (`pointer` into the body, `parameter` or `header`), a `code`, ' +
      'and what would be right. The status is 400 under /api and 422 under /orders and /customers.',
  },
  unauthenticated: {
    status: 401,
    title: 'Unauthenticated',
    about:
      'This needs a credential: an access token (`Authorization: Bearer …`, from POST /api/sessions) ' +
      'or an API key (`X-API-Key: …`).',
  },
  'invalid-token': {
    status: 401,
    title: 'Invalid token',
    about:
      'The access token or API key is malformed, expired, or no longer valid ' +
      'because its session, key or user has gone.',
  },
  'invalid-credentials': {
    status: 401,
    title: 'Invalid credentials',
    about:
      'E-mail address and password do not belong together, ' +
      'or the refresh token is not the current one of its session.',
  },
  'step-up-required': {
    status: 401,
    title: 'Sign in again',
    about:
      'A sensitive change (a password, an e-mail address, a role, an API key, deleting a user) needs a sign-in ' +
      'within the last ten minutes (RFC 9470): make a new session and use its access token.',
  },
  'multiple-credentials': {
    status: 400,
    title: 'Multiple credentials',
    about: 'A request carries one credential: an access token or an API key, once.',
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
    about: 'There is nothing at this path, or no object with this id.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    about: 'The path exists, but not with this method; `Allow` lists those it has.',
  },
  'not-acceptable': {
    status: 406,
    title: 'Not acceptable',
    about: 'The Accept header leaves no format that can be sent. The service speaks application/json.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported media type',
    about:
      'A body is application/json in UTF-8 (for PATCH also application/merge-patch+json), ' +
      'without Content-Encoding.',
  },
  'content-too-large': {
    status: 413,
    title: 'Content too large',
    about: 'The body of a request has at most 64 KiB.',
  },
  'uri-too-long': { status: 414, title: 'URI too long', about: 'The target of a request has at most 8 KiB.' },
  'headers-too-large': {
    status: 431,
    title: 'Header fields too large',
    about:
      'The header fields of a request have at most 16 KiB in all: names, values, and 4 bytes for the separators of each.',
  },
  'request-timeout': {
    status: 408,
    title: 'Request timeout',
    about: 'Header fields have to arrive within 10 seconds, a whole request within 30.',
  },
  'bad-request': {
    status: 400,
    title: 'Bad request',
    about: 'The request is not HTTP/1.1 as RFC 9112 has it, or ended early.',
  },
  'email-taken': {
    status: 409,
    title: 'E-mail taken',
    about: 'Another user has this e-mail address; upper and lower case do not tell addresses apart.',
  },
  'last-admin': {
    status: 409,
    title: 'Last administrator',
    about: 'The last administrator can be neither deleted nor given another role: make another one first.',
  },
  'customer-has-orders': {
    status: 409,
    title: 'Customer has orders',
    about: 'A customer with orders cannot be deleted, since orders are kept for ever.',
  },
  'invalid-transition': {
    status: 409,
    title: 'Invalid transition',
    about:
      'An order cannot take this step from its present status; ' +
      '`from`, `to` and `allowed` say which it could.',
  },
  'order-not-open': {
    status: 409,
    title: 'Order not open',
    about: 'Items, currency and shipping address of an order change only while it is open.',
  },
  'precondition-failed': {
    status: 412,
    title: 'Precondition failed',
    about:
      'The object has changed since the client read it (If-Match): read it again, then repeat the change.',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'Idempotency key reused',
    about:
      'This Idempotency-Key was used for another request within the last 24 hours: ' +
      'use a new one for each new request.',
  },
  'idempotency-key-in-progress': {
    status: 409,
    title: 'Idempotency key in progress',
    about: 'The first request with this Idempotency-Key is still running: repeat this one in a moment.',
  },
  'invalid-cursor': {
    status: 422,
    title: 'Invalid cursor',
    about:
      'The cursor is not one of this list with these filters and this sort: ' +
      'follow `next` as it is, or begin without a cursor. ' +
      'The status is 400 under /api and 422 under /orders and /customers.',
  },
  'tls-required': {
    status: 403,
    title: 'TLS required',
    about: 'The service is to be reached by HTTPS only: directly, or through its trusted proxy.',
  },
  unavailable: {
    status: 503,
    title: 'Unavailable',
    about: 'The service cannot take this just now; `Retry-After` says when to try again.',
  },
  'internal-error': {
    status: 500,
    title: 'Internal error',
    about: 'Something unexpected went wrong. The log has the cause under the `requestId`.',
  },
  'quota-exceeded': {
    status: 429,
    title: 'Quota exceeded',
    about:
      'More requests than the rate allows: `RateLimit-Policy` and `RateLimit` tell the rate, ' +
      '`Retry-After` when to go on.',
  },
};

/** The registered type of draft-ietf-httpapi-ratelimit-headers; all others are pages of this service. */
export const quotaExceededType = 'https://iana.org/assignments/http-problem-types#quota-exceeded';

export function typeOf(kind: ProblemKind, publicUrl: string): string {
  return kind === 'quota-exceeded' ? quotaExceededType : `${publicUrl}/problems/${kind}`;
}

export function statusOf(kind: ProblemKind, invalidStatus: 400 | 422): number {
  return kind === 'validation-failed' || kind === 'invalid-cursor' ? invalidStatus : problems[kind].status;
}

const sentence = string({ maxLength: 2_000, pattern: '^.*$' });
/** May name what was sent: a member, a parameter, a path. */
const detail = string({ maxLength: 70_000, pattern: '^[\\s\\S]*$' });

export const ProblemDocument = named(
  'Problem',
  object(
    {
      type: string({
        maxLength: 2_000,
        format: 'uri',
        pattern: '^https?://.*$',
        description: 'Points to the description of the problem type.',
      }),
      title: sentence,
      status: integer({ minimum: 400, maximum: 599 }),
      detail,
      instance: string({
        maxLength: 8_192,
        pattern: '^/.*$',
        description: 'The path of the request, without its query.',
      }),
      requestId: string({ maxLength: 64, pattern: '^[A-Za-z0-9._-]*$' }),
      errors: optional(
        array(
          object({
            pointer: optional(
              string({
                maxLength: 200_000,
                pattern: '^#.*$',
                description: 'A JSON Pointer into the body, as a URI fragment.',
              }),
            ),
            parameter: optional(string({ maxLength: 8_192, pattern: '^[\\s\\S]*$' })),
            header: optional(sentence),
            code: string({ maxLength: 40, pattern: '^[a-z-]+$' }),
            detail,
          }),
          { maxItems: issuesMax },
        ),
      ),
      from: optional(sentence),
      to: optional(sentence),
      allowed: optional(array(sentence, { maxItems: 10 })),
      'violated-policies': optional(array(sentence, { maxItems: 4 })),
    },
    { description: 'Problem details (RFC 9457), sent as application/problem+json.' },
  ),
);

type Place = {
  readonly publicUrl: string;
  readonly invalidStatus: 400 | 422;
  readonly path: string;
  readonly requestId: string;
};

/** Status, header fields of its own and JSON text of a problem. */
export function problemResponse(
  problem: Problem,
  place: Place,
): { status: number; fields: string[]; json: string } {
  const { kind, details: more } = problem;
  const status = more.status ?? statusOf(kind, place.invalidStatus);
  const json = JSON.stringify({
    type: typeOf(kind, place.publicUrl),
    title: problems[kind].title,
    status,
    detail: problem.message,
    instance: place.path,
    requestId: place.requestId,
    errors: more.issues?.map(shownIssue),
    ...more.transition,
    'violated-policies': more.violated,
  });
  return { status, fields: problemHeaders(kind, more), json };
}

function shownIssue(issue: Issue): object {
  const { pointer, code, detail } = issue;
  if (pointer === undefined) return issue;
  return {
    pointer: `#${/^[\w/~.-]*$/.test(pointer) ? pointer : encodeURI(pointer).replaceAll('#', '%23')}`,
    code,
    detail,
  };
}

function problemHeaders(kind: ProblemKind, more: Problem['details']): string[] {
  const fields: string[] = [];
  const challenge = challengeOf(kind, more);
  if (challenge !== undefined) fields.push('WWW-Authenticate', challenge);
  if (more.retryAfterSeconds !== undefined) fields.push('Retry-After', String(more.retryAfterSeconds));
  if (more.allow !== undefined) fields.push('Allow', more.allow.join(', '));
  if (more.acceptPatch === true)
    fields.push('Accept-Patch', 'application/merge-patch+json, application/json');
  return fields;
}

/** RFC 6750 section 3, RFC 9470 section 3. */
function challengeOf(kind: ProblemKind, more: Problem['details']): string | undefined {
  switch (kind) {
    case 'unauthenticated':
    case 'invalid-credentials':
      return 'Bearer realm="orderly"';
    case 'invalid-token':
      return 'Bearer realm="orderly", error="invalid_token"';
    case 'step-up-required':
      return 'Bearer realm="orderly", error="insufficient_user_authentication", max_age="600"';
    case 'insufficient-scope':
      return `Bearer realm="orderly", error="insufficient_scope"${scopeOf(more)}`;
    default:
      return undefined;
  }
}

function scopeOf({ scope }: Problem['details']): string {
  return scope === undefined ? '' : `, scope="${scope}"`;
}
