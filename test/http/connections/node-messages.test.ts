// Undocumented behaviour of Node with requests and responses, on a plain server of `node:http`.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import {
  currentResponse,
  endWithHead,
  receiveDirectly,
} from '../../../src/http/connections/node-internals.ts';
import { until } from '../../support/storage-support.ts';
import { chunk, get, listening, post } from '../../support/plain-server.ts';
import { openRaw } from '../../support/raw-connection.ts';

const heads = {
  200: 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n',
  204: 'HTTP/1.1 204 No Content\r\n',
  304: 'HTTP/1.1 304 Not Modified\r\n',
} as const;

for (const [name, request, status, body] of [
  ['a response', get, 200, 'body'],
  ['one in bytes', get, 200, Buffer.from('body')],
  ['one without a body', get, 204, ''],
  ['one that says that nothing changed', get, 304, ''],
  ['one to HEAD', get.replace('GET', 'HEAD'), 200, 'body'],
] as const)
  for (const isLast of [false, true])
    test(`${name}${isLast ? ', the last,' : ''} is sent alike with a head of text`, async (t) => {
      const end = `Connection: ${isLast ? 'close' : 'keep-alive'}`;
      const sent: string[] = [];
      for (const asText of [true, false]) {
        const port = await listening(t, (_, response) => {
          response.sendDate = false;
          if (asText)
            return endWithHead(response, { status, text: `${heads[status]}${end}\r\n\r\n`, isLast }, body);
          response.shouldKeepAlive = !isLast;
          if (status === 200) response.setHeader('Content-Length', 4);
          response.writeHead(status).end(body, 'latin1');
        });
        sent.push(await bytesOf(port, request, isLast));
      }
      assert.equal(sent[0], sent[1]);
    });

test('a body is received as it is parsed, and the connection continues with the next request', async (t) => {
  const received: string[] = [];
  const port = await listening(t, (request, response) => {
    receiveDirectly(request, {
      onPiece: (bytes) => void received.push(bytes.toString()),
      onEnd: () => response.end(request.complete ? 'whole' : 'incomplete'),
    });
  });
  const connection = await openRaw(port);
  for (let turn = 0; turn < 3; turn += 1) {
    connection.write(post + chunk.repeat(2));
    await until(() => received.length === 4 * turn + 2);
    connection.write(chunk.repeat(2) + '0\r\n\r\n');
    assert.equal((await connection.response()).text, 'whole');
  }
  assert.equal(received.length, 12);
  connection.socket.destroy();
});

test('a body is received to its end even after the response', async (t) => {
  let chunks = 0;
  const ended = Promise.withResolvers<void>();
  const port = await listening(t, (request, response) => {
    receiveDirectly(request, { onPiece: () => (chunks += 1), onEnd: () => ended.resolve() });
    response.end('early');
  });
  const connection = await openRaw(port);
  connection.write(post + chunk);
  assert.equal((await connection.response()).text, 'early');
  connection.write(chunk.repeat(3) + '0\r\n\r\n');
  await ended.promise;
  assert.equal(chunks, 4);
  connection.socket.destroy();
});

test('a body that ends early is an error of its request', async (t) => {
  const failed = Promise.withResolvers<string>();
  const port = await listening(t, (request) => {
    request.on('error', (error: NodeJS.ErrnoException) => failed.resolve(error.code ?? ''));
    receiveDirectly(request, { onPiece() {}, onEnd() {} });
  });
  const connection = await openRaw(port);
  connection.write(post + chunk);
  connection.socket.destroy();
  assert.equal(await failed.promise, 'ECONNRESET');
});

test('a connection has its response until that is sent', async (t) => {
  const seen: boolean[] = [];
  const sockets: Socket[] = [];
  const note = (socket: Socket): unknown => seen.push(currentResponse(socket) !== undefined);
  const port = await listening(
    t,
    ({ socket }, response) => {
      note(socket);
      response.end('whole');
    },
    (server) => server.on('connection', (socket) => sockets.push(socket)),
  );
  const connection = await openRaw(port);
  await until(() => sockets.length === 1);
  const [socket] = sockets;
  assert.ok(socket !== undefined);
  note(socket);
  connection.write(get);
  assert.equal((await connection.response()).text, 'whole');
  note(socket);
  assert.deepEqual(seen, [false, true, false]);
  connection.socket.destroy();
});

/** Returns the bytes of a response; of one that is not the last, up to that of a second request. */
async function bytesOf(port: number, request: string, isLast: boolean): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  let bytes = '';
  socket.on('data', (text: string) => (bytes += text));
  socket.write(request);
  if (isLast) await once(socket, 'close');
  else {
    await until(() => bytes.includes('\r\n\r\n'));
    socket.write(request);
    const head = bytes.slice(0, bytes.indexOf('\r\n\r\n'));
    await until(() => bytes.split(head).length === 3);
    socket.destroy();
  }
  return bytes;
}
