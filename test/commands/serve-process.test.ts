// The service as a process: what the first start creates, who may start it, its messages, and how it ends.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { Agent, request, type RequestOptions } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import type { Config } from '../../src/config/config.ts';
import { ensureCertificate } from '../../src/service/certificate-keeper.ts';
import { readCommandLine } from '../../src/service/command-line.ts';
import { ensureSecrets } from '../../src/service/cryptography.ts';
import {
  dataFolder,
  newFolder,
  orderly,
  readOnlyFolder,
  serving,
  start,
} from '../support/command-support.ts';
import { newCertificate } from '../support/new-certificate.ts';
import { testedVersion } from '../support/service.ts';
import { until } from '../support/storage-support.ts';

const isRoot = process.getuid?.() === 0;

function configWith(...flags: string[]): Config {
  return readCommandLine(flags, {}).config;
}

/** The status and the text of a response over TLS. */
async function ask(url: string, options: RequestOptions, body = ''): Promise<[status: number, text: string]> {
  const length = { 'content-length': Buffer.byteLength(body) };
  const call = request(url, { ...options, headers: { ...options.headers, ...length } });
  const answered = once(call, 'response');
  call.end(body);
  const [response] = await answered;
  return [response.statusCode, await textOf(response)];
}

async function statusOf(url: string, ca: string): Promise<number> {
  return (await ask(url, { ca, agent: false }))[0];
}

describe('orderly serve', { concurrency: true }, () => {
  test('the first start creates a secret, a certificate and an administrator, and says where', async (t) => {
    const data = join(newFolder(t), 'data');
    const service = await serving(t, [], { cwd: join(data, '..') });
    const authority = readFileSync(join(data, 'tls/ca.pem'), 'utf8');
    assert.equal(await statusOf(`${service.url}/health/ready`, authority), 200);
    const { status, stdout, stderr } = await service.end();
    assert.deepEqual([status, stderr], [0, '']);

    const { email, password } = JSON.parse(readFileSync(join(data, 'initial-admin.json'), 'utf8'));
    assert.equal(email, 'admin@localhost');
    assert.ok(password.length >= 20 && !stdout.includes(password));
    const secrets = ['initial-admin.json', 'lock.db', 'orderly.db', 'secret.key'];
    assert.deepEqual(readdirSync(data).sort(), [...secrets, 'last-event', 'tls'].toSorted());
    for (const file of [...secrets, 'tls/key.pem', 'tls/ca-key.pem'])
      assert.equal(statSync(join(data, file)).mode & 0o777, 0o600, file);
    assert.equal(statSync(data).mode & 0o777, 0o700);

    const lines: Record<string, unknown>[] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const messages = lines.flatMap(({ message }) => (message === undefined ? [] : [message]));
    const [memory] = messages.splice(6, 1);
    assert.match(String(memory), /^Of [\d,]+ MB of memory, .* hashed at a time; .* are free\.$/);
    const inSevenDays = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
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
    const deleteAndStart = 'mkdir "$1/gone" && cd "$1/gone" && rmdir "$1/gone" && exec "$2" "$3" --port=0';
    const gone = spawnSync('sh', ['-c', deleteAndStart, 'sh', newFolder(t), process.execPath, start]);
    assert.equal(gone.status, 78);
    assert.match(String(gone.stderr), /^orderly: the working directory was deleted: change to another\n$/);
    if (!isRoot || process.platform !== 'linux') return;
    const cwd = newFolder(t);
    writeFileSync(join(cwd, '.env'), 'ORDERLY_COLOUR=red\n');
    chmodSync(cwd, 0o700);
    chownSync(cwd, 65_534, 65_534);
    // root without its capabilities: it may read the sources, wherever they lie, but not this folder
    const args = ['--bounding-set=-all', process.execPath, start, 'openapi'];
    const other = spawnSync('setpriv', args, { cwd, env: { PATH: process.env['PATH'] } });
    assert.deepEqual([other.status, String(other.stderr)], [0, '']);
  });

  test('a second process on the folder is rejected, whatever its port; the first continues', async (t) => {
    const folder = await dataFolder(t);
    const first = await serving(t, ['--tls=off', `--data=${folder}`]);
    const second = await orderly(['--port=0', '--tls=off', `--data=${folder}`]);
    const advice = 'Stop it first, or choose another folder.';
    const stderr = `orderly: Another process uses the data folder ${folder}. ${advice}\n`;
    assert.deepEqual(second, { status: 1, stdout: '', stderr });
    assert.equal((await fetch(`${first.url}/health/ready`)).status, 200);
    assert.equal((await first.end('SIGINT')).status, 0);
  });

  test('an import that follows a response at once is taken, over TLS, too', async (t) => {
    const data = join(newFolder(t), 'data');
    const rates = ['default', 'anonymous', 'created'].map((name) => `--rate-${name}=off`);
    const { url } = await serving(t, [...rates, `--data=${data}`]);
    const ca = readFileSync(join(data, 'tls/ca.pem'));
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca, servername: 'localhost' });
    t.after(() => agent.destroy());
    const post = (path: string, headers: Record<string, string>, body: string) =>
      ask(url + path, { agent, method: 'POST', headers }, body);
    const account = readFileSync(join(data, 'initial-admin.json'), 'utf8');
    const [, text] = await post('/api/sessions', { 'content-type': 'application/json' }, account);
    const csv = { 'content-type': 'text/csv', authorization: `Bearer ${JSON.parse(text).accessToken}` };
    // a turn after a response has left TLS says so: its client may have asked again by then
    for (let count = 0; count < 400; count += 1) {
      await ask(`${url}/health/live`, { agent });
      const [status] = await post('/imports?of=customers&dryRun=true', csv, 'name\r\nGrace Hopper\r\n');
      assert.equal(status, 200, `import ${count}`);
    }
  });

  test('a start on a busy port names the port', async (t) => {
    const server = createServer().listen(0, '127.0.0.1');
    t.after(() => server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // it listens on TCP
    const ended = await orderly(['--tls=off', `--port=${port}`, `--data=${await dataFolder(t)}`]);
    const advice = 'choose another --port, or stop it.';
    assert.equal(ended.status, 1);
    assert.equal(ended.stderr, `orderly: another process listens on 127.0.0.1, port ${port}: ${advice}\n`);
  });

  const asOther = { skip: isRoot && 'root may write everywhere' };
  test('a folder that can only be read stops the start with a sentence', asOther, async (t) => {
    const folder = newFolder(t);
    chmodSync(folder, 0o555);
    const { status, stdout, stderr } = await orderly(['--port=0', '--tls=off', `--data=${folder}`]);
    assert.deepEqual([status, stdout], [1, '']);
    assert.match(stderr, readOnlyFolder);
  });

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
      const secrets = () => ensureSecrets(configWith(`--data=${data}`)).secrets;
      writeFileSync(join(data, 'secret.key'), text);
      assert.throws(secrets, /secret\.key is damaged: delete it to get a new one/);
      writeFileSync(join(data, 'secret.key'), `${secret}\r\n`); // as an editor may save it
      assert.equal(secrets().length, 1);
    });

  const { certPem, keyPem } = newCertificate();
  const [leaf = '', authority = ''] = certPem.match(/-----BEGIN[^]*?-----END.*\n/g) ?? [];
  const encryption = { cipher: 'aes-256-cbc', passphrase: 'planted' };
  const encrypted = createPrivateKey(keyPem).export({ type: 'pkcs8', format: 'pem', ...encryption });
  const otherType = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
  const damaged = `${certPem}-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n`;
  const wrongFiles: readonly (readonly [what: string, cert: string, key: string, complaint: RegExp])[] = [
    [
      'a chain with a damaged certificate',
      damaged,
      keyPem,
      /cert\.pem with the key in \S+key\.pem can't be used: /,
    ],
    ['files that are interchanged', keyPem, certPem, /cert\.pem has no "-----BEGIN CERTIFICATE-----", but/],
    ['a certificate in another form than PEM', '0\x82', keyPem, /cert\.pem has no .*: it must be .* in PEM$/],
    ['a key in another form than PEM', certPem, '', /key\.pem has no "-----BEGIN PRIVATE KEY-----": .* PEM$/],
    ['an encrypted key', certPem, String(encrypted), /key\.pem is encrypted.* "openssl pkey -in FILE -out /],
    [
      'a chain that begins with the authority',
      authority + leaf,
      keyPem,
      /does not belong to the first certificate/,
    ],
    [
      'the key of another certificate',
      certPem,
      newCertificate().keyPem,
      /mismatch|the key does not belong to/,
    ],
    ['a key of another type', certPem, String(otherType), /mismatch|the key does not belong to/],
  ];
  for (const [what, cert, key, complaint] of wrongFiles)
    test(`--tls files: ${what}: the message says what would be right`, (t) => {
      const [certFile, keyFile] = [join(newFolder(t), 'cert.pem'), join(newFolder(t), 'key.pem')];
      writeFileSync(certFile, cert);
      writeFileSync(keyFile, key);
      const flags = ['--tls=files', `--tls-cert=${certFile}`, `--tls-key=${keyFile}`];
      assert.throws(() => ensureCertificate(configWith(...flags), 0), complaint);
    });

  test('SIGHUP reads a renewed certificate', async (t) => {
    const folder = await dataFolder(t);
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const write = (): string => {
      const made = newCertificate();
      writeFileSync(cert, made.certPem);
      writeFileSync(key, made.keyPem);
      return made.certPem;
    };
    const first = write();
    const flags = ['--tls=files', `--tls-cert=${cert}`, `--tls-key=${key}`, `--data=${folder}`];
    const service = await serving(t, flags);
    assert.equal(await statusOf(`${service.url}/health/live`, first), 200);
    const second = write();
    process.kill(service.pid, 'SIGHUP');
    await until(() => service.output.stdout.includes('the certificate was reloaded'));
    assert.equal(await statusOf(`${service.url}/health/live`, second), 200);
  });

  test('SIGUSR1 opens no debugger', async (t) => {
    const service = await serving(t, ['--tls=off', `--data=${await dataFolder(t)}`]);
    process.kill(service.pid, 'SIGUSR1');
    for (let count = 0; count < 20; count += 1)
      assert.equal((await fetch(`${service.url}/health/live`)).status, 200);
    assert.deepEqual((await service.end()).stderr, '');
  });
});
