// TLS records of one byte, from many clients at once, cause no turn of a second.
import { once } from 'node:events';
import { suite, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { executable, serviceFor } from '../../support/service.ts';
import { assertShort, floodMillisecondsMax, TurnWatch } from '../../support/turn-watch.ts';

const clients = 40;
const records = 2_500;
const head = (method: string): string => `${method} / HTTP/1.1\r\nHost: localhost\r\n`;
/** The bytes that each client sends first, and the byte that it then repeats. */
const sent: Readonly<Record<string, readonly [first: string, byte: string]>> = {
  'of a head': [`${head('GET')}X-Long: `, 'x'],
  'of blank lines': [`${head('GET')}\r\n`, '\n'],
  'after a body that was too large': [`${head('POST')}Content-Length: 9999999\r\n\r\n`, 'x'],
  'after what is no request': ['\0', 'x'],
};

suite('records of one byte', { skip: executable !== undefined }, () => {
  for (const [what, [first, byte]] of Object.entries(sent)) {
    test(`records of one byte ${what}, from ${clients} clients, take no turn of a second`, async (t) => {
      const service = await serviceFor(t, { settings: { tls: 'self-signed' } });
      const areSent = new Int32Array(new SharedArrayBuffer(4));
      const { port } = service;
      const workerData = { port, clients, records, first, byte, areSent };
      const thread = new Worker(`(${sendFromThread.toString()})()`, { eval: true, workerData });
      t.after(() => thread.terminate());
      await once(thread, 'message');
      thread.postMessage('send the first');
      await once(thread, 'message');
      const watch = new TurnWatch();
      thread.postMessage('send the others');
      Atomics.wait(areSent, 0, 0); // so that the service finds those of all clients in one turn
      await once(thread, 'message');
      assertShort(watch, floodMillisecondsMax);
    });
  }
});

/**
 * The whole program of the thread, sent there as text. It prepares the records of all clients, sends the
 * first ones, and then all others. After each of these steps it has one more client connect, and posts a
 * message.
 */
function sendFromThread(): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const { once } = process.getBuiltinModule('node:events');
  const { connect: connectTcp } = process.getBuiltinModule('node:net');
  const { connect: connectTls } = process.getBuiltinModule('node:tls');
  const { Duplex } = process.getBuiltinModule('node:stream');
  const { port, clients, records, first, byte, areSent } = workerData;

  async function connect() {
    const tcp = connectTcp({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
    let sent: Buffer[] | undefined;
    const between = new Duplex({
      read() {},
      write(bytes: Buffer, _encoding, done) {
        if (sent === undefined) tcp.write(bytes);
        else sent.push(bytes);
        done();
      },
    });
    tcp.on('data', (bytes) => between.push(bytes));
    const tls = connectTls({ socket: between, rejectUnauthorized: false }).on('error', () => {});
    await once(tls, 'secureConnect');
    const encrypt = async (texts: readonly string[]): Promise<Buffer> => {
      sent = [];
      for (const text of texts) await new Promise((resolve) => tls.write(text, resolve));
      return Buffer.concat(sent);
    };
    return { tcp, encrypt };
  }

  async function prepare() {
    const { tcp, encrypt } = await connect();
    const firstRecord = await encrypt([first]);
    const others = await encrypt(Array.from({ length: records }, () => byte));
    return { sendFirst: () => tcp.write(firstRecord), sendOthers: () => tcp.write(others) };
  }

  async function run(): Promise<void> {
    const all = await Promise.all(Array.from({ length: clients }, prepare));
    parentPort?.postMessage('prepared');
    if (parentPort !== null) await once(parentPort, 'message');
    for (const { sendFirst } of all) sendFirst();
    await connect();
    parentPort?.postMessage('the first ones were sent');
    if (parentPort !== null) await once(parentPort, 'message');
    for (const { sendOthers } of all) sendOthers();
    Atomics.store(areSent, 0, 1);
    Atomics.notify(areSent, 0);
    await connect();
    parentPort?.postMessage('the others were sent');
  }
  void run();
}
