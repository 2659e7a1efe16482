// Requests of one connection run one after another, and unread responses are bounded.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { anyone, signedIn } from '../../../src/auth/access.ts';
import { waitingBytesMax, waitingRequestsMax } from '../../../src/http/connections/http-connection.ts';
import type { Document } from '../../../src/http/routing/reply.ts';
import { route } from '../../../src/http/routing/route.ts';
import { live, request } from '../../support/connection-support.ts';
import { assertStatus, sampleOf } from '../../support/http-support.ts';
import { openRaw } from '../../support/raw-connection.ts';
import { insideOnly, serviceFor, type Person, type TestService } from '../../support/service.ts';
import { until } from '../../support/storage-support.ts';

const get = (path: string, ...fields: string[]): string => request(`GET ${path}`, fields);
const about = { method: 'GET', tag: 'Test', summary: 'Of a test' } as const;

/** A service with a route at /test/gate that answers when the test calls `open`, and counts its requests. */
async function gated(t: TestContext) {
  const asked: PromiseWithResolvers<Document<unknown>>[] = [];
  let isOpen = false;
  const open = (index: number): void => asked[index]?.resolve({ kind: 'document', content: { index } });
  const gate = route({
    ...about,
    path: '/test/gate',
    access: anyone,
    reply: { kind: 'document' },
    handle() {
      const waiting = Promise.withResolvers<Document<unknown>>();
      asked.push(waiting);
      if (isOpen) open(asked.length - 1);
      return waiting.promise;
    },
  });
  const openAll = (): void => {
    isOpen = true;
    for (const index of asked.keys()) open(index);
  };
  return { service: await serviceFor(t, { extraRoutes: [gate] }), asked, open, openAll };
}

/** A service with a route whose responses have as many megabytes as its path says, which counts its requests. */
async function large(t: TestContext) {
  const counted = { asked: 0 };
  const fat = route({
    ...about,
    path: '/test/large/{id}',
    access: signedIn,
    scope: 'any',
    reply: { kind: 'document' },
    handle({ params }) {
      counted.asked += 1;
      return { kind: 'document', content: { x: 'x'.repeat(params.id * 1_000_000) } };
    },
  });
  const streamed = route({
    ...about,
    path: '/test/stream',
    access: signedIn,
    scope: 'any',
    reply: { kind: 'stream', mediaTypes: ['text/plain'] },
    handle: () => ({
      kind: 'stream',
      mediaType: 'text/plain',
      start: (stream) => stream.write(Buffer.alloc(20_000_000)),
    }),
  });
  return { service: await serviceFor(t, { extraRoutes: [fat, streamed] }), counted };
}

describe('requests of one connection', () => {
  test('requests of a connection start once the response before them has left', async (t) => {
    const { service, asked, open } = await gated(t);
    using connection = await openRaw(service.port);
    connection.write(get('/test/gate').repeat(3));
    for (let index = 0; index < 3; index += 1) {
      await until(() => asked.length > index);
      await service.get('/health/live'); // a turn in which another could have started
      assert.equal(asked.length, index + 1);
      open(index);
      assert.equal((await connection.response()).body.index, index);
    }
  });

  test('waiting requests get their responses before the connection is rejected or ends', async (t) => {
    const { service, asked, open } = await gated(t);
    const expecting = ['Expect: 100-continue', 'Content-Length: 2'];
    for (const [end, status] of [
      ['nonsense\r\n\r\n', 400],
      [get('/health/live', 'Expect: a miracle'), 417],
      [request('POST /api/users', expecting), 415],
      [request('POST /api/users', [...expecting, 'Content-Type: application/json']), 100],
      ['', undefined],
    ] as const) {
      asked.splice(0);
      using connection = await openRaw(service.port);
      connection.write(`${get('/test/gate')}${get('/problems')}${get('/nowhere')}${end}`);
      if (end === '') connection.socket.end();
      await until(() => asked.length > 0);
      open(0);
      assert.equal((await connection.response()).body.index, 0);
      assert.deepEqual(await connection.statuses(2), [200, 404]);
      if (status === undefined) assert.equal(await connection.closed, '');
      else await assertStatus(connection.response(), status);
    }
  });

  test('a response that is sent while the service stops is the last of its connection', async (t) => {
    const { service, asked, open } = await gated(t);
    using connection = await openRaw(service.port);
    connection.write(get('/test/gate'));
    await until(() => asked.length > 0);
    const stopped = service.stop();
    open(0);
    assert.equal((await connection.response()).headers['connection'], 'close');
    assert.equal(await connection.closed, '');
    await stopped;
  });

  test('waiting requests never start once their client is gone', async (t) => {
    const { service, asked, open } = await gated(t);
    using connection = await openRaw(service.port);
    connection.write(get('/test/gate').repeat(2));
    await until(() => asked.length > 0);
    connection.socket.resetAndDestroy();
    open(0);
    await service.get('/health/live');
    assert.equal(asked.length, 1);
  });

  test('waiting requests of a connection are bounded: with one more the connection is closed', async (t) => {
    const { service, asked, openAll } = await gated(t);
    using within = await openRaw(service.port);
    using beyond = await openRaw(service.port);
    within.write(get('/test/gate').repeat(1 + waitingRequestsMax));
    beyond.write(get('/test/gate').repeat(2 + waitingRequestsMax));
    assert.equal(await beyond.closed, '');
    assert.equal(asked.length, 2);
    assert.equal(await cutFor(service, 'pipelined'), 1);
    openAll();
    assert.deepEqual(new Set(await within.statuses(1 + waitingRequestsMax)), new Set([200]));
  });

  test('waiting requests of a connection are bounded in their bytes, too', async (t) => {
    const { service, asked } = await gated(t);
    using beyond = await openRaw(service.port);
    const asking = get('/test/gate', `X-Padding: ${'x'.repeat(8_000)}`);
    beyond.write(asking.repeat(Math.ceil((3 * waitingBytesMax) / 8_000)));
    assert.equal(await beyond.closed, '');
    assert.equal(asked.length, 1);
    assert.equal(await cutFor(service, 'pipelined'), 1);
  });

  test('requests of one connection are not handled while their client reads nothing', async (t) => {
    const { service, counted } = await large(t);
    const { token } = await service.person();
    using deaf = await openRaw(service.port);
    deaf.socket.pause();
    deaf.write(get('/test/large/2', `Authorization: Bearer ${token}`).repeat(60));
    for (let index = 0; index < 20; index += 1) await service.get('/health/live');
    assert.ok(counted.asked < 30, `${counted.asked} responses of 2 MB were made for who reads none`);
  });

  test('a request may follow an import at once', async (t) => {
    const service = await serviceFor(t);
    const { token } = await service.person('admin');
    using connection = await openRaw(service.port);
    const fields = [`Authorization: Bearer ${token}`, 'Content-Type: text/csv', 'Content-Length: 20'];
    const post = request('POST /imports?of=customers&dryRun=true', fields, 'name\r\nGrace Hopper\r\n');
    connection.write(post + live);
    assert.deepEqual(await connection.statuses(2), [200, 200]);
  });
});

test('a response that can’t be sent fails alone: others of its turn arrive', insideOnly, async (t) => {
  const asked: (() => void)[] = [];
  const responses = new Map<string | undefined, ServerResponse>();
  const fails = route({
    ...about,
    path: '/test/fails/{id}',
    access: anyone,
    reply: { kind: 'document' },
    async handle(call) {
      await new Promise<void>((resolve) => asked.push(resolve));
      const response = responses.get(call.path) ?? assert.fail();
      const fail = (): never => {
        Reflect.deleteProperty(response, 'headersSent'); // only the first time
        throw new Error('The response can’t be sent.');
      };
      if (call.params.id === 2)
        Object.defineProperty(response, 'headersSent', { get: fail, configurable: true });
      return { kind: 'document', content: {} } as const;
    },
  });
  const service = await serviceFor(t, { extraRoutes: [fails] });
  const { handler } = service.inside ?? assert.fail('it is skipped otherwise');
  const { onRequest } = handler;
  t.mock.method(handler, 'onRequest', (arrived: Parameters<typeof onRequest>[0]) => {
    responses.set(arrived.request.url, arrived.response);
    onRequest.call(handler, arrived);
  });
  const connections = await Promise.all([1, 2, 3, 4].map(() => openRaw(service.port)));
  t.after(() => connections.forEach(({ socket }) => socket.destroy()));
  for (const [index, { write }] of connections.entries()) write(get(`/test/fails/${index + 1}`));
  await until(() => asked.length === 4);
  for (const answer of asked) answer();
  const statuses = await Promise.all(connections.map(async ({ response }) => (await response()).status));
  assert.deepEqual(statuses, [200, 500, 200, 200]);
});

describe('unread responses', () => {
  test('unread responses are bounded in total: the oldest connections end first, and no more than necessary', async (t) => {
    const { service, counted } = await large(t);
    const [bob, eve, ada] = [await service.person(), await service.person(), await service.person()];
    const deaf: Socket[] = [];
    for (const person of [bob, eve, eve, eve, eve]) {
      deaf.push(askFor(service, `/test/large/${person === bob ? 14 : 12}`, person));
      await until(() => counted.asked === deaf.length);
    }
    assert.ok((await bytesOf(askFor(service, '/test/large/20', ada))) > 20_000_000);
    const received = await Promise.all(deaf.map(bytesOf));
    assert.deepEqual(
      received.map((bytes) => bytes > 12_000_000),
      [false, false, true, true, true],
    );
    assert.equal(await cutFor(service, 'unread'), 2);
  });

  test('responses that were read no longer count, and nothing is dropped for them', async (t) => {
    const { service } = await large(t);
    const ada = await service.person();
    for (let index = 0; index < 5; index += 1)
      assert.ok((await bytesOf(askFor(service, '/test/large/20', ada))) > 20_000_000);
    assert.equal(await cutFor(service, 'unread'), 0);
  });

  test('what a client leaves unread of a stream does not count, even after a response that did', async (t) => {
    const { service, counted } = await large(t);
    const eve = await service.person();
    const credential = `Authorization: Bearer ${eve.token}`;
    const socket = connect(service.port);
    socket.write(get('/test/large/20', credential) + get('/test/stream', credential));
    let arrived = 0; // of the response, and of the beginning of the stream
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
      arrived += chunk.length;
      if (arrived >= 20_001_000) break;
    }
    const deaf: Socket[] = [socket];
    while (deaf.length < 4) {
      deaf.push(askFor(service, '/test/large/20', eve));
      await until(() => counted.asked === deaf.length);
    }
    assert.equal(await cutFor(service, 'unread'), 0);
    for (const each of deaf) each.destroy();
  });
});

/** How many connections were cut for this reason. */
function cutFor(service: TestService, reason: 'pipelined' | 'unread'): Promise<number> {
  return sampleOf(service, `orderly_connections_dropped_total{reason="${reason}"}`);
}

/** Sends a request on a connection of its own, which ends with the response, and doesn't read it yet. */
function askFor({ port }: TestService, path: string, { token }: Person): Socket {
  const socket = connect(port);
  socket.write(get(path, `Authorization: Bearer ${token}`, 'Connection: close'));
  return socket;
}

/** How many bytes arrive until the connection ends. */
async function bytesOf(socket: Socket): Promise<number> {
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => void (bytes += chunk.length)).on('error', () => {});
  await new Promise((resolve) => socket.once('close', resolve));
  return bytes;
}
