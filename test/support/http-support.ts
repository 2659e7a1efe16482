// For the tests over HTTP: one service for a suite, and assertions about problems.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { ProblemCode } from '../../src/problem.ts';
import { problemTypes, quotaExceededType } from '../../src/http/responses/problem-types.ts';
import { ProblemDocument } from '../../src/http/responses/problem-response.ts';
import { schemaIssues } from '../../src/schema/schema-check.ts';
import { serviceFor, type TestResponse, type TestOptions, type TestService } from './service.ts';

/** Without waits for the disk, for thousands of requests one after another. */
export const withoutSyncs: TestOptions = { fdatasync: (_descriptor, done) => void setImmediate(done, null) };

/** One service for all tests of a suite that don't disturb each other; called in the suite's body. */
export function sharedService(
  options: TestOptions = {},
  prepare: (service: TestService) => Promise<void> = async () => {},
): () => TestService {
  let service: TestService | undefined;
  const ends: (() => unknown)[] = [];
  before(async () => {
    service = await serviceFor(
      {
        after: (end) => {
          if (end !== undefined) ends.push(end as () => unknown);
        },
      },
      options,
    ); // it takes no arguments
    await prepare(service);
  });
  after(async () => {
    for (const end of ends) await end();
  });
  return () => {
    assert(service !== undefined, 'the service runs once the suite does');
    return service;
  };
}

/** The message of a failure has the text of the response. */
export async function assertStatus(
  response: Promise<{ readonly status: number; readonly text: string }>,
  expected: number,
  what = '',
): Promise<void> {
  const { status, text } = await response;
  assert.equal(status, expected, `${what} ${status} instead of ${expected}: ${text}`);
}

type Reader = { get(path: string): Promise<TestResponse> };

/** A sample of /metrics by its name and labels, such as `orderly_rejections_total{reason="rate"}`; NaN if it isn't there. */
export async function sampleOf({ get }: Reader, sample: string): Promise<number> {
  const lines = (await get('/metrics')).text.split('\n');
  return Number(lines.find((line) => line.startsWith(`${sample} `))?.slice(sample.length));
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;
type ProblemResponse = Pick<TestResponse, 'status' | 'body'> & { readonly headers: Headers };

/**
 * Asserts that the response is a problem of this type; `status` is for one that differs from that of its
 * type.
 */
export function assertProblem(
  response: ProblemResponse,
  code: ProblemCode,
  status: number = problemTypes[code].status,
): void {
  assert.deepEqual(
    [response.status, codeOf(String(response.body?.type))],
    [status, code],
    JSON.stringify(response.body),
  );
  assertProblemDocument(response);
}

/** The values of WWW-Authenticate, by the code of the problem; others have none. */
const challenges: Readonly<Record<string, RegExp>> = {
  unauthenticated: /^Bearer realm="orderly"$/,
  'invalid-credentials': /^Bearer realm="orderly"$/,
  'code-required': /^Bearer realm="orderly"$/,
  'invalid-token': /^Bearer realm="orderly", error="invalid_token"$/,
  'step-up-required': /^Bearer realm="orderly", error="insufficient_user_authentication", max_age="600"$/,
  'multiple-credentials': /^Bearer realm="orderly", error="invalid_request"$/,
  'insufficient-scope': /^Bearer realm="orderly", error="insufficient_scope"(, scope="[a-z]+:[a-z]+")?$/,
};

/** Asserts that the response is a problem document of a declared type, with the header fields of problems. */
export function assertProblemDocument({ status, headers, body }: ProblemResponse): void {
  assert.equal(headers['content-type'], 'application/problem+json');
  assert.deepEqual(schemaIssues(ProblemDocument, body), []);
  assert.equal(body.status, status);
  assert.equal(body.code, codeOf(body.type));
  assert.equal(headers['x-request-id'], body.requestId);
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers['x-content-type-options'], 'nosniff');
  assert.equal(headers['content-security-policy'], "default-src 'none'; frame-ancestors 'none'");
  assert.equal(headers['server'] ?? headers['x-powered-by'], undefined);
  const { code, title, detail, instance } = body;
  assert.equal(title, problemTypes[code as ProblemCode]?.title, `${body.type} is not a declared type`);
  assert.match(detail, /^\S[^]*[.)]$/);
  assert.match(instance, /^\/[^?]*$/);
  const challenge = challenges[code];
  if (challenge === undefined) assert.equal(headers['www-authenticate'], undefined);
  else assert.match(String(headers['www-authenticate']), challenge);
  if (['quota-exceeded', 'unavailable', 'idempotency-key-in-progress'].includes(code))
    assert.match(String(headers['retry-after']), /^[1-9]\d*$/);
  assert.equal('errors' in body, code === 'validation-failed');
  assert.equal('from' in body, code === 'invalid-transition');
  assert.equal('violated-policies' in body, code === 'quota-exceeded');
}

/** Returns all that a client sees of a problem, except for the id and the time of the request. */
export function shownOf({ status, text, headers, body }: TestResponse): object {
  const { 'x-request-id': _id, date: _date, ...rest } = headers;
  return { status, rest, text: text.replace(body.requestId, '') };
}

/** The fields of a request that a trusted proxy got from this address over TLS. */
export function proxiedFrom(address: string): Readonly<Record<string, string>> {
  return { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' };
}

/** The code that a problem's type URL names. */
export function codeOf(type: string): string {
  return type === quotaExceededType
    ? 'quota-exceeded'
    : type.slice(type.lastIndexOf('/problems/') + '/problems/'.length);
}

/** Returns the issues of a problem as a sorted list of texts such as `#/items/0/name required`. */
export function issuesOf({ body }: Pick<TestResponse, 'body'>): string[] {
  const errors: Record<string, string>[] = body.errors ?? [];
  return errors
    .map(({ pointer, parameter, header, code }) => `${pointer ?? parameter ?? header} ${code}`)
    .sort();
}
