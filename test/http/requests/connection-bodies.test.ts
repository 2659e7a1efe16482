// Bodies as they arrive: their sizes, chunks and ends. One that ends early, stalls or is malformed is a problem of its
// request, like any other. An empty chunked one is no body: proxies make one of a request without a body (RFC 9112
// section 7.1).
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bodyBytesMax } from '../../../src/http/connections/request-fields.ts';
import type { ProblemCode } from '../../../src/problem.ts';
import {
  chunk,
  connectionSuite,
  crlf,
  impatient,
  live,
  request,
  serverBefore,
} from '../../support/connection-support.ts';
import { assertProblem, assertStatus, sampleOf } from '../../support/http-support.ts';
import { openRaw, type RawConnection, type RawResponse } from '../../support/raw-connection.ts';
import { newCustomer, rootToken } from '../../support/resource-support.ts';
import { insideOnly } from '../../support/service.ts';
import { turn } from '../../support/storage-support.ts';

const inBytes = (text: string): string => Array.from(text, chunk).join('');
const padded = (bytes: number): string => `{"name":"Ada"}${' '.repeat(bytes - 14)}`;
const last = chunk('');
const chunked = 'Transfer-Encoding: chunked';

describe('bodies', () => {
  const { service, raw, postHead, post, postChunked, assertUnharmed, assertRejected, credentials } =
    connectionSuite({
      settings: { 'rate-default': '1000/60' },
    });

  const half = bodyBytesMax / 2;
  const trailers = `0${crlf}X-A: yes${crlf}X-API-Key: no${crlf}${crlf}`;
  const taken: Readonly<Record<string, () => string>> = {
    '64 KiB': () => post(padded(bodyBytesMax)),
    '64 KiB in chunks': () => postChunked(chunk(padded(half)), chunk(' '.repeat(half)), last),
    '500 chunks of one byte': () => postChunked(inBytes(padded(500)), last),
    'chunks with extensions, and trailers': () =>
      postChunked(`4;a="b"${crlf}{"na${crlf}`, chunk('me":"Ada"}'), trailers),
  };
  for (const [what, bytes] of Object.entries(taken))
    test(`bodies of ${what} are read`, async () => {
      const { status, body } = await raw(bytes());
      assert.deepEqual([status, body.name], [201, 'Ada']);
    });

  const large: Readonly<Record<string, () => string>> = {
    'one byte more': () => post(padded(bodyBytesMax + 1)),
    'one byte more, in chunks': () => postChunked(chunk(padded(bodyBytesMax)), chunk(' '), last),
    'a megabyte': () => post(padded(1_000_000)),
    'a megabyte, in many chunks': () => postChunked(chunk(' '.repeat(1000)).repeat(1000), last),
    '10 GB, before they arrive': () => postHead('Content-Length: 9999999999'),
    'no end': () => postHead(chunked) + chunk(' '.repeat(1000)).repeat(70),
    '1,000 chunks of one byte': () => postChunked(inBytes(padded(1_000)), last),
  };
  for (const [what, bytes] of Object.entries(large))
    test(`bodies of ${what} are 413, and the connection is closed`, async () => {
      const { headers } = await assertRejected(bytes() + live, 'content-too-large');
      assert.equal(headers['connection'], 'close');
    });

  test('bodies in thousands of chunks of one byte end the connection, even before its response', async () => {
    using connection = await openRaw(service().port);
    connection.write(postChunked(inBytes(padded(3_000)), last));
    assert.equal(await connection.closed, '');
  });

  const unread: readonly (readonly [what: string, status: number, head: string])[] = [
    ['of a GET', 400, request('GET /health/live', [chunked], chunk('x'))],
    ['of OPTIONS', 204, request('OPTIONS /orders', [chunked])],
    ['for no resource', 404, request('POST /nowhere', [chunked])],
    ['of a stranger', 401, request('POST /customers', [chunked])],
  ];
  for (const [what, status, head] of unread)
    test(`bodies ${what} that nobody reads are dropped, and the connection stays open, unless they are too many chunks`, async () => {
      using connection = await openRaw(service().port);
      connection.write(head);
      await assertStatus(connection.response(), status);
      connection.write(chunk('x'.repeat(bodyBytesMax)) + inBytes('x'.repeat(400)) + last + live);
      await assertStatus(connection.response(), 200);
      connection.write(head);
      await assertStatus(connection.response(), status);
      connection.write(inBytes('x'.repeat(1_500)) + last + live);
      assert.equal(await connection.closed, '');
    });

  test('bodies announced far too large that nobody reads end the connection after the response', async () => {
    const head = request('GET /health/live', ['Content-Length: 9999999999']);
    assert.equal((await assertRejected(head, 'bad-request')).headers['connection'], 'close');
  });

  test('bodies of clients that are gone create nothing', async () => {
    const count = async (): Promise<number> =>
      (await service().get('/customers?total=true&limit=1', credentials())).body.total;
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

  const ownId = 'X-Request-Id: mine-7';

  /** Asserts that the response and its one log line are those of the request with the body. */
  function assertOfRequest({ status, headers, body }: RawResponse): void {
    assert.equal(body.instance, '/customers');
    assert.match(headers['ratelimit'] ?? '', /^"default";r=/);
    assert.equal(headers['connection'], 'close');
    const lines = service().logged.map((text) => JSON.parse(text));
    const [line, ...others] = lines.filter(({ requestId }) => requestId === headers['x-request-id']);
    assert.equal(others.length, 0);
    assert.deepEqual(
      [line.method, line.path, line.address, line.status],
      ['POST', '/customers', '127.0.0.1', status],
    );
    assert.match(String(line.principal), /^user:\d+$/);
  }

  const begun = chunk('{"name":');
  const malformed: Readonly<Record<string, () => string>> = {
    'a chunk without a length': () => postChunked(begun, `zz${crlf}`),
    'a chunk that is longer than it says': () => postChunked(begun, `1${crlf}abc`),
    'a chunk whose length is past all bounds': () => postChunked(`fffffffffffffffff${crlf}`),
    'a chunk whose length is negative': () => postChunked(`-1${crlf}`),
    'a malformed field after it': () => postChunked(begun, `0${crlf}a b${crlf}${crlf}`),
  };
  const early: Readonly<Record<string, () => string>> = {
    'an early end': () => `${postHead('Content-Length: 14')}{"name`,
    'an early end, though the JSON is whole': () => `${postHead('Content-Length: 100')}{"name":"Ada"}`,
    'an end before its last chunk': () => postChunked(chunk('{"name":"Ada"}')),
  };
  for (const [what, bytes] of Object.entries({ ...malformed, ...early }))
    test(`a body with ${what} is a bad request, logged like any other`, async () => {
      using connection = await openRaw(service().port);
      connection.write(bytes());
      if (what in early) connection.socket.end();
      const response = await connection.response();
      assertProblem(response, 'bad-request');
      assert.equal(/ended before/.test(response.body.detail), what in early);
      assertOfRequest(response);
      assert.equal(await connection.closed, '');
      const counted = 'orderly_http_requests_total{method="POST",route="/customers",status="400"}';
      assert.ok((await sampleOf(service(), counted)) >= 1);
    });

  test(
    'a body that stalls gets the 408 of its request; of a rejected one, no second response',
    insideOnly,
    async (t) => {
      const { port } = await serverBefore(t, service(), impatient);
      using connection = await openRaw(port);
      connection.write(`${postHead('Content-Length: 14')}{"name`);
      const stalled = await connection.response();
      assertProblem(stalled, 'request-timeout');
      assertOfRequest(stalled);
      using rejected = await openRaw(port);
      rejected.write(request('DELETE /customers/999999', [credentials().authorization, 'Content-Length: 4']));
      assertProblem(await rejected.response(), 'bad-request');
      assert.equal(await rejected.closed, '');
    },
  );

  test('a body with a malformed chunk behind other requests is answered after them, as its request', async () => {
    using connection = await openRaw(service().port);
    connection.write(`${live}${request('GET /nowhere')}${postHead(chunked, ownId)}zz`);
    assert.deepEqual(await connection.statuses(2), [200, 404]);
    const response = await connection.response();
    assertProblem(response, 'bad-request');
    assert.deepEqual([response.body.instance, response.headers['x-request-id']], ['/customers', 'mine-7']);
    assert.equal(await connection.closed, '');
  });

  test('a body with a malformed chunk, of a request that takes no body, is rejected without effect', async () => {
    const { token, authorization } = credentials();
    const path = `/customers/${(await newCustomer(service(), token)).id}`;
    assertProblem(
      await raw(`${request(`DELETE ${path}`, [authorization, chunked])}zz${crlf}`),
      'bad-request',
    );
    await assertStatus(service().get(path, { token }), 200);
  });

  for (const end of [
    last,
    `000${crlf}${crlf}`,
    `0;last="yes"${crlf}${crlf}`,
    `0${crlf}X-Sum: 0${crlf}${crlf}`,
  ])
    test(`a request with an empty chunked body is one without a body: ${JSON.stringify(end)}`, async () => {
      using connection = await openRaw(service().port);
      connection.write(request('GET /health/live', [chunked], end) + live);
      assert.deepEqual(await connection.statuses(2), [200, 200]);
    });

  for (const [line, status] of [
    ['GET /health/ready', 200],
    ['HEAD /health/ready', 200],
    ['GET /metrics', 200],
    ['GET /orders', 200],
    ['OPTIONS /orders', 204],
    ['GET /nowhere', 404],
    ['DELETE /orders', 405],
    ['DELETE /customers/{id}', 204],
    ['POST /webhooks/1/secrets', 404],
  ] as const)
    test(`${line} takes an empty chunked body, at once and late`, async () => {
      const token = await rootToken(service());
      for (const pieces of [[last], ['', '0', crlf, crlf]]) {
        const { id } = await newCustomer(service(), token);
        using connection = await openRaw(service().port);
        await begin(
          connection,
          request(line.replace('{id}', id), [`Authorization: Bearer ${token}`, chunked]),
        );
        for (const piece of pieces) {
          await assertStatus(service().get('/health/live'), 200); // meanwhile the bytes before it arrive
          connection.write(piece);
        }
        await assertStatus(connection.response(line.startsWith('HEAD') ? 'HEAD' : undefined), status);
      }
    });

  test('a body that is required and empty is malformed JSON, however it is sent, and of any type', async () => {
    const { authorization } = credentials();
    for (const line of ['POST /customers', 'PUT /customers/1', 'PATCH /customers/1', 'POST /api/sessions'])
      for (const type of [
        [],
        ['Content-Type: application/json'],
        ['Content-Type: text/plain', 'Content-Encoding: gzip'],
      ])
        for (const how of [[], ['Content-Length: 0'], [chunked]]) {
          using connection = await openRaw(service().port);
          const end = how.includes(chunked) ? last : '';
          connection.write(request(line, [authorization, ...type, ...how], end) + live);
          assertProblem(await connection.response(), 'malformed-json');
          await assertStatus(connection.response(), 200);
        }
  });

  test('an import takes an empty chunked body as it does none', async () => {
    const root = `Authorization: Bearer ${await rootToken(service())}`;
    for (const type of [[], ['Content-Type: text/csv']]) {
      const [without, empty] = [
        await raw(request('POST /imports?of=customers', [root, ...type, 'Content-Length: 0'])),
        await raw(request('POST /imports?of=customers', [root, ...type, chunked], last)),
      ];
      assert.deepEqual([empty.status, empty.body?.detail], [without.status, without.body?.detail]);
    }
  });

  const late: readonly (readonly [line: string, code: ProblemCode, fields?: readonly string[]])[] = [
    ['DELETE /customers/1', 'bad-request'],
    ['POST /customers', 'unsupported-media-type', ['Content-Type: text/plain']],
  ];
  for (const [line, code, fields = []] of late)
    test(`${line} with a chunked body that has a byte is ${code}, however late it comes`, async () => {
      using connection = await openRaw(service().port);
      await begin(connection, request(line, [credentials().authorization, ...fields, chunked]));
      connection.write(chunk('x'));
      assertProblem(await connection.response(), code);
      connection.write(last + live);
      await assertStatus(connection.response(), 200);
    });

  test('Expect: 100-continue before an empty chunked body gets its 100', async () => {
    using connection = await openRaw(service().port);
    connection.write(request('GET /health/live', [chunked, 'Expect: 100-continue']));
    await assertStatus(connection.response(), 100);
    connection.write(last);
    await assertStatus(connection.response(), 200);
  });

  test('a right that is withdrawn before the end of the body is gone', async () => {
    const { id, token } = await service().person();
    using connection = await openRaw(service().port);
    await begin(connection, request('GET /orders', [`Authorization: Bearer ${token}`, chunked]));
    const root = await rootToken(service());
    await assertStatus(service().put(`/api/users/${id}/suspension`, { token: root, body: {} }), 201);
    connection.write(last);
    assertProblem(await connection.response(), 'invalid-token');
  });
});

/** Sends the beginning of a request. It has arrived, since the request before it was answered. */
async function begin(connection: RawConnection, bytes: string): Promise<void> {
  connection.write(live + bytes);
  await assertStatus(connection.response(), 200);
}
