// Many clients that send the same bytes at once, and end at once, from a thread, so that their work isn't on
// the event loop of the service.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { Worker } from 'node:worker_threads';

type Sent = { readonly port: number; readonly bytes: string | Buffer; readonly clients: number };

type Clients = {
  /** Resolves once each has sent the bytes and received something. */
  readonly send: () => Promise<unknown>;
  /** Ends all connections. */
  readonly end: () => void;
};

/** Resolves once all are connected. */
export async function simultaneousClients(t: TestContext, sent: Sent): Promise<Clients> {
  const thread = new Worker(`(${sendFromThread.toString()})()`, { eval: true, workerData: sent });
  t.after(() => thread.terminate());
  await once(thread, 'message');
  return {
    send() {
      const answered = once(thread, 'message');
      thread.postMessage('send');
      return answered;
    },
    end: () => thread.postMessage('end'),
  };
}

/** The whole program of the thread, sent there as text. */
function sendFromThread(): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const net = process.getBuiltinModule('node:net');
  const { port, bytes, clients } = workerData;
  const sockets: Socket[] = [];
  async function open(): Promise<void> {
    const together = Math.min(clients - sockets.length, 100); // the queue of the system is short
    const some = Array.from({ length: together }, () => net.connect({ port, host: '127.0.0.1' }));
    await Promise.all(some.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    sockets.push(...some);
    if (sockets.length < clients) await open();
  }
  void open().then(() => parentPort?.postMessage('opened'));
  parentPort?.on('message', async (command) => {
    if (command === 'end') return sockets.forEach((socket) => socket.end());
    const answered = sockets.map((socket) => new Promise((resolve) => socket.once('data', resolve)));
    for (const socket of sockets) socket.on('error', () => {}).write(bytes);
    await Promise.all(answered);
    parentPort.postMessage('answered');
  });
}
