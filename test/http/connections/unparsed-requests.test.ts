// Input that is not a request: bytes that the parser rejects, and requests that end early.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { turn } from '../../support/storage-support.ts';
import { assertProblem, assertStatus, sampleOf } from '../../support/http-support.ts';
import { openRaw } from '../../support/raw-connection.ts';
import { crlf, request, live, connectionSuite } from '../../support/connection-support.ts';

describe('bytes that are not a request', () => {
  const { service, raw, post, postChunked, assertRejected } = connectionSuite();

  test('bytes that are not a request are logged with their address, and counted, like a request', async () => {
    for (const [bytes, status] of [
      ['nonsense\r\n\r\n', 400],
      [request('GET /health/live', [`X-Large: ${'x'.repeat(30_000)}`]), 431],
    ] as const) {
      const { headers } = await raw(bytes);
      const lines = service().logged.map((text) => JSON.parse(text));
      const line = lines.find(({ requestId }) => requestId === headers['x-request-id']);
      const { level, method, path, address } = line;
      assert.deepEqual([level, method, path, line.status, address], ['info', '-', '-', status, '127.0.0.1']);
    }
    const counted = 'orderly_http_requests_total{method="",route="",status="400"}';
    assert.ok((await sampleOf(service(), counted)) >= 1);
  });

  const posted = 'POST /customers HTTP/1.1\r\nHost: a\r\n';
  const nonsense: readonly (readonly [what: string, bytes: string | Buffer])[] = [
    ['noise', 'lorem ipsum dolor\r\n\r\n'],
    ['bytes at random', Buffer.from(Array.from({ length: 500 }, (_, index) => (index * 7919 + 13) % 256))],
    ['the beginning of TLS', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])],
    ['HTTP/2.0 in the form of HTTP/1', 'GET / HTTP/2.0\r\nHost: a\r\n\r\n'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a version of HTTP that isn’t spoken', 'GET / HTTP/3.0\r\nHost: a\r\n\r\n'],
    ['HTTP/0.9', 'GET /\r\n\r\n'],
    ['a method that the parser does not know', request('FETCH /orders')],
    ['a method in lower case', request('get /orders')],
    ['an unknown method without a version', 'FETCH /\r\nHost: a\r\n\r\n'],
    ['an unknown method in HTTP/2', 'FETCH / HTTP/2.0\r\nHost: a\r\n\r\n'],
    ['a method that is no token', 'FE(TCH / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a target with a blank', 'GET /a b HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a target that is no path', 'GET orders HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a blank before the colon', 'GET / HTTP/1.1\r\nHost : a\r\n\r\n'],
    ['a field without a colon', 'GET / HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n'],
    ['a field without a name', 'GET / HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n'],
    ['a field folded over two lines', 'GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n'],
    ['a NUL in a field', 'GET / HTTP/1.1\r\nHost: a\r\nX-A: a\0b\r\n\r\n'],
    ['a name that is no token', 'GET / HTTP/1.1\r\nHost: a\r\nX(A): b\r\n\r\n'],
    ['a CR alone', 'GET / HTTP/1.1\r\nHost: a\rX-A: b\r\n\r\n'],
    ['two lengths', `${posted}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx`],
    ['a length and chunks', `${posted}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['a negative length', `${posted}Content-Length: -1\r\n\r\n`],
    ['a length that is no number', `${posted}Content-Length: 1e3\r\n\r\n`],
    ['a length with a plus', `${posted}Content-Length: +1\r\n\r\n`],
    ['a length past all bounds', `${posted}Content-Length: 99999999999999999999\r\n\r\n`],
    ['an encoding of transfer after chunked', `${posted}Transfer-Encoding: chunked, gzip\r\n\r\n`],
  ];
  test('a method in lower case is told that methods are case-sensitive', async () => {
    const { body } = await raw(request('get /orders'));
    assert.match(body.detail, /case-sensitive, as in GET/);
  });

  for (const [what, bytes] of nonsense) {
    test(`${what} is a bad request, and the connection is closed`, async () => {
      const { body, headers } = await assertRejected(bytes, 'bad-request');
      assert.equal(headers['connection'], 'close');
      assert.match(headers['x-request-id'] ?? '', /^[\w.-]{8,64}$/);
      assert.match(headers['date'] ?? '', /GMT$/);
      assert.equal(body.instance, '/');
    });
  }

  test('a request for a tunnel closes the connection', async () => {
    using connection = await openRaw(service().port);
    connection.write(`CONNECT elsewhere:443 HTTP/1.1${crlf}Host: elsewhere:443${crlf}${crlf}anything`);
    assert.equal(await connection.closed, '');
  });

  for (const upgrade of ['websocket', 'h2c', 'TLS/1.2'])
    test(`a request to upgrade to ${upgrade} gets an ordinary response, and is the last of its connection`, async () => {
      using connection = await openRaw(service().port);
      const asked = request('GET /health/live', ['Connection: Upgrade', `Upgrade: ${upgrade}`]);
      connection.write(live + asked + live);
      assert.equal((await connection.response()).headers['connection'], 'keep-alive');
      const { status, headers } = await connection.response();
      assert.deepEqual([status, headers['connection']], [200, 'close']);
      assert.equal(await connection.closed, '');
    });

  test('bytes after the last request of a connection get no response, whatever they are', async () => {
    using connection = await openRaw(service().port);
    connection.write(`${request('GET /health/live', ['Connection: close'])}nonsense${crlf}${crlf}`);
    const { status, headers } = await connection.response();
    assert.deepEqual([status, headers['connection']], [200, 'close']);
    assert.equal(await connection.closed, '');
  });

  test('an unknown method after a body shows nothing of the body', async () => {
    using connection = await openRaw(service().port);
    const head = request('POST /customers', ['Content-Type: application/json', 'Content-Length: 8']);
    connection.write(`${head}SECRETPW${request('BREW /orders')}`);
    await assertStatus(connection.response(), 401);
    const response = await connection.response();
    assertProblem(response, 'bad-request');
    assert.doesNotMatch(response.text, /SECRETPW/);
    assert.doesNotMatch(service().logged.join('\n'), /SECRETPW/);
  });

  const codings: readonly (readonly [what: string, version: string, coding: string])[] = [
    ['chunks in HTTP/1.0', '1.0', 'chunked'],
    ['an encoding of transfer that isn’t chunked', '1.1', 'gzip'],
    ['an encoding of transfer before chunked', '1.1', 'gzip, chunked'],
    ['chunks twice', '1.1', 'chunked, chunked'],
    ['chunks as identity', '1.1', 'identity, chunked'],
  ];
  for (const [what, version, coding] of codings) {
    test(`${what} are a bad request, and what follows gets no response`, async () => {
      const head = `GET /health/live HTTP/${version}${crlf}Host: a${crlf}Connection: keep-alive${crlf}`;
      const bytes = `${head}Transfer-Encoding: ${coding}${crlf}${crlf}0${crlf}${crlf}${live}`;
      const { headers } = await assertRejected(bytes, 'bad-request');
      assert.equal(headers['connection'], 'close');
    });
  }

  test('OPTIONS * is about the service, and gets a response', async () => {
    await assertStatus(raw(request('OPTIONS *')), 204);
  });

  test('blank lines before a request are ignored', async () => {
    await assertStatus(raw(`${crlf}${crlf}${live}`), 200);
  });

  test('bytes after a bad request get no response, and don’t truncate that of a slow reader', async () => {
    for (const nonsense of [
      'nonsense\r\n\r\n',
      request('GET /health/live', [`X-Large: ${'x'.repeat(30_000)}`]),
      postChunked('zz'),
    ]) {
      using connection = await openRaw(service().port);
      connection.socket.pause();
      connection.write(nonsense);
      for (let more = 0; more < 30; more += 1) {
        await new Promise((resolve) => connection.socket.write('x'.repeat(100_000), resolve));
        await turn(); // the service's turn to read
      }
      connection.socket.resume();
      assert.ok((await connection.response()).status >= 400);
      assert.equal(await connection.closed, '');
    }
  });

  test('bytes after whole requests are answered after these, in order, even after writes', async () => {
    using connection = await openRaw(service().port);
    const asked = [live, post('{"name":"Ada"}'), request('GET /nowhere'), post('{"name":"Bob"}'), live];
    connection.write(`${asked.join('')}garbage${crlf}${crlf}`);
    assert.deepEqual(await connection.statuses(5), [200, 201, 404, 201, 200]);
    assertProblem(await connection.response(), 'bad-request');
    assert.equal(await connection.closed, '');
  });

  test('bad bytes in a body that was already rejected get no second response', async () => {
    using connection = await openRaw(service().port);
    const fields = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
    connection.write(request('POST /customers', fields));
    assertProblem(await connection.response(), 'unauthenticated');
    connection.write(`zz${crlf}`);
    assert.equal(await connection.closed, '');
  });
});
