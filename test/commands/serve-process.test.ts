// The service as a process: what the first start creates, who may start it, its messages, and how it ends.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { chmodSync, chownSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { text as textOf } from 'node:stream/consumers';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { newCertificate } from '../support/new-certificate.ts';
import { ensureCertificate } from '../../src/service/certificate-keeper.ts';
import { ensureSecrets } from '../../src/service/cryptography.ts';
import { readCommandLine } from '../../src/service/command-line.ts';
import type { Config } from '../../src/config/config.ts';
import { dataFolder, newFolder, orderly, readOnlyFolder, serving } from '../support/command-support.ts';
import { testedVersion } from '../support/service.ts';
import { until } from '../support/storage-support.ts';

const isRoot = process.getuid?.() === 0;

describe('orderly serve', { concurrency: true }, () => {
  test('the first start creates a secret, a certificate and an administrator, and says where', async (t) => {
    const cwd = newFolder(t);
    const service = await serving(t, [], { cwd });
    assert.equal(
      await statusOf(`${service.url}/health/ready`, readFileSync(join(cwd, 'data/tls/ca.pem'))),
      200,
    );
    const { status, stdout, stderr } = await service.end();
    assert.deepEqual([status, stderr], [0, '']);

    const { email, password } = JSON.parse(readFileSync(join(cwd, 'data/initial-admin.json'), 'utf8'));
    assert.equal(email, 'admin@localhost');
    assert.ok(password.length >= 20 && !stdout.includes(password));
    assert.deepEqual(readdirSync(join(cwd, 'data')).sort(), [
      'initial-admin.json',
      'last-event',
      'lock.db',
      'orderly.db',
      'secret.key',
      'tls',
    ]);
    for (const file of [
      'initial-admin.json',
      'orderly.db',
      'secret.key',
      'tls/key.pem',
      'tls/ca-key.pem',
      'lock.db',
    ])
      assert.equal(statSync(join(cwd, 'data', file)).mode & 0o777, 0o600, file);
    assert.equal(statSync(join(cwd, 'data')).mode & 0o777, 0o700);

    const lines = stdout
      .trim()
      .split('\n')
      .map((line): Record<string, unknown> => JSON.parse(line));
    const messages = lines.flatMap(({ message }) => (message === undefined ? [] : [message]));
    const inSevenDays = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
    assert.match(
      String(messages.splice(6, 1)),
      /^Of [\d,]+ MB of memory, .* hashed at a time; .* are free\.$/,
    );
    assert.deepEqual(messages, [
      'There was no database in data: a new, empty one was made. Should there be one, is its disk mounted?',
      'Created a secret that signs tokens: data/secret.key.',
      'Created a certificate authority, for devices to trust: data/tls/ca.pem.',
      'Created a certificate for localhost, 127.0.0.1, ::1: data/tls/cert.pem.',
      'Created an administrator, admin@localhost; the password is in data/initial-admin.json.',
      `The password of admin@localhost was generated and works until ${inSevenDays}: sign in and change it.`,
      'listening',
      'SIGTERM: finishing open requests; another signal after 2 seconds stops immediately',
      'stopped',
    ]);
    for (const [index, { time, level }] of lines.entries())
      assert.deepEqual([new Date(String(time)).toISOString(), level], [time, index === 0 ? 'warn' : 'info']);
    assert.deepEqual(lines.find(({ message }) => message === 'listening')?.['version'], testedVersion);
  });

  test('in a working folder that was deleted, or can’t be searched, a sentence or a start', async (t) => {
    const start = join(import.meta.dirname, '../../src/start.js');
    const gone = spawnSync('sh', [
      '-c',
      'mkdir "$1/gone" && cd "$1/gone" && rmdir "$1/gone" && exec "$2" "$3" --port=0',
      ...['sh', newFolder(t), process.execPath, start],
    ]);
    assert.equal(gone.status, 78);
    assert.match(String(gone.stderr), /^orderly: the working directory was deleted: change to another\n$/);
    if (!isRoot || process.platform !== 'linux') return;
    const closed = newFolder(t);
    writeFileSync(join(closed, '.env'), 'ORDERLY_COLOUR=red\n');
    chmodSync(closed, 0o700);
    chownSync(closed, 65_534, 65_534);
    // root without its capabilities: it may read the sources, wherever they lie, but not this folder
    const other = spawnSync('setpriv', ['--bounding-set=-all', process.execPath, start, 'openapi'], {
      cwd: closed,
      env: { PATH: process.env['PATH'] },
    });
    assert.deepEqual([other.status, String(other.stderr)], [0, '']);
  });

  test('a second process on the folder is rejected, whatever its port; the first continues', async (t) => {
    const folder = await dataFolder(t);
    const first = await serving(t, ['--tls=off', `--data=${folder}`]);
    const second = await orderly(['--port=0', '--tls=off', `--data=${folder}`]);
    assert.deepEqual([second.status, second.stdout], [1, '']);
    assert.equal(
      second.stderr,
      `orderly: Another process uses the data folder ${folder}. Stop it first, ` +
        'or choose another folder.\n',
    );
    assert.equal((await fetch(`${first.url}/health/ready`)).status, 200);
    assert.equal((await first.end('SIGINT')).status, 0);
  });

  test('an import that follows a response at once is taken, over TLS, too', async (t) => {
    const cwd = newFolder(t);
    const rates = ['default', 'anonymous', 'created'].map((name) => `--rate-${name}=off`);
    const service = await serving(t, rates, { cwd });
    const ca = readFileSync(join(cwd, 'data/tls/ca.pem'));
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca, servername: 'localhost' });
    t.after(() => agent.destroy());
    const ask = async (path: string, headers: object, body = ''): Promise<[number | undefined, string]> => {
      const call = request(new URL(path, service.url), {
        agent,
        method: body === '' ? 'GET' : 'POST',
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      });
      const answered = once(call, 'response');
      call.end(body);
      const [response] = await answered;
      return [response.statusCode, await textOf(response)];
    };
    const account = readFileSync(join(cwd, 'data/initial-admin.json'), 'utf8');
    const { email, password } = JSON.parse(account);
    const json = { 'content-type': 'application/json' };
    const [, text] = await ask('/api/sessions', json, JSON.stringify({ email, password }));
    const csv = { 'content-type': 'text/csv', authorization: `Bearer ${JSON.parse(text).accessToken}` };
    // a turn after a response has left TLS says so: its client may have asked again by then
    for (let count = 0; count < 400; count += 1) {
      await ask('/health/live', {});
      const [status] = await ask('/imports?of=customers&dryRun=true', csv, 'name\r\nGrace Hopper\r\n');
      assert.equal(status, 200, `import ${count}`);
    }
  });

  test('a start on a busy port names the port', async (t) => {
    const { port } = await listening(t);
    const { status, stderr } = await orderly([
      '--tls=off',
      `--port=${port}`,
      `--data=${await dataFolder(t)}`,
    ]);
    assert.deepEqual(
      [status, stderr],
      [
        1,
        `orderly: another process listens on 127.0.0.1, port ${port}: choose another --port, or stop it.\n`,
      ],
    );
  });

  test(
    'a folder that can only be read stops the start with a sentence',
    { skip: isRoot && 'root may write everywhere' },
    async (t) => {
      const folder = newFolder(t);
      chmodSync(folder, 0o555);
      const { status, stdout, stderr } = await orderly(['--port=0', '--tls=off', `--data=${folder}`]);
      assert.deepEqual([status, stdout], [1, '']);
      assert.match(stderr, readOnlyFolder);
    },
  );

  const secret = 'v0F0xLSn1-Xk9yQm2_bT7cR4wE8uI3oP5aD6gH1jKzY';
  for (const [name, text] of [
    ['cut off', 'short\n'],
    ['of zeros, as after a power cut', '\0'.repeat(44)],
    ['of zeros at its end', `${secret.slice(0, 20)}${'\0'.repeat(24)}`],
    ['of blanks', ' '.repeat(44)],
    ['empty', ''],
    ['too long', `${secret}${secret}\n`],
    ['of other characters', `${secret.slice(1)}é\n`],
  ] as const)
    test(`a secret that is ${name} is rejected instead of used`, (t) => {
      const data = newFolder(t);
      writeFileSync(join(data, 'secret.key'), text);
      assert.throws(
        () => ensureSecrets(configWith(`--data=${data}`)),
        /secret\.key is damaged: delete it to get a new one/,
      );
      writeFileSync(join(data, 'secret.key'), `${secret}\r\n`); // as an editor may save it
      assert.equal(ensureSecrets(configWith(`--data=${data}`)).secrets.length, 1);
    });

  const { certPem, keyPem } = newCertificate();
  const encrypted = createPrivateKey(keyPem).export({
    ...{ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'planted' },
  });
  const otherType = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
  const wrongFiles: readonly (readonly [what: string, cert: string, key: string, complaint: RegExp])[] = [
    [
      'a chain whose second certificate is damaged',
      `${certPem}-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n`,
      keyPem,
      /cert\.pem with the key in \S+key\.pem can't be used: /,
    ],
    ['files that are interchanged', keyPem, certPem, /cert\.pem has no "-----BEGIN CERTIFICATE-----", but/],
    ['a certificate in another form than PEM', '0\x82', keyPem, /cert\.pem has no .*: it must be .* in PEM$/],
    ['a key in another form than PEM', certPem, '', /key\.pem has no "-----BEGIN PRIVATE KEY-----": .* PEM$/],
    ['an encrypted key', certPem, String(encrypted), /key\.pem is encrypted.* "openssl pkey -in FILE -out /],
    ['a chain that begins with the authority', chainOf(certPem), keyPem, /not that of the first certificate/],
    ['the key of another certificate', certPem, newCertificate().keyPem, /mismatch|the key is not that of/],
    ['a key of another type', certPem, String(otherType), /mismatch|the key is not that of/],
  ];
  for (const [what, cert, key, complaint] of wrongFiles) {
    test(`--tls files: ${what}: the message says what would be right`, (t) => {
      const [certFile = '', keyFile = ''] = ['cert.pem', 'key.pem'].map((name) => join(newFolder(t), name));
      writeFileSync(certFile, cert);
      writeFileSync(keyFile, key);
      const flags = ['--tls=files', `--tls-cert=${certFile}`, `--tls-key=${keyFile}`];
      assert.throws(() => ensureCertificate(configWith(...flags), 0), complaint);
    });
  }

  test('SIGHUP reads a renewed certificate', async (t) => {
    const folder = await dataFolder(t);
    const [cert = '', key = ''] = ['cert.pem', 'key.pem'].map((name) => join(folder, name));
    const [first, second] = [newCertificate(), newCertificate()];
    writeFileSync(cert, first.certPem);
    writeFileSync(key, first.keyPem);
    const service = await serving(t, [
      '--tls=files',
      `--tls-cert=${cert}`,
      `--tls-key=${key}`,
      `--data=${folder}`,
    ]);
    assert.equal(await statusOf(`${service.url}/health/live`, Buffer.from(first.certPem)), 200);
    writeFileSync(cert, second.certPem);
    writeFileSync(key, second.keyPem);
    process.kill(service.pid, 'SIGHUP');
    await until(() => service.output.stdout.includes('the certificate was reloaded'));
    assert.equal(await statusOf(`${service.url}/health/live`, Buffer.from(second.certPem)), 200);
  });

  test('SIGUSR1 opens no debugger', async (t) => {
    const service = await serving(t, ['--tls=off', `--data=${await dataFolder(t)}`]);
    process.kill(service.pid, 'SIGUSR1');
    for (let count = 0; count < 20; count += 1)
      assert.equal((await fetch(`${service.url}/health/live`)).status, 200);
    assert.deepEqual((await service.end()).stderr, '');
  });
});

/** Moves the last certificate of the file to its beginning. */
function chainOf(pem: string): string {
  const [leaf = '', authority = ''] = pem.match(/-----BEGIN[^]*?-----END.*\n/g) ?? [];
  return authority + leaf;
}

function configWith(...flags: string[]): Config {
  return readCommandLine(flags, {}).config;
}

async function listening(t: { after(end: () => void): void }): Promise<AddressInfo> {
  const server = createServer();
  t.after(() => {
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server.address() as AddressInfo; // it listens on TCP
}

function statusOf(url: string, ca: Buffer): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { ca, agent: false }, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end();
  });
}
