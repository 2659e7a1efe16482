// Handshakes of TLS that arrive together run in slices: no turn of the event loop takes long.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { executable, serviceFor } from '../service.ts';
import { assertShort, TurnWatch } from './turn-watch.ts';

const clients = 400;

/** The first bytes of a client of TLS. */
async function clientHello(): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const client = connect({ port, host: '127.0.0.1' }).on('error', () => {});
  const [socket]: Socket[] = await once(server, 'connection');
  assert(socket !== undefined);
  const [bytes] = await once(socket, 'data');
  client.destroy();
  socket.destroy();
  server.close();
  return bytes;
}

/** The whole program of the clients' thread, whose work isn't that of the service. */
function sendFromThread(): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const net = process.getBuiltinModule('node:net');
  const { port, hello, clients: count } = workerData;
  const sockets = Array.from({ length: count }, () => net.connect({ port, host: '127.0.0.1' }));
  const opened = sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve)));
  void Promise.all(opened).then(() => parentPort?.postMessage('opened'));
  parentPort?.once('message', async () => {
    const answered = sockets.map((socket) => new Promise((resolve) => socket.once('data', resolve)));
    for (const socket of sockets) socket.write(hello);
    await Promise.all(answered);
    parentPort.postMessage('answered');
  });
}

test(`${clients} that begin at once take no long turn`, { skip: executable !== undefined }, async (t) => {
  const service = await serviceFor(t, { settings: { tls: 'self-signed' } });
  const workerData = { port: service.port, hello: await clientHello(), clients };
  const thread = new Worker(`(${sendFromThread.toString()})()`, { eval: true, workerData });
  t.after(() => thread.terminate());
  await once(thread, 'message');
  const watch = new TurnWatch();
  thread.postMessage('send');
  await once(thread, 'message');
  assertShort(watch);
});
