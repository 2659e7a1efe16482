// Header fields of responses: no value can add another one; and what handlers must not omit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyone } from '../../../src/auth/access.ts';
import { sharedText } from '../../../src/http/responses/shared-document.ts';
import { route, type Route } from '../../../src/http/routing/route.ts';
import { object } from '../../../src/schema/schema.ts';
import { executable, serviceFor, type TestResponse, type TestService } from '../../support/service.ts';

const Nothing = object({});

test('no value of a header field can add another one', async (t) => {
  if (executable !== undefined) return t.skip('needs routes of its own');
  for (const [value, isAllowed] of [
    ['one\r\nX-Smuggled: 1', false],
    ['one\nX-Smuggled: 1', false],
    ['one\rX-Smuggled: 1', false],
    ['one\0two', false],
    ['caf\u00e9\tau lait', true],
    ['\u20ac', false],
  ] as const) {
    const response = await answerOf(
      t,
      route({
        method: 'GET',
        path: '/test',
        tag: 'Test',
        summary: 'Sends a header field',
        access: anyone,
        reply: { kind: 'shared document', mediaTypes: ['text/html'], cacheControl: 'no-store' },
        handle: () => sharedText('<!doctype html>', { mediaType: 'text/html', fields: ['X-Value', value] }),
      }),
      (service) => service.get('/test', { isUndescribed: true }),
    );
    assert.equal(response.status, isAllowed ? 200 : 500, JSON.stringify(value));
    assert.equal(response.headers['x-smuggled'], undefined);
  }
});

test('every reason phrase is the one of RFC 9110, or of the requirements', async (t) => {
  const { url } = await serviceFor(t);
  const headers = { 'content-type': 'application/json' };
  const send = (body: string): Promise<Response> =>
    fetch(`${url}/api/users`, { method: 'POST', headers, body });
  assert.equal((await send('x'.repeat(70_000))).statusText, 'Content Too Large');
  assert.equal((await fetch(`${url}/problems?x=1`)).statusText, 'Bad Request');
  assert.equal((await fetch(`${url}/orders?x=1`)).statusText, 'Unauthorized');
});

for (const [method, status] of [
  ['GET', 200],
  ['POST', 200],
  ['PUT', 500],
  ['PATCH', 500],
  ['DELETE', 500],
] as const) {
  test(`a ${method} whose handler checks no precondition is ${status}`, async (t) => {
    if (executable !== undefined) return t.skip('needs routes of its own');
    const unconditional = route({
      method,
      path: '/test',
      tag: 'Test',
      summary: 'Checks nothing',
      access: anyone,
      reply: { kind: 'document', schema: Nothing },
      handle: () => ({ kind: 'document', content: {} }),
    });
    const response = await answerOf(t, unconditional, (service) =>
      service.call(method, '/test', { isUndescribed: true }),
    );
    assert.equal(response.status, status);
  });
}

test('a change declared idempotent whose response isn’t stored with it is a 500', async (t) => {
  if (executable !== undefined) return t.skip('needs routes of its own');
  const forgetful = route({
    method: 'POST',
    path: '/test',
    tag: 'Test',
    summary: 'Changes something',
    access: anyone,
    acceptsIdempotencyKey: true,
    body: Nothing,
    reply: { kind: 'document', schema: Nothing },
    handle: (call) => call.write(() => ({ kind: 'document', content: {} })),
  });
  const response = await answerOf(t, forgetful, (service) =>
    service.post('/test', { body: {}, headers: { 'idempotency-key': 'a' }, isUndescribed: true }),
  );
  assert.equal(response.status, 500);
});

async function answerOf(
  t: Parameters<typeof serviceFor>[0],
  extra: Route,
  ask: (service: TestService) => Promise<TestResponse>,
): Promise<TestResponse> {
  return ask(await serviceFor(t, { extraRoutes: [extra] }));
}
