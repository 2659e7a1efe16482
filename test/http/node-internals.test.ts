// Undocumented behaviour of Node, on a plain server of `node:http`.
import assert from 'node:assert/strict';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import {
  dropRestOfRead,
  hasConnection,
  interceptConnections,
  keepIdleConnectionsOpen,
  keepPausedWhile,
  onceConnected,
  stopReadingWhilePaused,
  takeFromParser,
  watchReads,
} from '../../src/http/node-internals.ts';
import { chunk, get, listening, post } from './plain-server.ts';
import { until } from '../storage/storage-support.ts';
import { openRaw } from './raw-connection.ts';

test('bytes that arrive on a connection taken from the parser are read and not parsed', async (t) => {
  const received: string[] = [];
  let bytesRead = (): number => 0;
  const port = await listening(t, (request) => {
    bytesRead = () => request.socket.bytesRead;
    request.on('error', () => {
      /* it is cut off */
    });
    request.on('data', (piece: Buffer) => {
      received.push(piece.toString());
      if (received.length === 1) takeFromParser(request.socket, () => {});
    });
  });
  const connection = await openRaw(port);
  connection.write(post + chunk);
  await until(() => received.length === 1);
  const before = bytesRead();
  connection.write(chunk.repeat(1_000));
  await until(() => bytesRead() === before + 6_000);
  assert.deepEqual(received, ['x']);
  connection.socket.destroy();
});

test('a connection taken from the parser is not read while it is paused', async (t) => {
  let taken: Socket | undefined;
  const port = await listening(t, ({ socket }, response) => {
    response.end();
    if (taken !== undefined) return;
    taken = socket;
    takeFromParser(socket, () => {});
    stopReadingWhilePaused(socket);
    response.once('finish', () => setImmediate(() => socket.pause())); // node:http resumes it then
  });
  const connection = await openRaw(port);
  connection.write(post);
  await until(() => taken?.isPaused() === true);
  const before = taken?.bytesRead ?? 0;
  connection.write(chunk);
  const other = await openRaw(port);
  other.write(get);
  await other.response();
  assert.equal(taken?.bytesRead, before);
  taken?.resume();
  await until(() => taken?.bytesRead === before + chunk.length);
  for (const { socket } of [connection, other]) socket.destroy();
});

test('the rest of a read can be dropped, and the parser serves the next connection', async (t) => {
  const received: string[] = [];
  const port = await listening(t, (request, response) => {
    request.on('error', () => {
      /* it is cut off */
    });
    request.on('data', (piece: Buffer) => {
      if (received.push(piece.toString()) === 3) dropRestOfRead(request.socket);
    });
    request.on('end', () => response.end('whole'));
  });
  const first = await openRaw(port);
  first.write(post + chunk.repeat(10));
  await until(() => received.length > 0);
  first.write('0\r\n\r\n');
  assert.equal((await first.response()).text, 'whole');
  assert.deepEqual(received, ['x', 'x', 'x']);
  first.socket.end();
  await first.closed;
  const second = await openRaw(port);
  second.write(post + chunk.repeat(2) + '0\r\n\r\n');
  assert.equal((await second.response()).text, 'whole');
  assert.equal(received.length, 5);
  second.socket.destroy();
});

test('the end of a connection taken from the parser is left to its new reader', async (t) => {
  const ended = Promise.withResolvers<string>();
  const port = await listening(t, (request, response) => {
    response.shouldKeepAlive = false;
    takeFromParser(request.socket, () => {
      ended.resolve('by us');
      request.socket.end();
    });
    response.end('enough');
  });
  const connection = await openRaw(port);
  connection.write(post + chunk);
  assert.equal((await connection.response()).text, 'enough');
  assert.equal(await ended.promise, 'by us');
  connection.socket.destroy();
});

test('a client that has ended its side gets its response', async (t) => {
  const port = await listening(t, (request, response) => {
    request.socket.once('end', () => response.end('late'));
  });
  const connection = await openRaw(port);
  connection.socket.end('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  assert.equal((await connection.response()).text, 'late');
});

test('a connection that is not accepted is never parsed, and one that is accepted is served', async (t) => {
  const accepts: (() => void)[] = [];
  const port = await listening(
    t,
    (_, response) => response.end('served'),
    (server) => interceptConnections(server, (_, accept) => accepts.push(accept)),
  );
  const connection = await openRaw(port);
  connection.write(get);
  await until(() => accepts.length === 1);
  accepts[0]?.();
  assert.equal((await connection.response()).text, 'served');
  connection.socket.destroy();
});

test('a server that closes leaves idle connections open', async (t) => {
  let closing: Server | undefined;
  const port = await listening(
    t,
    (_, response) => response.end('served'),
    (server) => (closing = server),
  );
  const connection = await openRaw(port);
  connection.write(get);
  await connection.response();
  assert.ok(closing !== undefined);
  keepIdleConnectionsOpen(closing);
  closing.close();
  connection.write(get);
  assert.equal((await connection.response()).text, 'served');
  connection.socket.destroy();
});

test('a pipelined response gets the connection once the one before it has left', async (t) => {
  const order: string[] = [];
  const responses: ServerResponse[] = [];
  const port = await listening(t, (_, response) => {
    responses.push(response);
    order.push(hasConnection(response) ? 'connected' : 'waiting');
    if (!hasConnection(response)) onceConnected(response, () => void response.end('second'));
  });
  const connection = await openRaw(port);
  connection.write(get + get);
  await until(() => order.length === 2);
  assert.deepEqual(order, ['connected', 'waiting']);
  responses[0]?.end('first');
  assert.equal((await connection.response()).text, 'first');
  assert.equal((await connection.response()).text, 'second');
  connection.socket.destroy();
});

test('a connection that has to stay paused is not read, whatever resumes it', async (t) => {
  const sockets: Socket[] = [];
  let isPaused = true;
  const port = await listening(t, ({ socket }, response) => {
    if (sockets.length === 0) keepPausedWhile(socket, () => isPaused);
    if (isPaused) socket.pause();
    sockets.push(socket);
    setImmediate(() => response.end('served'));
  });
  const connection = await openRaw(port);
  connection.write(get);
  assert.equal((await connection.response()).text, 'served');
  connection.write(get);
  for (let turn = 0; turn < 20; turn += 1) (await openRaw(port)).socket.destroy();
  assert.equal(sockets.length, 1);
  isPaused = false;
  sockets[0]?.resume();
  assert.equal((await connection.response()).text, 'served');
  connection.socket.destroy();
});

test('each read is reported once the parser has parsed it', async (t) => {
  let reads = 0;
  const port = await listening(
    t,
    (_, response) => response.end('served'),
    (server) => server.on('connection', (socket) => watchReads(socket, () => void (reads += 1))),
  );
  const connection = await openRaw(port);
  connection.write(get);
  assert.equal((await connection.response()).text, 'served');
  connection.write(get.slice(0, 20));
  await until(() => reads === 2);
  connection.write(get.slice(20));
  assert.equal((await connection.response()).text, 'served');
  connection.write('nonsense');
  await connection.closed;
  assert.equal(reads, 4);
  connection.socket.destroy();
});
