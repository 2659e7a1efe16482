// Expect: 100-continue (RFC 9110 section 10.1.1).
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ProblemCode } from '../../../src/problem.ts';
import { problemTypes } from '../../../src/http/responses/problem-types.ts';
import { assertProblem } from '../../support/http-support.ts';
import { openRaw } from '../../support/raw-connection.ts';
import { chunk, connectionSuite, live, request } from '../../support/connection-support.ts';

describe('requests with Expect', () => {
  const { service, raw, postHead, credentials } = connectionSuite();

  describe('Expect', () => {
    test('a request with Expect: 100-continue gets 100 Continue, then a response', async () => {
      for (const spelled of ['100-continue', '100-Continue']) {
        const connection = await openRaw(service().port);
        const body = '{"name":"Ada"}';
        connection.write(postHead(`Content-Length: ${body.length}`, `Expect: ${spelled}`));
        assert.equal((await connection.response()).status, 100);
        connection.write(body);
        assert.equal((await connection.response()).status, 201);
        connection.write(live);
        assert.equal((await connection.response()).status, 200);
        connection.socket.destroy();
      }
    });

    test('a chunked body is asked for once', async () => {
      const connection = await openRaw(service().port);
      connection.write(postHead('Transfer-Encoding: chunked', 'Expect: 100-continue'));
      assert.equal((await connection.response()).status, 100);
      connection.write(chunk('{"name":"Ada"}') + chunk(''));
      assert.equal((await connection.response()).status, 201);
      connection.socket.destroy();
    });

    test('a body that was awaited and is invalid leaves the connection as it was', async () => {
      const connection = await openRaw(service().port);
      connection.write(postHead('Content-Length: 2', 'Expect: 100-continue'));
      assert.equal((await connection.response()).status, 100);
      connection.write('{}');
      assertProblem(await connection.response(), 'validation-failed', 422);
      connection.write(live);
      assert.equal((await connection.response()).status, 200);
      connection.socket.destroy();
    });

    const json = ['Content-Type: application/json', 'Content-Length: 14'];
    const own = (...fields: readonly string[]) => [credentials().authorization, ...fields];
    const rejected: readonly (readonly [
      what: string,
      code: ProblemCode,
      line: string,
      fields: () => readonly string[],
    ])[] = [
      ['nobody', 'unauthenticated', 'POST /customers', () => json],
      ['a bad token', 'invalid-token', 'POST /customers', () => ['Authorization: Bearer x.y.z', ...json]],
      [
        'another type',
        'unsupported-media-type',
        'POST /customers',
        () => own('Content-Type: text/plain', 'Content-Length: 14'),
      ],
      [
        'too large a body',
        'content-too-large',
        'POST /customers',
        () => own('Content-Type: application/json', 'Content-Length: 70000'),
      ],
      ['an unknown path', 'not-found', 'POST /nowhere', () => own(...json)],
      ['another method', 'method-not-allowed', 'DELETE /customers', () => own(...json)],
    ];
    for (const [what, code, line, fields] of rejected) {
      test(`Expect: 100-continue of ${what} is ${problemTypes[code].status} at once, without the body`, async () => {
        const connection = await openRaw(service().port);
        connection.write(request(line, [...fields(), 'Expect: 100-continue']));
        const response = await connection.response();
        assertProblem(response, code);
        assert.equal(response.headers['connection'], 'close');
        assert.equal(await connection.closed, '');
        connection.socket.destroy();
      });
    }

    test('a request without a body but with Expect: 100-continue gets a response', async () => {
      const { status } = await raw(request('GET /health/live', ['Expect: 100-continue']));
      assert.equal(status, 200);
    });

    test('any other expectation than 100-continue is 417', async () => {
      const { token } = credentials();
      const sent = { token, headers: { expect: 'a miracle' }, body: { name: 'Ada' } };
      assertProblem(await service().post('/customers', sent), 'bad-request', 417);
      for (const expectation of ['200-ok', 'patience', '101-continue'])
        assertProblem(await raw(request('GET /health/live', [`Expect: ${expectation}`])), 'bad-request', 417);
      assertProblem(
        await raw(postHead('Content-Length: 14', 'Expect: more') + '{"name":"Ada"}'),
        'bad-request',
        417,
      );
    });
  });
});
