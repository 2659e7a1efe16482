// Bodies that end early, stall or are malformed: a problem of their request, like any other.
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { HttpServer } from '../../../src/http/connections/http-server.ts';
import type { Service } from '../../../src/service/running-service.ts';
import { assertProblem } from '../../support/http-support.ts';
import { askRaw, openRaw, type RawResponse } from '../../support/raw-connection.ts';
import { chunk, connectionSuite, crlf, live, request } from '../../support/connection-support.ts';

type LogLine = Readonly<Record<string, unknown>>;

describe('a body', () => {
  const { service, postHead, postChunked, credentials } = connectionSuite({
    settings: { 'rate-default': '1000/60' },
  });
  const ownId = 'X-Request-Id: mine-7';
  const principal = /^user:\d+$/;

  function lineOf({ headers }: RawResponse): LogLine {
    const lines: LogLine[] = service().logged.map((text) => JSON.parse(text));
    const found = lines.filter(({ requestId }) => requestId === headers['x-request-id']);
    assert.equal(found.length, 1);
    return found[0] ?? assert.fail();
  }

  /** Asserts that the response and the log line are those of the request with the body. */
  function assertOfRequest(response: RawResponse, line: LogLine, path = '/customers'): void {
    assert.equal(response.body.instance, path);
    assert.match(response.headers['ratelimit'] ?? '', /^"default";r=/);
    assert.deepEqual(
      [line['method'], line['path'], line['address'], line['status']],
      ['POST', path, '127.0.0.1', response.status],
    );
    assert.match(String(line['principal']), principal);
  }

  const malformed: readonly (readonly [what: string, end: string])[] = [
    ['a chunk without a length', `zz${crlf}`],
    ['a chunk that is longer than it says', `1${crlf}abc`],
    ['a chunk whose length is past all bounds', `fffffffffffffffff${crlf}`],
    ['a chunk whose length is negative', `-1${crlf}`],
    ['a malformed field after it', `0${crlf}a b${crlf}${crlf}`],
  ];
  for (const [what, end] of malformed) {
    test(`a body with ${what} is a bad request with the id of its request`, async () => {
      const head = postHead('Transfer-Encoding: chunked', ownId);
      const connection = await openRaw(service().port);
      connection.write(`${head}${chunk('{"name":')}${end}`);
      const response = await connection.response();
      assertProblem(response, 'bad-request');
      assert.equal(response.headers['x-request-id'], 'mine-7');
      assert.equal(response.headers['connection'], 'close');
      assert.equal(await connection.closed, '');
      connection.socket.destroy();
    });
  }

  test('a body with a malformed chunk is logged and counted as its request', async () => {
    const response = await askRaw(service().port, postChunked('zz'));
    assertOfRequest(response, lineOf(response));
    assert.match(
      (await service().get('/metrics')).text,
      /^orderly_http_requests_total\{method="POST",route="\/customers",status="400"\} [1-9]/m,
    );
  });

  for (const [what, sent] of [
    ['ends early', () => `${postHead('Content-Length: 14')}{"name`],
    ['ends early, though the JSON is whole', () => `${postHead('Content-Length: 100')}{"name":"Ada"}`],
    ['ends before its last chunk', () => postChunked(chunk('{"name":"Ada"}'))],
  ] as const)
    test(`a body that the client ${what} is a bad request`, async () => {
      const connection = await openRaw(service().port);
      connection.socket.end(sent());
      const response = await connection.response();
      assertProblem(response, 'bad-request');
      assert.match(response.body.detail, /ended before/);
      assertOfRequest(response, lineOf(response));
      assert.equal(await connection.closed, '');
      connection.socket.destroy();
    });

  test('a body that stalls times out with the 408 of its request, so that the log shows who was slow', async (t) => {
    const { inside } = service();
    if (inside === undefined) return t.skip('needs timeouts of its own');
    const port = await impatientServer(t, inside);
    const stalled = await askRaw(port, `${postHead('Content-Length: 14')}{"name`);
    assertProblem(stalled, 'request-timeout');
    assertOfRequest(stalled, lineOf(stalled));
    assert.equal(stalled.headers['connection'], 'close');
  });

  test('a body that stalls, of a request that is rejected anyway, gets only that response', async (t) => {
    const { inside } = service();
    if (inside === undefined) return t.skip('needs timeouts of its own');
    const port = await impatientServer(t, inside);
    const connection = await openRaw(port);
    connection.write(request('DELETE /customers/999999', [credentials().authorization, 'Content-Length: 4']));
    assertProblem(await connection.response(), 'bad-request');
    assert.equal(await connection.closed, '');
    connection.socket.destroy();
  });

  test('a body with a malformed chunk behind other requests is answered after them, as its request', async () => {
    const connection = await openRaw(service().port);
    connection.write(`${live}${request('GET /nowhere')}${postHead('Transfer-Encoding: chunked', ownId)}zz`);
    assert.equal((await connection.response()).status, 200);
    assert.equal((await connection.response()).status, 404);
    const response = await connection.response();
    assertProblem(response, 'bad-request');
    assert.deepEqual([response.body.instance, response.headers['x-request-id']], ['/customers', 'mine-7']);
    assert.equal(await connection.closed, '');
    connection.socket.destroy();
  });

  test('a body with a malformed chunk, of a request that takes no body, is rejected without effect', async () => {
    const { token, authorization } = credentials();
    const { body } = await service().post('/customers', { token, body: { name: 'Ada' } });
    const connection = await openRaw(service().port);
    const head = request(`DELETE /customers/${body.id}`, [authorization, 'Transfer-Encoding: chunked']);
    connection.write(`${head}zz${crlf}`);
    assert.equal((await connection.response()).status, 400);
    assert.equal(await connection.closed, '');
    connection.socket.destroy();
    assert.equal((await service().get(`/customers/${body.id}`, { token })).status, 200);
  });
});

/** Another server before the same service, with little patience. */
async function impatientServer(t: TestContext, inside: Service): Promise<number> {
  const timeouts = { headersMilliseconds: 50, requestMilliseconds: 100, checkMilliseconds: 10 };
  const server = new HttpServer({ certificate: undefined, timeouts });
  const { port } = await server.listen('127.0.0.1', 0);
  server.setHandler(inside.app.handler);
  t.after(() => server.close());
  return port;
}
