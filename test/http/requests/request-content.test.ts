// Which Content-Type and Content-Encoding a body may have, and which requests may have a body.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, assertStatus, sharedService } from '../../support/http-support.ts';
import { newCustomer, rootToken } from '../../support/resource-support.ts';
import type { TestResponse } from '../../support/service.ts';

/** With | between them, and & between two lines of the field. */
const types = {
  taken:
    'application/json | application/json;charset=utf-8 | application/json; charset=UTF-8 | ' +
    'Application/JSON; Charset="utf-8" | application/json ; | application/json; foo=bar | ' +
    'application/json;odata.metadata=minimal;Charset=UTF-8 | application/json; foo="a b" | ' +
    'application/json; foo="a,b"; charset="utf-8" | application/json; foo="a;b"; charset="utf-8" | ' +
    'application/json; foo="a;charset=latin1" | application/json; foo="a\\"b" | ' +
    'application/json; charset=utf8 | application/json;charset=UTF8 | application/json; charset="utf8"',
  rejected:
    'application/json; foo="a\\\\"; charset=latin1 | application/json; foo="a\\ | ' +
    'application/json; foo=bar; charset=latin1 | application/json; charset=utf-8; charset=utf-16 | ' +
    'application/json; charset="utf-8 | application/json; foo | application/json; foo= | ' +
    'application/json; foo=bar, text/plain | application/json; foo=a b | ' +
    'application/json; foo=bar & text/plain | text/plain | text/json | application/x-www-form-urlencoded | ' +
    'multipart/form-data; boundary=x | application/octet-stream | application/json; charset=iso-8859-1 | ' +
    'application/json; charset=utf-16 | application/json; charset=utf-8-sig | application/json; charset= | ' +
    'application/problem+json | application/json-patch+json | application/vnd.api+json | ' +
    'application/jsonx | application/ | json | application/json, text/plain | ' +
    'text/plain & application/json | application/json & text/plain |  | */*',
};

const codings = {
  taken: 'identity | Identity |  identity  | identity, identity | ',
  rejected:
    'gzip | deflate | br | zstd | x-gzip | GZIP | gzip, gzip | identity, gzip | identity2 | aes128gcm',
};

const patchTypes = 'application/merge-patch+json, application/json';

describe('the content of a request', () => {
  let token = '';
  const service = sharedService({}, async (started) => {
    token = (await started.person()).token;
    await newCustomer(started, token);
  });
  const send = (
    method: string,
    headers: Record<string, string | string[]>,
    body = '{"name":"Ada"}',
  ): Promise<TestResponse> =>
    service().call(method, method === 'POST' ? '/customers' : '/customers/1', {
      token,
      body,
      headers: { 'content-type': [], ...headers },
    });
  /** Accept, Accept-Encoding and Accept-Patch. */
  const accepted = ({ headers }: TestResponse) =>
    ['accept', 'accept-encoding', 'accept-patch'].map((name) => headers[name]);

  for (const [outcome, all] of Object.entries(types))
    for (const type of all.split(' | '))
      test(`a body with the Content-Type "${type}" is ${outcome}`, async () => {
        for (const method of ['POST', 'PUT', 'PATCH']) {
          const lines = type.split(' & ');
          const response = await send(method, { 'content-type': lines.length === 1 ? type : lines });
          if (outcome === 'taken') {
            assert.ok(response.status < 300, response.text);
            continue;
          }
          assertProblem(response, 'unsupported-media-type');
          const [accept, patch] = method === 'PATCH' ? [undefined, patchTypes] : ['application/json'];
          assert.deepEqual(accepted(response), [accept, undefined, patch]);
        }
      });

  test('application/merge-patch+json is for PATCH alone', async () => {
    for (const type of ['application/merge-patch+json', 'Application/Merge-Patch+JSON; charset=utf-8']) {
      await assertStatus(send('PATCH', { 'content-type': type }), 200);
      for (const method of ['POST', 'PUT'])
        assertProblem(await send(method, { 'content-type': type }), 'unsupported-media-type');
    }
  });

  test('a body without a Content-Type is 415, and so is a malformed one of another type', async () => {
    for (const method of ['POST', 'PUT', 'PATCH'])
      assertProblem(await send(method, {}), 'unsupported-media-type');
    assertProblem(await send('POST', { 'content-type': 'text/plain' }, '{'), 'unsupported-media-type');
  });

  for (const [outcome, all] of Object.entries(codings))
    for (const coding of all.split(' | '))
      test(`a body with the Content-Encoding "${coding}" is ${outcome}`, async () => {
        for (const method of ['POST', 'PATCH']) {
          const headers = { 'content-type': 'application/json', 'content-encoding': coding };
          const response = await send(method, headers);
          if (outcome === 'taken') {
            assert.ok(response.status < 300, response.text);
            continue;
          }
          assertProblem(response, 'unsupported-media-type');
          const patch = method === 'PATCH' ? patchTypes : undefined;
          assert.deepEqual(accepted(response), [undefined, 'identity', patch]);
        }
      });

  for (const [operation, body, type] of [
    ['GET /customers', '{}', 'application/json'],
    ['GET /health/live', 'x', 'text/plain'],
    ['DELETE /customers/1', '{"force":true}', 'application/json'],
    ['DELETE /api/sessions/1', '{', 'application/json'],
    ['POST /api/users/1/totp', '{}', 'application/json'],
    ['POST /webhooks/1/secrets', 'x'.repeat(1_000), 'text/plain'],
  ] as const)
    test(`a body that the operation does not take is a bad request: ${operation}`, async () => {
      const [method = '', path = ''] = operation.split(' ');
      const call = { token: await rootToken(service()), body, headers: { 'content-type': type } };
      const response = await service().call(method, path, call);
      assertProblem(response, 'bad-request');
      assert.equal(response.body.detail, `${operation} takes no request body; send none.`);
    });
});
