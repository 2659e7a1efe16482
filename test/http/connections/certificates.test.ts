// TLS: with the service's own certificate, and with certificates from files.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import type { Logger } from '../../../src/base/logger.ts';
import { CertificateKeeper } from '../../../src/service/certificate-keeper.ts';
import { readCommandLine } from '../../../src/service/command-line.ts';
import { newFolder } from '../../support/command-support.ts';
import { live } from '../../support/connection-support.ts';
import { assertStatus, sharedService } from '../../support/http-support.ts';
import { newCertificate } from '../../support/new-certificate.ts';
import { openRaw, rawOver, type RawResponse } from '../../support/raw-connection.ts';
import { insideOnly, serviceFor, type TestService } from '../../support/service.ts';
import { until } from '../../support/storage-support.ts';
import { ask, openTls, type Asked } from '../../support/transport-support.ts';

const certificateOf = ({ folder }: TestService): string =>
  readFileSync(join(folder, 'tls', 'cert.pem'), 'utf8');
const allowed = ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305'];

/** Asserts that each of these suites of TLS 1.2 alone is enough. */
async function assertSpoken(port: number, ca: string, suites: readonly string[]): Promise<void> {
  for (const ciphers of suites) {
    const socket = await openTls(port, { ca, ciphers, maxVersion: 'TLSv1.2' });
    assert.equal(socket.getCipher().name, ciphers);
    socket.destroy();
  }
}

describe('TLS with the service’s own certificate', () => {
  const service = sharedService({ settings: { tls: 'self-signed', 'rate-anonymous': '1000/60' } });
  const open = (options: ConnectionOptions): Promise<TLSSocket> =>
    openTls(service().port, { ca: certificateOf(service()), ...options });
  const asked = (what: Asked = {}): Promise<RawResponse> =>
    ask(service().port, { ca: certificateOf(service()), ...what });

  test('the service’s own certificate is trusted under each of its names by clients that have it, and no other', async () => {
    for (const host of ['localhost', '127.0.0.1']) await assertStatus(asked({ host }), 200);
    const rejected = asked({ ca: newCertificate().certPem });
    await assert.rejects(rejected, { code: /SELF_SIGNED|UNABLE_TO_VERIFY|CERT/ });
  });

  test('the service’s own certificate survives a restart', async (t) => {
    const own = await serviceFor(t, { settings: { tls: 'self-signed' } });
    const ca = certificateOf(own);
    await own.restart();
    assert.equal(certificateOf(own), ca);
    await assertStatus(ask(own.port, { ca }), 200);
  });

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

  test('TLS 1.2 supports the suites of RFC 9325 section 4.2', () =>
    assertSpoken(
      service().port,
      certificateOf(service()),
      allowed.map((name) => `ECDHE-ECDSA-${name}`),
    ));

  test('TLS 1.2 supports the suites of RFC 9325 section 4.2 also for certificates with an RSA key', async (t) => {
    const [cert, key] = ['cert.pem', 'key.pem'].map((name) => join(newFolder(t), name));
    const made = spawnSync('openssl', [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', `${key}`, '-out', `${cert}`],
      ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'],
    ]);
    if (made.error !== undefined) return t.skip('there is no openssl');
    const settings = { tls: 'files', 'tls-cert': `${cert}`, 'tls-key': `${key}` };
    const { port } = await serviceFor(t, { settings });
    const suites = allowed.map((name) => `ECDHE-RSA-${name}`);
    await assertSpoken(port, readFileSync(`${cert}`, 'utf8'), suites);
  });

  const rejected: readonly (readonly [what: string, options: ConnectionOptions])[] = [
    ...['AES128-SHA', 'AES256-SHA', 'AES128-SHA256', 'AES256-SHA384'].map((name) => {
      const ciphers = `ECDHE-ECDSA-${name}`;
      return [`1.2 with ${ciphers}`, { maxVersion: 'TLSv1.2', ciphers }] as const;
    }),
    // which would cost the service too much
    ...['P-521', 'ffdhe3072'].map((group) => [`with ${group} alone`, { ecdhCurve: group }] as const),
  ];
  for (const [what, options] of rejected)
    test(`TLS ${what} is rejected (RFC 9325 section 4.2)`, async () => {
      await assert.rejects(open(options), { code: /HANDSHAKE_FAILURE/ });
    });

  test('Strict-Transport-Security is on every response to a request, whatever its status', async () => {
    const etag = String((await asked({ path: '/problems' })).headers.etag);
    for (const [status, what] of [
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
    ] satisfies readonly (readonly [number, Asked])[]) {
      const { status: found, headers } = await asked(what);
      assert.deepEqual([found, headers['strict-transport-security']], [status, 'max-age=31536000']);
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
    await assertStatus(asked({ path: '/metrics' }), 200);
    for (const headers of [
      { 'x-forwarded-proto': 'http' },
      { 'x-forwarded-for': '203.0.113.1' },
      { forwarded: 'for=203.0.113.1;proto=http' },
    ]) {
      await assertStatus(asked({ headers }), 200);
      await assertStatus(asked({ headers, path: '/metrics' }), 401);
    }
  });

  test('bytes that aren’t TLS, or an aborted handshake, get no response and leave no socket', async () => {
    const hello = Buffer.from([0x16, 0x03, 0x01, 0x00, 0x05, 0x01, 0x00, 0x00, 0x01, 0x03]);
    const alert = Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x28]);
    for (const bytes of [Buffer.from(live), Buffer.alloc(300, 7), hello, alert]) {
      using connection = await openRaw(service().port);
      connection.write(bytes);
      if (bytes === hello) connection.socket.end();
      assert.doesNotMatch(await connection.closed, /HTTP/);
    }
    for (let index = 0; index < 50; index += 1) (await openRaw(service().port)).socket.destroy();
    await until(async () => /^orderly_connections [12]$/m.test((await asked({ path: '/metrics' })).text));
  });
});

describe('TLS with certificates from files', () => {
  /** Files in a new folder; `renew` writes another certificate, and returns it. */
  function certificateFiles(t: { after(end: () => void): void }) {
    const folder = newFolder(t);
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const renew = (): string => {
      const { certPem, keyPem } = newCertificate();
      writeFileSync(cert, certPem);
      writeFileSync(key, keyPem);
      return certPem;
    };
    return { cert, key, renew };
  }

  test('new certificate files are used within an hour, and a warning comes before their end', (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const { cert, key, renew } = certificateFiles(t);
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
    assert.equal(warnings.length, 1, 'said once');
    assert.match(String(warnings[0]), /expires on \d{4}-\d\d-\d\d: then clients reject it\.$/);
  });

  test('new certificate files are used after a signal, invalid ones never', insideOnly, async (t) => {
    const { cert, key, renew } = certificateFiles(t);
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
