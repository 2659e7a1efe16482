// The certificate the service makes for itself: what Node, OpenSSL and the RFC say of it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, get } from 'node:https';
import { isIP, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { checkServerIdentity } from 'node:tls';
import { promisify } from 'node:util';
import { selfSigned } from '../../src/auth/certificate.ts';

const now = Date.now();
const { certPem, keyPem } = selfSigned({ now });
const certificate = new X509Certificate(certPem);
const dayMilliseconds = 86_400_000;
const run = promisify(execFile);

for (const name of ['localhost', '127.0.0.1', '::1']) {
  test(`an HTTPS client that trusts the certificate takes it for ${name}`, async () => {
    assert.equal(await ask(name, certPem), 'hello');
  });
  test(`an HTTPS client that trusts another certificate does not take it for ${name}`, async () => {
    await assert.rejects(ask(name, selfSigned({ now }).certPem), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  });
}

test('an HTTPS client that trusts the certificate takes it for no other name', async () => {
  await assert.rejects(ask('orders.example', certPem), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
});

test('the certificate names this machine only', () => {
  assert.equal(certificate.subjectAltName, 'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1');
  assert.equal(certificate.checkHost('localhost'), 'localhost');
  assert.equal(certificate.checkIP('127.0.0.1'), '127.0.0.1');
  assert.equal(certificate.checkIP('::1'), '::1');
  assert.equal(certificate.checkHost('example.org') ?? certificate.checkIP('127.0.0.2'), undefined);
});

test('the certificate is signed by its own key, for servers, and can sign no other', () => {
  assert.ok(certificate.verify(certificate.publicKey));
  assert.ok(certificate.checkPrivateKey(createPrivateKey(keyPem)));
  assert.equal(certificate.ca, false);
  assert.deepEqual(certificate.keyUsage, ['1.3.6.1.5.5.7.3.1']);
  assert.equal(certificate.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1');
});

test('its serial number is positive, of 16 bytes, and another each time', () => {
  const serials = Array.from(
    { length: 20 },
    () => new X509Certificate(selfSigned({ now }).certPem).serialNumber,
  );
  for (const serial of serials) assert.match(serial, /^[4-7][0-9A-F]{31}$/);
  assert.equal(new Set(serials).size, serials.length);
});

test('it has been valid for a day, and is for no more than 825', () => {
  const seconds = Math.floor(now / 1000) * 1000;
  assert.equal(certificate.validFromDate.getTime(), seconds - dayMilliseconds);
  assert.equal(certificate.validToDate.getTime(), seconds + 820 * dayMilliseconds);
});

for (const year of [2049, 2050, 2051]) {
  test(`a certificate that ends in ${year} says so`, () => {
    const end = Date.UTC(year, 5, 30, 12, 34, 56);
    const { raw, validToDate, validFromDate } = new X509Certificate(
      selfSigned({ now: end - 3 * dayMilliseconds, days: 3 }).certPem,
    );
    assert.equal(validToDate.getTime(), end);
    assert.equal(validFromDate.getTime(), end - 4 * dayMilliseconds);
    assert.ok(
      raw.includes(year < 2050 ? '\x17\x0d490630123456Z' : `\x18\x0f${year}0630123456Z`),
      'in the form of RFC 5280',
    );
  });
}

test(
  'OpenSSL verifies the certificate under its strict rules',
  { skip: await isMissing('openssl') },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'orderly-certificate-'));
    const file = join(folder, 'cert.pem');
    try {
      writeFileSync(file, certPem);
      for (const check of [
        ['-verify_hostname', 'localhost'],
        ['-verify_ip', '127.0.0.1'],
        ['-verify_ip', '::1'],
      ]) {
        const { stdout } = await run('openssl', [
          'verify',
          '-x509_strict',
          '-purpose',
          'sslserver',
          ...check,
          '-CAfile',
          file,
          file,
        ]);
        assert.equal(stdout.trim(), `${file}: OK`);
      }
      await assert.rejects(
        run('openssl', ['verify', '-verify_hostname', 'example.org', '-CAfile', file, file]),
        /hostname mismatch/i,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

/** Asks a server with the certificate under a name, over IPv4 whatever the name: a machine may lack IPv6. */
async function ask(name: string, ca: string): Promise<string> {
  const server = createServer({ cert: certPem, key: keyPem }, (_, response) => response.end('hello')).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port, not on a pipe
  try {
    const request = get({
      host: '127.0.0.1',
      port,
      ca,
      agent: false,
      servername: isIP(name) ? '' : name,
      checkServerIdentity: (_, presented) => checkServerIdentity(name, presented),
    });
    const [response] = await once(request, 'response');
    return await text(response);
  } finally {
    server.close();
  }
}

async function isMissing(command: string): Promise<boolean> {
  return run(command, ['version']).then(
    () => false,
    () => true,
  );
}
