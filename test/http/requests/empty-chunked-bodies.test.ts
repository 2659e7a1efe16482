// An empty chunked body is no body: proxies make one of a request without a body (RFC 9112 section 7.1).
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, assertStatus } from '../../support/http-support.ts';
import { openRaw, type RawResponse } from '../../support/raw-connection.ts';
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

  test('HTTP/1.0 has no chunked bodies, not even empty ones', async () => {
    const head = 'GET /health/live HTTP/1.0\r\n';
    assertProblem(await raw(`${head}${chunked}\r\n\r\n0\r\n\r\n`), 'bad-request');
    await assertStatus(raw(`${head}Content-Length: 0\r\n\r\n`), 200);
  });
});
