// Header fields of responses: no value can add another one; and what handlers must not omit.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { anyone } from '../../../src/auth/access.ts';
import { sharedText } from '../../../src/http/responses/shared-document.ts';
import { route, type Route } from '../../../src/http/routing/route.ts';
import { object } from '../../../src/schema/schema.ts';
import { insideOnly, serviceFor, type Call, type TestResponse } from '../../support/service.ts';

const Nothing = object({});
const of = { path: '/test', tag: 'Test', summary: 'Of a test', access: anyone } as const;

test('no value of a header field can add another one', insideOnly, async (t) => {
  for (const [value, isAllowed] of [
    ['one\r\nX-Smuggled: 1', false],
    ['one\nX-Smuggled: 1', false],
    ['one\rX-Smuggled: 1', false],
    ['one\0two', false],
    ['caf\u00e9\tau lait', true],
    ['\u20ac', false],
  ] as const) {
    const sending = route({
      ...of,
      method: 'GET',
      reply: { kind: 'shared document', mediaTypes: ['text/html'], cacheControl: 'no-store' },
      handle: () => sharedText('<!doctype html>', { mediaType: 'text/html', fields: ['X-Value', value] }),
    });
    const response = await answerOf(t, sending);
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
  test(`a ${method} whose handler checks no precondition is ${status}`, insideOnly, async (t) => {
    const unconditional = route({
      ...of,
      method,
      reply: { kind: 'document', schema: Nothing },
      handle: () => ({ kind: 'document', content: {} }),
    });
    const response = await answerOf(t, unconditional);
    assert.equal(response.status, status);
  });
}

test('a PATCH whose handler checks no precondition changes nothing', insideOnly, async (t) => {
  let hasRun = false;
  let isDurable = false;
  const unconditional = route({
    ...of,
    method: 'PATCH',
    reply: { kind: 'document', schema: Nothing },
    async handle(call) {
      await call.write(() => void (hasRun = true));
      isDurable = true;
      return { kind: 'document', content: {} };
    },
  });
  assert.equal((await answerOf(t, unconditional)).status, 500);
  assert.deepEqual({ hasRun, isDurable }, { hasRun: true, isDurable: false });
});

test('a change declared idempotent whose response isn’t stored with it is a 500', insideOnly, async (t) => {
  const forgetful = route({
    ...of,
    method: 'POST',
    acceptsIdempotencyKey: true,
    body: Nothing,
    reply: { kind: 'document', schema: Nothing },
    handle: (call) => call.write(() => ({ kind: 'document', content: {} })),
  });
  const response = await answerOf(t, forgetful, { body: {}, headers: { 'idempotency-key': 'a' } });
  assert.equal(response.status, 500);
});

async function answerOf(t: TestContext, extra: Route, call: Call = {}): Promise<TestResponse> {
  const service = await serviceFor(t, { extraRoutes: [extra] });
  return service.call(extra.method, extra.path, { ...call, isUndescribed: true });
}
