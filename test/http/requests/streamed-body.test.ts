// Bodies that a route reads as they arrive: past the bound of other bodies, within its own.
import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { signedIn } from '../../../src/auth/access.ts';
import { route } from '../../../src/http/routing/route.ts';
import { integer, object } from '../../../src/schema/schema.ts';
import { chunk, impatient, live, request, serverBefore } from '../../support/connection-support.ts';
import { assertProblem, assertStatus } from '../../support/http-support.ts';
import { askRaw, openRaw } from '../../support/raw-connection.ts';
import { insideOnly, serviceFor } from '../../support/service.ts';
import { until } from '../../support/storage-support.ts';

const bytesMax = 1024 * 1024;
const plain = { 'content-type': 'text/plain' };
const declaration = {
  method: 'POST',
  path: '/counted',
  tag: 'Service',
  summary: 'Count bytes',
  access: signedIn,
  scope: 'any',
  streamedBody: { bytesMax, contents: { 'text/plain': { description: 'Any bytes.', example: 'a' } } },
} as const;

/** A service with a route that counts the bytes it receives, which awaits `gate` before each piece; and requests to it. */
async function counting(t: TestContext, gate: () => Promise<unknown> = nextTurn) {
  const counted = route({
    ...declaration,
    reply: {
      kind: 'document',
      schema: object({ bytes: integer({ minimum: 0 }), largest: integer({ minimum: 0 }) }),
    },
    async handle({ streamedBody }) {
      let [bytes, largest] = [0, 0];
      for (;;) {
        await gate();
        const piece = await streamedBody?.next();
        if (piece === undefined) return { kind: 'document', content: { bytes, largest } };
        bytes += piece.length;
        largest = Math.max(largest, piece.length);
      }
    },
  });
  const service = await serviceFor(t, { extraRoutes: [counted] });
  const { token } = await service.person();
  const head = (field: string, path = '/counted', type = 'text/plain'): string =>
    request(`POST ${path}`, [`Authorization: Bearer ${token}`, `Content-Type: ${type}`, field]);
  return { service, token, head };
}

for (const length of [undefined, 0, 1, 65_536, 65_537, bytesMax])
  test(`a body that is read as it arrives may have ${length ?? 'no'} bytes`, async (t) => {
    const { service, token } = await counting(t);
    const body = length === undefined ? undefined : Buffer.alloc(length, 'a');
    const response = await service.post('/counted', { token, body, headers: plain });
    assert.deepEqual([response.status, response.body.bytes], [200, length ?? 0]);
  });

test('a streamed body is complete if the client ends its side of the connection after it', async (t) => {
  const { service, head } = await counting(t, async () => {
    for (let turns = 0; turns < 100; turns += 1) await nextTurn();
  });
  using connection = await openRaw(service.port);
  connection.socket.end(`${head('Content-Length: 400000')}${'a'.repeat(400_000)}`);
  assert.equal((await connection.response()).body.bytes, 400_000);
});

test('a body that is read as it arrives is read no faster than its route reads it', async (t) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { service, token } = await counting(t, () => promise);
  const sent = service.post('/counted', { token, body: Buffer.alloc(bytesMax), headers: plain });
  for (let index = 0; index < 20; index += 1) await assertStatus(service.get('/health/live'), 200);
  resolve();
  const { body } = await sent;
  assert.equal(body.bytes, bytesMax);
  assert.ok(body.largest <= 2 * 65_536, `${body.largest} bytes were read ahead`);
});

test('a body that is read as it arrives is asked for by 100 Continue, and leaves the connection to the next', async (t) => {
  const { service, head } = await counting(t);
  using connection = await openRaw(service.port);
  connection.write(head('Content-Length: 3\r\nExpect: 100-continue'));
  await assertStatus(connection.response(), 100);
  connection.write('abc');
  assert.equal((await connection.response()).body.bytes, 3);
  connection.write(`${head('Content-Length: 3')}abc`);
  assert.equal((await connection.response()).body.bytes, 3);
});

test(
  'a body that is read as it arrives has a time limit only once its response is sent',
  insideOnly,
  async (t) => {
    const { service, head } = await counting(t);
    const { port } = await serverBefore(t, service, impatient);
    using slow = await openRaw(port);
    slow.write(`${head('Content-Length: 2')}a`);
    const other = await askRaw(port, head('Content-Length: 2', '/customers', 'application/json'));
    assert.equal(other.status, 408); // by now the slow one would have been read as well
    slow.write('b');
    assert.equal((await slow.response()).body.bytes, 2);
    using rejected = await openRaw(port);
    rejected.write(`${head('Content-Length: 2', '/counted?colour=red')}a`);
    assertProblem(await rejected.response(), 'validation-failed', 400);
    assert.equal(await rejected.closed, '');
  },
);

test('a body that would be read as it arrives is rejected of a stranger, of another type, or with too much', async (t) => {
  const { service, token, head } = await counting(t);
  const body = Buffer.alloc(100_000);
  assertProblem(await service.post('/counted', { body, headers: plain }), 'unauthenticated');
  assertProblem(await service.post('/counted', { token, body: '{}' }), 'unsupported-media-type');
  const tooMuch = { token, body: Buffer.alloc(bytesMax + 1), headers: plain };
  assertProblem(await service.post('/counted', tooMuch), 'content-too-large');
  const chunks = chunk('a'.repeat(65_536)).repeat(17) + chunk('');
  const response = await askRaw(service.port, head('Transfer-Encoding: chunked') + chunks);
  assertProblem(response, 'content-too-large');
});

test('a streamed body rejected while it is read leaves the connection to the next request', async (t) => {
  const { service, head } = await counting(t);
  const length = 400_000;
  for (const begin of [0, length / 2, length]) {
    using connection = await openRaw(service.port);
    connection.write(head(`Content-Length: ${length}`, '/counted?colour=red') + 'a'.repeat(begin));
    assertProblem(await connection.response(), 'validation-failed', 400);
    connection.write('a'.repeat(length - begin) + live);
    await assertStatus(connection.response(), 200);
  }
});

test('a route gets what has arrived of a body before it learns that the client is gone', async (t) => {
  const [gate, begun, ended] = [0, 1, 2].map(() => Promise.withResolvers<void>());
  const received: string[] = [];
  const reading = route({
    ...declaration,
    reply: { kind: 'none' },
    async handle({ streamedBody }) {
      begun?.resolve();
      await gate?.promise;
      try {
        for (;;) received.push(String(await streamedBody?.next()));
      } finally {
        ended?.resolve();
      }
    },
  });
  const service = await serviceFor(t, { extraRoutes: [reading] });
  const { token } = await service.person();
  using connection = await openRaw(service.port);
  const fields = [`Authorization: Bearer ${token}`, 'Content-Type: text/plain', 'Content-Length: 100'];
  connection.write(request('POST /counted', fields, 'one line'));
  await begun?.promise;
  await service.get('/health/live'); // by then the line has arrived
  connection.socket.resetAndDestroy();
  await until(() => service.inside?.metricsText().includes('orderly_connections 1\n') !== false);
  gate?.resolve();
  await ended?.promise;
  assert.deepEqual(received, ['one line']);
});
