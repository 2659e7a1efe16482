// Targets and header fields of requests: their sizes and forms, and the normal form of a target for the router, the
// log and `instance`, however it was percent-encoded.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { separateApiKeys } from '../../../src/http/requests/query.ts';
import { decodeUnreserved } from '../../../src/http/routing/request-target.ts';
import type { ProblemCode } from '../../../src/problem.ts';
import { turn } from '../../support/storage-support.ts';
import { assertProblem, assertStatus, sharedService } from '../../support/http-support.ts';
import { openRaw, rawOver } from '../../support/raw-connection.ts';
import { crlf, request, chunk, connectionSuite, live } from '../../support/connection-support.ts';
import { Dice } from './fuzz-values.ts';
import { openTls } from '../../support/transport-support.ts';

/** The parts of random targets. */
const parts = '% %% %3 %33 %31 %2 %25 %2f %2F %5F %C3%A9 %zz 1 3 5 a F _ . / é'.split(' ');

describe('request heads', () => {
  const { service, raw, postChunked, assertUnharmed, assertRejected } = connectionSuite();
  const tls = sharedService({ settings: { tls: 'self-signed' } });

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
      using connection = rawOver(await openTls(tls().port, { rejectUnauthorized: false }));
      connection.write(`${live}${head}`);
      await assertStatus(connection.response(), 200);
      assertProblem(await connection.response(), code);
    });

    test(`${what}, in packets of 10,000 bytes`, async () => {
      using connection = await openRaw(service().port);
      connection.write(live);
      await assertStatus(connection.response(), 200);
      connection.socket.setNoDelay();
      for (let at = 0; at < head.length; at += 10_000) {
        connection.write(head.slice(at, at + 10_000));
        await turn(); // the service's turn to read
      }
      assertProblem(await connection.response(), code);
    });
  }

  test('a target in absolute form that is too long is 414', async () => {
    assertProblem(await raw(request(`GET http://localhost/${'x'.repeat(9_000)}`)), 'uri-too-long');
  });

  test('a target in absolute form names a host, and no user', async () => {
    await assertStatus(raw(request('GET http://localhost:8443/health/live')), 200);
    for (const authority of ['a@localhost', 'a:b@localhost:8443', '@localhost'])
      assertProblem(await raw(request(`GET http://${authority}/health/live`)), 'bad-request');
  });

  test('fields of 15 KiB in all are read; past 16 KiB they are 431', async () => {
    await assertStatus(raw(request('GET /health/live', [`X-Large: ${'x'.repeat(15_000)}`])), 200);
    const small = Array.from({ length: 3000 }, (_, index) => `X-${index}: small`);
    for (const fields of [[`X-Large: ${'x'.repeat(30_000)}`], small, [`X-Large: ${'x'.repeat(1_000_000)}`]])
      await assertRejected(request('GET /health/live', fields), 'headers-too-large');
  });

  test('heads of a hundred fields are read; one field more is 431, whatever it is', async () => {
    const fields = (count: number, last: string): string =>
      request('GET /health/live', [...Array<string>(count - 2).fill('a:b'), last]); // and Host
    await assertStatus(raw(fields(100, 'a:b')), 200);
    assertProblem(await raw(fields(100, 'Host: elsewhere')), 'bad-request');
    for (const count of [101, 102, 1_000, 3_000, 8_000])
      for (const last of ['a:b', 'Host: elsewhere', 'Content-Length: 2'])
        assertProblem(await raw(fields(count, last)), 'headers-too-large');
  });

  test('Host is a name or an address, with or without a port', async () => {
    const withHost = (host: string): string => `GET /health/live HTTP/1.1${crlf}Host: ${host}${crlf}${crlf}`;
    for (const host of ['a', 'a.example:8443', '192.0.2.1', '[::1]', '[2001:db8::1]:80', 'a:', '', 'a%20b'])
      await assertStatus(raw(withHost(host)), 200);
    for (const host of ['a b/@', 'a/b', 'user@a', 'a b', 'a:x', '[::1', '::1', 'a%zz', 'a?b', 'ä'])
      assertProblem(await raw(withHost(host)), 'bad-request');
  });

  test('fields of trailers past 24 KiB are rejected', async () => {
    using connection = await openRaw(service().port);
    connection.write(postChunked(chunk('{"name":"Ada"}'), `0${crlf}X: ${'x'.repeat(25_000)}`));
    const { status } = await connection.response();
    assert.equal(status, 431);
    await connection.closed;
  });

  test('a request has exactly one Host, which HTTP/1.0 may omit', async () => {
    assertProblem(await raw(request('GET /health/live', ['Host: localhost'])), 'bad-request');
    const second = await raw(request('GET /health/live', ['hOST: elsewhere']));
    assertProblem(second, 'bad-request');
    assert.match(second.body.detail, /exactly one Host/);
    assertProblem(await raw(`GET /health/live HTTP/1.1${crlf}${crlf}`), 'bad-request');
    await assertStatus(raw(`GET /health/live HTTP/1.0${crlf}${crlf}`), 200);
    const twice = `Host: a${crlf}Host: a${crlf}`;
    assertProblem(await raw(`GET /health/live HTTP/1.0${crlf}${twice}${crlf}`), 'bad-request');
  });

  const targets: Readonly<Record<number, string>> = {
    200:
      '/health/live /health/live? http://localhost/health/live http://elsewhere:1/health/live? ' +
      'HTTPS://localhost/health/live http://localhost /health/%6cive /%68%65%61%6C%74%68/live ' +
      '/health/%6Cive? http://localhost/health/%6cive /problems/not%2dfound /problems/not%2Dfound ' +
      '/problems?api_key=% /problems?api_key=%zz',
    400:
      'http://localhost?x=1 * *?x=1 /orders?api%5Fkey=x&api_key=y /?x=% /problems?%=1 ' +
      '/orders?api_key=% /orders?api_key=%ff /orders?api_key=a&api_key=b',
    401:
      '/orders/%31 /orders?%61pi%5Fkey=x /orders?api%5fkey=x /orders?api%255Fkey=x /orders?api_key ' +
      '/orders?api_key=',
    404:
      '*x ftp://localhost/nowhere // //health/live /// /health/live/ /% /%zz /%00 /orders/%3 ' +
      '/orders/%2531 /health%2Flive /health%2flive /health/%6c%69ve%2F /%2e%2e/health/live ' +
      '/health/%2E/live /health/x/%2e%2e/live /health/live%3f http://localhost// ' +
      '/nowhere?api_key=% /health/live#fragment',
  };
  for (const [status, words] of Object.entries(targets))
    for (const target of words.split(' '))
      test(`GET ${target} is ${status}`, async () => {
        const response = await raw(request(`GET ${target}`));
        assert.equal(String(response.status), status, response.text);
        if (response.status >= 400)
          assert.match(response.headers['content-type'] ?? '', /^application\/problem\+json$/);
        await assertUnharmed();
      });

  test('the normal form of each of 50,000 random targets is its own normal form', () => {
    const dice = new Dice(20_261_122);
    for (let count = 0; count < 50_000; count += 1) {
      const sent = Array.from({ length: 1 + dice.below(8) }, () => dice.pick(parts)).join('');
      const normal = decodeUnreserved(sent);
      assert.equal(decodeUnreserved(normal), normal, sent);
      assert.equal(meaningOf(normal), meaningOf(sent), sent);
    }
  });

  const forms: readonly (readonly [sent: string, normal: string])[] = [
    ['/%61pi', '/api'],
    ['/%2531', '/%2531'],
    ['/%%33%31', '/%%33%31'],
    ['/%61%', '/%61%'],
    ['/%61%zz', '/%61%zz'],
    ['/%2f%61', '/%2fa'],
  ];
  for (const [sent, normal] of forms)
    test(`the normal form of ${sent} is ${normal}`, () => assert.equal(decodeUnreserved(sent), normal));

  test('a normal form is not guessed if an encoding is invalid: such a target names nothing', async () => {
    const response = await raw(request('GET /%%36%66rders'));
    assertProblem(response, 'not-found');
    assert.equal(response.body.instance, '/%25%36%66rders', 'but becomes a valid reference');
  });

  test('the normal form of a parameter’s name doesn’t depend on the parameters beside it', () => {
    assert.deepEqual(separateApiKeys('a=%&api%5Fkey=k&b=%zz'), { rest: 'a=%&b=%zz', keys: ['k'] });
  });
});

/** Undefined if an encoding is invalid. */
function meaningOf(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
