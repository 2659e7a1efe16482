// For the tests over HTTP: one service for a suite, and assertions about problems.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { ProblemCode } from '../../src/problem.ts';
import { problemTypes, quotaExceededType } from '../../src/http/responses/problem-types.ts';
import { ProblemDocument } from '../../src/http/responses/problem-response.ts';
import { schemaIssues } from '../../src/schema/schema-check.ts';
import { serviceFor, type TestResponse, type TestOptions, type TestService } from './service.ts';

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
  assert.ok(codeOf(body.type) in problemTypes, `${body.type} is not a declared type`);
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
