// Bodies that end early, stall or are malformed: a problem of their request, like any other.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, assertStatus } from '../../support/http-support.ts';
import { askRaw, openRaw, type RawResponse } from '../../support/raw-connection.ts';
import {
  chunk,
  connectionSuite,
  crlf,
  impatient,
  live,
  request,
  serverBefore,
} from '../../support/connection-support.ts';
import { insideOnly } from '../../support/service.ts';

type LogLine = Readonly<Record<'method' | 'path' | 'address' | 'status' | 'principal', unknown>>;

describe('a body', () => {
  const { service, postHead, postChunked, credentials } = connectionSuite({
    settings: { 'rate-default': '1000/60' },
  });
  const ownId = 'X-Request-Id: mine-7';

  function lineOf({ headers }: RawResponse): LogLine {
    const lines = service().logged.map((text) => JSON.parse(text));
    const found: LogLine[] = lines.filter(({ requestId }) => requestId === headers['x-request-id']);
    assert.equal(found.length, 1);
    return found[0] ?? assert.fail();
  }

  /** Asserts that the response and the log line are those of the request with the body. */
  function assertOfRequest(response: RawResponse, line: LogLine): void {
    assert.equal(response.body.instance, '/customers');
    assert.match(response.headers['ratelimit'] ?? '', /^"default";r=/);
    const { method, path, address, status } = line;
    assert.deepEqual([method, path, address, status], ['POST', '/customers', '127.0.0.1', response.status]);
    assert.match(String(line.principal), /^user:\d+$/);
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
      using connection = await openRaw(service().port);
      connection.write(`${head}${chunk('{"name":')}${end}`);
      const response = await connection.response();
      assertProblem(response, 'bad-request');
      assert.equal(response.headers['x-request-id'], 'mine-7');
      assert.equal(response.headers['connection'], 'close');
      assert.equal(await connection.closed, '');
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
      using connection = await openRaw(service().port);
      connection.socket.end(sent());
      const response = await connection.response();
      assertProblem(response, 'bad-request');
      assert.match(response.body.detail, /ended before/);
      assertOfRequest(response, lineOf(response));
      assert.equal(await connection.closed, '');
    });

  test('a body that stalls gets the 408 of its request', insideOnly, async (t) => {
    const { port } = await serverBefore(t, service(), impatient);
    const stalled = await askRaw(port, `${postHead('Content-Length: 14')}{"name`);
    assertProblem(stalled, 'request-timeout');
    assertOfRequest(stalled, lineOf(stalled));
    assert.equal(stalled.headers['connection'], 'close');
  });

  test('a body that stalls, of a rejected request, gets one response', insideOnly, async (t) => {
    using connection = await openRaw((await serverBefore(t, service(), impatient)).port);
    connection.write(request('DELETE /customers/999999', [credentials().authorization, 'Content-Length: 4']));
    assertProblem(await connection.response(), 'bad-request');
    assert.equal(await connection.closed, '');
  });

  test('a body with a malformed chunk behind other requests is answered after them, as its request', async () => {
    using connection = await openRaw(service().port);
    connection.write(`${live}${request('GET /nowhere')}${postHead('Transfer-Encoding: chunked', ownId)}zz`);
    assert.deepEqual(await connection.statuses(2), [200, 404]);
    const response = await connection.response();
    assertProblem(response, 'bad-request');
    assert.deepEqual([response.body.instance, response.headers['x-request-id']], ['/customers', 'mine-7']);
    assert.equal(await connection.closed, '');
  });

  test('a body with a malformed chunk, of a request that takes no body, is rejected without effect', async () => {
    const { token, authorization } = credentials();
    const { body } = await service().post('/customers', { token, body: { name: 'Ada' } });
    using connection = await openRaw(service().port);
    const head = request(`DELETE /customers/${body.id}`, [authorization, 'Transfer-Encoding: chunked']);
    connection.write(`${head}zz${crlf}`);
    await assertStatus(connection.response(), 400);
    assert.equal(await connection.closed, '');
    await assertStatus(service().get(`/customers/${body.id}`, { token }), 200);
  });
});
