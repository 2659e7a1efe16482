// The systemd units of the service and of its backup, without systemd: their commands run as another account with the
// units' mounts (bwrap, as root), privileges, filters of system calls (seccomp) and number of threads (a control group).
// Programs of control groups aren't tried: IPAddressDeny, SocketBindDeny, DevicePolicy, OOMPolicy. Nor is LimitNOFILE.
import assert from 'node:assert/strict';
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';
import { createLoadClient, type Thing } from '../../support/load-client.ts';
import { blockOf } from '../../support/page-blocks.ts';
import { items } from '../../support/resource-support.ts';
import { runProgram, type RunningProgram } from '../../support/running-program.ts';
import { buildExecutable } from '../build-executable.ts';
import { seccompProgram } from './system-calls.ts';

const unit = blockOf('deployment.md', '# /etc/systemd/system/orderly.service');
const backupUnit = blockOf('operation.md', '# /etc/systemd/system/orderly-backup.service');
/** What the script below does. */
const shown = [
  ...['User=orderly', 'StateDirectory=orderly', 'StateDirectoryMode=0700', 'UMask=0077'],
  ...['WorkingDirectory=/var/lib/orderly', 'LimitCORE=0', 'ProtectSystem=strict'],
  ...['ProtectHome=yes', 'PrivateTmp=yes', 'PrivateDevices=yes', 'PrivateUsers=yes', 'PrivateIPC=yes'],
  ...[
    'ProtectProc=invisible',
    'ProcSubset=pid',
    'NoExecPaths=/',
    'CapabilityBoundingSet=',
    'RestrictNamespaces=yes',
  ],
  ...['NoNewPrivileges=yes', 'SystemCallArchitectures=native', 'SystemCallErrorNumber=EPERM'],
];
const account = 64_321;
const startMillisecondsMax = 30_000;

export async function checkUnit(folder: string): Promise<string> {
  assert.equal(process.getuid?.(), 0, 'only root can mount what the unit mounts');
  const lines = unit.split('\n');
  for (const line of shown) assert(lines.includes(line), `${line} isn't in the unit`);
  process.removeAllListeners('warning'); // that taking types out is still an experiment of Node's
  for (const name of ['state', 'backups']) {
    mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
    chownSync(join(folder, name), account, account);
  }
  const executable = process.env['ORDERLY_EXECUTABLE'] ?? join(folder, 'orderly');
  if (process.env['ORDERLY_EXECUTABLE'] === undefined) buildExecutable(executable, false);
  writeFileSync(join(folder, 'passwd'), `orderly:x:${account}:${account}::/home/orderly:/bin/false\n`);
  writeFileSync(join(folder, 'start.sh'), script);
  const port = await freePort();
  const threads: number[] = [];
  for (const start of ['first', 'second'])
    threads.push(await checkStart(start, { folder, executable, port }));
  return (
    'started twice: ready, signed in, an order placed, a backup, SIGHUP, the backup unit beside it, ' +
    `stopped with 0; ${Math.max(...threads)} threads of ${valuesOf('TasksMax')[0]}`
  );
}

type Prepared = {
  readonly folder: string;
  readonly executable: string;
  readonly port: number;
};

/** Starts a command of a unit with all that the unit says. */
function begin(text: string, command: string, { folder, executable, port }: Prepared): RunningProgram {
  const families = valuesOf('RestrictAddressFamilies', text)[0]?.split(' ') ?? [];
  const filter = join(folder, 'filter');
  writeFileSync(
    filter,
    seccompProgram({
      lines: valuesOf('SystemCallFilter', text),
      families: families.filter((family) => family !== 'none'),
    }),
  );
  const fd = openSync(filter, 'r');
  const environment = valuesOf('Environment', text).map((each) => each.split('='));
  const env = {
    ...Object.fromEntries(environment),
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    ...(text === unit
      ? { ORDERLY_PORT: String(port) } // as /etc/orderly.env may set it
      : { STATE_DIRECTORY: '/var/lib/orderly-backup' }),
  };
  const words = [
    ...['unshare', '--mount', '--ipc', ...(text.includes('PrivateNetwork=yes') ? ['--net'] : [])],
    ...['sh', join(folder, 'start.sh'), folder, executable],
    ...[text.includes('NoExecPaths=/') ? 'noexec' : '', command.replaceAll('%%', '%')],
  ];
  const program = runProgram(words, { env, stdio: ['ignore', 'pipe', 'pipe', fd] });
  closeSync(fd);
  return program;
}

async function checkStart(name: string, prepared: Prepared): Promise<number> {
  const { folder, port } = prepared;
  const group = threadsGroup();
  const service = begin(unit, valuesOf('ExecStart')[0] ?? '', prepared);
  if (group !== undefined) writeFileSync(join(group, 'cgroup.procs'), String(service.child.pid));
  try {
    await service.writes(/"message":"listening"/, startMillisecondsMax);
    await use(port, join(folder, 'state'), service);
    for (const command of valuesOf('ExecStart', backupUnit)) await runBackup(command, prepared);
    const threads = readdirSync(`/proc/${leafOf(service)}/task`).length;
    process.kill(leafOf(service), 'SIGTERM');
    const { code } = await service.ended;
    assert.equal(code, 0, `the ${name} start: ${service.written().slice(-1_000)}`);
    return threads;
  } finally {
    if (service.child.exitCode === null) process.kill(leafOf(service), 'SIGKILL');
    await service.ended;
    if (group !== undefined) rmdirSync(group);
  }
}

/** A control group that has `TasksMax`; undefined where there is no controller for it. */
function threadsGroup(): string | undefined {
  const root = ['/sys/fs/cgroup/pids', '/sys/fs/cgroup'].find((path) =>
    existsSync(path === '/sys/fs/cgroup' ? join(path, 'pids.max') : join(path, 'cgroup.procs')),
  );
  if (root === undefined) return undefined;
  const group = join(root, `orderly-unit-${process.pid}`);
  mkdirSync(group);
  writeFileSync(join(group, 'pids.max'), valuesOf('TasksMax')[0] ?? assert.fail('the unit has no TasksMax'));
  return group;
}

async function runBackup(command: string, prepared: Prepared): Promise<void> {
  const before = readdirSync(join(prepared.folder, 'backups')).length;
  const { ended, written } = begin(backupUnit, command, prepared);
  const { code } = await ended;
  assert.equal(code, 0, `the backup unit: ${written()}`);
  const made = readdirSync(join(prepared.folder, 'backups')).length - before;
  assert.equal(made, command.includes(' backup ') ? 1 : 0, `the backup unit made ${made}: ${written()}`);
}

async function use(port: number, state: string, service: RunningProgram): Promise<void> {
  const client = createLoadClient(port);
  const post = async (path: string, body?: object, token?: string): Promise<Thing> => {
    const { status, text, thing } = await client.ask({ method: 'POST', path, body, token });
    assert(status < 300, `POST ${path}: ${status} ${text}`);
    return thing;
  };
  assert.equal((await client.ask({ method: 'GET', path: '/health/ready' })).status, 200);
  const { email, password } = JSON.parse(readFileSync(join(state, 'initial-admin.json'), 'utf8'));
  await post('/api/sessions', { email, password });
  process.kill(leafOf(service), 'SIGHUP'); // as ExecReload sends it
  const token = String((await post('/api/sessions', { email, password }))['accessToken']);
  const { id: customerId } = await post('/customers', { name: 'Grace Hopper' }, token);
  await post('/orders', { customerId, currency: 'EUR', items }, token);
  await post('/backups', undefined, token);
  client.close();
}

/** The service is the last child of bwrap, unshare and sh have become. */
function leafOf({ child }: RunningProgram): number {
  let pid = child.pid ?? assert.fail('nothing was started');
  for (;;) {
    const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    if (first === undefined || first === '') return pid;
    pid = Number(first);
  }
}

/** Each line of the unit that sets this. */
function valuesOf(name: string, text = unit): string[] {
  return Array.from(text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm')), ([, value = '']) => value);
}

const executablePaths = valuesOf('ExecPaths')
  .flatMap((value) => value.split(' '))
  .map((path) => path.replace(/^-/, ''));

/** Its parameters: the folder, the executable, `noexec` or nothing, and the command. */
const script = `set -eu
folder=$1 executable=$2 command=$4
protection=ro,$\{3:-exec}
mount --make-rprivate /
mount --bind "$folder/passwd" /etc/passwd
mount -t tmpfs tmpfs /usr/local/bin
touch /usr/local/bin/orderly
mount --bind "$executable" /usr/local/bin/orderly
mount -t tmpfs tmpfs /var/lib
mkdir /var/lib/orderly /var/lib/orderly-backup /var/lib/proc
mount -t proc -o subset=pid,hidepid=invisible proc /var/lib/proc # bwrap itself needs the whole
mount --bind "$folder/state" /var/lib/orderly
mount -o remount,bind,noexec /var/lib/orderly
[ -n "$3" ] || mount --bind "$folder/backups" /var/lib/orderly-backup
# the last two are for this script
for path in ${executablePaths.join(' ')} /usr/bin/setpriv /usr/bin/bwrap; do
  [ -e "$path" ] || continue
  mount --bind "$path" "$path"
  mount -o remount,bind,ro,exec "$path"
done
umask 077
ulimit -c 0
mount -o remount,$protection /var/lib
mount -o remount,bind,$protection /
eval "exec /usr/bin/setpriv --reuid ${account} --regid ${account} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all \
  /usr/bin/bwrap --unshare-user --dev-bind / / --dev /dev --bind /var/lib/proc /proc --tmpfs /tmp --tmpfs /var/tmp --tmpfs /home --tmpfs /root \
  --chdir /var/lib/orderly --seccomp 3 -- $command"
`;
