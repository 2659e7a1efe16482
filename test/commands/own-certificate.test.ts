// The certificate that the service makes for itself: its names, when it is replaced, and what devices have to
// trust again.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import module from 'node:module';
import os from 'node:os';
import { certificateNames, thisMachine } from '../../src/service/own-certificate.ts';
import { ensureCertificate } from '../../src/service/certificate-keeper.ts';
import { readCommandLine } from '../../src/service/command-line.ts';
import { newCertificate } from '../support/new-certificate.ts';
import { serviceFor } from '../support/service.ts';
import { assertAll, newFolder } from '../support/command-support.ts';

const dayMilliseconds = 86_400_000;
const start = Date.parse('2026-03-01T09:30:00.000Z');
const authorityMade = /^a certificate authority/;
const newAuthorityMade = /^a new certificate authority/;
const authorityReplaced = /^a new certificate authority, since the old one or its key was missing or damaged/;
const certificateMade = /^a certificate for /;

const machine = { hostname: 'Till-2', addresses: ['192.168.1.20', 'fd00::2'] };
const table: readonly (readonly [flags: string, names: string])[] = [
  ['', 'localhost 127.0.0.1 ::1'],
  ['--public-url=https://kasse.example:8450', 'kasse.example localhost 127.0.0.1 ::1'],
  ['--host=127.0.0.2', '127.0.0.2 localhost 127.0.0.1 ::1'],
  ['--host=0.0.0.0', 'localhost 127.0.0.1 ::1 till-2 till-2.local 192.168.1.20 fd00::2'],
  [
    '--host=:: --public-url=https://kasse.example',
    'kasse.example localhost 127.0.0.1 ::1 till-2 till-2.local 192.168.1.20 fd00::2',
  ],
  [
    '--host=192.168.1.20 --public-url=https://192.168.1.20:8450',
    '192.168.1.20 localhost 127.0.0.1 ::1 till-2 till-2.local',
  ],
  ['--public-url=https://[2001:db8::1]', '2001:db8::1 localhost 127.0.0.1 ::1'],
];
for (const [flags, expected] of table) {
  test(`the names of the certificate with "${flags}" are ${expected}`, () => {
    const { config } = readCommandLine(flags.split(' ').filter(Boolean), {});
    assert.equal(certificateNames(config, machine).all.join(' '), expected);
  });
}

const hostnames: Readonly<Record<string, string>> = {
  ...{ shop: ' shop.local', Dev: ' dev.local', 'xn--p1ai': ' xn--p1ai.local', till: ' till.local' },
  ...{ my_till: '', '-pi': '', 'pi-': '', 'shop.-pi': '' },
};
for (const [hostname, local] of Object.entries(hostnames)) {
  test(`the names of the certificate have no host name that may be a top-level domain or is invalid in DNS: ${hostname}`, () => {
    const { all } = certificateNames(readCommandLine(['--host=::'], {}).config, { hostname, addresses: [] });
    assert.equal(all.join(' '), `localhost 127.0.0.1 ::1${local}`);
  });
}

test('the certificate is kept while it is valid, and renewed in its last 30 days by the same authority', (t) => {
  const { made, authority } = folder(t);
  assertAll(made(start), [authorityMade, certificateMade]);
  const first = authority();
  assertAll(made(start + 365 * dayMilliseconds), []);
  assertAll(made(start + 367 * dayMilliseconds), [certificateMade]);
  assert.equal(authority(), first);
});

test('the certificate is renewed when its names change; the authority stays if it permits them', (t) => {
  const { made, authority } = folder(t);
  made(start, '--public-url=https://kasse.example');
  const first = authority();
  assertAll(made(start), [certificateMade]);
  assertAll(made(start, '--public-url=https://till.local:8450'), [certificateMade]);
  assertAll(made(start, '--public-url=https://192.168.7.7'), [certificateMade]);
  assertAll(made(start, '--public-url=https://www.kasse.example'), [certificateMade]);
  assert.equal(authority(), first);
  assertAll(made(start, '--public-url=https://shop.example'), [newAuthorityMade, certificateMade]);
  assert.notEqual(authority(), first);
});

test('the certificate is renewed by a new authority if the authority is about to expire', (t) => {
  const { made } = folder(t);
  made(start);
  assertAll(made(start + 19 * 365 * dayMilliseconds), [newAuthorityMade, certificateMade]);
});

test('the certificate is kept while the clock shows a time before it was made', (t) => {
  const { made } = folder(t);
  made(start);
  assertAll(made(Date.UTC(1970, 0, 1)), []);
  assertAll(made(Date.UTC(2010, 0, 1), '--public-url=https://till.local'), [certificateMade]);
  assertAll(made(start, '--public-url=https://till.local'), []);
});

for (const [what, time] of [
  ['without a clock', Date.UTC(1970, 0, 1)],
  ['while the clock was a year ahead', start + 365 * dayMilliseconds],
] as const)
  test(`what a first start made ${what} is valid once the clock is right, and kept`, (t) => {
    const { made, path } = folder(t);
    made(time);
    for (const file of ['ca.pem', 'cert.pem']) {
      const { validFromDate, validToDate } = new X509Certificate(readFileSync(path(file)));
      assert(validFromDate.getTime() <= start && start < validToDate.getTime(), file);
    }
    assertAll(made(start), []);
  });

test('a certificate that can’t be renewed is kept while it is valid, and no longer', (t) => {
  const { made, path } = folder(t);
  made(start);
  mkdirSync(path('key.pem.partial')); // in the way of a new key
  assertAll(made(start + 395 * dayMilliseconds), []);
  assert.throws(() => made(start + 397 * dayMilliseconds), /key\.pem\.partial/);
});

test('a certificate that begins later is made anew, by the same authority', (t) => {
  const { made, authority } = folder(t);
  made(start + 900 * dayMilliseconds);
  const first = authority();
  assertAll(made(start), [certificateMade]);
  assert.equal(authority(), first);
});

test('the certificate is renewed if one of its files is missing, damaged or belongs to another', (t) => {
  const { made, path } = folder(t);
  made(start);
  rmSync(path('key.pem'));
  assertAll(made(start), [certificateMade]);
  writeFileSync(path('cert.pem'), 'not PEM');
  assertAll(made(start), [certificateMade]);
  const { certPem, keyPem } = newCertificate({ now: start });
  writeFileSync(path('cert.pem'), certPem);
  writeFileSync(path('key.pem'), keyPem);
  assertAll(made(start), [certificateMade]);
  rmSync(path('ca-key.pem'));
  assertAll(made(start), [authorityReplaced, certificateMade]);
  writeFileSync(path('ca.pem'), 'not PEM');
  assertAll(made(start), [authorityReplaced, certificateMade]);
});

test('the certificate is read again on a signal, which also renews it', async (t) => {
  const service = await serviceFor(t, { settings: { tls: 'self-signed' } });
  if (service.inside === undefined) return t.skip('needs its clock');
  const file = join(service.folder, 'tls', 'cert.pem');
  const first = readFileSync(file, 'utf8');
  service.clock.advance(370 * dayMilliseconds);
  service.inside.reload();
  const { validToDate } = new X509Certificate(readFileSync(file));
  assert.notEqual(readFileSync(file, 'utf8'), first);
  assert.equal(validToDate.getTime(), service.clock.now + 396 * dayMilliseconds);
  assert.match(service.logged.join('\n'), /Created a certificate for localhost.*\n.*was reloaded/);
});

function folder(t: TestContext) {
  const data = newFolder(t);
  const path = (name: string): string => join(data, 'tls', name);
  return {
    path,
    authority: () => readFileSync(path('ca.pem'), 'utf8'),
    /** The certificate after a start at this time with these flags. */
    made(now: number, ...flags: readonly string[]): readonly string[] {
      return ensureCertificate(readCommandLine([`--data=${data}`, ...flags], {}).config, now).created;
    },
  };
}

test('a machine that doesn’t let the service look up its addresses or its name has none', (t) => {
  const denied = (): never => {
    throw new Error('uv_interface_addresses returned Unknown system error 97'); // without AF_NETLINK
  };
  t.after(() => {
    t.mock.restoreAll();
    module.syncBuiltinESMExports();
  });
  t.mock.method(os, 'networkInterfaces', denied);
  t.mock.method(os, 'hostname', denied);
  module.syncBuiltinESMExports();
  assert.deepEqual(thisMachine(), { hostname: '', addresses: [] });
});
