// Undocumented behaviour of Node, on a plain server of `node:http`.
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import {
  dropRestOfRead,
  interceptConnections,
  keepPausedWhile,
  watchReads,
} from '../../../src/http/connections/node-internals.ts';
import { chunk, get, listening, post } from '../../support/plain-server.ts';
import { until } from '../../support/storage-support.ts';
import { openRaw } from '../../support/raw-connection.ts';

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
