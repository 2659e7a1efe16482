// Which Content-Type and Content-Encoding a body may have.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newCustomer, rootToken } from '../../support/resource-support.ts';
import type { TestResponse } from '../../support/service.ts';
import { assertProblem, assertStatus, sharedService } from '../../support/http-support.ts';

describe('Content-Type', () => {
  let [token, path] = ['', ''];
  const service = sharedService({}, async (started) => {
    token = (await started.person()).token;
    path = `/customers/${(await newCustomer(started, token)).id}`;
  });
  const send = (
    method: string,
    headers: Record<string, string | string[]>,
    body: string | Buffer = '{"name":"Ada"}',
  ): Promise<TestResponse> =>
    service().call(method, method === 'POST' ? '/customers' : path, {
      token,
      body,
      headers: { 'content-type': [], ...headers },
    });

  const types: readonly (readonly [type: string | string[], isTaken: boolean])[] = [
    ['application/json', true],
    ['application/json;charset=utf-8', true],
    ['application/json; charset=UTF-8', true],
    ['Application/JSON; Charset="utf-8"', true],
    ['application/json ;', true],
    ['application/json; foo=bar', true],
    ['application/json;odata.metadata=minimal;Charset=UTF-8', true],
    ['application/json; foo="a b"', true],
    ['application/json; foo="a,b"; charset="utf-8"', true],
    ['application/json; foo="a;b"; charset="utf-8"', true],
    ['application/json; foo="a;charset=latin1"', true],
    ['application/json; foo="a\\\\"; charset=latin1', false],
    ['application/json; foo="a\\"b"', true],
    ['application/json; foo="a\\', false],
    ['application/json; foo=bar; charset=latin1', false],
    ['application/json; charset=utf-8; charset=utf-16', false],
    ['application/json; charset="utf-8', false],
    ['application/json; foo', false],
    ['application/json; foo=', false],
    ['application/json; foo=bar, text/plain', false],
    ['application/json; foo=a b', false],
    [['application/json; foo=bar', 'text/plain'], false],
    ['text/plain', false],
    ['text/json', false],
    ['application/x-www-form-urlencoded', false],
    ['multipart/form-data; boundary=x', false],
    ['application/octet-stream', false],
    ['application/json; charset=iso-8859-1', false],
    ['application/json; charset=utf-16', false],
    ['application/json; charset=utf8', true],
    ['application/json;charset=UTF8', true],
    ['application/json; charset="utf8"', true],
    ['application/json; charset=utf-8-sig', false],
    ['application/json; charset=', false],
    ['application/problem+json', false],
    ['application/json-patch+json', false],
    ['application/vnd.api+json', false],
    ['application/jsonx', false],
    ['application/', false],
    ['json', false],
    ['application/json, text/plain', false],
    [['text/plain', 'application/json'], false],
    [['application/json', 'text/plain'], false],
    ['', false],
    ['*/*', false],
  ];
  for (const [type, isTaken] of types) {
    test(`Content-Type ${JSON.stringify(type)} ${isTaken ? 'is JSON' : 'is 415'}`, async () => {
      for (const method of ['POST', 'PUT', 'PATCH']) {
        const response = await send(method, { 'content-type': type });
        if (isTaken) assert.ok(response.status < 300, response.text);
        else {
          assertProblem(response, 'unsupported-media-type');
          const { 'accept-patch': acceptPatch, 'accept-encoding': acceptEncoding, accept } = response.headers;
          const isPatch = method === 'PATCH';
          assert.equal(acceptPatch, isPatch ? 'application/merge-patch+json, application/json' : undefined);
          assert.deepEqual([accept, acceptEncoding], [isPatch ? undefined : 'application/json', undefined]);
        }
      }
    });
  }

  test('application/merge-patch+json is for PATCH alone', async () => {
    for (const type of ['application/merge-patch+json', 'Application/Merge-Patch+JSON; charset=utf-8']) {
      await assertStatus(send('PATCH', { 'content-type': type }), 200);
      for (const method of ['POST', 'PUT'])
        assertProblem(await send(method, { 'content-type': type }), 'unsupported-media-type');
    }
  });

  test('a body without a Content-Type is 415', async () => {
    for (const method of ['POST', 'PUT', 'PATCH'])
      assertProblem(await send(method, {}), 'unsupported-media-type');
  });

  const encodings = ['gzip', 'deflate', 'br', 'zstd', 'x-gzip', 'GZIP', 'gzip, gzip', 'identity, gzip'];
  for (const encoding of [...encodings, 'identity2', 'aes128gcm']) {
    test(`Content-Encoding ${encoding} is 415`, async () => {
      for (const method of ['POST', 'PATCH']) {
        const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
        const response = await send(method, headers);
        assertProblem(response, 'unsupported-media-type');
        assert.equal(response.headers['accept-patch'] !== undefined, method === 'PATCH');
        const { 'accept-encoding': acceptEncoding, accept } = response.headers;
        assert.deepEqual([acceptEncoding, accept], ['identity', undefined]);
      }
    });
  }

  for (const encoding of ['identity', 'Identity', ' identity ', 'identity, identity', '']) {
    test(`Content-Encoding ${JSON.stringify(encoding)} is no coding`, async () => {
      for (const method of ['POST', 'PATCH']) {
        const type = { 'content-type': 'application/json', 'content-encoding': encoding };
        assert.ok((await send(method, type)).status < 300);
      }
    });
  }

  test('the Content-Type is checked before the body is read', async () => {
    assertProblem(await send('POST', { 'content-type': 'text/plain' }, '{'), 'unsupported-media-type');
  });
});

describe('a body that the operation does not take', () => {
  const service = sharedService();
  const requests: readonly (readonly [operation: string, body: string, type: string])[] = [
    ['GET /customers', '{}', 'application/json'],
    ['GET /health/live', 'x', 'text/plain'],
    ['DELETE /customers/{id}', '{"force":true}', 'application/json'],
    ['DELETE /api/sessions/{id}', '{', 'application/json'],
    ['POST /api/users/{id}/totp', '{}', 'application/json'],
    ['POST /webhooks/{id}/secrets', 'x'.repeat(1_000), 'text/plain'],
  ];
  for (const [operation, body, type] of requests)
    test(`a body that the operation does not take is a bad request: ${operation} ${body.slice(0, 20)}`, async () => {
      const token = await rootToken(service());
      const [method = '', path = ''] = operation.replace('{id}', '1').split(' ');
      const headers = { 'content-type': type };
      const response = await service().call(method, path, { token, body, headers });
      assertProblem(response, 'bad-request');
      assert.equal(response.body.detail, `${method} ${path} takes no request body; send none.`);
    });
});
