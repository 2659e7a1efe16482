// The container of the page "Deployment", without an engine: bwrap starts its command as its user, with its variables, on
// a root that can't be written, in namespaces of its own. This machine's /usr stands for that of the image.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { blockOf } from '../../support/page-blocks.ts';
import { root } from '../../support/source-text.ts';

const dockerfile = blockOf('deployment.md', '# podman build');
/** What image and command line say of files, user and privileges, and how they are said to bwrap here. */
const shown = [
  'COPY package.json /opt/orderly/',
  'COPY src /opt/orderly/src',
  'USER node',
  'WORKDIR /data',
  'VOLUME /data',
  '--hostname orderly --read-only --cap-drop=all --security-opt=no-new-privileges',
  '-v orderly:/data',
];
const nodeUser = '1000'; // of the image
const runMillisecondsMax = 120_000;

/** Starts it twice on one volume, and does in it what the page does by `podman exec`. */
export function checkContainer(folder: string): string {
  for (const line of shown) assert(dockerfile.includes(line), `${line} isn't on the page`);
  mkdirSync(folder);
  const hosts = join(folder, 'hosts');
  writeFileSync(hosts, '127.0.0.1 localhost\n::1 localhost\n');
  const own = join(folder, 'volume');
  mkdirSync(own, { mode: 0o700 });
  for (const start of ['first', 'second'])
    run(`the ${start} start`, [...mountsWith(own, hosts), ...variables()]);
  const open = join(folder, 'open-volume');
  mkdirSync(open);
  chmodSync(open, 0o777);
  const ownFolder = ['--setenv', 'ORDERLY_DATA', '/data/shop'];
  run('in a folder of a volume that all may write', [
    ...mountsWith(open, hosts),
    ...variables(),
    ...ownFolder,
  ]);
  return 'started twice on one volume and once in /data/shop: healthy, signed in, backed up, stopped with 0';
}

function run(name: string, args: readonly string[]): void {
  const options = { encoding: 'utf8', timeout: runMillisecondsMax } as const;
  const { status, error, stdout, stderr } = spawnSync('bwrap', [...args, 'sh', '-c', script], options);
  if (error !== undefined) throw error;
  assert.equal(status, 0, `${name}: ${stdout}${stderr}`);
}

function mountsWith(volume: string, hosts: string): string[] {
  return [
    ...['--unshare-all', '--uid', nodeUser, '--gid', nodeUser, '--hostname', 'orderly', '--cap-drop', 'ALL'],
    ...['--die-with-parent', '--ro-bind', '/usr', '/usr', '--tmpfs', '/usr/local'],
    ...['bin', 'lib', 'lib64'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]),
    ...['--ro-bind', process.execPath, '/usr/local/bin/node', '--remount-ro', '/usr/local'],
    ...['--ro-bind', hosts, '/etc/hosts', '--proc', '/proc', '--dev', '/dev'],
    ...['--ro-bind', join(root, 'package.json'), '/opt/orderly/package.json'],
    ...['--ro-bind', join(root, 'src'), '/opt/orderly/src'],
    ...['--bind', volume, '/data', '--remount-ro', '/', '--chdir', '/data'],
  ];
}

function variables(): string[] {
  const set = /^ENV (.*)$/m.exec(dockerfile)?.[1] ?? '';
  const own = ['PATH=/usr/local/bin:/usr/bin', ...set.split(' ')].map((each) => each.split('='));
  return ['--clearenv', ...own.flatMap(([name = '', value = '']) => ['--setenv', name, value])];
}

function wordsOf(instruction: string): string {
  const list = new RegExp(`^${instruction} (\\[.*\\])$`, 'm').exec(dockerfile)?.[1] ?? '[]';
  const words: string[] = JSON.parse(list);
  assert(words.length > 0, `the page has no ${instruction}`);
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
}

const script = `set -eu
touch /written 2>/dev/null && { echo 'the root can be written'; exit 1; }
${wordsOf('ENTRYPOINT')} &
service=$!
healthy() { ${wordsOf('HEALTHCHECK CMD')}; }
tries=0
until healthy 2>/dev/null; do tries=$((tries + 1)); [ $tries -lt 100 ]; kill -0 $service; sleep 0.1; done
curl -sS --fail --cacert "$ORDERLY_DATA/tls/ca.pem" -H 'content-type: application/json' \\
  -d "$(node -p 'const { email, password } = require(process.env.ORDERLY_DATA + "/initial-admin.json"); JSON.stringify({ email, password })')" \\
  -o /dev/null https://localhost:8443/api/sessions
node /opt/orderly/src/start.js backup >/dev/null
kill -TERM $service
wait $service
`;
