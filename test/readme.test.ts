// The README's walk-through and the container's health check, as they are, against a service with its own
// certificate.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { newFolder } from './commands/command-support.ts';
import { executable, serviceFor } from './service.ts';

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

test(
  'npm start passes a Node that npm install did not bring no option that it may not know',
  { skip: process.platform === 'win32' && 'has a start script of its own' },
  async (t) => {
    const folder = newFolder(t);
    const program = '#!/bin/sh\necho "$0 $@"\n';
    writeFileSync(join(folder, 'node'), program, { mode: 0o755 }); // the machine's own
    const start = async (path: string): Promise<string> => {
      const env = { PATH: `${path}:${process.env['PATH']}` };
      return (await run('sh', ['-c', JSON.parse(page('package.json')).scripts.start], { cwd: folder, env }))
        .stdout;
    };
    assert.equal(await start(folder), `${folder}/node --max-semi-space-size=8 src/start.js\n`);

    const bin = join(folder, 'node_modules/.bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'node'), program, { mode: 0o755 });
    assert.equal(await start(bin), `${bin}/node --max-semi-space-size=8 --disable-sigusr1 src/start.js\n`);
  },
);

test(
  "the container's health check asks whether the service is ready, by HTTPS or HTTP",
  { skip: executable !== undefined && 'looks at the sources' },
  async (t) => {
    const [, ...args] = JSON.parse(
      /^HEALTHCHECK CMD (.*)$/m.exec(page('src/docs/deployment.md'))?.[1] ?? '[]',
    );
    const check = (port: number): Promise<unknown> =>
      run(process.execPath, args, { env: { ORDERLY_PORT: String(port) } });
    for (const tls of ['self-signed', 'off']) {
      const service = await serviceFor(t, { settings: { tls } });
      await check(service.port);
      await service.stop();
      await assert.rejects(check(service.port), { code: 1 });
    }
  },
);

function page(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
}
