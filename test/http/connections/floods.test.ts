// What costs the service far more than its clients is bounded: floods of bytes, in which no turn of the event loop
// takes a second, and key updates of TLS 1.3 (RFC 8446 section 4.6.3).
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp, createServer, type AddressInfo, type Socket } from 'node:net';
import { suite, test, type TestContext } from 'node:test';
import { connect } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { serverBefore } from '../../support/connection-support.ts';
import { insideOnly, serviceFor } from '../../support/service.ts';
import { assertShort, floodMillisecondsMax, TurnWatch } from '../../support/turn-watch.ts';
import { createCipheriv, createHmac } from 'node:crypto';
import { openTls } from '../../support/transport-support.ts';

type Flood = {
  readonly clients: number;
  /** What each client sends first; `pieces` follow from all clients at once, each in a TLS record of its own. */
  readonly first?: string;
  readonly pieces: readonly (string | Buffer)[];
  readonly isTls?: boolean;
  /** Whether the clients wait for the service to end the connections. */
  readonly isPatient?: boolean;
};

/** The hooks of the test runner, which sees each piece of a body, take as long as the service. */
const hooksFactor = 2;
/** As many as one address may have. */
const connections = 64;
const chunkedPost = 'POST /orders HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';

const floods: Readonly<Record<string, Flood>> = {
  'bodies in chunks of one byte': {
    clients: connections,
    pieces: [chunkedPost + '1\r\nx\r\n'.repeat(12_000)],
  },
  'very many pipelined requests': {
    clients: connections,
    pieces: ['GET / HTTP/1.1\r\nHost:a\r\n\r\n'.repeat(1_000)],
  },
  'records of one byte after a body that was too large': {
    clients: 40,
    isTls: true,
    pieces: Array<string>(2_500).fill('x'),
    first: 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999\r\n\r\n',
  },
};

suite('floods', insideOnly, () => {
  for (const [name, flood] of Object.entries(floods))
    test(`no turn takes a second while ${flood.clients} clients at once send ${name}`, async (t) => {
      const { port } = await serviceFor(t, { settings: flood.isTls === true ? { tls: 'self-signed' } : {} });
      await assertShortTurns(t, port, flood);
    });

  test('no turn takes a second while 400 TLS handshakes begin', async (t) => {
    const { port } = await serviceFor(t, { settings: { tls: 'self-signed' } });
    await assertShortTurns(t, port, { clients: 400, pieces: [await clientHello()] });
  });

  test('no turn takes a second while 2,500 heads time out', async (t) => {
    const timeouts = { headersMilliseconds: 1, requestMilliseconds: 60_000, checkMilliseconds: 1_500 };
    const { port } = await serverBefore(t, await serviceFor(t), { timeouts });
    await assertShortTurns(t, port, { clients: 2_500, pieces: ['GET / HT'], isPatient: true });
  });
});

async function assertShortTurns(t: TestContext, port: number, flood: Flood): Promise<void> {
  const areSent = new Int32Array(new SharedArrayBuffer(4));
  const workerData = { first: '', isTls: false, isPatient: false, ...flood, port, areSent };
  const thread = new Worker(`(${floodInThread.toString()})()`, { eval: true, workerData });
  t.after(() => thread.terminate());
  await once(thread, 'message');
  const watch = new TurnWatch();
  thread.postMessage('send');
  Atomics.wait(areSent, 0, 0); // so that the service finds the bytes of all clients in one turn
  await once(thread, 'message');
  assertShort(watch, hooksFactor * floodMillisecondsMax);
}

/**
 * The whole program of the thread, sent there as text: with the clients here, their work would be on the event loop
 * of the service. Posts a message once all are connected, and another one once all connections have ended.
 */
async function floodInThread(): Promise<void> {
  const { once } = process.getBuiltinModule('node:events');
  const { connect: connectTcp } = process.getBuiltinModule('node:net');
  const { Duplex } = process.getBuiltinModule('node:stream');
  const { connect: connectTls } = process.getBuiltinModule('node:tls');
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const { port, clients, first, pieces, isTls, isPatient, areSent } = workerData;

  async function open() {
    const socket = connectTcp({ port, host: '127.0.0.1', allowHalfOpen: isTls }).on('error', () => {});
    await once(socket, 'connect');
    const ended = new Promise((resolve) => socket.once('close', resolve));
    if (!isTls)
      return { socket: socket.resume(), ended, parts: [Buffer.from(first), ...pieces.map(Buffer.from)] };
    let encrypted: Buffer[] | undefined;
    const between = new Duplex({
      read() {},
      write(bytes: Buffer, _encoding, done) {
        if (encrypted === undefined) socket.write(bytes);
        else encrypted.push(bytes);
        done();
      },
    });
    socket.on('data', (bytes) => between.push(bytes)).on('end', () => socket.end());
    const tls = connectTls({ socket: between, rejectUnauthorized: false }).on('error', () => {});
    await once(tls, 'secureConnect');
    encrypted = [];
    for (const text of [first, ...pieces]) await new Promise((resolve) => tls.write(text, resolve));
    return { socket, ended, parts: encrypted };
  }

  const all: Awaited<ReturnType<typeof open>>[] = [];
  while (all.length < clients) {
    const together = Math.min(clients - all.length, 100); // the queue of the system is short
    all.push(...(await Promise.all(Array.from({ length: together }, open))));
  }
  for (const { socket, parts } of all) socket.write(parts.shift() ?? '');
  await open(); // by now the service has read what was sent first
  parentPort?.postMessage('open');
  if (parentPort !== null) await once(parentPort, 'message');
  for (const { socket, parts } of all) {
    socket.write(Buffer.concat(parts));
    if (!isPatient) socket.end();
  }
  Atomics.store(areSent, 0, 1);
  Atomics.notify(areSent, 0);
  await Promise.all(all.map(({ ended }) => ended));
  parentPort?.postMessage('ended');
}

/** The first bytes of a TLS client. */
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

test('a connection over TLS ends after very many updates of its keys, and not after some', async (t) => {
  const service = await serviceFor(t, { settings: { tls: 'self-signed' } });
  for (const [updates, isEnded] of [
    [20, false],
    [200, true],
  ] as const) {
    const socket = connectTcp({ port: service.port, host: '127.0.0.1' }).on('error', () => {});
    t.after(() => socket.destroy());
    const ciphers = 'TLS_AES_256_GCM_SHA384';
    const tls = connect({ socket, rejectUnauthorized: false, ciphers }).on('error', () => {});
    let secret = Buffer.alloc(0);
    tls.on('keylog', (line: Buffer) => {
      const [label, , hex = ''] = line.toString().trim().split(' ');
      if (label === 'CLIENT_TRAFFIC_SECRET_0') secret = Buffer.from(hex, 'hex');
    });
    await once(tls, 'secureConnect');
    await roundTrip(service.port); // by now the end of the handshake has left the client
    socket.write(keyUpdates(secret, updates));
    // a few round trips alone, since any connection without a request ends after ten seconds
    for (let trips = 0; trips < (isEnded ? 20 : 1) && !socket.destroyed; trips += 1)
      await roundTrip(service.port); // by now the updates have been read
    assert.equal(socket.destroyed, isEnded);
  }
});

async function roundTrip(port: number): Promise<void> {
  (await openTls(port, { rejectUnauthorized: false })).destroy();
}

/** Each is the first record under its keys, so the nonce is the initialization vector. */
function keyUpdates(first: Buffer, updates: number): Buffer {
  const parts: Buffer[] = [];
  const [handshake, keyUpdate, updateRequested] = [22, 24, 1];
  const header = Buffer.from([23, 3, 3, 0, 22]);
  for (let secret = first; parts.length < 3 * updates; secret = derive(secret, 'traffic upd', 48)) {
    const cipher = createCipheriv('aes-256-gcm', derive(secret, 'key', 32), derive(secret, 'iv', 12));
    cipher.setAAD(header);
    const content = cipher.update(Buffer.from([keyUpdate, 0, 0, 1, updateRequested, handshake]));
    cipher.final();
    parts.push(header, content, cipher.getAuthTag());
  }
  return Buffer.concat(parts);
}

/** HKDF-Expand-Label of RFC 8446 section 7.1, for at most 48 bytes. */
function derive(secret: Buffer, label: string, bytes: number): Buffer {
  const name = `tls13 ${label}`;
  const info = Buffer.from([0, bytes, name.length, ...Buffer.from(name), 0, 1]);
  return createHmac('sha384', secret).update(info).digest().subarray(0, bytes);
}
