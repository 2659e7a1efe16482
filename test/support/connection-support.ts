// For the tests of connections: requests as bytes, and how many connections a service has.
import assert from 'node:assert/strict';
import { after, type TestContext } from 'node:test';
import { HttpServer } from '../../src/http/connections/http-server.ts';
import type { ProblemCode } from '../../src/problem.ts';
import { assertProblem, sharedService, sampleOf } from './http-support.ts';
import { askRaw, openRaw, type RawResponse } from './raw-connection.ts';
import type { TestOptions, TestService } from './service.ts';

export const crlf = '\r\n';

export function request(line: string, fields: readonly string[] = [], body = ''): string {
  return [`${line} HTTP/1.1`, 'Host: localhost', ...fields, '', body].join(crlf);
}

export const chunk = (text: string): string => `${text.length.toString(16)}${crlf}${text}${crlf}`;

export const live = request('GET /health/live');

type ServerOptions = Partial<ConstructorParameters<typeof HttpServer>[0]>;
export const impatient: ServerOptions = {
  timeouts: { headersMilliseconds: 50, requestMilliseconds: 100, checkMilliseconds: 10 },
};

/** Starts another server before the same service, with options of its own. It ends with the test. */
export async function serverBefore(
  t: Pick<TestContext, 'after'>,
  { inside }: Pick<TestService, 'inside'>,
  options: ServerOptions = {},
): Promise<{ readonly server: HttpServer; readonly port: number }> {
  assert(inside !== undefined, 'the test is skipped otherwise');
  const server = new HttpServer({ certificate: undefined, silenceMilliseconds: 75_000, ...options });
  const { port } = await server.listen('127.0.0.1', 0);
  server.answerBy(inside.handler);
  t.after(() => server.close());
  return { server, port };
}

/** A service for a suite, and requests to it as bytes. At the end it must have no other connections left. */
export function connectionSuite(options: TestOptions = {}) {
  let token = '',
    authorization = '';
  after(() => assertUnharmed());
  const service = sharedService(options, async (started) => {
    token = (await started.person()).token;
    authorization = `Authorization: Bearer ${token}`;
  });
  const raw = (bytes: string | Buffer, method?: 'HEAD'): Promise<RawResponse> =>
    askRaw(service().port, bytes, method);
  const postHead = (...fields: readonly string[]): string =>
    request('POST /customers', [authorization, 'Content-Type: application/json', ...fields]);
  const post = (body: string): string => postHead(`Content-Length: ${Buffer.byteLength(body)}`) + body;
  const postChunked = (...chunks: readonly string[]): string =>
    postHead('Transfer-Encoding: chunked') + chunks.join('');

  /** Asserts that the service is ready, and soon has no connections but those of the suite. */
  async function assertUnharmed(): Promise<void> {
    assert.equal((await service().get('/health/ready')).status, 200);
    const giveUp = performance.now() + 5000;
    while (!((await sampleOf(service(), 'orderly_connections')) <= 2))
      assert(performance.now() < giveUp, 'connections are left');
  }

  /** Asserts that the bytes are rejected with this problem, and that the connection is closed after it. */
  async function assertRejected(
    bytes: string | Buffer,
    code: ProblemCode,
    status?: number,
  ): Promise<RawResponse> {
    using connection = await openRaw(service().port);
    connection.write(bytes);
    const response = await connection.response();
    assertProblem(response, code, status);
    assert.equal(await connection.closed, '');
    return response;
  }

  return {
    service,
    raw,
    postHead,
    post,
    postChunked,
    assertUnharmed,
    assertRejected,
    credentials: () => ({ token, authorization }),
  };
}
