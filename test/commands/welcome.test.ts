// The messages of a start: where the service listens, how others reach and trust it, and what to try.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { logStart, welcome, type ServiceStart } from '../../src/commands/welcome.ts';
import { readCommandLine } from '../../src/config/command-line.ts';
import { newCertificate } from '../new-certificate.ts';
import { executable, serviceFor } from '../service.ts';
import { newFolder } from './command-support.ts';

const skip = executable !== undefined && 'needs the service itself';

describe('a start reports', { skip }, () => {
  test('the addresses at which other devices reach the service, and how they can trust it', async (t) => {
    const start = await started(t, {
      host: '0.0.0.0',
      tls: 'self-signed',
      'public-url': 'https://kasse.example:8450',
    });
    const authority = join(start.config.data, 'tls', 'ca.pem');
    const { fingerprint256 } = new X509Certificate(readFileSync(authority));
    const text = welcome(start);
    assert.match(
      text,
      /listens on https:\/\/localhost:\d+\n {2}for other devices: https:\/\/kasse\.example:8450\n/,
    );
    assert.match(text, /for other devices: https:\/\/till\.local:\d+\n/);
    assert.ok(text.includes(`trust the service once ${authority} is installed`));
    assert.ok(text.includes(`fingerprint is ${fingerprint256}.`));
    assert.ok(logOf(start).some(([, message]) => message.includes(fingerprint256)));
  });

  test('no address that nothing listens on: with 0.0.0.0 none of IPv6', async (t) => {
    const start = await started(t, { host: '0.0.0.0', tls: 'self-signed' });
    const both = { ...start, config: { ...start.config, host: '::' } };
    assert.deepEqual(addressesFor(start), ['https://till.local', 'https://192.168.1.20']);
    assert.deepEqual(addressesFor(both), [...addressesFor(start), 'https://[fd00::2]']);
  });

  test('which addresses the authority does not permit, and how to get one that does', async (t) => {
    const start = await started(t, { tls: 'self-signed' }); // its authority permits only private addresses
    const machine = { ...till, addresses: ['192.168.1.20', '203.0.113.7'] };
    const moved = { ...start, config: { ...start.config, host: '0.0.0.0' }, machine };
    const authority = join(start.config.data, 'tls', 'ca.pem');
    const advice = `${authority} does not permit certificates for 203.0.113.7. If devices`;
    assert.deepEqual(addressesFor(moved), ['https://till.local', 'https://192.168.1.20']);
    assert.ok(welcome(moved).includes(advice));
    assert.ok(logOf(moved).some(([, message]) => message.startsWith(advice)));
    assert.doesNotMatch(welcome(start), /does not permit/);
  });

  test('nothing about other devices if the service listens on loopback only', async (t) => {
    for (const publicUrl of ['', 'https://localhost:8450']) {
      const start = await started(t, { tls: 'self-signed', 'public-url': publicUrl });
      assert.doesNotMatch(welcome(start), /other devices/i);
      assert.ok(!logOf(start).some(([, message]) => /other devices/i.test(message)));
    }
  });

  test('how to sign up while registration is open, and otherwise how to sign in', async (t) => {
    assert.match(welcome(await started(t, {})), /Sign up .*\n {2}curl http.*\/api\/users/);
    const closed = await started(t, { registration: 'closed' }, 'initial-admin.json');
    const text = welcome(closed);
    assert.doesNotMatch(text, /Sign up/);
    assert.match(text, /Sign in .*\n {2}curl http.*\/api\/sessions .*\n.*\n.*-d @\S+initial-admin\.json$/m);
    const replaced = welcome(await started(t, { registration: 'closed' }));
    assert.doesNotMatch(replaced, /Sign (up|in)/);
  });

  const publicUrl = { 'public-url': 'https://orders.example.com' };
  test('that no proxy is trusted, where TLS is off for one', async (t) => {
    for (const settings of [publicUrl, { host: '0.0.0.0' }])
      assert.match(
        warningsOf(await started(t, settings)).at(-1) ?? '',
        /^With --tls off only this machine and /,
      );
    assert.equal(warningsOf(await started(t, {})).length, 1); // of the public URL
  });

  test('that nothing listens at the public URL, if TLS is off and none is set', async (t) => {
    const [level, message = ''] = logOf(await started(t, {})).find(([each]) => each === 'warn') ?? [];
    assert.match(message, /^Without --public-url, links and tokens will name https:\/\/localhost:\d+, where/);
    assert.equal(level, 'warn');
    for (const settings of [{ ...publicUrl, 'trusted-proxy': '127.0.0.1' }, { tls: 'self-signed' }])
      assert.ok(logOf(await started(t, settings)).every(([each]) => each === 'info'));
  });

  test('that the certificate of --tls files has expired, or is for other names', async (t) => {
    const folder = newFolder(t);
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const { certPem, keyPem } = newCertificate({ now: Date.parse('2025-01-15T00:00:00Z') });
    writeFileSync(cert, certPem);
    writeFileSync(key, keyPem);
    const files = { tls: 'files', 'tls-cert': cert, 'tls-key': key };
    assert.deepEqual(warningsOf(await started(t, { ...files, 'public-url': 'https://kasse.example' })), [
      `The certificate in ${cert} expired on 2026-02-15: clients reject it.`,
      `The certificate in ${cert} is not for kasse.example, the host of --public-url: clients reject it.`,
    ]);
    assert.equal(warningsOf(await started(t, { ...files, 'public-url': 'https://127.0.0.1' })).length, 1);
    const early = { ...(await started(t, files)), now: Date.parse('2025-01-01T00:00:00Z') };
    const [warning] = warningsOf(early);
    assert.equal(
      warning,
      `The certificate in ${cert} is valid from 2025-01-14: until then clients reject it.`,
    );
  });

  test('that the clock is behind the database, or was never set', async (t) => {
    const start = await started(t, { tls: 'self-signed' });
    assert.deepEqual(warningsOf({ ...start, now: start.now - 59_000 }), []);
    assert.deepEqual(warningsOf({ ...start, now: start.now - 86_400_000 }), [
      'The clock shows 2026-02-28T09:30:00Z, but the latest event is of 2026-03-01T09:30:00Z: set the ' +
        'clock, or new orders get wrong times.',
    ]);
    assert.match(warningsOf({ ...start, now: 86_400_000 }).join(), /^The clock shows 1970-01-02T00:00:00Z, /);
  });
});

function warningsOf(start: ServiceStart): string[] {
  return logOf(start).flatMap(([level, message]) => (level === 'warn' ? [message] : []));
}

const till = { hostname: 'till', addresses: ['192.168.1.20', 'fd00::2'] };

/** The URLs for other devices, without their ports. */
function addressesFor(start: ServiceStart): string[] {
  return Array.from(welcome(start).matchAll(/for other devices: (.+):\d+/g), ([, url = '']) => url);
}

async function started(
  t: TestContext,
  settings: Readonly<Record<string, string>>,
  firstAdmin: 'given' | 'initial-admin.json' = 'given',
): Promise<ServiceStart> {
  const { inside, folder, clock } = await serviceFor(t, { settings, firstAdmin });
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
