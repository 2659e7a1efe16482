// The memory of an export whose client reads slowly.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Caller } from '../../src/auth/access.ts';
import { Exports } from '../../src/http/export.ts';
import type { ExportSource } from '../../src/http/list-export.ts';
import { ndjson } from '../../src/http/media-types.ts';
import { represent } from '../../src/http/representation.ts';
import { ResponseStream } from '../../src/http/response-stream.ts';
import { unavailable } from '../../src/problem.ts';

const element = represent({ note: 'x'.repeat(60_000) }, { id: 1, ownerId: null });
const elementsMax = 400; // 24 MB: more than the system buffers
const caller: Caller = {
  principal: 'user:1',
  client: 'user:1',
  userId: 1,
  role: 'admin',
  sessionId: 1,
  keyId: null,
  scopes: null,
  authTimeSeconds: 0,
};

test('an export reads no further while a part of it waits for the client', async (t) => {
  const unsent: number[] = [];
  let left = elementsMax;
  const response = await exportOf(t, (stream) => ({
    readNext() {
      unsent.push(stream.unsentBytes);
      left -= 1;
      return left < 0 ? { kind: 'end' } : { kind: 'elements', elements: [element] };
    },
  }));
  let bytes = 0;
  for await (const piece of response) {
    bytes += piece.length;
    await nextTurn(); // slower than the export
  }
  assert.equal(bytes, elementsMax * (element.text.length + 1));
  assert.equal(Math.max(...unsent), 0);
});

test('an export whose search fails ends, even while its client reads nothing', async (t) => {
  const ended = Promise.withResolvers<string>();
  let isAfterElement = false;
  const response = await exportOf(t, (stream) => {
    stream.onEnd(ended.resolve);
    return {
      readNext() {
        isAfterElement = !isAfterElement;
        if (isAfterElement) return { kind: 'elements', elements: [element] };
        return { kind: 'wait', found: failsOnceUnread(stream) };
      },
    };
  });
  assert.equal(await ended.promise, 'failed');
  await assert.rejects(Array.fromAsync(response), { code: 'ECONNRESET' });
});

/** Rejects if what was written waits for the client all the time. */
async function failsOnceUnread(stream: ResponseStream): Promise<void> {
  for (let turns = 0; turns < 200; turns += 1) {
    await nextTurn();
    if (stream.unsentBytes === 0) return;
  }
  throw unavailable('Too many long queries are waiting.');
}

/** The response to a request that starts an export of this source; nothing of it has been read. */
async function exportOf(
  t: TestContext,
  sourceFor: (stream: ResponseStream) => ExportSource<unknown, Caller>,
): Promise<IncomingMessage> {
  const server = createServer((_request, response) => {
    const runLater = (task: () => void): unknown => setImmediate(task);
    const stream = new ResponseStream(response, { runLater, onEnd: () => {} });
    startExport(stream, sourceFor(stream));
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  const [response] = (await once(get({ port, agent: false }), 'response')) as [
    IncomingMessage, // as documented
  ];
  return response;
}

function startExport(stream: ResponseStream, source: ExportSource<unknown, Caller>): void {
  const log = { write: () => {}, request: () => {}, flush: () => {} };
  const context = {
    caller,
    authorizeRead: () => caller,
    hasExpired: () => false,
    mediaType: ndjson,
    isHttp10: false,
    now: 0,
    query: {},
    reportSecurityEvent() {},
  };
  const table = { columns: [], rowsOf: () => [] };
  new Exports({ log, now: () => 0 }).createResult(context, { name: 'notes', table }, source).start(stream);
}
