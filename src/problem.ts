// The problems that clients get: the names of their types, and constructors. Independent of HTTP.
import { issuesMax, keptIssues, schemaIssues } from './schema/schema-check.ts';
import type { Issue, Schema } from './schema/schema.ts';
import type { SecurityEvent } from './security-event.ts';

export const problemCodes = [
  'malformed-json',
  'validation-failed',
  'unauthenticated',
  'invalid-token',
  'invalid-credentials',
  'code-required',
  'step-up-required',
  'multiple-credentials',
  'forbidden',
  'insufficient-scope',
  'not-found',
  'method-not-allowed',
  'not-acceptable',
  'unsupported-media-type',
  'content-too-large',
  'uri-too-long',
  'headers-too-large',
  'request-timeout',
  'bad-request',
  'email-taken',
  'last-admin',
  'customer-has-orders',
  'invalid-transition',
  'order-not-open',
  'in-use',
  'precondition-failed',
  'idempotency-key-reused',
  'idempotency-key-in-progress',
  'invalid-cursor',
  'events-gone',
  'tls-required',
  'unavailable',
  'internal-error',
  'quota-exceeded',
] as const;
export type ProblemCode = (typeof problemCodes)[number];

/** The members of a problem beyond its code and detail. */
export type ProblemMembers = {
  readonly issues?: readonly Issue[];
  readonly retryAfterSeconds?: number;
  readonly transition?: { readonly from: string; readonly to: string; readonly allowed: readonly string[] };
  readonly violated?: readonly string[];
  readonly allow?: readonly string[];
  /** Header fields that name the accepted values: name, value, name, value. */
  readonly accepted?: readonly string[];
  readonly scope?: string;
  /** Replaces the default status of the problem's type. */
  readonly status?: number;
  /** The security event for the log, if it doesn't follow from the code. */
  readonly securityEvent?: SecurityEvent;
};

/**
 * A problem may be thrown anywhere below the request handler. The handler's one `catch` reports it to the
 * client, unless the response has begun. A problem isn't an Error: nobody would read its stack, and capturing
 * a stack is a twelfth of the cost of a rejection.
 */
export class Problem {
  /** The name of the problem's type. */
  readonly code: ProblemCode;
  /** A sentence for the client. */
  readonly detail: string;
  readonly members: ProblemMembers;

  constructor(code: ProblemCode, detail: string, members: ProblemMembers = {}) {
    this.code = code;
    this.detail = detail;
    this.members = members;
  }

  /** The text for the log. */
  toString(): string {
    return `${this.code}: ${this.detail}`;
  }
}

/** A problem of invalid data: 400 or 422, depending on the group of the route. */
export function invalid(issues: readonly Issue[]): Problem {
  return new Problem('validation-failed', summaryOf(issues), { issues: issues.slice(0, issuesMax) });
}

function summaryOf(issues: readonly Issue[]): string {
  const [first] = issues;
  if (issues.length === 1 && first !== undefined) return first.detail;
  if (issues.length <= issuesMax) return `The request has ${issues.length} errors; see \`errors\`.`;
  return `The request has more than ${issuesMax} errors; \`errors\` has the first ${issuesMax}.`;
}

/** Throws `invalid` if there are issues. */
export function throwIfInvalid(issues: readonly Issue[]): void {
  if (issues.length > 0) throw invalid(issues);
}

/** Returns the value. Throws the issues of its schema, and the `further` issues, which no schema can find. */
export function requireFitting<T>(schema: Schema<T>, value: unknown, further: readonly Issue[] = []): T {
  throwIfInvalid([...schemaIssues(schema, value), ...further]);
  return value as T; // it has no issues
}

/** Does the same for a kept object with which a body that fits was merged. */
export function requireFittingMerge<T>(schema: Schema<T>, merged: unknown, further: readonly Issue[]): T {
  throwIfInvalid([...keptIssues(schema, merged), ...further]);
  return merged as T; // it has no issues
}

/** A problem with one issue of the body, at a JSON Pointer such as `/customerId`. */
export function invalidAt(pointer: string, code: string, detail: string): Problem {
  return invalid([{ pointer, code, detail }]);
}

export function notFound(thing: string, id: number | string): Problem {
  return new Problem('not-found', `There is no ${thing} ${id}.`);
}

export function forbidden(detail: string): Problem {
  return new Problem('forbidden', detail);
}

/** A problem of the service: the same request may succeed later. */
export function unavailable(detail: string, retryAfterSeconds = 1): Problem {
  return new Problem('unavailable', detail, { retryAfterSeconds });
}

/** Returns the security event that the log reports for a problem, if any. */
export function securityEventOf({ code, members }: Problem): SecurityEvent | undefined {
  if (code === 'forbidden' || code === 'insufficient-scope') return { name: 'authz_fail', code };
  if (code === 'quota-exceeded')
    return { name: 'excess_rate_limit_exceeded', policies: members.violated ?? [] };
  return members.securityEvent;
}
