// Incomplete bodies take bounded memory, also in total.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { BodyMemory, RequestBody } from '../../../src/http/requests/request-body.ts';
import { networkOf } from '../../../src/base/addresses.ts';
import { until } from '../../support/storage-support.ts';
import { openRaw, type RawConnection } from '../../support/raw-connection.ts';

const crlf = '\r\n';
const chunk = (text: string): string => `${text.length.toString(16)}${crlf}${text}${crlf}`;
const headFrom = (address: string): string =>
  ['POST / HTTP/1.1', 'Host: localhost', `From: ${address}`, 'Transfer-Encoding: chunked', '', ''].join(crlf);
const head = headFrom('192.0.2.1');
const byNetwork = { networkOf: ({ headers }: IncomingMessage) => networkOf(headers.from ?? '') };

type Receive = (request: IncomingMessage, response: ServerResponse, respond: (text: string) => void) => void;

/** A server that answers each body with its length, or with the code of its problem. */
function lengths(t: TestContext, memory: BodyMemory): Promise<() => Promise<RawConnection>> {
  return serverFor(t, (request, response, respond) =>
    new RequestBody(request, response, { memory, streamedBytesMax: undefined }).deliver(
      (body) => respond(String(body.length)),
      ({ code }) => respond(code),
    ),
  );
}

/** The same for routes that begin to read a body when `begin` resolves, each in one piece. */
function streamedLengths(t: TestContext, memory: BodyMemory, begin: Promise<void>) {
  return serverFor(t, (request, response, respond) => {
    const body = new RequestBody(request, response, { memory, streamedBytesMax: 100_000 });
    const read = async (): Promise<string> => {
      await begin;
      body.begin();
      return String((await body.next())?.length);
    };
    read().then(respond, ({ code }) => respond(code));
  });
}

async function serverFor(t: TestContext, receive: Receive): Promise<() => Promise<RawConnection>> {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    receive(request, response, (text) => {
      response.setHeader('Content-Length', text.length);
      response.end(text);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connections: RawConnection[] = [];
  t.after(() => {
    for (const { socket } of connections) socket.destroy();
    server.close();
  });
  return async () => {
    const connection = await openRaw((server.address() as AddressInfo).port); // it listens on TCP
    connections.push(connection);
    return connection;
  };
}

test('pieces of a body share one buffer, which is released at its end', async (t) => {
  const memory = new BodyMemory(byNetwork);
  const connection = await (await lengths(t, memory))();
  connection.write(head + chunk('abcd').repeat(250));
  await until(() => memory.bytes === 1024);
  connection.write(chunk('abcd').repeat(250));
  await until(() => memory.bytes === 2048);
  connection.write(chunk(''));
  assert.equal((await connection.response()).text, '2000');
  assert.equal(memory.bytes, 0);
});

test('incomplete bodies are bounded in total: one beyond that is unavailable', async (t) => {
  const memory = new BodyMemory({
    ...byNetwork,
    bounds: { total: 3000, perClient: 3000 },
  });
  const open = await lengths(t, memory);
  const [first, second] = [await open(), await open()];
  first.write(head + chunk('x'.repeat(2000)));
  await until(() => memory.bytes === 2000);
  second.write(head + chunk('x'.repeat(2000)));
  assert.equal((await second.response()).text, 'unavailable');
  first.write(chunk(''));
  assert.equal((await first.response()).text, '2000');
});

for (const [whose, first, other] of [
  ['one address', '192.0.2.1', '192.0.2.1'],
  ['one /48', '2001:db8::1', '2001:db8:0:1::1'],
] as const) {
  test(`bodies from ${whose} leave room for those of others`, async (t) => {
    const memory = new BodyMemory({ ...byNetwork, bounds: { total: 10_000, perClient: 2_000 } });
    const open = await lengths(t, memory);
    const [held, oneMore, another] = [await open(), await open(), await open()];
    held.write(headFrom(first) + chunk('x'.repeat(2_000)));
    await until(() => memory.bytes === 2_000);
    oneMore.write(headFrom(other) + chunk('x'.repeat(2_000)));
    assert.equal((await oneMore.response()).text, 'unavailable');
    another.write(headFrom('198.51.100.1') + chunk('x'.repeat(2_000)) + chunk(''));
    assert.equal((await another.response()).text, '2000');
    held.write(chunk(''));
    assert.equal((await held.response()).text, '2000');
    assert.equal(memory.bytes, 0);
  });
}

test('a body that ends early releases its memory', async (t) => {
  const memory = new BodyMemory(byNetwork);
  const connection = await (await lengths(t, memory))();
  connection.write(head + chunk('x'.repeat(2000)));
  await until(() => memory.bytes === 2000);
  connection.socket.destroy();
  await until(() => memory.bytes === 0);
});

test('a streamed body takes memory until its route has read it', async (t) => {
  const memory = new BodyMemory(byNetwork);
  const { promise, resolve } = Promise.withResolvers<void>();
  const connection = await (await streamedLengths(t, memory, promise))();
  connection.write(head + chunk('x'.repeat(2000)) + chunk('x').repeat(10));
  await until(() => memory.bytes >= 2010);
  resolve();
  assert.equal((await connection.response()).text, '2010');
  assert.equal(memory.bytes, 0);
});

test('streamed bodies that nothing reads yet share the bound of all bodies', async (t) => {
  let pieces = 0;
  const memory = new BodyMemory({
    ...byNetwork,
    onPiece: () => (pieces += 1),
    bounds: { total: 3000, perClient: 3000 },
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  const open = await streamedLengths(t, memory, promise);
  const [first, second] = [await open(), await open()];
  first.write(head + chunk('x'.repeat(2000)));
  await until(() => pieces === 1);
  second.write(head + chunk('x'.repeat(2000)));
  await until(() => pieces === 2);
  resolve();
  assert.equal((await second.response()).text, 'unavailable');
  assert.equal((await first.response()).text, '2000');
  await until(() => memory.bytes === 0);
});

test('a streamed body that ends early, before it is read, releases its memory', async (t) => {
  const memory = new BodyMemory(byNetwork);
  const connection = await (await streamedLengths(t, memory, new Promise(() => {})))();
  connection.write(head + chunk('x'.repeat(2000)));
  await until(() => memory.bytes >= 2000);
  connection.socket.destroy();
  await until(() => memory.bytes === 0);
});

test('a streamed body whose client goes before its route reads it releases its memory', async (t) => {
  const memory = new BodyMemory(byNetwork);
  const begun = Promise.withResolvers<void>();
  const open = await serverFor(t, (request, response) => {
    new RequestBody(request, response, { memory, streamedBytesMax: 100_000 }).begin();
    begun.resolve();
  });
  const connection = await open();
  connection.write(head + chunk('abcd'));
  await begun.promise;
  await until(() => memory.bytes > 0);
  connection.socket.destroy();
  await until(() => memory.bytes === 0);
});
