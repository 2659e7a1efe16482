// Key updates of TLS 1.3 (RFC 8446 section 4.6.3) cost a bounded time.
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { executable, serviceFor } from '../../support/service.ts';
import { assertShort, TurnWatch } from '../../support/turn-watch.ts';

const clients = 10;
const updates = 5_000;
/** A client's connection ends after the updates of one read. */
const millisecondsPerClientMax = 100;

test(
  `${updates} key updates of each of ${clients} clients take at most ${millisecondsPerClientMax} ms for each`,
  { skip: executable !== undefined },
  async (t) => {
    const service = await serviceFor(t, { settings: { tls: 'self-signed' } });
    const areSent = new Int32Array(new SharedArrayBuffer(4));
    const workerData = { port: service.port, clients, updates, areSent };
    const thread = new Worker(`(${sendFromThread.toString()})()`, { eval: true, workerData });
    t.after(() => thread.terminate());
    await once(thread, 'message');
    const watch = new TurnWatch();
    thread.postMessage('send');
    Atomics.wait(areSent, 0, 0); // so that the service finds those of all clients in one turn
    await once(thread, 'message');
    assertShort(watch, clients * millisecondsPerClientMax);
  },
);

/**
 * The whole program of the thread, sent there as text. It connects all clients, encrypts their key updates, and
 * sends all at once. Then one more client connects. Posts a message after each of these steps.
 */
function sendFromThread(): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const { createCipheriv, createHmac } = process.getBuiltinModule('node:crypto');
  const { once } = process.getBuiltinModule('node:events');
  const { connect: connectTcp } = process.getBuiltinModule('node:net');
  const { connect: connectTls } = process.getBuiltinModule('node:tls');
  const { port, clients, updates, areSent } = workerData;

  /** Returns the socket, and the secret of what the client sends. */
  async function connect() {
    const tcp = connectTcp({ port, host: '127.0.0.1' }).on('error', () => {});
    const ciphers = 'TLS_AES_256_GCM_SHA384';
    const tls = connectTls({ socket: tcp, rejectUnauthorized: false, ciphers }).on('error', () => {});
    let secret = Buffer.alloc(0);
    tls.on('keylog', (line: Buffer) => {
      const [label, , hex = ''] = line.toString().trim().split(' ');
      if (label === 'CLIENT_TRAFFIC_SECRET_0') secret = Buffer.from(hex, 'hex');
    });
    await once(tls, 'secureConnect');
    return { tcp, secret };
  }

  /** HKDF-Expand-Label of RFC 8446 section 7.1, for at most 48 bytes. */
  function derive(secret: Buffer, label: string, bytes: number): Buffer {
    const name = `tls13 ${label}`;
    const info = Buffer.from([0, bytes, name.length, ...Buffer.from(name), 0, 1]);
    return createHmac('sha384', secret).update(info).digest().subarray(0, bytes);
  }

  /** Each is the first record under its keys, so the nonce is the initialization vector. */
  function keyUpdates(first: Buffer): Buffer {
    const records: Buffer[] = [];
    const [handshake, keyUpdate, updateRequested] = [22, 24, 1];
    const header = Buffer.from([23, 3, 3, 0, 22]);
    for (let secret = first; records.length < 3 * updates; secret = derive(secret, 'traffic upd', 48)) {
      const cipher = createCipheriv('aes-256-gcm', derive(secret, 'key', 32), derive(secret, 'iv', 12));
      cipher.setAAD(header);
      const content = cipher.update(Buffer.from([keyUpdate, 0, 0, 1, updateRequested, handshake]));
      cipher.final();
      records.push(header, content, cipher.getAuthTag());
    }
    return Buffer.concat(records);
  }

  async function run(): Promise<void> {
    const all = await Promise.all(Array.from({ length: clients }, connect));
    const prepared = all.map(({ tcp, secret }) => ({ tcp, records: keyUpdates(secret) }));
    parentPort?.postMessage('prepared');
    if (parentPort !== null) await once(parentPort, 'message');
    for (const { tcp, records } of prepared) tcp.write(records);
    Atomics.store(areSent, 0, 1);
    Atomics.notify(areSent, 0);
    await connect();
    parentPort?.postMessage('the key updates were sent');
  }
  void run();
}
