// Bodies as they arrive: their sizes, chunks and ends.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { turn } from '../../support/storage-support.ts';
import { assertProblem, assertStatus } from '../../support/http-support.ts';
import { openRaw } from '../../support/raw-connection.ts';
import { crlf, request, chunk, live, connectionSuite } from '../../support/connection-support.ts';
import { bodyBytesMax } from '../../../src/http/connections/request-fields.ts';

const inBytes = (text: string): string => Array.from(text, chunk).join('');

describe('bodies', () => {
  const { service, raw, postHead, post, postChunked, assertUnharmed, credentials } = connectionSuite();

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
});
