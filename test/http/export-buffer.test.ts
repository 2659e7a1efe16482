// What an export keeps in memory while its client takes its time.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Caller } from '../../src/auth/access.ts';
import { Exports } from '../../src/http/export.ts';
import { ndjson } from '../../src/http/media-types.ts';
import { represent, type Representation } from '../../src/http/representation.ts';
import { ResponseStream } from '../../src/http/response-stream.ts';

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

test('an export finds nothing more while anything of it waits for the client', async (t) => {
  const unsent: number[] = [];
  const server = createServer((_request, response) => {
    const runLater = (task: () => void): unknown => setImmediate(task);
    const stream = new ResponseStream(response, { runLater, onEnd: () => {} });
    startExport(stream, () => unsent.push(stream.unsentBytes));
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  const [response]: [IncomingMessage] = (await once(get({ port, agent: false }), 'response')) as [
    IncomingMessage, // as documented
  ];
  let bytes = 0;
  for await (const piece of response) {
    bytes += piece.length;
    await nextTurn(); // slower than the export
  }
  assert.equal(bytes, elementsMax * (element.text.length + 1));
  assert.equal(Math.max(...unsent), 0);
});

/** Calls `found` each time it is asked for an element. */
function startExport(stream: ResponseStream, found: () => unknown): void {
  const log = { write: () => assert.fail('it failed'), request: () => {}, flush: () => {} };
  const context = {
    caller,
    authorizeRead: () => caller,
    mediaType: ndjson,
    isHttp10: false,
    now: 0,
    query: {},
    reportSecurityEvent() {},
  };
  let left = elementsMax;
  const next = (): readonly Representation<object>[] | undefined => {
    found();
    left -= 1;
    return left < 0 ? undefined : [element];
  };
  const table = { columns: [], rowsOf: () => [] };
  const started = new Exports({ log }).start(context, { name: 'notes', table }, { next });
  started.start(stream);
}
