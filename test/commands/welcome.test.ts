// The messages of a start: where the service listens, and how others reach and trust it.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { logStart, welcome, type ServiceStart } from '../../src/commands/welcome.ts';
import { readCommandLine } from '../../src/service/command-line.ts';
import { newCertificate } from '../support/new-certificate.ts';
import { executable, serviceFor } from '../support/service.ts';
import { newFolder } from '../support/command-support.ts';

const skip = executable !== undefined && 'needs the service itself';

describe('a start reports', { skip }, () => {
  test('a start reports the addresses at which other devices reach the service, and how they can trust it', async (t) => {
    const start = await started(t, {
      host: '0.0.0.0',
      tls: 'self-signed',
      'public-url': 'https://kasse.example:8450',
    });
    const authority = join(start.config.dataFolder, 'tls', 'ca.pem');
    const { fingerprint256 } = new X509Certificate(readFileSync(authority));
    const [level, message = ''] = logOf(start).find(([, each]) => each.includes(fingerprint256)) ?? [];
    assert.equal(level, 'info');
    assert.match(message, /^Other devices use https:\/\/kasse\.example:8450, https:\/\/till\.local:\d+, /);
    assert.ok(message.includes(`trust the service once ${authority} is installed`));
    assert.ok(message.includes('; https://kasse.example:8450/certificate has the steps.'));
    assert.ok(welcome(start).includes(message));
  });

  test('a start reports no address that nothing listens on: with 0.0.0.0 none of IPv6', async (t) => {
    const start = await started(t, { host: '0.0.0.0', tls: 'self-signed' });
    const both = { ...start, config: { ...start.config, host: '::' } };
    assert.deepEqual(addressesFor(start), ['https://till.local', 'https://192.168.1.20']);
    assert.deepEqual(addressesFor(both), [...addressesFor(start), 'https://[fd00::2]']);
  });

  test('a start reports no address that its authority does not permit', async (t) => {
    const start = await started(t, { tls: 'self-signed' }); // its authority permits only private addresses
    const machine = { ...till, addresses: ['192.168.1.20', '203.0.113.7'] };
    const moved = { ...start, config: { ...start.config, host: '0.0.0.0' }, machine };
    assert.deepEqual(addressesFor(moved), ['https://till.local', 'https://192.168.1.20']);
  });

  test('a start reports nothing about other devices if the service listens on loopback only', async (t) => {
    for (const publicUrl of ['', 'https://localhost:8450']) {
      const start = await started(t, { tls: 'self-signed', 'public-url': publicUrl });
      assert.doesNotMatch(welcome(start), /other devices/i);
      assert.ok(!logOf(start).some(([, message]) => /other devices/i.test(message)));
    }
  });

  const publicUrl = { 'public-url': 'https://orders.example.com' };
  test('a start reports that no proxy is trusted, where TLS is off for one', async (t) => {
    for (const settings of [publicUrl, { host: '0.0.0.0' }])
      assert.match(
        warningsOf(await started(t, settings)).at(-1) ?? '',
        /^With --tls off only this machine and /,
      );
    assert.equal(warningsOf(await started(t, {})).length, 1); // of the public URL
  });

  test('a start reports that nothing listens at the public URL, if TLS is off and none is set', async (t) => {
    const [level, message = ''] = logOf(await started(t, {})).find(([each]) => each === 'warn') ?? [];
    assert.match(message, /^Without --public-url, links and tokens will name https:\/\/localhost:\d+, where/);
    assert.equal(level, 'warn');
    for (const settings of [{ ...publicUrl, 'trusted-proxy': '127.0.0.1' }, { tls: 'self-signed' }])
      assert.ok(logOf(await started(t, settings)).every(([each]) => each === 'info'));
  });

  const hasModes = { skip: process.platform === 'win32' && 'has no modes' };
  test(
    'a start reports that others may read its files, on a file system without modes',
    hasModes,
    async (t) => {
      const start = await started(t, { tls: 'self-signed' });
      chmodSync(join(start.config.dataFolder, 'orderly.db'), 0o755); // as on exFAT
      assert.match(
        String(warningsOf(start)),
        /^Other accounts may read the files in \S+, whose file system /,
      );
    },
  );

  test('a start reports that the certificate of --tls files has expired, or is for other names', async (t) => {
    const folder = newFolder(t);
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const { certPem, keyPem } = newCertificate({ now: Date.parse('2026-01-15T00:00:00Z') });
    writeFileSync(cert, certPem);
    writeFileSync(key, keyPem);
    const files = { tls: 'files', 'tls-cert': cert, 'tls-key': key };
    const late = Date.parse('2027-03-01T00:00:00Z');
    const at = async (publicUrl: string) => ({
      ...(await started(t, { ...files, 'public-url': publicUrl })),
      now: late,
    });
    assert.deepEqual(warningsOf(await at('https://kasse.example')), [
      `The certificate in ${cert} expired on 2027-02-15: clients reject it.`,
      `The certificate in ${cert} is not for kasse.example, the host of --public-url: clients reject it.`,
    ]);
    assert.equal(warningsOf(await at('https://127.0.0.1')).length, 1);
    const early = { ...(await started(t, files)), now: Date.parse('2025-01-01T00:00:00Z') };
    assert.deepEqual(warningsOf(early), [
      `The certificate in ${cert} is valid from 2026-01-01: until then clients reject it.`,
      "The clock shows 2025-01-01T00:00:00.000Z, which can't be right: set it.",
    ]);
  });
});

function warningsOf(start: ServiceStart): string[] {
  return logOf(start).flatMap(([level, message]) => (level === 'warn' ? [message] : []));
}

const till = { hostname: 'till', addresses: ['192.168.1.20', 'fd00::2'] };

/** The URLs for other devices, without their ports. */
function addressesFor(start: ServiceStart): string[] {
  const [, urls = ''] = /Other devices use (.+), and trust/.exec(welcome(start)) ?? [];
  return urls.split(', ').map((url) => url.replace(/:\d+$/, ''));
}

async function started(t: TestContext, settings: Readonly<Record<string, string>>): Promise<ServiceStart> {
  const { inside, folder, clock } = await serviceFor(t, { settings });
  const flags = Object.entries({ tls: 'off', data: folder, ...settings });
  const { config } = readCommandLine(
    flags.map(([flag, value]) => `--${flag}=${value}`),
    {},
  );
  return { config, service: inside ?? assert.fail(), machine: till, now: clock.now };
}

function logOf(start: ServiceStart): [level: string, message: string][] {
  const lines: [level: string, message: string][] = [];
  const log = (level: string, message: string): void => void lines.push([level, message]);
  logStart({ write: log, request() {}, flush() {} }, start);
  return lines;
}
