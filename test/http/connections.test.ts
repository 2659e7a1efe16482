// What goes wrong below a request: sizes, bytes that are no HTTP, broken and slow clients. Nothing
// ends the service, and no socket leaks.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { ProblemKind } from '../../src/problem.ts';
import { HttpServer } from '../../src/http/http-server.ts';
import { problems } from '../../src/http/problem-kinds.ts';
import { turn, until } from '../storage/storage-support.ts';
import { assertProblem, sharedService } from './http-support.ts';
import { askRaw, openRaw, type RawAnswer } from './raw-connection.ts';
import { bodyBytesMax, crlf, request, chunk, inBytes, live, connections } from './connection-support.ts';

describe('connections', () => {
  let token = '',
    authorization = '';
  after(() => assertUnharmed());
  const service = sharedService({}, async (started) => {
    token = (await started.person()).token;
    authorization = `Authorization: Bearer ${token}`;
  });
  const raw = (bytes: string | Buffer, method?: 'HEAD'): Promise<RawAnswer> =>
    askRaw(service().port, bytes, method);
  const postHead = (...fields: readonly string[]): string =>
    request('POST /customers', [authorization, 'Content-Type: application/json', ...fields]);
  const post = (body: string): string => postHead(`Content-Length: ${Buffer.byteLength(body)}`) + body;
  const postChunked = (...chunks: readonly string[]): string =>
    postHead('Transfer-Encoding: chunked') + chunks.join('');

  /** What every test here ends with: the service answers, and soon has no connection but ours. */
  async function assertUnharmed(): Promise<void> {
    assert.equal((await service().get('/health/ready')).status, 200);
    const giveUp = performance.now() + 5000;
    while ((await connections(service())) > 2) assert(performance.now() < giveUp, 'connections are left');
  }

  /** Rejected, with a problem document that stands for itself, and the connection closed behind it. */
  async function assertRejected(
    bytes: string | Buffer,
    kind: ProblemKind,
    status?: number,
  ): Promise<RawAnswer> {
    const connection = await openRaw(service().port);
    connection.write(bytes);
    const response = await connection.response();
    assertProblem(response, kind, status);
    assert.equal(await connection.closed, '');
    connection.socket.destroy();
    return response;
  }

  describe('bodies', () => {
    const padded = (bytes: number): string => `{"name":"Ada"}${' '.repeat(bytes - 14)}`;

    test('of 64 KiB are read, in one piece or in chunks', async () => {
      assert.equal((await raw(post(padded(bodyBytesMax)))).status, 201);
      const half = padded(bodyBytesMax).slice(0, bodyBytesMax / 2);
      assert.equal(
        (await raw(postChunked(chunk(half), chunk(' '.repeat(bodyBytesMax / 2)), chunk('')))).status,
        201,
      );
    });

    const large: readonly (readonly [what: string, bytes: () => string])[] = [
      ['one byte more', () => post(padded(bodyBytesMax + 1))],
      ['one byte more, in chunks', () => postChunked(chunk(padded(bodyBytesMax)), chunk(' '), chunk(''))],
      ['a megabyte', () => post(padded(1_000_000))],
      [
        'a megabyte, in many chunks',
        () => postChunked(...Array.from({ length: 1000 }, () => chunk(' '.repeat(1000))), chunk('')),
      ],
    ];
    for (const [what, bytes] of large) {
      test(`of ${what} are 413, and the connection answers on`, async () => {
        const connection = await openRaw(service().port);
        connection.write(bytes() + live);
        const [first, second] = [await connection.response(), await connection.response()];
        assertProblem(first, 'content-too-large');
        assert.equal(second.status, 200);
        connection.socket.destroy();
      });
    }

    test('announced to be too large are rejected before they come', async () => {
      for (const length of ['65537', '9999999999'])
        assertProblem(await raw(postHead(`Content-Length: ${length}`)), 'content-too-large');
    });

    test('that never end are rejected once they are too large', async () => {
      const connection = await openRaw(service().port);
      connection.write(postHead('Transfer-Encoding: chunked'));
      for (let index = 0; index < 70; index += 1) connection.write(chunk(' '.repeat(1000)));
      assertProblem(await connection.response(), 'content-too-large');
      connection.socket.destroy();
    });

    test('in chunks of one byte are read; too many chunks are 413, the last of the connection', async () => {
      assert.equal((await raw(postChunked(inBytes(padded(4_000)), chunk('')))).status, 201);
      const connection = await openRaw(service().port);
      connection.write(postChunked(inBytes(padded(10_000)), chunk('')) + live);
      const response = await connection.response();
      assertProblem(response, 'content-too-large');
      assert.equal(response.headers['connection'], 'close');
      assert.equal(await connection.closed, '');
    });

    const unread: readonly (readonly [what: string, status: number, head: () => string])[] = [
      ['of a GET', 200, () => request('GET /health/live', ['Transfer-Encoding: chunked'])],
      ['of OPTIONS', 204, () => request('OPTIONS /orders', ['Transfer-Encoding: chunked'])],
      ['for no resource', 404, () => request('POST /nowhere', ['Transfer-Encoding: chunked'])],
      ['of a stranger', 401, () => request('POST /customers', ['Transfer-Encoding: chunked'])],
      [
        'after a 413',
        413,
        () => postHead('Transfer-Encoding: chunked') + chunk(' '.repeat(bodyBytesMax + 1)),
      ],
    ];
    for (const [what, status, head] of unread) {
      test(`${what} that nobody reads are read on within bounds, then the connection ends`, async () => {
        const connection = await openRaw(service().port);
        connection.write(head());
        assert.equal((await connection.response()).status, status);
        connection.write(inBytes('x'.repeat(40_000)) + chunk('') + live);
        assert.equal(await connection.closed, '');
      });
    }

    test('announced far too large that nobody reads end the connection after the response', async () => {
      const connection = await openRaw(service().port);
      connection.write(request('GET /health/live', ['Content-Length: 9999999999']));
      const { status, headers } = await connection.response();
      assert.deepEqual([status, headers['connection']], [200, 'close']);
      assert.equal(await connection.closed, '');
    });

    test('in chunks, with extensions and trailers, are bodies like any other', async () => {
      const body =
        `4;a="b"${crlf}{"na${crlf}a${crlf}me":"Ada"}${crlf}0${crlf}X-Trailer: yes${crlf}X-API-Key: ` +
        `no${crlf}${crlf}`;
      const { status, body: made } = await raw(postChunked(body));
      assert.deepEqual([status, made?.name], [201, 'Ada']);
    });

    const broken: readonly (readonly [what: string, bytes: () => string])[] = [
      ['a chunk whose length isn’t one', () => postChunked(`zz${crlf}`)],
      ['a chunk that is longer than it says', () => postChunked(`3${crlf}{"name"${crlf}`)],
      ['a chunk whose length is past all bounds', () => postChunked(`fffffffffffffffff${crlf}`)],
      ['a chunk whose length is negative', () => postChunked(`-1${crlf}`)],
      ['an encoding of transfer that isn’t chunked', () => postHead('Transfer-Encoding: gzip')],
    ];
    for (const [what, bytes] of broken) {
      test(`with ${what} are a bad request, at once`, async () =>
        void (await assertRejected(bytes(), 'bad-request')));
    }

    test('that break off are nothing: no response is owed, nothing is made', async () => {
      const before = (await service().get('/customers?total=true&limit=1', { token })).body.total;
      for (const bytes of [
        `${postHead('Content-Length: 100')}{"name":"Ada"}`,
        postChunked(chunk('{"name":"Ada"}')),
        post('{"name":"Ada"}').slice(0, -1),
      ]) {
        const connection = await openRaw(service().port);
        connection.write(bytes);
        await turn();
        connection.socket.resetAndDestroy();
      }
      await assertUnharmed();
      assert.equal((await service().get('/customers?total=true&limit=1', { token })).body.total, before);
    });

    test('that end before they should, on a connection closed one way, are a bad request', async () => {
      for (const bytes of [
        `${postHead('Content-Length: 100')}{"name":"Ada"}`,
        postChunked(chunk('{"name":"Ada"}')),
      ]) {
        const connection = await openRaw(service().port);
        connection.write(bytes);
        connection.socket.end();
        assertProblem(await connection.response(), 'bad-request');
        assert.equal(await connection.closed, '');
      }
    });

    test('that aren’t there are malformed JSON, whether their length is given or not', async () => {
      for (const method of [
        'POST /customers',
        'PUT /customers/1',
        'PATCH /customers/1',
        'POST /api/sessions',
      ]) {
        for (const length of [['Content-Length: 0'], []]) {
          const connection = await openRaw(service().port);
          connection.write(
            request(method, [authorization, 'Content-Type: application/json', ...length]) + live,
          );
          assertProblem(await connection.response(), 'malformed-json');
          assert.equal((await connection.response()).status, 200);
          connection.write(request(method, [authorization, ...length]));
          assertProblem(await connection.response(), 'unsupported-media-type');
          connection.socket.destroy();
        }
      }
    });

    test('that nobody asked for are passed over', async () => {
      const connection = await openRaw(service().port);
      const body = '{"not":"asked for"}';
      connection.write(request('GET /health/live', [`Content-Length: ${body.length}`]) + body + live);
      assert.deepEqual(
        [(await connection.response()).status, (await connection.response()).status],
        [200, 200],
      );
      connection.socket.destroy();
    });
  });

  describe('targets and fields', () => {
    test('of 8 KiB are looked for, one byte more is 414', async () => {
      const target = (bytes: number): string => `/${'x'.repeat(bytes - 1)}`;
      assertProblem(await raw(request(`GET ${target(8192)}`)), 'not-found');
      assertProblem(await raw(request(`GET ${target(8193)}`)), 'uri-too-long');
      assertProblem(await raw(request(`GET /orders?name=${'x'.repeat(8192)}`)), 'uri-too-long');
    });

    for (const bytes of [16_400, 20_000, 100_000, 1_000_000]) {
      test(`of ${bytes} bytes are 414`, async () =>
        void (await assertRejected(request(`GET /${'x'.repeat(bytes)}`), 'uri-too-long')));
    }

    test('too long are 414 also when they come in pieces', async () => {
      const connection = await openRaw(service().port);
      connection.write(`GET /${'x'.repeat(9000)}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
      connection.write(`${'x'.repeat(9000)} HTTP/1.1${crlf}${crlf}`);
      const response = await connection.response();
      assert.ok(response.status === 414 || response.status === 431, String(response.status));
      await connection.closed;
    });

    test('of 15 KiB in all are read; past 16 KiB they are 431', async () => {
      assert.equal((await raw(request('GET /health/live', [`X-Large: ${'x'.repeat(15_000)}`]))).status, 200);
      await assertRejected(
        request('GET /health/live', [`X-Large: ${'x'.repeat(17_000)}`]),
        'headers-too-large',
      );
      await assertRejected(
        request(
          'GET /health/live',
          Array.from({ length: 2000 }, (_, index) => `X-${index}: small`),
        ),
        'headers-too-large',
      );
      await assertRejected(
        request('GET /health/live', [`X-Large: ${'x'.repeat(1_000_000)}`]),
        'headers-too-large',
      );
    });

    test('that are many, but short, are all read: a second Host behind two thousand is seen', async () => {
      const many = Array.from({ length: 2600 }, () => 'a:');
      await assertStatus(request('GET /health/live', many), 200);
      assertProblem(await raw(request('GET /health/live', [...many, 'Host: elsewhere'])), 'bad-request');
    });

    test('that are many and tiny are 431 past 16 KiB, their separators included', async () => {
      const tiny = (count: number): string =>
        request(
          'GET /health/live',
          Array.from({ length: count }, () => 'a:b'),
        );
      await assertStatus(tiny(2_700), 200);
      assertProblem(await raw(tiny(2_731)), 'headers-too-large');
      assertProblem(await raw(tiny(8_000)), 'headers-too-large');
    });

    test('Host: a name or an address, with or without a port', async () => {
      const withHost = (host: string): string =>
        `GET /health/live HTTP/1.1${crlf}Host: ${host}${crlf}${crlf}`;
      for (const host of ['a', 'a.example:8443', '192.0.2.1', '[::1]', '[2001:db8::1]:80', 'a:', '', 'a%20b'])
        await assertStatus(withHost(host), 200);
      for (const host of ['a b/@', 'a/b', 'user@a', 'a b', 'a:x', '[::1', '::1', 'a%zz', 'a?b', 'ä'])
        assertProblem(await raw(withHost(host)), 'bad-request');
    });

    test('of trailers past 16 KiB are rejected', async () => {
      const connection = await openRaw(service().port);
      connection.write(postChunked(chunk('{"name":"Ada"}'), `0${crlf}X: ${'x'.repeat(20_000)}`));
      const { status } = await connection.response();
      assert.equal(status, 431);
      await connection.closed;
      connection.socket.destroy();
    });

    async function assertStatus(bytes: string, status: number): Promise<void> {
      assert.equal((await raw(bytes)).status, status);
    }

    test('Host: one, neither none nor two; HTTP/1.0 may leave it out', async () => {
      assertProblem(await raw(request('GET /health/live', ['Host: localhost'])), 'bad-request');
      assertProblem(await raw(request('GET /health/live', ['hOST: elsewhere'])), 'bad-request');
      assertProblem(await raw(`GET /health/live HTTP/1.1${crlf}${crlf}`), 'bad-request');
      await assertStatus(`GET /health/live HTTP/1.0${crlf}${crlf}`, 200);
      assertProblem(
        await raw(`GET /health/live HTTP/1.0${crlf}Host: a${crlf}Host: a${crlf}${crlf}`),
        'bad-request',
      );
    });

    const targets: readonly (readonly [target: string, status: number])[] = [
      ['/health/live', 200],
      ['/health/live?', 200],
      ['http://localhost/health/live', 200],
      ['http://elsewhere:1/health/live?', 200],
      ['HTTPS://localhost/health/live', 200],
      ['http://localhost', 200],
      ['http://localhost?x=1', 400],
      ['*', 400],
      ['*?x=1', 400],
      ['*x', 404],
      ['ftp://localhost/nowhere', 404],
      ['//', 404],
      ['//health/live', 404],
      ['///', 404],
      ['/health/live/', 404],
      ['/%', 404],
      ['/%zz', 404],
      ['/%00', 404],
      ['/health/%6cive', 404],
      ['http://localhost//', 404],
      ['/?x=%', 400],
      ['/problems?%=1', 400],
      ['/problems?api_key=%', 400],
      ['/problems?api_key=%zz', 400],
      ['/orders?api_key=%', 400],
      ['/orders?api_key=%ff', 400],
      ['/nowhere?api_key=%', 404],
      ['/orders?api_key', 401],
      ['/orders?api_key=', 401],
      ['/orders?api_key=a&api_key=b', 400],
      ['/health/live#fragment', 404],
    ];
    for (const [target, status] of targets) {
      test(`GET ${target} is ${status}`, async () => {
        const response = await raw(request(`GET ${target}`));
        assert.ok(
          response.status === status ||
            (target.startsWith('/problems?api_key') && response.status === 200) ||
            (target.endsWith('#fragment') && response.status === 400),
          `${response.status} ${response.text}`,
        );
        if (response.status >= 400)
          assert.match(response.headers['content-type'] ?? '', /^application\/problem\+json$/);
        await assertUnharmed();
      });
    }
  });

  describe('what is no request', () => {
    test('is logged and counted as any other', async () => {
      const { headers } = await raw('nonsense\r\n\r\n');
      const [line] = service()
        .logged.map((text) => JSON.parse(text))
        .filter(({ requestId }) => requestId === headers['x-request-id']);
      assert.deepEqual([line?.level, line?.status], ['info', 400]);
      assert.match(
        (await service().get('/metrics')).text,
        /^orderly_http_requests_total\{method="",route="",status="400"\} [1-9]/m,
      );
    });

    const nonsense: readonly (readonly [what: string, bytes: string | Buffer])[] = [
      ['noise', 'lorem ipsum dolor\r\n\r\n'],
      ['bytes at random', Buffer.from(Array.from({ length: 500 }, (_, index) => (index * 7919 + 13) % 256))],
      [
        'the beginning of TLS',
        Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]),
      ],
      ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
      ['a version of HTTP that isn’t spoken', 'GET / HTTP/3.0\r\nHost: a\r\n\r\n'],
      ['HTTP/0.9', 'GET /\r\n\r\n'],
      ['an unknown method', 'FETCH / HTTP/1.1\r\nHost: a\r\n\r\n'],
      ['a method in lower case', 'get / HTTP/1.1\r\nHost: a\r\n\r\n'],
      ['a target with a blank', 'GET /a b HTTP/1.1\r\nHost: a\r\n\r\n'],
      ['a target that is no path', 'GET orders HTTP/1.1\r\nHost: a\r\n\r\n'],
      ['a blank before the colon', 'GET / HTTP/1.1\r\nHost : a\r\n\r\n'],
      ['a field without a colon', 'GET / HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n'],
      ['a field without a name', 'GET / HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n'],
      ['a field folded over two lines', 'GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n'],
      ['a NUL in a field', 'GET / HTTP/1.1\r\nHost: a\r\nX-A: a\0b\r\n\r\n'],
      ['a name that is no token', 'GET / HTTP/1.1\r\nHost: a\r\nX(A): b\r\n\r\n'],
      ['a CR alone', 'GET / HTTP/1.1\r\nHost: a\rX-A: b\r\n\r\n'],
      [
        'two lengths',
        'POST /customers HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx',
      ],
      [
        'a length and chunks',
        'POST /customers HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n' +
          '\r\n0\r\n\r\n',
      ],
      ['a negative length', 'POST /customers HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n'],
      ['a length that is no number', 'POST /customers HTTP/1.1\r\nHost: a\r\nContent-Length: 1e3\r\n\r\n'],
      ['a length with a plus', 'POST /customers HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n'],
      [
        'a length past all bounds',
        'POST /customers HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n',
      ],
      [
        'an encoding of transfer after chunked',
        'POST /customers HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, gzip\r\n\r\n',
      ],
    ];
    for (const [what, bytes] of nonsense) {
      test(`${what} is a bad request, and the connection is closed`, async () => {
        const { body, headers } = await assertRejected(bytes, 'bad-request');
        assert.equal(headers['connection'], 'close');
        assert.match(headers['x-request-id'] ?? '', /^[\w.-]{8,64}$/);
        assert.match(headers['date'] ?? '', /GMT$/);
        assert.equal(body.instance, '/');
      });
    }

    test('a request for a tunnel is 405, after the responses before it; the connection ends', async () => {
      const connection = await openRaw(service().port);
      connection.write(`${live}${request('GET /orders', [authorization])}`);
      connection.write(`CONNECT elsewhere:443 HTTP/1.1${crlf}Host: elsewhere:443${crlf}${crlf}anything`);
      assert.equal((await connection.response()).status, 200);
      assert.equal((await connection.response()).status, 200);
      const response = await connection.response();
      assertProblem(response, 'method-not-allowed');
      assert.equal(response.headers['allow'], 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS');
      assert.equal(response.headers['connection'], 'close');
      assert.equal(await connection.closed, '');
      connection.socket.destroy();
    });

    test('a request to upgrade is answered as if it hadn’t asked', async () => {
      for (const upgrade of ['websocket', 'h2c', 'TLS/1.2'])
        assert.equal(
          (await raw(request('GET /health/live', ['Connection: Upgrade', `Upgrade: ${upgrade}`]))).status,
          200,
        );
    });

    test('a request to upgrade is the last of its connection', async () => {
      const connection = await openRaw(service().port);
      const upgrade = request('GET /health/live', ['Connection: Upgrade', 'Upgrade: h2c']);
      connection.write(live + upgrade + live);
      assert.equal((await connection.response()).headers['connection'], 'keep-alive');
      const { status, headers } = await connection.response();
      assert.deepEqual([status, headers['connection']], [200, 'close']);
      assert.equal(await connection.closed, '');
    });

    const codings: readonly (readonly [what: string, version: string, coding: string])[] = [
      ['chunks in HTTP/1.0', '1.0', 'chunked'],
      ['an encoding of transfer before chunked', '1.1', 'gzip, chunked'],
      ['chunks twice', '1.1', 'chunked, chunked'],
      ['chunks as identity', '1.1', 'identity, chunked'],
    ];
    for (const [what, version, coding] of codings) {
      test(`${what} are a bad request, and what follows is not answered`, async () => {
        const head = `GET /health/live HTTP/${version}${crlf}Host: a${crlf}Connection: keep-alive${crlf}`;
        const bytes = `${head}Transfer-Encoding: ${coding}${crlf}${crlf}0${crlf}${crlf}${live}`;
        const { headers } = await assertRejected(bytes, 'bad-request');
        assert.equal(headers['connection'], 'close');
      });
    }

    test('HTTP/2.0 in the form of HTTP/1 is a bad request', async () => {
      assertProblem(await raw(`GET /health/live HTTP/2.0${crlf}Host: a${crlf}${crlf}`), 'bad-request');
    });

    test('OPTIONS * is about the service, and answered', async () => {
      assert.equal((await raw(request('OPTIONS *'))).status, 204);
    });

    test('blank lines before a request are passed over', async () => {
      assert.equal((await raw(`${crlf}${crlf}${live}`)).status, 200);
    });

    test('what comes after it is not answered, and doesn’t cut off a late reader’s response', async () => {
      for (const nonsense of [
        'nonsense\r\n\r\n',
        request('GET /health/live', [`X-Large: ${'x'.repeat(20_000)}`]),
        postChunked('zz'),
      ]) {
        const connection = await openRaw(service().port);
        connection.socket.pause();
        connection.write(nonsense);
        for (let more = 0; more < 30; more += 1) {
          await new Promise<void>(
            (resolve, reject) =>
              void connection.socket.write('x'.repeat(100_000), (error) =>
                error ? reject(error) : resolve(),
              ),
          );
          await turn(); // the service's turn to read
        }
        connection.socket.resume();
        assert.ok((await connection.response()).status >= 400);
        assert.equal(await connection.closed, '');
        connection.socket.destroy();
      }
    });

    test('after whole requests: their responses come first, in order, even those of writes', async () => {
      const connection = await openRaw(service().port);
      const asked = [live, post('{"name":"Ada"}'), request('GET /nowhere'), post('{"name":"Bob"}'), live];
      connection.write(`${asked.join('')}garbage${crlf}${crlf}`);
      const statuses: number[] = [];
      for (let index = 0; index < asked.length; index += 1)
        statuses.push((await connection.response()).status);
      assert.deepEqual(statuses, [200, 201, 404, 201, 200]);
      assertProblem(await connection.response(), 'bad-request');
      assert.equal(await connection.closed, '');
    });

    test('in a body, after requests that were whole: their responses come first', async () => {
      const connection = await openRaw(service().port);
      connection.write(post('{"name":"Ada"}') + live + postChunked('zz\r\n'));
      assert.deepEqual(
        [(await connection.response()).status, (await connection.response()).status],
        [201, 200],
      );
      assertProblem(await connection.response(), 'bad-request');
      assert.equal(await connection.closed, '');
    });

    test('in a body that was rejected already is not answered a second time', async () => {
      const connection = await openRaw(service().port);
      connection.write(
        request('POST /customers', ['Content-Type: application/json', 'Transfer-Encoding: chunked']),
      );
      assertProblem(await connection.response(), 'unauthenticated');
      connection.write(`zz${crlf}`);
      assert.equal(await connection.closed, '');
    });
  });

  test('a hundred requests in one packet are answered in order', async () => {
    const connection = await openRaw(service().port);
    connection.write(
      Array.from({ length: 100 }, (_, index) =>
        request(`${index % 3 === 0 ? 'HEAD' : 'GET'} /problems/${index}`),
      ).join(''),
    );
    for (let index = 0; index < 100; index += 1) {
      const response = await connection.response(index % 3 === 0 ? 'HEAD' : undefined);
      assert.equal(response.status, 404);
      if (index % 3 !== 0) assert.equal(response.body.instance, `/problems/${index}`);
    }
    connection.socket.destroy();
  });

  test('a client that has said all it wants to, and listens on, gets its response', async () => {
    for (const [bytes, status] of [
      [live, 200],
      [post('{"name":"Ada"}'), 201],
      [request('GET /orders?total=true', [authorization]), 200],
    ] as const) {
      const connection = await openRaw(service().port);
      connection.write(bytes);
      connection.socket.end();
      assert.equal((await connection.response()).status, status);
      assert.equal(await connection.closed, '');
    }
  });

  test('a client that breaks off within its request line gets a bad request, if it listens', async () => {
    const connection = await openRaw(service().port);
    connection.write('GET /hea');
    connection.socket.end();
    assertProblem(await connection.response(), 'bad-request');
    assert.equal(await connection.closed, '');
  });

  test('a head is the same whether the service or node:http puts it together', async () => {
    const [etag = ''] = [(await raw(request('GET /problems', ['Accept: application/json']))).headers['etag']];
    const asked = [
      'GET /health/live',
      'HEAD /health/live',
      'OPTIONS /orders',
      'GET /nowhere',
      'DELETE /orders',
      'GET /',
      'GET /docs',
      'GET /problems',
      'GET /orders?status=x',
    ];
    const varying = ['x-request-id', 'ratelimit', 'date', 'connection', 'keep-alive'];
    const lines = ({ status, headers }: RawAnswer) => [
      status,
      ...Object.entries(headers).filter(([name]) => !varying.includes(name)),
    ];
    for (const line of asked) {
      const fields =
        line === 'GET /problems' ? ['Accept: application/json', `If-None-Match: ${etag}`] : [authorization];
      const method = line.startsWith('HEAD') ? 'HEAD' : undefined;
      const [ours, nodes] = await Promise.all([
        raw(request(line, fields), method),
        raw(request(line, [...fields, 'Connection: close']), method),
      ]);
      assert.deepEqual(lines(ours), lines(nodes), line);
      assert.deepEqual(
        [ours.headers['connection'], nodes.headers['connection']],
        ['keep-alive', 'close'],
        line,
      );
      for (const { headers } of [ours, nodes])
        assert.match(headers['date'] ?? '', /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
    }
  });

  test('Connection: close is obeyed', async () => {
    const connection = await openRaw(service().port);
    connection.write(request('GET /health/live', ['Connection: close']));
    assert.equal((await connection.response()).headers['connection'], 'close');
    assert.equal(await connection.closed, '');
  });

  test('a client that doesn’t read its responses holds nothing up', async () => {
    const deaf = await openRaw(service().port);
    deaf.socket.pause();
    deaf.write(Array.from({ length: 300 }, () => request('GET /openapi.json')).join(''));
    for (let index = 0; index < 10; index += 1)
      assert.equal((await service().get('/health/live')).status, 200);
    deaf.socket.destroy();
  });

  describe('Expect', () => {
    test('100-continue gets 100 Continue, then a response', async () => {
      for (const spelled of ['100-continue', '100-Continue']) {
        const connection = await openRaw(service().port);
        const body = '{"name":"Ada"}';
        connection.write(postHead(`Content-Length: ${body.length}`, `Expect: ${spelled}`));
        assert.equal((await connection.response()).status, 100);
        connection.write(body);
        assert.equal((await connection.response()).status, 201);
        connection.write(live);
        assert.equal((await connection.response()).status, 200);
        connection.socket.destroy();
      }
    });

    test('a body that was awaited and is invalid leaves the connection as it was', async () => {
      const connection = await openRaw(service().port);
      connection.write(postHead('Content-Length: 2', 'Expect: 100-continue'));
      assert.equal((await connection.response()).status, 100);
      connection.write('{}');
      assertProblem(await connection.response(), 'validation-failed', 422);
      connection.write(live);
      assert.equal((await connection.response()).status, 200);
      connection.socket.destroy();
    });

    const rejected: readonly (readonly [
      what: string,
      kind: ProblemKind,
      line: string,
      fields: () => string[],
    ])[] = [
      [
        'nobody',
        'unauthenticated',
        'POST /customers',
        () => ['Content-Type: application/json', 'Content-Length: 14'],
      ],
      [
        'a bad token',
        'invalid-token',
        'POST /customers',
        () => ['Authorization: Bearer x.y.z', 'Content-Type: application/json', 'Content-Length: 14'],
      ],
      [
        'another type',
        'unsupported-media-type',
        'POST /customers',
        () => [authorization, 'Content-Type: text/plain', 'Content-Length: 14'],
      ],
      [
        'too large a body',
        'content-too-large',
        'POST /customers',
        () => [authorization, 'Content-Type: application/json', 'Content-Length: 70000'],
      ],
      [
        'an unknown path',
        'not-found',
        'POST /nowhere',
        () => [authorization, 'Content-Type: application/json', 'Content-Length: 14'],
      ],
      [
        'another method',
        'method-not-allowed',
        'DELETE /customers',
        () => [authorization, 'Content-Type: application/json', 'Content-Length: 14'],
      ],
    ];
    for (const [what, kind, line, fields] of rejected) {
      test(`100-continue of ${what} is ${problems[kind].status} at once, without the body`, async () => {
        const connection = await openRaw(service().port);
        connection.write(request(line, [...fields(), 'Expect: 100-continue']));
        const response = await connection.response();
        assertProblem(response, kind);
        assert.equal(response.headers['connection'], 'close');
        assert.equal(await connection.closed, '');
        connection.socket.destroy();
      });
    }

    test('100-continue of a request without a body is answered', async () => {
      const { status } = await raw(request('GET /health/live', ['Expect: 100-continue']));
      assert.equal(status, 200);
    });

    test('anything else is 417', async () => {
      for (const expectation of ['200-ok', 'patience', '101-continue'])
        assertProblem(await raw(request('GET /health/live', [`Expect: ${expectation}`])), 'bad-request', 417);
      assertProblem(
        await raw(postHead('Content-Length: 14', 'Expect: more') + '{"name":"Ada"}'),
        'bad-request',
        417,
      );
    });
  });

  describe('time', { concurrency: true }, () => {
    const timeouts = { headersMilliseconds: 150, requestMilliseconds: 300, checkMilliseconds: 20 };
    /** Another server before the same service, with less patience. */
    async function impatient(
      t: { after(end: () => Promise<void>): void },
      idleMilliseconds = 400,
    ): Promise<number | undefined> {
      const { inside } = service();
      if (inside === undefined) return undefined;
      const server = new HttpServer({
        certificate: undefined,
        timeouts: { ...timeouts, idleMilliseconds },
      });
      const { port } = await server.listen('127.0.0.1', 0);
      server.handle(inside.app.handler);
      t.after(async () => {
        await until(() => server.connections.open === 0);
        await server.close();
      });
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
    for (const [what, bytes, milliseconds] of slow) {
      test(`with ${what} runs out: 408, and the connection is closed`, async (t) => {
        const port = await impatient(t);
        if (port === undefined) return t.skip('needs time-outs of its own');
        const start = performance.now();
        const connection = await openRaw(port);
        connection.write(bytes());
        assertProblem(await connection.response(), 'request-timeout');
        assert.equal(await connection.closed, '');
        assert.ok(performance.now() - start >= milliseconds - 25);
        connection.socket.destroy();
      });
    }

    test('for a head that doesn’t come has run out before its connection counts as idle', async (t) => {
      const port = await impatient(t, 65); // nearly in the proportion of limits.ts
      if (port === undefined) return t.skip('needs time-outs of its own');
      await new Promise((resolve) => setTimeout(resolve, 55)); // the next look comes at once
      const connection = await openRaw(port);
      connection.write('GET /hea');
      assertProblem(await connection.response(), 'request-timeout');
      connection.socket.destroy();
    });

    test('runs out also for fields that come one byte at a time', async (t) => {
      const port = await impatient(t);
      if (port === undefined) return t.skip('needs time-outs of its own');
      const connection = await openRaw(port);
      let index = 0;
      const drip = setInterval(() => connection.write(live.slice(index, (index += 1))), 20);
      const response = await connection.response();
      clearInterval(drip);
      assertProblem(response, 'request-timeout');
      await connection.closed;
      connection.socket.destroy();
    });

    test('does not run out between requests of a patient client', async (t) => {
      const port = await impatient(t);
      if (port === undefined) return t.skip('needs time-outs of its own');
      const connection = await openRaw(port);
      connection.write(live);
      assert.equal((await connection.response()).status, 200);
      await new Promise((resolve) => setTimeout(resolve, 500));
      connection.write(live);
      assert.equal((await connection.response()).status, 200);
      connection.socket.destroy();
    });
  });

  test('between requests is bounded: an idle connection is closed, one that is answered isn’t', async (t) => {
    const handler = service().inside?.app.handler;
    if (handler === undefined) return t.skip('needs time-outs of its own');
    const held = Promise.withResolvers<void>();
    const server = new HttpServer({ certificate: undefined, timeouts: { idleMilliseconds: 20 } });
    const { port } = await server.listen('127.0.0.1', 0);
    server.handle({
      onConnection: () => handler.onConnection(),
      async onRequest(asked, response) {
        if (asked.url === '/held') await held.promise;
        handler.onRequest(asked, response);
      },
      onContinue: (asked, response) => handler.onContinue(asked, response),
      onExpectation: (asked, response) => handler.onExpectation(asked, response),
      rejectionText: (problem) => handler.rejectionText(problem),
    });
    t.after(() => server.close());
    const waiting = await openRaw(port);
    waiting.write(request('GET /held'));
    const idle = await openRaw(port);
    idle.write(live);
    const response = await idle.response();
    assert.equal(response.headers['keep-alive'], 'timeout=10');
    assert.equal(await idle.closed, '');
    idle.socket.destroy();
    held.resolve();
    assert.equal((await waiting.response()).status, 404);
    assert.equal(await waiting.closed, '');
    waiting.socket.destroy();
  });

  test('a thousand connections that break off leave none behind', async () => {
    const scraps = [
      '',
      'G',
      'GET / HTTP/1.1\r\n',
      live,
      live + live,
      postHead('Content-Length: 9'),
      'nonsense\r\n\r\n',
      postChunked('3\r\n{"a'),
    ];
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(
        Array.from({ length: 100 }, async (_, index) => {
          const { socket, write } = await openRaw(service().port);
          write(scraps[index % scraps.length] ?? '');
          if (index % 3 === 0) await turn();
          if (index % 2 === 0) socket.resetAndDestroy();
          else socket.destroy();
        }),
      );
    }
    await assertUnharmed();
  });
});
