// An empty chunked body is no body: proxies make one of a request without a body (RFC 9112 section 7.1).
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem } from '../../support/http-support.ts';
import { openRaw } from '../../support/raw-connection.ts';
import { chunk, connectionSuite, live, request } from '../../support/connection-support.ts';
import { rootToken } from '../../support/resource-support.ts';

const chunked = 'Transfer-Encoding: chunked';
const json = 'Content-Type: application/json';

describe('empty chunked bodies', () => {
  const { service, raw, credentials } = connectionSuite();
  const asRoot = async (): Promise<string> => `Authorization: Bearer ${await rootToken(service())}`;

  const ends: readonly (readonly [what: string, end: string])[] = [
    ['plain', '0\r\n\r\n'],
    ['with several zeros', '000\r\n\r\n'],
    ['with an extension', '0;last="yes"\r\n\r\n'],
    ['with a trailer', '0\r\nX-Checksum: 0\r\n\r\n'],
  ];
  for (const [what, end] of ends)
    test(`a request with an empty chunked body is one without a body: ${what}`, async () => {
      const connection = await openRaw(service().port);
      connection.write(request('GET /health/live', [chunked], end) + live);
      assert.equal((await connection.response()).status, 200);
      assert.equal((await connection.response()).status, 200, 'the next request of the connection');
      connection.socket.destroy();
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
        const connection = await openRaw(service().port);
        connection.write(request(target, [`Authorization: Bearer ${token}`, chunked]));
        for (const piece of pieces) {
          await new Promise((resolve) => setTimeout(resolve, 20));
          connection.write(piece);
        }
        assert.equal((await connection.response(isHead)).status, status);
        connection.socket.destroy();
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
      const without = await raw(
        request('POST /imports?of=customers', [root, ...fields, 'Content-Length: 0']),
      );
      const empty = await raw(request('POST /imports?of=customers', [root, ...fields, chunked], '0\r\n\r\n'));
      assert.deepEqual([empty.status, empty.body?.detail], [without.status, without.body?.detail]);
    }
  });

  test('a chunked body with a byte is a body, however late it comes', async () => {
    const connection = await openRaw(service().port);
    connection.write(request('DELETE /customers/1', [await asRoot(), chunked]));
    await new Promise((resolve) => setTimeout(resolve, 20));
    connection.write('1\r\nx\r\n');
    assertProblem(await connection.response(), 'bad-request');
    connection.write('0\r\n\r\n' + live);
    assert.equal((await connection.response()).status, 200);
    connection.socket.destroy();
  });

  test('the type of a chunked body counts once it has a byte', async () => {
    const { authorization } = credentials();
    const fields = [authorization, 'Content-Type: text/plain', chunked];
    const connection = await openRaw(service().port);
    connection.write(request('POST /customers', fields) + chunk('{'));
    assertProblem(await connection.response(), 'unsupported-media-type');
    connection.socket.destroy();
  });

  test('Expect: 100-continue before an empty chunked body gets its 100', async () => {
    const connection = await openRaw(service().port);
    connection.write(request('GET /health/live', [chunked, 'Expect: 100-continue']));
    assert.equal((await connection.response()).status, 100);
    connection.write('0\r\n\r\n');
    assert.equal((await connection.response()).status, 200);
    connection.socket.destroy();
  });

  test('a right that is withdrawn before the end of the body is gone', async () => {
    const { id, token } = await service().person();
    const connection = await openRaw(service().port);
    connection.write(request('GET /orders', [`Authorization: Bearer ${token}`, chunked]));
    await new Promise((resolve) => setTimeout(resolve, 20));
    const suspension = `/api/users/${id}/suspension`;
    assert.equal(
      (await service().call('PUT', suspension, { token: await rootToken(service()), body: {} })).status,
      201,
    );
    connection.write('0\r\n\r\n');
    assertProblem(await connection.response(), 'invalid-token');
    connection.socket.destroy();
  });

  test('HTTP/1.0 has no chunked bodies, not even empty ones', async () => {
    const connection = await openRaw(service().port);
    connection.write(`GET /health/live HTTP/1.0\r\n${chunked}\r\n\r\n0\r\n\r\n`);
    assertProblem(await connection.response(), 'bad-request');
    connection.socket.destroy();
    const plain = await openRaw(service().port);
    plain.write('GET /health/live HTTP/1.0\r\nContent-Length: 0\r\n\r\n');
    assert.equal((await plain.response()).status, 200);
    plain.socket.destroy();
  });
});
