// The README's two commands with the npm of several years: `npm run check:npm`. Each installs, starts and tests a clone
// of the last commit in a folder that only this account may enter, with and without install scripts.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createLoadClient } from '../support/load-client.ts';
import { runProgram } from '../support/running-program.ts';

const versions = ['8.19', '9.2', '10.8', '10.9', '11.0', 'latest'];
const smallTest = 'test/base/csv.test.ts';
const stepMillisecondsMax = 300_000;

const folder = mkdtempSync(join(tmpdir(), 'orderly-npm-'));
chmodSync(folder, 0o700);
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

// as a shell has them: without what the npm that runs this program has added
const environment: NodeJS.ProcessEnv = { npm_config_cache: join(folder, 'cache') };
for (const [name, value] of Object.entries(process.env))
  if (!name.toLowerCase().startsWith('npm_')) environment[name] = value;
environment['PATH'] = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((each) => !/node_modules|node-gyp-bin/.test(each))
  .join(delimiter);

for (const version of versions) {
  const programs = join(folder, `npm-${version}`);
  run('npm', ['install', '--silent', '--prefix', programs, `npm@${version}`], folder);
  for (const flags of [[], ['--ignore-scripts']]) await check(join(programs, 'node_modules/.bin/npm'), flags);
}

async function check(npm: string, flags: readonly string[]): Promise<void> {
  const clone = join(folder, 'clone');
  run('git', ['clone', '--quiet', join(import.meta.dirname, '../..'), clone], folder);
  const name = `npm ${run(npm, ['--version'], clone)}${flags.map((flag) => ` ${flag}`).join('')}`;
  try {
    run(npm, ['install', ...flags], clone);
    const linked = existsSync(join(clone, 'node_modules/.bin/node')) ? 'with' : 'without';
    const answered = await signInAfterStart(npm, clone);
    const tests = /^ℹ pass (\d+)$/m.exec(run(npm, ['test', '--', smallTest], clone))?.[1];
    assert(Number(tests) > 0, 'no test has passed');
    console.log(`${name}: installed ${linked} .bin/node, ${answered}, ${tests} tests passed`);
  } catch (error) {
    process.exitCode = 1;
    console.log(`${name}: FAILED: ${error instanceof Error ? error.message : String(error)}`);
  }
  rmSync(clone, { recursive: true });
}

/** Starts the service, signs in, and stops it by a signal to npm. */
async function signInAfterStart(npm: string, clone: string): Promise<string> {
  const service = runProgram([npm, 'start', '--', '--port', '0'], { cwd: clone, env: environment });
  try {
    const [, port] = await service.writes(/"message":"listening".*?:(\d+)"/);
    const { email, password } = JSON.parse(readFileSync(join(clone, 'data/initial-admin.json'), 'utf8'));
    const ca = readFileSync(join(clone, 'data/tls/ca.pem'), 'utf8');
    const client = createLoadClient(Number(port), { tls: { ca, servername: 'localhost' } });
    const body = { email, password };
    const { status } = await client.ask({ method: 'POST', path: '/api/sessions', body });
    client.close();
    assert.equal(status, 201, 'the sign-in');
    const { code } = await service.end();
    return `started, signed in, stopped with ${code}`;
  } finally {
    await service.end();
  }
}

/** Runs a program, and returns what it printed. */
function run(program: string, args: readonly string[], cwd: string): string {
  const { status, error, stdout, stderr } = spawnSync(program, args, {
    cwd,
    env: environment,
    encoding: 'utf8',
    timeout: stepMillisecondsMax,
  });
  if (error !== undefined) throw error;
  assert.equal(status, 0, `${program} ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout.trim();
}
