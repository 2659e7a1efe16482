// Problem details (RFC 9457): the one table from kind to status, and the document a client reads.
import { issuesMax } from '../limits.ts';
import { array, integer, named, object, optional, string, type Issue } from '../schema/schema.ts';
import { Problem, type ProblemKind } from '../errors.ts';

/** Every problem that the service reports, with the text of its page. */
export const problems: Readonly<
  Record<ProblemKind, { readonly status: number; readonly title: string; readonly about: string }>
> = {
  'malformed-json': {
    status: 400,
    title: 'Malformed JSON',
    about:
      'The body is not JSON as RFC 8259 and RFC 7493 define it: UTF-8 without a byte-order mark, ' +
      'no duplicate members, no unpaired surrogates, nested at most 16 levels deep.',
  },
  'validation-failed': {
    status: 422,
    title: 'Validation failed',
    about:
      'The request was understood, but its data is invalid. `errors` lists every error: ' +
      'where it is (`pointer` into the body, `parameter` or `header`), a `code`, ' +
      'and what would be right. The status is 400 under /api and 422 under /orders and /customers.',
  },
  unauthenticated: {
    status: 401,
    title: 'Unauthenticated',
    about:
      'This operation needs a credential: an access token (`Authorization: Bearer …`, from POST /api/sessions) ' +
      'or an API key (`X-API-Key: …`).',
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
      'The e-mail address or password is wrong, ' +
      'or the refresh token is not the current one of its session.',
  },
  'step-up-required': {
    status: 401,
    title: 'Sign in again',
    about:
      'A sensitive change (a password, an e-mail address, a role, an API key, deleting a user) needs a sign-in ' +
      'within the last 10 minutes (RFC 9470): create a new session and use its access token.',
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
    about: 'The Accept header excludes every available format. Resources are application/json.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported media type',
    about:
      'The body must be application/json in UTF-8 (for PATCH also application/merge-patch+json), ' +
      'without Content-Encoding.',
  },
  'content-too-large': {
    status: 413,
    title: 'Content too large',
    about: 'The body of a request must have at most 64 KiB.',
  },
  'uri-too-long': { status: 414, title: 'URI too long', about: 'The target must have at most 8 KiB.' },
  'headers-too-large': {
    status: 431,
    title: 'Header fields too large',
    about: 'The header fields must have at most 16 KiB in all: names, values, 4 bytes each for separators.',
  },
  'request-timeout': {
    status: 408,
    title: 'Request timeout',
    about: 'The header fields must arrive within 10 seconds, the whole request within 30.',
  },
  'bad-request': {
    status: 400,
    title: 'Bad request',
    about: 'The request is not valid HTTP/1.1 (RFC 9112), or ended early.',
  },
  'email-taken': {
    status: 409,
    title: 'E-mail taken',
    about: 'Another user has this e-mail address; case is ignored in the comparison.',
  },
  'last-admin': {
    status: 409,
    title: 'Last administrator',
    about: 'The last administrator can be neither deleted nor given another role; create another one first.',
  },
  'customer-has-orders': {
    status: 409,
    title: 'Customer has orders',
    about: 'A customer with orders cannot be deleted, since orders are never deleted.',
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
    about: 'The items, currency and shipping address of an order can only be changed while it is open.',
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
      'This Idempotency-Key was used with another request within the last 24 hours; ' +
      'use a new one for each new request.',
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
      'use `next` unchanged, or start without a cursor. ' +
      'The status is 400 under /api and 422 under /orders and /customers.',
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

/** The registered type of draft-ietf-httpapi-ratelimit-headers; all others are pages of this service. */
export const quotaExceededType = 'https://iana.org/assignments/http-problem-types#quota-exceeded';

export function typeOf(kind: ProblemKind, publicUrl: string): string {
  return kind === 'quota-exceeded' ? quotaExceededType : `${publicUrl}/problems/${kind}`;
}

export function statusOf(kind: ProblemKind, invalidStatus: 400 | 422): number {
  return kind === 'validation-failed' || kind === 'invalid-cursor' ? invalidStatus : problems[kind].status;
}

const sentence = string({ maxLength: 2_000, pattern: '^.*$' });
/** May quote what was sent: a member, a parameter, a path. */
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
