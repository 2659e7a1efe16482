// Connections of broken and slow clients: none of them ends the service or leaks a socket.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, test, type TestContext } from 'node:test';
import { connect as connectTls } from 'node:tls';
import type { RequestHandler } from '../../../src/http/requests/request-handler.ts';
import {
  chunk,
  connectionSuite,
  crlf,
  live,
  request,
  serverBefore,
} from '../../support/connection-support.ts';
import { assertProblem, assertStatus } from '../../support/http-support.ts';
import { newCertificate } from '../../support/new-certificate.ts';
import { openRaw, type RawResponse } from '../../support/raw-connection.ts';
import { insideOnly } from '../../support/service.ts';
import { turn, until } from '../../support/storage-support.ts';

describe('connections', () => {
  const { service, raw, postHead, post, postChunked, assertUnharmed, credentials } = connectionSuite();

  test('a head is the same whether the service or node:http writes it', async () => {
    const etag = (await raw(request('GET /problems', ['Accept: application/json']))).headers['etag'];
    const asked =
      'GET /health/live, HEAD /health/live, OPTIONS /orders, GET /nowhere, DELETE /orders, GET /, GET /docs, ' +
      'GET /problems, GET /orders?status=x';
    const varying = ['x-request-id', 'ratelimit', 'date', 'connection', 'keep-alive'];
    const lines = ({ status, headers }: RawResponse) => [
      status,
      ...Object.entries(headers).filter(([name]) => !varying.includes(name)),
    ];
    for (const line of asked.split(', ')) {
      const fields =
        line === 'GET /problems'
          ? ['Accept: application/json', `If-None-Match: ${etag}`]
          : [credentials().authorization];
      const method = line.startsWith('HEAD') ? 'HEAD' : undefined;
      const [ours, nodes] = await Promise.all([
        raw(request(line, fields), method),
        raw(request(line, [...fields, 'Connection: close']), method),
      ]);
      assert.deepEqual(lines(ours), lines(nodes), line);
      assert.deepEqual(
        [ours, nodes].map(({ headers }) => headers['connection']),
        ['keep-alive', 'close'],
      );
      for (const { headers } of [ours, nodes])
        assert.match(headers['date'] ?? '', /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
    }
  });

  for (const transport of ['plain HTTP', 'TLS'])
    test(`a client that ends its side gets whole responses, over ${transport}`, insideOnly, async (t) => {
      const { certPem: cert, keyPem: key } = newCertificate();
      const certificate = transport === 'TLS' ? { cert, key } : undefined;
      const { port } = await serverBefore(t, service(), { certificate });
      const placed = post('{"name":"Lady"}');
      for (const [sent, statuses] of [
        [live, [200]],
        [placed, [201]],
        [placed + live, [201, 200]],
        [request('GET /orders?total=true', [credentials().authorization]), [200]],
        [request('GET /openapi.json'), [200]],
        ['GET / HT', [400]],
        [placed.slice(0, -1), [400]],
        [`${placed}nonsense\r\n\r\n`, [201, 400]],
      ] as const)
        assert.deepEqual(await statusesFor(port, sent, certificate?.cert), statuses, sent);
    });

  describe('time', { concurrency: true, ...insideOnly }, () => {
    const timeouts = { headersMilliseconds: 150, requestMilliseconds: 300, checkMilliseconds: 20 };
    /** Another server before the same service, with less patience. */
    async function impatientServer(t: TestContext): Promise<number> {
      const { port, server } = await serverBefore(t, service(), { timeouts, silenceMilliseconds: 2_000 });
      t.after(() => until(() => server.connections.open === 0));
      return port;
    }

    const slow: readonly (readonly [what: string, bytes: () => string, milliseconds: number])[] = [
      ['nothing at all', () => '', 150],
      ['half a request line', () => 'GET /hea', 150],
      ['fields without end', () => `GET /health/live HTTP/1.1${crlf}Host: a${crlf}`, 150],
      ['a body that doesn’t come', () => postHead('Content-Length: 14'), 300],
      ['half a body', () => `${postHead('Content-Length: 14')}{"name`, 300],
      ['half a body in chunks', () => postChunked(chunk('{"name')), 300],
    ];
    for (const [what, bytes, milliseconds] of slow)
      test(`the time for ${what} runs out with a 408, and the connection is closed`, async (t) => {
        const port = await impatientServer(t);
        const start = performance.now();
        using connection = await openRaw(port);
        connection.write(bytes());
        assertProblem(await connection.response(), 'request-timeout');
        assert.equal(await connection.closed, '');
        assert.ok(performance.now() - start >= milliseconds - 25);
      });

    test('the time for a head also runs out if fields arrive one byte at a time', async (t) => {
      using connection = await openRaw(await impatientServer(t));
      let index = 0;
      const drip = setInterval(() => connection.write(live.slice(index, (index += 1))), 20);
      assertProblem(await connection.response(), 'request-timeout');
      clearInterval(drip);
      await connection.closed;
    });

    test('no time runs out between the requests of a patient client', async (t) => {
      const port = await impatientServer(t);
      using connection = await openRaw(port);
      connection.write(live);
      await assertStatus(connection.response(), 200);
      for (let times = 0; times < 2; times += 1) {
        using silent = await openRaw(port);
        assert.match(await silent.closed, /^HTTP\/1\.1 408 /); // the time of a head has passed
      }
      connection.write(live);
      await assertStatus(connection.response(), 200);
    });
  });

  type Arrived = Parameters<RequestHandler['onRequest']>[0];
  /** Requests with this target are answered by the test instead of the service. */
  function answerInstead(t: TestContext, target: string, answer: (arrived: Arrived) => void): void {
    const handler = service().inside?.handler ?? assert.fail('it is skipped otherwise');
    const { onRequest } = handler;
    t.mock.method(handler, 'onRequest', (arrived: Arrived) => {
      const { request, response, connection } = arrived;
      if (request.url === target) connection.startInTurn(response, false, () => answer(arrived));
      else onRequest.call(handler, arrived);
    });
  }

  test('a silent connection is closed, unless its request is handled', insideOnly, async (t) => {
    const held = Promise.withResolvers<void>();
    answerInstead(t, '/held', ({ response }) => void held.promise.then(() => response.writeHead(404).end()));
    const { port } = await serverBefore(t, service(), { silenceMilliseconds: 500 });
    using waiting = await openRaw(port);
    waiting.write(request('GET /held'));
    using idle = await openRaw(port);
    idle.write(live);
    assert.equal((await idle.response()).headers['keep-alive'], 'timeout=75');
    assert.equal(await idle.closed, '');
    held.resolve();
    assert.match(await waiting.closed, /^HTTP\/1.1 404 /);
  });

  test('a connection whose client reads nothing is closed after a while', insideOnly, async (t) => {
    answerInstead(t, '/large', ({ response }) => response.end(Buffer.alloc(20_000_000)));
    const { port, server } = await serverBefore(t, service(), { silenceMilliseconds: 100 });
    const deaf = connect(port, '127.0.0.1');
    t.after(() => deaf.destroy());
    deaf.write(request('GET /large'));
    await until(() => server.connections.open === 1);
    await until(() => server.connections.open === 0);
  });

  test('a request that arrives while the server closes is answered', insideOnly, async (t) => {
    const { port, server } = await serverBefore(t, service());
    using connection = await openRaw(port);
    connection.write(live);
    await assertStatus(connection.response(), 200);
    const closed = server.close();
    connection.write(live);
    const end = performance.now() + 400; // the server ends idle connections more often
    while (performance.now() < end);
    await assertStatus(connection.response(), 200);
    await connection.closed;
    await closed;
  });

  test('a thousand aborted connections leave none behind', async () => {
    const bodies = [postHead('Content-Length: 9'), postChunked('3\r\n{"a')];
    const scraps = ['', 'G', 'GET / HTTP/1.1\r\n', live, live + live, 'nonsense\r\n\r\n', ...bodies];
    const abort = async (index: number): Promise<void> => {
      const { socket, write } = await openRaw(service().port);
      write(scraps[index % scraps.length] ?? '');
      if (index % 3 === 0) await turn();
      if (index % 2 === 0) socket.resetAndDestroy();
      else socket.destroy();
    };
    for (let round = 0; round < 10; round += 1)
      await Promise.all(Array.from({ length: 100 }, (_, index) => abort(index)));
    await assertUnharmed();
  });
});

/** Sends bytes, ends this side, and returns the statuses of the responses, each of which must be whole. */
async function statusesFor(port: number, bytes: string, ca: string | undefined): Promise<number[]> {
  const options = { port, host: '127.0.0.1', allowHalfOpen: true };
  const client =
    ca === undefined ? connect(options) : connectTls({ ...options, ca, servername: 'localhost' });
  await once(client, ca === undefined ? 'connect' : 'secureConnect');
  client.setEncoding('latin1').end(bytes);
  let rest = await text(client);
  const statuses: number[] = [];
  while (rest !== '') {
    const head = rest.slice(0, rest.indexOf('\r\n\r\n') + 4);
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1]);
    assert.ok(rest.length >= head.length + length, 'the response is whole');
    statuses.push(Number(head.split(' ')[1]));
    rest = rest.slice(head.length + length);
  }
  return statuses;
}
