// TLS: with the service's own certificate, and with certificates from files.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import type { Logger } from '../../../src/base/logger.ts';
import { CertificateKeeper } from '../../../src/service/certificate-keeper.ts';
import { readCommandLine } from '../../../src/service/command-line.ts';
import { newCertificate } from '../../support/new-certificate.ts';
import { live } from '../../support/connection-support.ts';
import { insideOnly, serviceFor, type TestService } from '../../support/service.ts';
import { until } from '../../support/storage-support.ts';
import { assertStatus, sharedService } from '../../support/http-support.ts';
import { openRaw, rawOver } from '../../support/raw-connection.ts';
import { type Asked, ask, openTls } from '../../support/transport-support.ts';

async function suiteSpoken(port: number, ca: string, ciphers: string): Promise<string> {
  const socket = await openTls(port, { ca, ciphers, maxVersion: 'TLSv1.2' });
  const { name } = socket.getCipher();
  socket.destroy();
  return name;
}

const certificateOf = ({ folder }: TestService): string =>
  readFileSync(join(folder, 'tls', 'cert.pem'), 'utf8');

describe('TLS with the service’s own certificate', () => {
  const service = sharedService({ settings: { tls: 'self-signed', 'rate-anonymous': '1000/60' } });

  test('clients with the service’s own certificate trust it under each of its names', async () => {
    const ca = certificateOf(service());
    for (const host of ['localhost', '127.0.0.1']) await assertStatus(ask(service().port, { ca, host }), 200);
  });

  test('the service’s own certificate is rejected by clients without that certificate', async () => {
    const { certPem } = newCertificate();
    await assert.rejects(ask(service().port, { ca: certPem }), { code: /SELF_SIGNED|UNABLE_TO_VERIFY|CERT/ });
  });

  test('the service’s own certificate survives a restart', async (t) => {
    const own = await serviceFor(t, { settings: { tls: 'self-signed' } });
    const ca = certificateOf(own);
    await own.restart();
    assert.equal(certificateOf(own), ca);
    await assertStatus(ask(own.port, { ca }), 200);
  });

  const open = (options: ConnectionOptions): Promise<TLSSocket> =>
    openTls(service().port, { ca: certificateOf(service()), ...options });

  for (const version of ['TLSv1.2', 'TLSv1.3'] as const)
    test(`${version} is supported`, async () => {
      const socket = await open({ minVersion: version, maxVersion: version });
      assert.equal(socket.getProtocol(), version);
      socket.destroy();
    });

  for (const version of ['TLSv1', 'TLSv1.1'] as const)
    test(`${version} is rejected by the service`, async () => {
      const options = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT:@SECLEVEL=0' };
      await assert.rejects(open(options), { code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' });
    });

  const allowed = ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305'];
  test('TLS 1.2 supports the suites of RFC 9325 section 4.2', async () => {
    for (const suite of allowed.map((name) => `ECDHE-ECDSA-${name}`))
      assert.equal(await suiteSpoken(service().port, certificateOf(service()), suite), suite);
  });

  test('TLS 1.2 supports the suites of RFC 9325 section 4.2 also for certificates with an RSA key', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'orderly-rsa-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const made = spawnSync('openssl', [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert],
      ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'],
    ]);
    if (made.error !== undefined) return t.skip('there is no openssl');
    const settings = { tls: 'files', 'tls-cert': cert, 'tls-key': key };
    const { port } = await serviceFor(t, { settings });
    for (const suite of allowed.map((name) => `ECDHE-RSA-${name}`))
      assert.equal(await suiteSpoken(port, readFileSync(cert, 'utf8'), suite), suite);
  });

  for (const name of ['AES128-SHA', 'AES256-SHA', 'AES128-SHA256', 'AES256-SHA384']) {
    const suite = `ECDHE-ECDSA-${name}`;
    test(`TLS 1.2 with ${suite} is rejected (RFC 9325 section 4.2)`, async () => {
      await assert.rejects(open({ maxVersion: 'TLSv1.2', ciphers: suite }), { code: /HANDSHAKE_FAILURE/ });
    });
  }

  for (const group of ['P-521', 'ffdhe3072'])
    test(`TLS with ${group} alone, which would cost the service too much, is rejected`, async () => {
      await assert.rejects(open({ ecdhCurve: group }), { code: /HANDSHAKE_FAILURE/ });
    });

  test('Strict-Transport-Security is on every response to a request, whatever its status', async () => {
    const ca = certificateOf(service());
    const etag = String((await ask(service().port, { ca, path: '/problems' })).headers.etag);
    const asks: readonly (readonly [status: number, Asked])[] = [
      [200, {}],
      [200, { method: 'HEAD' }],
      [204, { method: 'OPTIONS', path: '/orders' }],
      [304, { path: '/problems', headers: { 'if-none-match': etag } }],
      [401, { path: '/orders' }],
      [404, { path: '/nowhere' }],
      [405, { method: 'DELETE', path: '/orders' }],
      [406, { headers: { accept: 'image/png' } }],
      [412, { path: '/problems', headers: { 'if-match': '"x"' } }],
      [417, { headers: { expect: 'more' } }],
    ];
    for (const [status, asked] of asks) {
      const response = await ask(service().port, { ca, ...asked });
      assert.deepEqual(
        [response.status, response.headers['strict-transport-security']],
        [status, 'max-age=31536000'],
      );
    }
  });

  test('TLS is not negotiated again on a connection (RFC 9325 section 3.5)', async () => {
    const socket = await open({ maxVersion: 'TLSv1.2' });
    const { promise, resolve } = Promise.withResolvers<Error | null>();
    socket.on('error', resolve);
    socket.renegotiate({}, resolve);
    assert.notEqual(await promise, null);
    socket.destroy();
  });

  test('fields of proxies that aren’t trusted change nothing, but the metrics are no longer anyone’s', async () => {
    const ca = certificateOf(service());
    await assertStatus(ask(service().port, { ca, path: '/metrics' }), 200);
    for (const headers of [
      { 'x-forwarded-proto': 'http' },
      { 'x-forwarded-for': '203.0.113.1' },
      { forwarded: 'for=203.0.113.1;proto=http' },
    ]) {
      await assertStatus(ask(service().port, { ca, headers }), 200);
      await assertStatus(ask(service().port, { ca, headers, path: '/metrics' }), 401);
    }
  });

  test('bytes that aren’t TLS, or an aborted handshake, get no response and leave no socket', async () => {
    const hello = Buffer.from([0x16, 0x03, 0x01, 0x00, 0x05, 0x01, 0x00, 0x00, 0x01, 0x03]);
    const alert = Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x28]);
    for (const bytes of [Buffer.alloc(300, 7), hello, alert]) {
      using connection = await openRaw(service().port);
      connection.write(bytes);
      if (bytes === hello) connection.socket.end();
      assert.doesNotMatch(await connection.closed, /HTTP/);
    }
    for (let index = 0; index < 50; index += 1) (await openRaw(service().port)).socket.destroy();
    const ca = certificateOf(service());
    const left = async (): Promise<boolean> =>
      /^orderly_connections [12]$/m.test((await ask(service().port, { ca, path: '/metrics' })).text);
    const giveUp = performance.now() + 5000;
    while (!(await left())) assert(performance.now() < giveUp, 'connections are left');
  });
});

describe('TLS with certificates from files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-tls-'));
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  function renew(): string {
    const { certPem, keyPem } = newCertificate();
    writeFileSync(cert, certPem);
    writeFileSync(key, keyPem);
    return certPem;
  }

  test('new certificate files are used within an hour, and a warning comes before their end', (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const first = renew();
    const config = readCommandLine(['--tls=files', `--tls-cert=${cert}`, `--tls-key=${key}`], {}).config;
    const used: string[] = [];
    const warnings: string[] = [];
    let now = Date.now();
    const keeper = new CertificateKeeper({
      config,
      log: { write: (level, message) => void (level === 'warn' && warnings.push(message)) } as Logger,
      now: () => now,
      current: { cert: first, key: readFileSync(key, 'utf8') },
      onRenewal: (renewed) => used.push(renewed.cert),
    });
    t.after(() => keeper.close());
    t.mock.timers.tick(3_600_000);
    assert.deepEqual(used, [], 'the same files');
    const second = renew();
    t.mock.timers.tick(3_600_000);
    assert.deepEqual([used, warnings], [[second], []]);
    now = new X509Certificate(second).validToDate.getTime() - 86_400_000;
    t.mock.timers.tick(3 * 3_600_000);
    assert.deepEqual(warnings.length, 1, 'said once');
    assert.match(String(warnings[0]), /expires on \d{4}-\d\d-\d\d: then clients reject it\.$/);
  });

  test('new certificate files are used after a signal, invalid ones never', insideOnly, async (t) => {
    t.after(() => rmSync(folder, { recursive: true }));
    const first = renew();
    const service = await serviceFor(t, { settings: { tls: 'files', 'tls-cert': cert, 'tls-key': key } });
    using connection = rawOver(await openTls(service.port, { ca: first }));
    /** Asserts that the service uses this certificate. */
    const check = async (pem: string): Promise<void> => {
      const socket = await openTls(service.port, { ca: pem });
      assert.equal(socket.getPeerCertificate().fingerprint256, new X509Certificate(pem).fingerprint256);
      socket.destroy();
    };
    await check(first);
    const second = renew();
    await check(first);
    service.inside?.reload();
    await check(second);
    await assert.rejects(check(first));
    const otherType = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
    for (const [file, content] of [
      [cert, 'no certificate'],
      [cert, first], // without its key
      [key, otherType],
    ] as const) {
      writeFileSync(file, content);
      service.inside?.reload();
      await check(second);
    }
    await until(() => service.logged.filter((line) => line.includes('could not be reloaded')).length === 3);
    connection.write(live);
    await assertStatus(connection.response(), 200);
    // Node itself would accept it
    const old = { ca: second, maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' } as const;
    await assert.rejects(openTls(service.port, old), { code: /HANDSHAKE_FAILURE/ });
  });
});
