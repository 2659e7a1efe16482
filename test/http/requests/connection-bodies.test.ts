// Bodies as they arrive: their sizes, chunks and ends. One that ends early, stalls or is malformed is a problem of its
// request, like any other. An empty chunked one is no body: proxies make one of a request without a body (RFC 9112
// section 7.1).
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { turn } from '../../support/storage-support.ts';
import { assertProblem, assertStatus } from '../../support/http-support.ts';
import { openRaw, askRaw, type RawResponse } from '../../support/raw-connection.ts';
import {
  crlf,
  request,
  chunk,
  live,
  connectionSuite,
  impatient,
  serverBefore,
} from '../../support/connection-support.ts';
import { bodyBytesMax } from '../../../src/http/connections/request-fields.ts';
import { insideOnly } from '../../support/service.ts';
import { rootToken } from '../../support/resource-support.ts';

const inBytes = (text: string): string => Array.from(text, chunk).join('');

const chunked = 'Transfer-Encoding: chunked';
const json = 'Content-Type: application/json';

type LogLine = Readonly<Record<'method' | 'path' | 'address' | 'status' | 'principal', unknown>>;

describe('bodies', () => {
  const { service, raw, postHead, post, postChunked, assertUnharmed, credentials } = connectionSuite({
    settings: { 'rate-default': '1000/60' },
  });

  const padded = (bytes: number): string => `{"name":"Ada"}${' '.repeat(bytes - 14)}`;

  test('bodies of 64 KiB are read, in one piece or in chunks', async () => {
    await assertStatus(raw(post(padded(bodyBytesMax))), 201);
    const [half, rest] = [padded(bodyBytesMax / 2), ' '.repeat(bodyBytesMax / 2)];
    await assertStatus(raw(postChunked(chunk(half), chunk(rest), chunk(''))), 201);
  });

  const large: readonly (readonly [what: string, bytes: () => string])[] = [
    ['one byte more', () => post(padded(bodyBytesMax + 1))],
    ['one byte more, in chunks', () => postChunked(chunk(padded(bodyBytesMax)), chunk(' '), chunk(''))],
    ['a megabyte', () => post(padded(1_000_000))],
    [
      'a megabyte, in many chunks',
      () => postChunked(...Array.from({ length: 1000 }, () => chunk(' '.repeat(1000))), chunk('')),
    ],
  ];
  for (const [what, bytes] of large) {
    test(`bodies of ${what} are 413, and the connection is closed`, async () => {
      using connection = await openRaw(service().port);
      connection.write(bytes() + live);
      const response = await connection.response();
      assertProblem(response, 'content-too-large');
      assert.equal(response.headers['connection'], 'close');
      assert.equal(await connection.closed, '');
    });
  }

  test('bodies announced to be too large are rejected before they arrive', async () => {
    for (const length of ['65537', '9999999999'])
      assertProblem(await raw(postHead(`Content-Length: ${length}`)), 'content-too-large');
  });

  test('bodies that never end are rejected once they are too large', async () => {
    using connection = await openRaw(service().port);
    connection.write(postHead('Transfer-Encoding: chunked'));
    for (let index = 0; index < 70; index += 1) connection.write(chunk(' '.repeat(1000)));
    assertProblem(await connection.response(), 'content-too-large');
  });

  test('bodies in chunks of one byte are read, but a thousand of them are too large', async () => {
    await assertStatus(raw(postChunked(inBytes(padded(500)), chunk(''))), 201);
    await assertStatus(raw(postChunked(inBytes(padded(1_000)), chunk(''))), 413);
  });

  test('bodies in thousands of chunks of one byte end the connection, even before its response', async () => {
    using connection = await openRaw(service().port);
    connection.write(postChunked(inBytes(padded(3_000)), chunk('')));
    assert.equal(await connection.closed, '');
  });

  test('bodies in more chunks of one byte that nobody reads end the connection', async () => {
    using connection = await openRaw(service().port);
    connection.write(request('OPTIONS /orders', ['Transfer-Encoding: chunked']));
    await assertStatus(connection.response(), 204);
    connection.write(inBytes('x'.repeat(1_500)) + chunk('') + live);
    assert.equal(await connection.closed, '');
  });

  const unread: readonly (readonly [what: string, status: number, head: string])[] = [
    ['of a GET', 400, request('GET /health/live', ['Transfer-Encoding: chunked'], chunk('x'))],
    ['of OPTIONS', 204, request('OPTIONS /orders', ['Transfer-Encoding: chunked'])],
    ['for no resource', 404, request('POST /nowhere', ['Transfer-Encoding: chunked'])],
    ['of a stranger', 401, request('POST /customers', ['Transfer-Encoding: chunked'])],
  ];
  for (const [what, status, head] of unread) {
    test(`bodies ${what} that nobody reads are dropped, and the connection stays open`, async () => {
      using connection = await openRaw(service().port);
      connection.write(head);
      await assertStatus(connection.response(), status);
      connection.write(chunk('x'.repeat(bodyBytesMax)) + inBytes('x'.repeat(400)) + chunk('') + live);
      await assertStatus(connection.response(), 200);
    });
  }

  test('bodies announced far too large that nobody reads end the connection after the response', async () => {
    using connection = await openRaw(service().port);
    connection.write(request('GET /health/live', ['Content-Length: 9999999999']));
    const { status, headers } = await connection.response();
    assert.deepEqual([status, headers['connection']], [400, 'close']);
    assert.equal(await connection.closed, '');
  });

  test('bodies in chunks, with extensions and trailers, are bodies like any other', async () => {
    const body =
      `4;a="b"${crlf}{"na${crlf}a${crlf}me":"Ada"}${crlf}0${crlf}X-Trailer: yes${crlf}X-API-Key: ` +
      `no${crlf}${crlf}`;
    const { status, body: made } = await raw(postChunked(body));
    assert.deepEqual([status, made?.name], [201, 'Ada']);
  });

  test('bodies that end early get no response and create nothing', async () => {
    const { token } = credentials();
    const count = async (): Promise<number> =>
      (await service().get('/customers?total=true&limit=1', { token })).body.total;
    const before = await count();
    for (const bytes of [
      `${postHead('Content-Length: 100')}{"name":"Ada"}`,
      postChunked(chunk('{"name":"Ada"}')),
      post('{"name":"Ada"}').slice(0, -1),
    ]) {
      const { socket, write } = await openRaw(service().port);
      write(bytes);
      await turn();
      socket.resetAndDestroy();
    }
    await assertUnharmed();
    assert.equal(await count(), before);
  });

  test('bodies that are missing are malformed JSON, whether or not a length is given', async () => {
    const { authorization } = credentials();
    for (const line of ['POST /customers', 'PUT /customers/1', 'PATCH /customers/1', 'POST /api/sessions']) {
      for (const length of [['Content-Length: 0'], []]) {
        using connection = await openRaw(service().port);
        const fields = [authorization, 'Content-Type: application/json', ...length];
        connection.write(request(line, fields) + live);
        assertProblem(await connection.response(), 'malformed-json');
        await assertStatus(connection.response(), 200);
        connection.write(request(line, [authorization, ...length]));
        assertProblem(await connection.response(), 'malformed-json');
      }
    }
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

  const asRoot = async (): Promise<string> => `Authorization: Bearer ${await rootToken(service())}`;

  const ends: readonly (readonly [what: string, end: string])[] = [
    ['plain', '0\r\n\r\n'],
    ['with several zeros', '000\r\n\r\n'],
    ['with an extension', '0;last="yes"\r\n\r\n'],
    ['with a trailer', '0\r\nX-Checksum: 0\r\n\r\n'],
  ];
  for (const [what, end] of ends)
    test(`a request with an empty chunked body is one without a body: ${what}`, async () => {
      using connection = await openRaw(service().port);
      connection.write(request('GET /health/live', [chunked], end) + live);
      assert.deepEqual(await connection.statuses(2), [200, 200]);
    });

  const withoutBody: readonly (readonly [line: string, status: number])[] = [
    ['GET /health/ready', 200],
    ['HEAD /health/ready', 200],
    ['GET /console', 200],
    ['GET /metrics', 200],
    ['GET /orders', 200],
    ['OPTIONS /orders', 204],
    ['GET /nowhere', 404],
    ['DELETE /orders', 405],
    ['DELETE /customers/1', 204],
    ['POST /webhooks/1/secrets', 404],
  ];
  for (const [line, status] of withoutBody)
    test(`${line} takes an empty chunked body, at once and late`, async () => {
      const isHead = line.startsWith('HEAD') ? 'HEAD' : undefined;
      for (const pieces of [['0\r\n\r\n'], ['', '0', '\r\n', '\r\n']]) {
        const token = await rootToken(service());
        const { body } = await service().post('/customers', { token, body: { name: 'Ada' } });
        const target = line.replace('/customers/1', `/customers/${body.id}`);
        using connection = await openRaw(service().port);
        connection.write(request(target, [`Authorization: Bearer ${token}`, chunked]));
        for (const piece of pieces) {
          await new Promise((resolve) => setTimeout(resolve, 20));
          connection.write(piece);
        }
        await assertStatus(connection.response(isHead), status);
      }
    });

  test('a POST that requires a body says so, as it does without one', async () => {
    const { authorization } = credentials();
    for (const fields of [[], [json], ['Content-Type: text/plain'], [json, 'Content-Encoding: gzip']]) {
      const without = await raw(request('POST /customers', [authorization, ...fields, 'Content-Length: 0']));
      assertProblem(without, 'malformed-json');
      const empty = await raw(request('POST /customers', [authorization, ...fields, chunked], '0\r\n\r\n'));
      assert.deepEqual([empty.status, empty.body.detail], [without.status, without.body.detail]);
    }
  });

  test('an import takes an empty chunked body as it does none', async () => {
    const root = await asRoot();
    for (const fields of [[], ['Content-Type: text/csv']]) {
      const asked = (how: string, body = ''): Promise<RawResponse> =>
        raw(request('POST /imports?of=customers', [root, ...fields, how], body));
      const [without, empty] = [await asked('Content-Length: 0'), await asked(chunked, '0\r\n\r\n')];
      assert.deepEqual([empty.status, empty.body?.detail], [without.status, without.body?.detail]);
    }
  });

  test('a chunked body with a byte is a body, however late it comes', async () => {
    using connection = await openRaw(service().port);
    connection.write(request('DELETE /customers/1', [await asRoot(), chunked]));
    await new Promise((resolve) => setTimeout(resolve, 20));
    connection.write('1\r\nx\r\n');
    assertProblem(await connection.response(), 'bad-request');
    connection.write('0\r\n\r\n' + live);
    await assertStatus(connection.response(), 200);
  });

  test('the type of a chunked body counts once it has a byte', async () => {
    const { authorization } = credentials();
    const fields = [authorization, 'Content-Type: text/plain', chunked];
    using connection = await openRaw(service().port);
    connection.write(request('POST /customers', fields) + chunk('{'));
    assertProblem(await connection.response(), 'unsupported-media-type');
  });

  test('Expect: 100-continue before an empty chunked body gets its 100', async () => {
    using connection = await openRaw(service().port);
    connection.write(request('GET /health/live', [chunked, 'Expect: 100-continue']));
    await assertStatus(connection.response(), 100);
    connection.write('0\r\n\r\n');
    await assertStatus(connection.response(), 200);
  });

  test('a right that is withdrawn before the end of the body is gone', async () => {
    const { id, token } = await service().person();
    using connection = await openRaw(service().port);
    connection.write(request('GET /orders', [`Authorization: Bearer ${token}`, chunked]));
    await new Promise((resolve) => setTimeout(resolve, 20));
    const root = await rootToken(service());
    const suspended = await service().put(`/api/users/${id}/suspension`, { token: root, body: {} });
    assert.equal(suspended.status, 201);
    connection.write('0\r\n\r\n');
    assertProblem(await connection.response(), 'invalid-token');
  });
});
