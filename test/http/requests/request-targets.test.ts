// Targets and header fields of requests: their sizes and forms.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ProblemCode } from '../../../src/problem.ts';
import { turn } from '../../support/storage-support.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { openRaw, rawOver } from '../../support/raw-connection.ts';
import { crlf, request, chunk, connectionSuite, live } from '../../support/connection-support.ts';
import { openTls } from '../../support/transport-support.ts';

describe('request heads', () => {
  const { service, raw, postChunked, assertUnharmed, assertRejected } = connectionSuite();
  const tls = sharedService({ settings: { tls: 'self-signed' } });

  describe('targets and fields', () => {
    test('targets of 8 KiB are routed, one byte more is 414', async () => {
      const target = (bytes: number): string => `/${'x'.repeat(bytes - 1)}`;
      assertProblem(await raw(request(`GET ${target(8192)}`)), 'not-found');
      assertProblem(await raw(request(`GET ${target(8193)}`)), 'uri-too-long');
      assertProblem(await raw(request(`GET /orders?name=${'x'.repeat(8192)}`)), 'uri-too-long');
    });

    for (const bytes of [30_000, 100_000, 1_000_000]) {
      test(`targets of ${bytes} bytes, which the parser does not take, are 431`, async () =>
        void (await assertRejected(request(`GET /${'x'.repeat(bytes)}`), 'headers-too-large')));
    }

    const line = (targetBytes: number): string => `GET /${'x'.repeat(targetBytes - 1)} HTTP/1.1${crlf}`;
    const fields = (bytes: number): string => `Host: a${crlf}X: ${'x'.repeat(bytes - 14)}${crlf}${crlf}`;
    const sizes: readonly (readonly [targetBytes: number, fieldBytes: number, code: ProblemCode])[] = [
      [12, 16_384, 'not-found'],
      [12, 16_385, 'headers-too-large'],
      [8_000, 10_016, 'not-found'],
      [8_192, 16_384, 'not-found'],
      [8_192, 16_385, 'headers-too-large'],
      [8_192, 60_000, 'headers-too-large'],
      [8_193, 16_384, 'uri-too-long'],
      [9_000, 15_000, 'uri-too-long'],
      [10_000, 15_000, 'headers-too-large'],
      [24_000, 14, 'uri-too-long'],
      [25_000, 14, 'headers-too-large'],
      [100_000, 14, 'headers-too-large'],
    ];
    for (const [targetBytes, fieldBytes, code] of sizes) {
      const head = line(targetBytes) + fields(fieldBytes);
      const what = `${targetBytes} bytes of target, ${fieldBytes} of fields: ${code}`;

      test(`${what}, over plain HTTP`, async () => assertProblem(await raw(head), code));

      test(`${what}, over TLS`, async () => {
        const connection = rawOver(await openTls(tls().port, { rejectUnauthorized: false }));
        connection.write(`${live}${head}`);
        assert.equal((await connection.response()).status, 200);
        assertProblem(await connection.response(), code);
        connection.socket.destroy();
      });

      test(`${what}, in packets of 10,000 bytes`, async () => {
        const connection = await openRaw(service().port);
        connection.write(live);
        assert.equal((await connection.response()).status, 200);
        connection.socket.setNoDelay();
        for (let at = 0; at < head.length; at += 10_000) {
          connection.write(head.slice(at, at + 10_000));
          await turn(); // the service's turn to read
        }
        assertProblem(await connection.response(), code);
        connection.socket.destroy();
      });
    }

    test('a target in absolute form that is too long is 414', async () => {
      assertProblem(await raw(request(`GET http://localhost/${'x'.repeat(9_000)}`)), 'uri-too-long');
    });

    test('a target in absolute form names a host, and no user', async () => {
      assert.equal((await raw(request('GET http://localhost:8443/health/live'))).status, 200);
      for (const authority of ['a@localhost', 'a:b@localhost:8443', '@localhost'])
        assertProblem(await raw(request(`GET http://${authority}/health/live`)), 'bad-request');
    });

    test('fields of 15 KiB in all are read; past 16 KiB they are 431', async () => {
      assert.equal((await raw(request('GET /health/live', [`X-Large: ${'x'.repeat(15_000)}`]))).status, 200);
      await assertRejected(
        request('GET /health/live', [`X-Large: ${'x'.repeat(30_000)}`]),
        'headers-too-large',
      );
      await assertRejected(
        request(
          'GET /health/live',
          Array.from({ length: 3000 }, (_, index) => `X-${index}: small`),
        ),
        'headers-too-large',
      );
      await assertRejected(
        request('GET /health/live', [`X-Large: ${'x'.repeat(1_000_000)}`]),
        'headers-too-large',
      );
    });

    test('heads of a hundred fields are read; one field more is 431, whatever it is', async () => {
      const fields = (count: number, last: string): string =>
        request('GET /health/live', [...Array<string>(count - 2).fill('a:b'), last]); // and Host
      await assertStatus(fields(100, 'a:b'), 200);
      assertProblem(await raw(fields(100, 'Host: elsewhere')), 'bad-request');
      for (const count of [101, 102, 1_000, 3_000, 8_000])
        for (const last of ['a:b', 'Host: elsewhere', 'Content-Length: 2'])
          assertProblem(await raw(fields(count, last)), 'headers-too-large');
    });

    test('Host is a name or an address, with or without a port', async () => {
      const withHost = (host: string): string =>
        `GET /health/live HTTP/1.1${crlf}Host: ${host}${crlf}${crlf}`;
      for (const host of ['a', 'a.example:8443', '192.0.2.1', '[::1]', '[2001:db8::1]:80', 'a:', '', 'a%20b'])
        await assertStatus(withHost(host), 200);
      for (const host of ['a b/@', 'a/b', 'user@a', 'a b', 'a:x', '[::1', '::1', 'a%zz', 'a?b', 'ä'])
        assertProblem(await raw(withHost(host)), 'bad-request');
    });

    test('fields of trailers past 24 KiB are rejected', async () => {
      const connection = await openRaw(service().port);
      connection.write(postChunked(chunk('{"name":"Ada"}'), `0${crlf}X: ${'x'.repeat(25_000)}`));
      const { status } = await connection.response();
      assert.equal(status, 431);
      await connection.closed;
      connection.socket.destroy();
    });

    async function assertStatus(bytes: string, status: number): Promise<void> {
      assert.equal((await raw(bytes)).status, status);
    }

    test('a request has exactly one Host, which HTTP/1.0 may omit', async () => {
      assertProblem(await raw(request('GET /health/live', ['Host: localhost'])), 'bad-request');
      const second = await raw(request('GET /health/live', ['hOST: elsewhere']));
      assertProblem(second, 'bad-request');
      assert.match(second.body.detail, /exactly one Host/);
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
      ['/health/%6cive', 200],
      ['/%68%65%61%6C%74%68/live', 200],
      ['/health/%6Cive?', 200],
      ['http://localhost/health/%6cive', 200],
      ['/problems/not%2dfound', 200],
      ['/problems/not%2Dfound', 200],
      ['/orders/%31', 401],
      ['/orders/%3', 404],
      ['/orders/%2531', 404],
      ['/health%2Flive', 404],
      ['/health%2flive', 404],
      ['/health/%6c%69ve%2F', 404],
      ['/%2e%2e/health/live', 404],
      ['/health/%2E/live', 404],
      ['/health/x/%2e%2e/live', 404],
      ['/health/live%3f', 404],
      ['/orders?%61pi%5Fkey=x', 401],
      ['/orders?api%5fkey=x', 401],
      ['/orders?api%5Fkey=x&api_key=y', 400],
      ['/orders?api%255Fkey=x', 401],
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
});
