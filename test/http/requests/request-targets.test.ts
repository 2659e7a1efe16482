// Targets and header fields of requests: their sizes and forms, and the normal form of a target for the router, the
// log and `instance`, however it was percent-encoded.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { separateApiKeys } from '../../../src/http/requests/query.ts';
import { decodeUnreserved } from '../../../src/http/routing/request-target.ts';
import type { ProblemCode } from '../../../src/problem.ts';
import { chunk, connectionSuite, crlf, live, request } from '../../support/connection-support.ts';
import { assertProblem, assertStatus, sharedService } from '../../support/http-support.ts';
import { openRaw, rawOver, type RawConnection } from '../../support/raw-connection.ts';
import { turn } from '../../support/storage-support.ts';
import { openTls } from '../../support/transport-support.ts';
import { Dice } from './fuzz-values.ts';

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
  // the parser takes no more
  [25_000, 14, 'headers-too-large'],
  [1_000_000, 14, 'headers-too-large'],
  [12, 1_000_000, 'headers-too-large'],
];

const targets: Readonly<Record<number, string>> = {
  200:
    '/health/live /health/live? http://localhost/health/live http://elsewhere:1/health/live? ' +
    'http://localhost:8443/health/live HTTPS://localhost/health/live http://localhost /health/%6cive ' +
    '/%68%65%61%6C%74%68/live /health/%6Cive? http://localhost/health/%6cive /problems/not%2dfound ' +
    '/problems/not%2Dfound /problems?api_key=% /problems?api_key=%zz',
  400:
    'http://localhost?x=1 * *?x=1 /orders?api%5Fkey=x&api_key=y /?x=% /problems?%=1 /orders?api_key=% ' +
    '/orders?api_key=%ff /orders?api_key=a&api_key=b http://a@localhost/health/live ' +
    'http://a:b@localhost:8443/health/live http://@localhost/health/live',
  401:
    '/orders/%31 /orders?%61pi%5Fkey=x /orders?api%5fkey=x /orders?api%255Fkey=x /orders?api_key ' +
    '/orders?api_key=',
  404:
    '*x ftp://localhost/nowhere // //health/live /// /health/live/ /% /%zz /%00 /orders/%3 /orders/%2531 ' +
    '/health%2Flive /health%2flive /health/%6c%69ve%2F /%2e%2e/health/live /health/%2E/live ' +
    '/health/x/%2e%2e/live /health/live%3f http://localhost// /nowhere?api_key=% /health/live#fragment',
};

const hosts: Readonly<Record<number, string>> = {
  200: 'a|a.example:8443|192.0.2.1|[::1]|[2001:db8::1]:80|a:||a%20b',
  400: 'a b/@|a/b|user@a|a b|a:x|[::1|::1|a%zz|a?b|ä',
};

const normalForms: Readonly<Record<string, string>> = {
  '/%61pi': '/api',
  '/%2531': '/%2531',
  '/%%33%31': '/%%33%31',
  '/%61%': '/%61%',
  '/%61%zz': '/%61%zz',
  '/%2f%61': '/%2fa',
};

/** The parts of random targets. */
const parts = '% %% %3 %33 %31 %2 %25 %2f %2F %5F %C3%A9 %zz 1 3 5 a F _ . / é'.split(' ');

describe('request heads', () => {
  const { service, raw, postChunked, assertUnharmed, assertRejected } = connectionSuite();
  const tls = sharedService({ settings: { tls: 'self-signed' } });
  const rawTls = async (): Promise<RawConnection> =>
    rawOver(await openTls(tls().port, { rejectUnauthorized: false }));

  for (const [targetBytes, fieldBytes, code] of sizes) {
    const line = `GET /${'x'.repeat(targetBytes - 1)} HTTP/1.1${crlf}`;
    const head = `${line}Host: a${crlf}X: ${'x'.repeat(fieldBytes - 14)}${crlf}${crlf}`;
    const what = `${targetBytes} bytes of target, ${fieldBytes} of fields: ${code}`;

    test(`${what}, over plain HTTP`, async () => {
      assertProblem(await raw(head), code);
      if (targetBytes + fieldBytes > 100_000) await assertRejected(head, code);
    });

    test(`${what}, over TLS and in packets of 10,000 bytes, after another request`, async () => {
      for (const connection of [await rawTls(), await openRaw(service().port)]) {
        using _ = connection;
        connection.write(live);
        await assertStatus(connection.response(), 200);
        connection.socket.setNoDelay();
        for (let at = 0; at < head.length; at += 10_000) {
          connection.write(head.slice(at, at + 10_000));
          await turn(); // the service's turn to read
        }
        assertProblem(await connection.response(), code);
      }
    });
  }

  test('a target is too long with its query, and in absolute form, too', async () => {
    for (const start of ['/orders?name=', 'http://localhost/'])
      assertProblem(await raw(request(`GET ${start}${'x'.repeat(8_192)}`)), 'uri-too-long');
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

  for (const [status, all] of Object.entries(hosts))
    for (const host of all.split('|'))
      test(`Host "${host}" is ${status}`, async () =>
        assertStatus(raw(`GET /health/live HTTP/1.1${crlf}Host: ${host}${crlf}${crlf}`), Number(status)));

  test('a request has exactly one Host, which HTTP/1.0 may omit', async () => {
    for (const second of ['Host: localhost', 'hOST: elsewhere']) {
      const response = await raw(request('GET /health/live', [second]));
      assertProblem(response, 'bad-request');
      assert.match(response.body.detail, /exactly one Host/);
    }
    const old = 'GET /health/live HTTP/1.0';
    assertProblem(await raw(`GET /health/live HTTP/1.1${crlf}${crlf}`), 'bad-request');
    assertProblem(await raw([old, 'Host: a', 'Host: a', '', ''].join(crlf)), 'bad-request');
    await assertStatus(raw(`${old}${crlf}${crlf}`), 200);
  });

  test('fields of trailers past 24 KiB are rejected', async () => {
    using connection = await openRaw(service().port);
    connection.write(postChunked(chunk('{"name":"Ada"}'), `0${crlf}X: ${'x'.repeat(25_000)}`));
    await assertStatus(connection.response(), 431);
    await connection.closed;
  });

  for (const [status, words] of Object.entries(targets))
    for (const target of words.split(' '))
      test(`GET ${target} is ${status}`, async () => {
        const response = await raw(request(`GET ${target}`));
        assert.equal(String(response.status), status, response.text);
        if (response.status >= 400)
          assert.equal(response.headers['content-type'], 'application/problem+json');
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

  for (const [sent, normal] of Object.entries(normalForms))
    test(`the normal form of ${sent} is ${normal}`, () => assert.equal(decodeUnreserved(sent), normal));

  test('a normal form is not guessed if an encoding is invalid: such a target names nothing', async () => {
    const response = await raw(request('GET /%%36%66rders'));
    assertProblem(response, 'not-found');
    assert.equal(response.body.instance, '/%25%36%66rders', 'but becomes a valid reference');
  });

  test('the instance of a problem is no reference to a host, even if the path begins with //', async () => {
    assert.equal((await raw(request('GET //health/live'))).body.instance, '/.//health/live');
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
