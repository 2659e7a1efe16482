// The messages of a start: where the service listens, and how others reach and trust it.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { logStart, welcome, type ServiceStart } from '../../src/commands/welcome.ts';
import { readCommandLine } from '../../src/service/command-line.ts';
import { newFolder } from '../support/command-support.ts';
import { newCertificate } from '../support/new-certificate.ts';
import { executable, serviceFor } from '../support/service.ts';

const skip = executable !== undefined && 'needs the service itself';
const till = { hostname: 'till', addresses: ['192.168.1.20', 'fd00::2'] };
const publicUrl = { 'public-url': 'https://orders.example.com' };

async function started(t: TestContext, settings: Readonly<Record<string, string>>): Promise<ServiceStart> {
  const { inside, folder, clock } = await serviceFor(t, { settings });
  const flags = Object.entries({ tls: 'off', data: folder, ...settings });
  const args = flags.map(([flag, value]) => `--${flag}=${value}`);
  const { config } = readCommandLine(args, {});
  return { config, service: inside ?? assert.fail(), machine: till, now: clock.now };
}

function logOf(start: ServiceStart): [level: string, message: string][] {
  const lines: [level: string, message: string][] = [];
  const log = (level: string, message: string): void => void lines.push([level, message]);
  logStart({ write: log, request() {}, flush() {} }, start);
  return lines;
}

function warningsOf(start: ServiceStart): string[] {
  return logOf(start).flatMap(([level, message]) => (level === 'warn' ? [message] : []));
}

/** The URLs for other devices, without their ports. */
function addressesFor(start: ServiceStart): string[] {
  const [, urls = ''] = /Other devices use (.+), and trust/.exec(welcome(start)) ?? [];
  return urls.split(', ').map((url) => url.replace(/:\d+$/, ''));
}

describe('a start reports', { skip }, () => {
  test('a start reports the addresses at which other devices reach the service, and how they can trust it', async (t) => {
    const names = { host: '0.0.0.0', 'public-url': 'https://kasse.example:8450' };
    const start = await started(t, { ...names, tls: 'self-signed' });
    const authority = join(start.config.dataFolder, 'tls', 'ca.pem');
    const { fingerprint256 } = new X509Certificate(readFileSync(authority));
    const [level, message = ''] = logOf(start).find(([, each]) => each.includes(fingerprint256)) ?? [];
    assert.equal(level, 'info');
    assert.match(message, /^Other devices use https:\/\/kasse\.example:8450, https:\/\/till\.local:\d+, /);
    assert.ok(message.includes(`trust the service once ${authority} is installed`));
    assert.ok(message.includes('; https://kasse.example:8450/certificate has the steps.'));
    assert.ok(welcome(start).includes(message));
  });

  test('a start reports no address that nothing listens on, or that its authority does not permit', async (t) => {
    const start = await started(t, { host: '0.0.0.0', tls: 'self-signed' });
    const both = { ...start, config: { ...start.config, host: '::' } };
    const ofIPv4 = ['https://till.local', 'https://192.168.1.20'];
    assert.deepEqual(addressesFor(start), ofIPv4, 'none of IPv6');
    assert.deepEqual(addressesFor(both), [...ofIPv4, 'https://[fd00::2]']);
    const local = await started(t, { tls: 'self-signed' }); // its authority permits only private addresses
    const machine = { ...till, addresses: ['192.168.1.20', '203.0.113.7'] };
    const moved = { ...local, config: { ...local.config, host: '0.0.0.0' }, machine };
    assert.deepEqual(addressesFor(moved), ofIPv4);
  });

  test('a start reports nothing about other devices if the service listens on loopback only', async (t) => {
    for (const url of ['', 'https://localhost:8450']) {
      const start = await started(t, { tls: 'self-signed', 'public-url': url });
      for (const message of [welcome(start), ...logOf(start).map(([, each]) => each)])
        assert.doesNotMatch(message, /other devices/i);
    }
  });

  test('a start reports that no proxy is trusted, where TLS is off for one', async (t) => {
    for (const settings of [publicUrl, { host: '0.0.0.0' }]) {
      const warnings = warningsOf(await started(t, settings));
      assert.match(warnings.at(-1) ?? '', /^With --tls off only this machine and /);
    }
  });

  test('a start reports that nothing listens at the public URL, if TLS is off and none is set', async (t) => {
    const [message = '', ...others] = warningsOf(await started(t, {}));
    assert.match(message, /^Without --public-url, links and tokens will name https:\/\/localhost:\d+, where/);
    assert.deepEqual(others, []);
    for (const settings of [{ ...publicUrl, 'trusted-proxy': '127.0.0.1' }, { tls: 'self-signed' }])
      assert.deepEqual(warningsOf(await started(t, settings)), []);
  });

  const hasModes = { skip: process.platform === 'win32' && 'has no modes' };
  test(
    'a start reports that others may read its files, on a file system without modes',
    hasModes,
    async (t) => {
      const start = await started(t, { tls: 'self-signed' });
      chmodSync(join(start.config.dataFolder, 'orderly.db'), 0o755); // as on exFAT
      const [warning = ''] = warningsOf(start);
      assert.match(warning, /^Other accounts may read the files in \S+, whose file system /);
    },
  );

  test('a start reports that the certificate of --tls files has expired, or is for other names', async (t) => {
    const folder = newFolder(t);
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const { certPem, keyPem } = newCertificate({ now: Date.parse('2026-01-15T00:00:00Z') });
    writeFileSync(cert, certPem);
    writeFileSync(key, keyPem);
    const warningsAt = async (time: string, url?: string): Promise<string[]> => {
      const names = url === undefined ? {} : { 'public-url': url };
      const start = await started(t, { tls: 'files', 'tls-cert': cert, 'tls-key': key, ...names });
      return warningsOf({ ...start, now: Date.parse(time) });
    };
    const late = '2027-03-01T00:00:00Z';
    const expired = `The certificate in ${cert} expired on 2027-02-15: clients reject it.`;
    assert.deepEqual(await warningsAt(late, 'https://127.0.0.1'), [expired]);
    assert.deepEqual(await warningsAt(late, 'https://kasse.example'), [
      expired,
      `The certificate in ${cert} is not for kasse.example, the host of --public-url: clients reject it.`,
    ]);
    assert.deepEqual(await warningsAt('2025-01-01T00:00:00Z'), [
      `The certificate in ${cert} is valid from 2026-01-01: until then clients reject it.`,
      "The clock shows 2025-01-01T00:00:00.000Z, which can't be right: set it.",
    ]);
  });
});
