// Creates the response to a problem: the document that describes it (RFC 9457), and its header fields.
import { stepUpSeconds } from '../../auth/access.ts';
import type { HeaderFields } from '../../base/header-fields.ts';
import { Problem, type ProblemMembers, type ProblemCode } from '../../problem.ts';
import { issuesMax } from '../../schema/schema-check.ts';
import { array, integer, named, object, optional, string, type Issue } from '../../schema/schema.ts';
import { RequestId, urlBytesMax } from '../connections/request-fields.ts';
import { jsonCspFields } from './json-csp.ts';
import { problemCode, problemTypes, problemStatus, problemTypeUri } from './problem-types.ts';
import { toWireLatin1 } from './representation.ts';

const realm = 'Bearer realm="orderly"';
const sentence = string({ maxLength: 2_000, pattern: '^.*$' });
/** A detail may quote the request: a member, a parameter or a path. */
const detail = string({ maxLength: 70_000 });

const ProblemIssue = named(
  'ProblemIssue',
  object(
    {
      pointer: optional(
        string({
          maxLength: 200_000,
          pattern: '^#.*$',
          description: 'A JSON Pointer into the body, as a URI fragment.',
        }),
      ),
      parameter: optional(string({ maxLength: 8_192 })),
      header: optional(sentence),
      code: string({ maxLength: 40, pattern: '^[a-z-]+$' }),
      detail,
    },
    { description: 'One error, and where: a pointer, a parameter or a header.' },
  ),
);

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
        maxLength: 3 * urlBytesMax + 2,
        pattern: '^/.*$',
        description: 'The path of the request, without its query. One that begins with // has /. before it.',
      }),
      code: problemCode,
      requestId: RequestId,
      errors: optional(array(ProblemIssue, { maxItems: issuesMax })),
      from: optional(sentence),
      to: optional(sentence),
      allowed: optional(array(sentence, { maxItems: 10 })),
      'violated-policies': optional(array(sentence, { maxItems: 4 })),
    },
    { description: 'Problem details (RFC 9457), sent as application/problem+json.' },
  ),
);

type ProblemContext = {
  readonly publicUrl: string;
  readonly invalidStatus: 400 | 422;
  readonly path: string;
  readonly requestId: string;
};

/** Each character of `text` is one byte of UTF-8. */
type ProblemResponse = { readonly status: number; readonly fields: HeaderFields; readonly text: string };

/** Returns the status of a problem, its own header fields, and its document as JSON text. */
export function problemResponse(problem: Problem, context: ProblemContext): ProblemResponse {
  const { code, members } = problem;
  const status = members.status ?? problemStatus(code, context.invalidStatus);
  const document = {
    type: problemTypeUri(code, context.publicUrl),
    title: problemTypes[code].title,
    status,
    detail: problem.detail,
    instance: instanceOf(context.path),
    code,
    requestId: context.requestId,
    errors: members.issues?.map(issueMember),
    ...members.transition,
    'violated-policies': members.violated,
  };
  return { status, fields: fieldsOf(code, members), text: toWireLatin1(JSON.stringify(document)) };
}

/**
 * Returns the path as a reference (RFC 3986 section 4.2). A reference that begins with // would name a host.
 */
function instanceOf(path: string): string {
  const encoded = path.slice(0, urlBytesMax).replace(notOfPaths, percentEncoded);
  return encoded.startsWith('//') ? `/.${encoded}` : encoded;
}

/** Characters that a path must not have (RFC 3986 section 3.3). */
const notOfPaths = /[^\w.~!$&'()*+,;=:@/%-]|%(?![\da-f]{2})/gi;

/** Encodes a character of a target, which is one byte. */
function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

/** Returns an issue as the member of a problem document. */
export function issueMember(issue: Issue): object {
  const { pointer, code, detail } = issue;
  return pointer === undefined ? issue : { pointer: toFragment(pointer), code, detail };
}

/** Represents a JSON Pointer as a URI fragment (RFC 6901 section 6). */
function toFragment(pointer: string): string {
  const isPlain = /^[\w/~.-]*$/.test(pointer);
  return `#${isPlain ? pointer : encodeURI(pointer).replaceAll('#', '%23')}`;
}

function fieldsOf(code: ProblemCode, members: ProblemMembers): HeaderFields {
  const { retryAfterSeconds, allow, accepted = [] } = members;
  const challenge = challengeOf(code, members);
  return [
    ...(challenge === undefined ? [] : ['WWW-Authenticate', challenge]),
    ...(retryAfterSeconds === undefined ? [] : ['Retry-After', String(retryAfterSeconds)]),
    ...(allow === undefined ? [] : ['Allow', allow.join(', ')]),
    ...accepted,
    'Cache-Control',
    'no-store',
    ...jsonCspFields,
  ];
}

/** Returns the value of WWW-Authenticate (RFC 6750 section 3, RFC 9470 section 3), if the problem has one. */
function challengeOf(code: ProblemCode, { scope }: ProblemMembers): string | undefined {
  switch (code) {
    case 'unauthenticated':
    case 'invalid-credentials':
    case 'code-required':
      return realm;
    case 'multiple-credentials':
      return `${realm}, error="invalid_request"`;
    case 'invalid-token':
      return `${realm}, error="invalid_token"`;
    case 'step-up-required':
      return `${realm}, error="insufficient_user_authentication", max_age="${stepUpSeconds}"`;
    case 'insufficient-scope':
      return `${realm}, error="insufficient_scope"${scope === undefined ? '' : `, scope="${scope}"`}`;
    default:
      return undefined;
  }
}
