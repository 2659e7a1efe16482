// The service's own authority and certificates, as Node, OpenSSL and the RFCs judge them.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, get } from 'node:https';
import { isIP, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { checkServerIdentity } from 'node:tls';
import { promisify } from 'node:util';
import {
  hasExactlyNames,
  issueCertificate,
  createAuthority,
  permits,
  type KeyPair,
} from '../../src/auth/certificate.ts';
import { newFolder } from '../support/command-support.ts';

const dayMilliseconds = 86_400_000;
const now = Date.now();
const names = [
  'kasse.example',
  'localhost',
  '127.0.0.1',
  '::1',
  'till',
  'till.local',
  '192.168.1.20',
  '2001:db8::5',
  '2001:db8:0:1:1:1:1:1',
];
const authority = createAuthority(names, { now, owner: 'till' });
const authorityCertificate = new X509Certificate(authority.certPem);
const issued = issueCertificate(names, authority, now);
const certificate = new X509Certificate(issued.certPem);
const run = promisify(execFile);

for (const name of names) {
  test(`an HTTPS client that trusts the authority accepts the certificate for ${name}`, async () => {
    assert.equal(await ask(name, authority.certPem), 'hello');
  });
}

test('an HTTPS client that is given the file of the certificate also accepts it', async () => {
  assert.equal(await ask('localhost', issued.certPem), 'hello');
});

test('a machine with an odd name has an authority whose certificates are accepted', async () => {
  const odd = createAuthority(['localhost'], { now, owner: 'Zoë’s till, left + right' });
  assert.equal(await ask('localhost', odd.certPem, issueCertificate(['localhost'], odd, now)), 'hello');
});

test('an HTTPS client that trusts another authority does not accept it', async () => {
  const { certPem } = createAuthority(names, { now, owner: 'till' });
  await assert.rejects(ask('localhost', certPem), /certificate/);
});

test('an HTTPS client that trusts the authority accepts it for no other name', async () => {
  await assert.rejects(ask('orders.example', authority.certPem), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
});

test('the certificate is for the names it was issued for, and for no other', () => {
  for (const name of names)
    assert.equal(isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name), name);
  assert.equal(certificate.checkHost('example.org') ?? certificate.checkIP('127.0.0.2'), undefined);
  assert.ok(hasExactlyNames(certificate, names));
  assert.ok(!hasExactlyNames(certificate, names.slice(1)));
});

test('the authority issues for servers only, and its certificates issue nothing', () => {
  assert.ok(authorityCertificate.ca && !certificate.ca);
  assert.ok(certificate.checkIssued(authorityCertificate));
  assert.ok(certificate.verify(authorityCertificate.publicKey));
  assert.ok(certificate.checkPrivateKey(createPrivateKey(issued.keyPem)));
  for (const each of [authorityCertificate, certificate]) {
    assert.deepEqual(each.keyUsage, ['1.3.6.1.5.5.7.3.1']);
    assert.equal(each.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1');
  }
});

const permittedTable: readonly (readonly [name: string, isPermitted: boolean])[] = [
  ['kasse.example', true],
  ['www.kasse.example', true],
  ['example', false],
  ['notkasse.example', false],
  ['other.local', true],
  ['shop.home.arpa', true],
  ['other', false],
  ['10.9.8.7', true],
  ['172.32.0.1', false],
  ['fd12::1', true],
  ['8.8.8.8', false],
  ['2001:db8::5', true],
  ['2001:db8::6', false],
];
for (const [name, isPermitted] of permittedTable) {
  test(`the authority ${isPermitted ? 'may' : 'may not'} issue for ${name}`, async (t) => {
    assert.equal(permits(authorityCertificate, name), isPermitted);
    if (await isMissing('openssl')) return t.skip('there is no openssl');
    const verified = verify(t, issueCertificate([name], authority, now));
    await (isPermitted ? verified : assert.rejects(verified, /permitted subtree violation/));
  });
}

test('serial numbers are positive, have 16 bytes, and differ each time', () => {
  const serials = Array.from(
    { length: 20 },
    () => new X509Certificate(issueCertificate(names, authority, now).certPem).serialNumber,
  );
  for (const serial of serials) assert.match(serial, /^[4-7][0-9A-F]{31}$/);
  assert.equal(new Set(serials).size, serials.length);
});

test('a certificate lasts 396 days from now, and its authority 20 years; both began long before', () => {
  const seconds = Math.floor(now / 1000) * 1000;
  for (const [each, days] of [
    [certificate, 396],
    [authorityCertificate, 20 * 365],
  ] as const) {
    assert(each.validFromDate.getTime() < now - 200 * dayMilliseconds);
    assert(
      each !== certificate ||
        each.validToDate.getTime() - each.validFromDate.getTime() <= 825 * dayMilliseconds,
    );
    assert.equal(each.validToDate.getTime(), seconds + days * dayMilliseconds);
  }
});

test('no certificate outlives its authority', () => {
  const late = issueCertificate(names, authority, now + 20 * 365 * dayMilliseconds - dayMilliseconds);
  assert.deepEqual(new X509Certificate(late.certPem).validToDate, authorityCertificate.validToDate);
});

for (const year of [2049, 2050, 2051]) {
  test(`a certificate can expire in ${year}`, () => {
    const end = Date.UTC(year, 5, 30, 12, 34, 56);
    const made = end - 396 * dayMilliseconds;
    const issuer = createAuthority(names, { now: made, owner: 'till' });
    const { raw, validToDate } = new X509Certificate(issueCertificate(names, issuer, made).certPem);
    assert.equal(validToDate.getTime(), end);
    assert.ok(
      raw.includes(year < 2050 ? '\x17\x0d490630123456Z' : `\x18\x0f${year}0630123456Z`),
      'in the form of RFC 5280',
    );
  });
}

test(
  'OpenSSL verifies the certificate under its strict rules',
  { skip: await isMissing('openssl') },
  async (t) => {
    await verify(t, issued, '-x509_strict', '-purpose', 'sslserver', '-verify_hostname', 'till.local');
    await verify(t, issued, '-x509_strict', '-purpose', 'sslserver', '-verify_ip', '2001:db8::5');
    await assert.rejects(verify(t, issued, '-verify_hostname', 'example.org'), /hostname mismatch/i);
  },
);

async function verify(t: TestContext, { certPem }: KeyPair, ...checks: readonly string[]): Promise<void> {
  const folder = newFolder(t);
  const [ca, cert] = [join(folder, 'ca.pem'), join(folder, 'cert.pem')];
  writeFileSync(ca, authority.certPem);
  writeFileSync(cert, certPem);
  const { stdout } = await run('openssl', ['verify', ...checks, '-CAfile', ca, cert]);
  assert.equal(stdout.trim(), `${cert}: OK`);
}

/**
 * Sends a request to a server with the certificate by this name, always over IPv4: a machine may lack IPv6.
 */
async function ask(name: string, ca: string, pair = issued): Promise<string> {
  const { certPem: cert, keyPem: key } = pair;
  const server = createServer({ cert, key }, (_, response) => response.end('hello')).listen(0, '127.0.0.1');
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
