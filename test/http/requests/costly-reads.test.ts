// Reads that are costly to parse, from many connections at once, cause no turn of a second.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { suite, test, type TestContext } from 'node:test';
import { Worker } from 'node:worker_threads';
import { executable, serviceFor } from '../../support/service.ts';
import { assertShort, floodMillisecondsMax, TurnWatch } from '../../support/turn-watch.ts';

type Flood = { readonly port: number; readonly count: number; readonly first: string };

/** Opens connections from a thread; the result sends the same on all of them, until each has ended. */
async function flood(t: TestContext, options: Flood): Promise<(bytes: string) => Promise<void>> {
  const worker = new Worker(`(${floodInThread.toString()})()`, { eval: true, workerData: options });
  t.after(() => worker.terminate());
  await once(worker, 'message');
  return async (bytes) => {
    const ended = once(worker, 'message');
    worker.postMessage(bytes);
    await ended;
  };
}

/** The whole program of the thread, sent there as text. */
async function floodInThread(): Promise<void> {
  const { connect } = process.getBuiltinModule('node:net');
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const { port, count, first } = workerData;
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1'));
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.write(first, resolve))));
  parentPort?.once('message', async (bytes) => {
    const ended = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    for (const socket of sockets)
      socket
        .on('error', () => {})
        .resume()
        .end(bytes);
    await Promise.all(ended);
    parentPort?.postMessage('ended');
  });
  parentPort?.postMessage('open');
}

/** The hooks of the test runner, which sees each piece, take as long as the service. */
const hooksFactor = 2;
/** As many as one address may have. */
const connections = 64;

const chunkedHead = 'POST /orders HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';

suite('costly reads', { skip: executable !== undefined }, () => {
  const atOnce: Readonly<Record<string, { first?: string; bytes: string }>> = {
    'bodies in chunks of one byte': { bytes: chunkedHead + '1\r\nx\r\n'.repeat(12_000) },
    'bodies in chunks of one byte, after their heads': {
      first: chunkedHead,
      bytes: '1\r\nx\r\n'.repeat(12_000),
    },
    'bodies in chunks of 48 bytes, after their heads': {
      first: chunkedHead,
      bytes: `30\r\n${'x'.repeat(48)}\r\n`.repeat(1_200),
    },
    'imports in chunks of 16 bytes, after their heads': {
      first: chunkedHead.replace('/orders', '/imports'),
      bytes: `10\r\n${'x'.repeat(16)}\r\n`.repeat(3_000),
    },
    'very many pipelined requests': { bytes: 'GET / HTTP/1.1\r\nHost:a\r\n\r\n'.repeat(2_600) },
  };

  for (const [name, { first = '', bytes }] of Object.entries(atOnce)) {
    test(`no turn takes a second while ${connections} connections send ${name}`, async (t) => {
      const service = await serviceFor(t);
      const send = await flood(t, { port: service.port, count: connections, first });
      assert.equal((await service.get('/health/live')).status, 200); // what was sent first has been read
      const watch = new TurnWatch();
      await send(bytes);
      assertShort(watch, hooksFactor * floodMillisecondsMax);
      assert.equal((await service.get('/health/live')).status, 200);
    });
  }
});
