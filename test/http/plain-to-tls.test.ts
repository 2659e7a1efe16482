// Plain HTTP on a port of HTTPS gets a sentence, not an empty response.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '../storage/storage-support.ts';
import { assertProblem, sharedService } from './http-support.ts';
import { openRaw, type RawResponse } from './raw-connection.ts';
import { rejectedIds } from './transport-support.ts';

describe('plain HTTP on the port of TLS', () => {
  const service = sharedService({ settings: { tls: 'self-signed' } });

  /** The connection's one response. */
  async function lastResponse(bytes: string, method?: 'HEAD'): Promise<RawResponse> {
    const connection = await openRaw(service().port);
    connection.write(bytes);
    const response = await connection.response(method);
    assert.equal(response.headers['connection'], 'close');
    assert.equal(await connection.closed, '');
    connection.socket.destroy(); // otherwise the service would wait for more
    await until(() => service().inside?.connections.open === 0);
    return response;
  }

  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'FOO']) {
    const body = 'x'.repeat(method === 'POST' ? 60_000 : 0);
    test(`${method} gets the response that this port accepts HTTPS only`, async () => {
      const head = `${method} /orders/7?api_key=k HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n`;
      const response = await lastResponse(`${head}\r\n${body}`);
      assertProblem(response, 'tls-required');
      assert.match(response.body.detail, /must begin with https:\/\//);
      assert.equal(response.body.instance, '/orders/7');
    });
  }

  test('has no Strict-Transport-Security (RFC 6797 section 7.2)', async () => {
    const { headers } = await lastResponse('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    assert.equal(headers['strict-transport-security'], undefined);
  });

  test('gets no body in response to HEAD', async () => {
    const { status, headers } = await lastResponse('HEAD / HTTP/1.1\r\nHost: a\r\n\r\n', 'HEAD');
    assert.equal(status, 403);
    assert.notEqual(headers['content-length'], '0');
  });

  const ids: readonly (readonly [what: string, field: string, isKept: boolean])[] = [
    ['a valid one', 'X-Request-Id: mine-7\r\n', true],
    ['one in lower case', 'x-request-id:mine-7  \r\n', true],
    ['an invalid one', 'X-Request-Id: mine 7\r\n', false],
    ['one that is too long', `X-Request-Id: ${'m'.repeat(65)}\r\n`, false],
    ['one in the body', '\r\nX-Request-Id: mine-7\r\n', false],
    ['one of which the end is missing', 'X-Request-Id: mine-7', false],
  ];
  for (const [what, field, isKept] of ids) {
    test(`keeps its request id: ${what} ${isKept ? 'is kept' : 'is not'}`, async () => {
      const isWhole = field.endsWith('\n');
      const { headers } = await lastResponse(`GET / HTTP/1.1\r\nHost: a\r\n${field}${isWhole ? '\r\n' : ''}`);
      assert.equal(headers['x-request-id'] === 'mine-7', isKept);
    });
  }

  test('keeps only ids that an ordinary request may have', async () => {
    const ends = rejectedIds.map(async ([what, fields]) => {
      const { headers } = await lastResponse(`GET / HTTP/1.1\r\nHost: a\r\n${fields}\r\n`);
      assert.doesNotMatch(headers['x-request-id'] ?? '', /mine/, what);
    });
    await Promise.all(ends);
  });

  const broken: readonly (readonly [what: string, bytes: string])[] = [
    ['half a method', 'GE'],
    ['half a target', 'GET /ord'],
    ['a target that is no path', 'GET * HTTP/1.1\r\n\r\n'],
    ['a path past 8 KiB', `GET /${'x'.repeat(9000)} HTTP/1.1\r\n\r\n`],
  ];
  for (const [what, bytes] of broken) {
    test(`with ${what} is a problem of "/"`, async () => {
      const response = await lastResponse(bytes);
      assertProblem(response, 'tls-required');
      assert.equal(response.body.instance, '/');
    });
  }

  test('is logged with its method, path and address', async () => {
    const { headers } = await lastResponse('DELETE /orders/7?api_key=k HTTP/1.1\r\nHost: a\r\n\r\n');
    const line = service()
      .logged.map((text) => JSON.parse(text))
      .find(({ requestId }) => requestId === headers['x-request-id']);
    assert.deepEqual(
      [line.status, line.method, line.path, line.address],
      [403, 'DELETE', '/orders/7', '127.0.0.1'],
    );
  });
});
