// Bodies that a route reads as they arrive: past the bound of other bodies, within its own.
import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, test, type TestContext } from 'node:test';
import { signedIn } from '../../../src/auth/access.ts';
import { route } from '../../../src/http/routing/route.ts';
import { integer, object } from '../../../src/schema/schema.ts';
import { impatient, request, serverBefore } from '../../support/connection-support.ts';
import { insideOnly, serviceFor, type TestService } from '../../support/service.ts';
import { until } from '../../support/storage-support.ts';
import { assertProblem, assertStatus } from '../../support/http-support.ts';
import { askRaw, openRaw } from '../../support/raw-connection.ts';

const bytesMax = 1024 * 1024;
const Sum = object({ bytes: integer({ minimum: 0 }), largest: integer({ minimum: 0 }) });
const declaration = {
  method: 'POST',
  path: '/counted',
  tag: 'Service',
  summary: 'Count bytes',
  access: signedIn,
  scope: 'any',
  streamedBody: { bytesMax, contents: { 'text/plain': { description: 'Any bytes.', example: 'a' } } },
} as const;

/** Counts the bytes it receives; awaits `gate` before each piece. */
function counting(gate: () => Promise<unknown>) {
  return route({
    ...declaration,
    reply: { kind: 'document', schema: Sum },
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
}

async function countingService(t: TestContext, gate = nextTurn as () => Promise<unknown>) {
  const service = await serviceFor(t, { extraRoutes: [counting(gate)] });
  const { token } = await service.person();
  return { service, token };
}

const plain = { 'content-type': 'text/plain' };
const headOf = (token: string, more: string): string =>
  `POST /counted HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n` +
  `Content-Type: text/plain\r\n${more}\r\n`;

async function sendRaw({ port }: TestService, bytes: string | Buffer) {
  const connection = await openRaw(port);
  connection.write(bytes);
  return connection;
}

describe('a body that is read as it arrives', () => {
  for (const length of [0, 1, 65_536, 65_537, bytesMax])
    test(`a body that is read as it arrives may have ${length} bytes`, async (t) => {
      const { service, token } = await countingService(t);
      const call = { token, body: Buffer.alloc(length, 'a'), headers: plain };
      const { status, body } = await service.post('/counted', call);
      assert.deepEqual([status, body.bytes], [200, length]);
    });

  test('a streamed body is complete if the client ends its side of the connection after it', async (t) => {
    const length = 400_000;
    const slow = async (): Promise<void> => {
      for (let turns = 0; turns < 100; turns += 1) await nextTurn();
    };
    const { service, token } = await countingService(t, slow);
    const { socket, response } = await openRaw(service.port);
    socket.end(`${headOf(token, `Content-Length: ${length}\r\n`)}${'a'.repeat(length)}`);
    const { status, body } = await response();
    assert.deepEqual([status, body.bytes], [200, length]);
  });

  test('a body that is read as it arrives may be omitted', async (t) => {
    const { service, token } = await countingService(t);
    const { status, body } = await service.post('/counted', { token, headers: plain });
    assert.deepEqual([status, body.bytes], [200, 0]);
  });

  test('a body that is read as it arrives is read no faster than its route reads it', async (t) => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const { service, token } = await countingService(t, () => promise);
    const sent = service.post('/counted', { token, body: Buffer.alloc(bytesMax), headers: plain });
    for (let index = 0; index < 20; index += 1) await assertStatus(service.get('/health/live'), 200);
    resolve(undefined);
    const { body } = await sent;
    assert.equal(body.bytes, bytesMax);
    assert.ok(body.largest <= 2 * 65_536, `${body.largest} bytes were read ahead`);
  });

  test('a body that is read as it arrives is requested with 100 Continue if the client waits for that', async (t) => {
    const { service, token } = await countingService(t);
    using connection = await sendRaw(service, headOf(token, 'Content-Length: 3\r\nExpect: 100-continue\r\n'));
    await assertStatus(connection.response(), 100);
    connection.write('abc');
    assert.equal((await connection.response()).body.bytes, 3);
  });

  test('a body that is read as it arrives leaves the connection to the next request', async (t) => {
    const { service, token } = await countingService(t);
    const request = `${headOf(token, 'Content-Length: 3\r\n')}abc`;
    using connection = await sendRaw(service, request);
    assert.equal((await connection.response()).body.bytes, 3);
    connection.write(request);
    assert.equal((await connection.response()).body.bytes, 3);
  });

  test('a body that is read as it arrives has no limit of the server', insideOnly, async (t) => {
    const { service, token } = await countingService(t);
    const { port } = await serverBefore(t, service, impatient);
    using slow = await openRaw(port);
    slow.write(`${headOf(token, 'Content-Length: 2\r\n')}a`);
    const json = headOf(token, 'Content-Length: 2\r\n').replace('/counted', '/customers');
    const other = await askRaw(port, json.replace('text/plain', 'application/json'));
    assert.equal(other.status, 408); // by now the slow one would have been read as well
    slow.write('b');
    assert.equal((await slow.response()).body.bytes, 2);
  });

  test('once a response is sent, the rest of its body has a time limit', insideOnly, async (t) => {
    const { service, token } = await countingService(t);
    using slow = await openRaw((await serverBefore(t, service, impatient)).port);
    const head = headOf(token, 'Content-Length: 2\r\n').replace('/counted', '/counted?colour=red');
    slow.write(`${head}a`);
    assertProblem(await slow.response(), 'validation-failed', 400);
    assert.equal(await slow.closed, '');
  });
});

describe('a body that would be read as it arrives is rejected', () => {
  test('a stranger’s streamed body is rejected, and no more of it is read than of other bodies', async (t) => {
    const { service } = await countingService(t);
    const body = Buffer.alloc(100_000);
    assertProblem(await service.post('/counted', { body, headers: plain }), 'unauthenticated', 401);
    await assertStatus(service.get('/health/live'), 200);
  });

  test('a body that would be read as it arrives is rejected with another media type, or if it announces too many bytes', async (t) => {
    const { service, token } = await countingService(t);
    assertProblem(await service.post('/counted', { token, body: '{}' }), 'unsupported-media-type');
    const call = { token, body: Buffer.alloc(bytesMax + 1), headers: plain };
    assertProblem(await service.post('/counted', call), 'content-too-large');
  });

  test('a body that would be read as it arrives is rejected if it has too much without announcing it', async (t) => {
    const { service, token } = await countingService(t);
    const chunks = `10000\r\n${'a'.repeat(65_536)}\r\n`.repeat(17);
    const bytes = `${headOf(token, 'Transfer-Encoding: chunked\r\n')}${chunks}0\r\n\r\n`;
    using connection = await sendRaw(service, bytes);
    assertProblem(await connection.response(), 'content-too-large', 413);
  });

  test('a streamed body rejected while it is read leaves the connection to the next request', async (t) => {
    const { service, token } = await countingService(t);
    const length = 400_000;
    const head = headOf(token, `Content-Length: ${length}\r\n`).replace('/counted', '/counted?colour=red');
    for (const begin of ['', 'a'.repeat(length / 2), 'a'.repeat(length)]) {
      using connection = await sendRaw(service, head + begin);
      assertProblem(await connection.response(), 'validation-failed', 400);
      connection.write(
        'a'.repeat(length - begin.length) + request('GET /health/live', ['Connection: close']),
      );
      await assertStatus(connection.response(), 200);
      assert.equal(await connection.closed, '');
    }
  });
});

test('a route gets what has arrived of a body before it learns that the client is gone', async (t) => {
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const received: string[] = [];
  const reading = route({
    ...declaration,
    reply: { kind: 'none' },
    async handle({ streamedBody }) {
      begun.resolve();
      await gate.promise;
      try {
        for (;;) received.push(String(await streamedBody?.next()));
      } finally {
        ended.resolve();
      }
    },
  });
  const service = await serviceFor(t, { extraRoutes: [reading] });
  const { token } = await service.person();
  using connection = await sendRaw(service, `${headOf(token, 'Content-Length: 100\r\n')}one line`);
  await begun.promise;
  await service.get('/health/live'); // by then the line has arrived
  connection.socket.resetAndDestroy();
  await until(() => service.inside?.app.metricsText().includes('orderly_connections 1\n') !== false);
  gate.resolve();
  await ended.promise;
  assert.deepEqual(received, ['one line']);
});
