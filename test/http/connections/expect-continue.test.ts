// Expect: 100-continue (RFC 9110 section 10.1.1).
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ProblemCode } from '../../../src/problem.ts';
import { assertProblem, assertStatus } from '../../support/http-support.ts';
import { openRaw } from '../../support/raw-connection.ts';
import { chunk, connectionSuite, live, request } from '../../support/connection-support.ts';

describe('requests with Expect', () => {
  const { service, raw, postHead, credentials } = connectionSuite();
  const ada = '{"name":"Ada"}';

  for (const [what, fields, body, status] of [
    ['a body', ['Content-Length: 14', 'Expect: 100-continue'], ada, 201],
    ['a body, whatever the case', ['Content-Length: 14', 'Expect: 100-Continue'], ada, 201],
    ['a chunked body', ['Transfer-Encoding: chunked', 'Expect: 100-continue'], chunk(ada) + chunk(''), 201],
    ['an invalid body', ['Content-Length: 2', 'Expect: 100-continue'], '{}', 422],
  ] as const) {
    test(`a request with Expect gets 100 Continue once before ${what}, then a response; and so does the next`, async () => {
      using connection = await openRaw(service().port);
      connection.write(postHead(...fields));
      await assertStatus(connection.response(), 100);
      connection.write(body);
      await assertStatus(connection.response(), status);
      connection.write(live);
      await assertStatus(connection.response(), 200);
    });
  }

  const json = ['Content-Type: application/json', 'Content-Length: 14'];
  const rejected: readonly (readonly [line: string, code: ProblemCode, fields: readonly string[]])[] = [
    ['POST /customers', 'unauthenticated', json],
    ['POST /customers', 'invalid-token', ['Authorization: Bearer x.y.z', ...json]],
    ['POST /customers', 'unsupported-media-type', ['Content-Type: text/plain', 'Content-Length: 14']],
    ['POST /customers', 'content-too-large', ['Content-Type: application/json', 'Content-Length: 70000']],
    ['POST /nowhere', 'not-found', json],
    ['DELETE /customers', 'method-not-allowed', json],
  ];
  for (const [line, code, fields] of rejected) {
    test(`Expect: 100-continue of ${line} is ${code} at once, without the body`, async () => {
      using connection = await openRaw(service().port);
      const isOwn = code !== 'unauthenticated' && code !== 'invalid-token';
      const credential = isOwn ? [credentials().authorization] : [];
      connection.write(request(line, [...credential, ...fields, 'Expect: 100-continue']));
      const response = await connection.response();
      assertProblem(response, code);
      assert.equal(response.headers['connection'], 'close');
      assert.equal(await connection.closed, '');
    });
  }

  test('a request without a body but with Expect: 100-continue gets a response', async () => {
    const { status } = await raw(request('GET /health/live', ['Expect: 100-continue']));
    assert.equal(status, 200);
  });

  test('any other expectation than 100-continue is 417', async () => {
    for (const expectation of ['200-ok', 'patience', '101-continue'])
      assertProblem(await raw(request('GET /health/live', [`Expect: ${expectation}`])), 'bad-request', 417);
    const post = postHead('Content-Length: 14', 'Expect: a miracle');
    assertProblem(await raw(post + ada), 'bad-request', 417);
  });
});
