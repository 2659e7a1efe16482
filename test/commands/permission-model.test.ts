// Under Node's permission model the service reads its sources, writes its folder, listens, and may do nothing
// else.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { describe, test, type TestContext } from 'node:test';
import { executable } from '../support/service.ts';
import { newFolder, realProgram, serving, start } from '../support/command-support.ts';

const hasAllowNet = process.allowedNodeEnvironmentFlags.has('--allow-net'); // from Node 25 on
const skip =
  (executable !== undefined && 'the executable takes these flags by NODE_OPTIONS') ||
  (!hasAllowNet && 'this Node has no --allow-net');
const quiet = ['--disable-warning=PERM0006', '--disable-warning=ExperimentalWarning'];

function flagsFor(folder: string): string[] {
  return [
    '--permission',
    `--allow-fs-read=${dirname(start)}`,
    `--allow-fs-read=${folder}`,
    `--allow-fs-write=${folder}`,
    '--allow-worker',
    '--allow-net',
    ...quiet,
  ];
}

const compileCache = join(dirname(start), '../node_modules/.cache/orderly');
/** For starts after the first: compiling all sources takes most of a start. */
const withCache = [`--allow-fs-read=${compileCache}`, `--allow-fs-write=${compileCache}`];

describe('under the permission model', { concurrency: true, skip }, () => {
  test('under the permission model a service starts empty, recovers after a kill, and stops normally', async (t) => {
    const folder = newFolder(t);
    const begin = (flags: readonly string[]) =>
      serving(t, ['--tls=off', '--public-url=https://orders.example.com', `--data=${folder}`], {
        env: { NODE_OPTIONS: flags.map(quoted).join(' ') },
        runs: realProgram,
      });
    const first = await begin(flagsFor(folder));
    const { email, password } = JSON.parse(readFileSync(`${folder}/initial-admin.json`, 'utf8'));
    const token = await signIn(first.url, email, password);
    const made = await fetch(`${first.url}/customers`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: '{"name":"Grace"}',
    });
    assert.equal(made.status, 201);
    assert.equal((await fetch(`${first.url}/docs`)).status, 200);
    assert.equal((await fetch(`${first.url}/console/console-main.js`)).status, 200);
    await first.end('SIGKILL');
    const second = await begin([...flagsFor(folder), ...withCache]);
    const kept = await fetch(second.url + made.headers.get('location'), {
      headers: { authorization: `Bearer ${token}` },
    });
    assert.equal(((await kept.json()) as { name: string }).name, 'Grace'); // a customer
    const { status, stderr } = await second.end();
    assert.deepEqual([status, stderr], [0, '']);
    using database = new DatabaseSync(join(folder, 'orderly.db'), { readOnly: true });
    const user = database.prepare('SELECT passwordHash FROM users').get();
    assert.match(String(user?.['passwordHash']), /^\$scrypt\$ln=15,r=8,p=3\$/); // elsewhere it is cheap
  });

  test('the flags of the permission model keep the service from other files and from starting programs', async (t) => {
    const attempt = `
      const denied = (act) => { try { act(); return 'done'; } catch ({ code }) { return code; } };
      const { readFileSync, writeFileSync } = process.getBuiltinModule('node:fs');
      console.log([
        denied(() => readFileSync('/etc/hostname')),
        denied(() => writeFileSync(${JSON.stringify(`${dirname(start)}/planted`)}, '')),
        denied(() => process.getBuiltinModule('node:child_process').execFileSync('true')),
        denied(() => process.dlopen({ exports: {} }, 'x.node')),
      ].join());`;
    const { stdout } = await node(t, [...flagsFor(newFolder(t)), '--eval', attempt]);
    assert.equal(stdout.trim(), 'ERR_ACCESS_DENIED,ERR_ACCESS_DENIED,ERR_ACCESS_DENIED,ERR_DLOPEN_DISABLED');
  });

  test('under the permission model a folder without permission is named in a sentence', async (t) => {
    const { status, stderr } = await node(t, [
      ...flagsFor(newFolder(t)),
      ...withCache,
      start,
      '--tls=off',
      '--port=0',
      `--data=${newFolder(t)}/other`,
    ]);
    assert.equal(status, 1);
    assert.match(stderr, /^orderly: .*(restricted|permission).*\n$/i);
  });
});

/** Node splits NODE_OPTIONS at blanks outside of double quotes. */
function quoted(flag: string): string {
  return `"${flag.replaceAll(/["\\]/g, '\\$&')}"`;
}

async function node(
  t: TestContext,
  args: readonly string[],
): Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }> {
  const child = spawn(process.execPath, args, { cwd: newFolder(t), env: {} });
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { status, stdout, stderr };
}

async function signIn(url: string, email: string, password: string): Promise<string> {
  const response = await fetch(`${url}/api/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  assert.equal(response.status, 201);
  return ((await response.json()) as { accessToken: string }).accessToken; // tokens
}
