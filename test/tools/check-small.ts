// `npm run check:small`: what a service does with little memory, over TLS, with 20,000 orders. For each size, in
// a control group without swap: 200 requests a second for a minute, twenty sign-ins in a row and four at once,
// 2,000 new orders and 2,000 lists as fast as they are answered, an export, an import, a backup, and the console in
// a browser, with a sign-in after each; below 96 MB 10 requests a second and the sign-ins alone. Needs root, for the group.
// Exits with status 1 if a goal was missed.
//
// The group runs a copy of the program, so that its pages are charged to the group, as on a machine of this size;
// on a loop device, which reads ahead as a small machine does.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Person } from '../console/console-actions.ts';
import { openTab } from '../support/browser.ts';
import { startChild } from '../support/child-service.ts';
import { countsOf, createLoadClient, type Reply } from '../support/load-client.ts';
import { items } from '../support/resource-support.ts';
import { runProgram } from '../support/running-program.ts';
import { admin } from '../support/service.ts';
import { root } from '../support/source-text.ts';

const orders = 20_000;
const customers = 5_000;
const importedRows = 10_000;
const diskBytes = 3 * 1024 ** 3;
/** As Linux has it by default. */
const readAheadKilobytes = 128;
const scopes = 'customers:read,customers:write,orders:read,orders:write';
/** The goals: all that is checked works with so much memory, and the console with so much. With less, 503 is no failure. */
const megabytesForAll = 96;
const megabytesForConsole = 128;
const readMillisecondsMax = 100;
const requestsPerSecond = 200;
/** With less memory than for all. */
const requestsPerSecondMin = 10;
/** Of the work without a pause: more requests at once take more memory. */
const workRequests = 2_000;
const workAtOnce = 32;

const { values: options } = parseArgs({
  options: {
    /** Sizes of memory. */
    megabytes: { type: 'string', default: '96,128,192' },
    seconds: { type: 'string', default: '60' },
    'no-browser': { type: 'boolean', default: false },
  },
});
const orderly = [process.execPath, join(root, 'src/start.js')];
let missed = 0;

const disk = mountDisk();
try {
  const prepared = join(disk.folder, 'prepared');
  await run([...orderly, 'sample', '--orders', String(orders), '--until', 'now', '--data', prepared]);
  for (const megabytes of options.megabytes.split(',').map(Number)) {
    console.log(`\n${megabytes} MB:`);
    const data = join(disk.folder, String(megabytes));
    cpSync(prepared, data, { recursive: true });
    const group = createGroup(megabytes, disk.folder);
    try {
      await checkSize(megabytes, data, group);
    } finally {
      group.remove();
    }
  }
} finally {
  disk.remove();
}
process.exitCode = missed > 0 ? 1 : 0;

/** ext4 on a loop device. */
function mountDisk(): { readonly folder: string; remove(): void } {
  const scratch = mkdtempSync(join(tmpdir(), 'orderly-small-'));
  const [image, folder] = [join(scratch, 'disk'), join(scratch, 'mounted')];
  mkdirSync(folder);
  execFileSync('truncate', ['--size', String(diskBytes), image]);
  execFileSync('mkfs.ext4', ['-q', image]);
  const made = execFileSync('losetup', ['--find', '--show', '--direct-io=on', image], { encoding: 'utf8' });
  const device = made.trim();
  execFileSync('mount', [device, folder]);
  writeFileSync(`/sys/block/${basename(device)}/queue/read_ahead_kb`, String(readAheadKilobytes));
  return {
    folder,
    remove() {
      execFileSync('umount', [folder]);
      execFileSync('losetup', ['--detach', device]);
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

type Group = {
  /** Runs orderly in the group. */
  readonly program: readonly string[];
  readonly peakMegabytes: () => number;
  readonly remove: () => void;
};

/** A control group of version 2 where its memory controller is there, otherwise of version 1. */
function createGroup(megabytes: number, scratch: string): Group {
  const groups = '/sys/fs/cgroup';
  const isSecond = existsSync(join(groups, 'cgroup.subtree_control'));
  const path = join(groups, isSecond ? '' : 'memory', `orderly-small-${process.pid}`);
  const bytes = String(megabytes * 1024 ** 2);
  mkdirSync(path);
  writeFileSync(join(path, isSecond ? 'memory.max' : 'memory.limit_in_bytes'), bytes);
  const swap = join(path, isSecond ? 'memory.swap.max' : 'memory.memsw.limit_in_bytes');
  if (existsSync(swap)) writeFileSync(swap, isSecond ? '0' : bytes);
  console.log(`in a control group of version ${isSecond ? 2 : 1}; swap is off`);
  const copy = join(scratch, `program-${megabytes}`);
  const bin = join(copy, 'node_modules/node-here/bin');
  mkdirSync(bin, { recursive: true });
  const files = `cp -r ${root}/src ${root}/package.json ${copy} && cp ${process.execPath} ${bin}`;
  const once = `[ -e ${copy}/src ] || { ${files} && sync -f ${copy}; }`;
  const script = `echo $$ > ${path}/cgroup.procs; cd ${copy}; ${once}; exec sh src/start.sh "$@"`;
  const peak = join(path, isSecond ? 'memory.peak' : 'memory.max_usage_in_bytes');
  return {
    program: ['/bin/sh', '-c', script, 'sh'],
    peakMegabytes: () => Number(readFileSync(peak, 'utf8')) / 1024 ** 2,
    remove: () => rmdirSync(path),
  };
}

/** Prints a line for each step, and counts the goals that were missed. */
async function checkSize(megabytes: number, data: string, { program, peakMegabytes }: Group): Promise<void> {
  const hasAll = megabytes >= megabytesForAll;
  // outside the group: on the smallest machine the command may have no memory for the hash
  const account = ['admin', 'create', '--email', admin.email, '--data', data];
  const [, password = ''] = /^password: (\S+)$/m.exec(await run([...orderly, ...account])) ?? [];
  const owner = ['--email', admin.email, '--name', 'check', '--scopes', scopes, '--data', data];
  const [key = ''] = /ord_\S+/.exec(await run([...orderly, 'keys', 'create', ...owner])) ?? [];
  const settings = { tls: 'self-signed', log: 'info', 'rate-login-account-total': 'off' };
  // both fill the compile cache, which takes more memory than anything after it
  await (await startChild({ folder: data, settings, program })).kill('SIGTERM');
  await run([...program, 'backup', join(data, 'first.db'), '--data', data]);
  const service = await startChild({ folder: data, settings, program });
  const client = createLoadClient(service.port, {
    connections: workAtOnce,
    tls: { rejectUnauthorized: false },
    headers: { 'x-api-key': key },
  });

  const post = (path: string, body: object | string, headers = {}): Promise<Reply> =>
    client.attempt({ method: 'POST', path, body, headers });
  const get = (path: string, accept = 'application/json'): Promise<Reply> =>
    client.attempt({ method: 'GET', path, headers: { accept } });
  const signIn = (): Promise<Reply> => post('/api/sessions', { email: admin.email, password });
  const order = (index: number): Promise<Reply> =>
    post('/orders', { customerId: 1 + (index % customers), currency: 'EUR', items: [...items, ...items] });
  const list = (index: number): Promise<Reply> =>
    get(`/orders?limit=200&status=${['open', 'paid', 'delivered'][index % 3]}`);

  function report(what: string, replies: readonly Reply[], goals: readonly string[] = []): void {
    const failed = replies.filter(({ status }) => (status === 503 ? hasAll : status < 200 || status > 299));
    const causes = new Set(failed.filter(({ status }) => status === 0).map(({ text }) => text));
    const failures = failed.length > 0 ? [...goals, `${failed.length} failed`, ...causes] : goals;
    missed += failures.length;
    const verdict = failures.length > 0 ? `  MISSED: ${failures.join(', ')}` : '';
    console.log(`  ${what}: ${countsOf(replies)}; ${memoryOf(service.pid)}${verdict}`);
  }

  /** Work, and the sign-in after it. */
  async function work(what: string, ask: () => Promise<readonly Reply[]>): Promise<void> {
    report(what, await ask());
    report('sign-in', [await signIn()]);
  }

  /** Sends the requests on time, whether the earlier ones are answered or not; one in five changes something. */
  async function checkLoad(perSecond: number): Promise<void> {
    const reads: Promise<Reply>[] = [];
    const changes: Promise<Reply>[] = [];
    const begin = performance.now();
    for (let index = 0; index < Number(options.seconds) * perSecond; index += 1) {
      const early = begin + (index * 1000) / perSecond - performance.now();
      if (early > 1) await pause(early);
      const id = 1 + ((index * 7919) % orders);
      if (index % 5 === 0) changes.push(order(id));
      else if (index % 10 === 1) reads.push(get('/orders?status=open&sort=-createdAt&limit=20'));
      else reads.push(get(index % 10 === 2 ? `/customers/${1 + (id % customers)}` : `/orders/${id}`));
    }
    const read = await Promise.all(reads);
    const times = read.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
    const p99 = times[Math.floor(times.length * 0.99)] ?? 0;
    // with the least memory the program's pages come from the disk again and again
    const isLate = hasAll && p99 > readMillisecondsMax;
    report(`${perSecond} requests/s: reads, p99 ${p99.toFixed(0)} ms`, read, isLate ? ['p99 of reads'] : []);
    report('changes', await Promise.all(changes));
  }

  async function checkAll(): Promise<void> {
    await work('2,000 orders without a pause', () => withoutPause(order));
    await work('2,000 lists without a pause', () => withoutPause(list));
    await work('export', async () => {
      const exported = await get('/orders', 'text/csv');
      const lines = exported.text.split('\n').length;
      if (lines < orders) report(`only ${lines} lines`, [], ['not whole']);
      return [exported];
    });
    const rows = Array.from(
      { length: importedRows },
      (_, row) => `Customer ${row};customer${row}@example.com`,
    );
    const table = ['name;email', ...rows, ''].join('\r\n');
    const csv = { 'content-type': 'text/csv' };
    await work(`import of ${importedRows} rows`, async () => [
      await post('/imports?of=customers', table, csv),
    ]);
    await work('backup', async () => {
      await run([...program, 'backup', join(data, 'copy.db'), '--data', data]);
      return [];
    });
    if (options['no-browser'] || megabytes < megabytesForConsole) return;
    await showConsole(`https://localhost:${service.port}`, password);
    report('console', []);
  }

  try {
    report('idle', []);
    report('sign-in', [await signIn()]);
    await checkLoad(hasAll ? requestsPerSecond : requestsPerSecondMin);
    const inRow: Reply[] = [];
    while (inRow.length < 20) inRow.push(await signIn());
    report('20 sign-ins in a row', inRow);
    report('4 sign-ins at once', await Promise.all([1, 2, 3, 4].map(signIn)));
    if (hasAll) await checkAll();
    report('afterwards', [await get('/orders?limit=5'), await signIn()]);
    console.log(`  peak of the group: ${peakMegabytes().toFixed(0)} MB, files in memory included`);
  } catch (error) {
    report(String(error), [], ['broken off']);
  } finally {
    client.close();
    const { code, signal } = await service.kill('SIGTERM');
    if (code !== 0) report('the service', [], [`ended with ${signal ?? code}`]);
  }
}

async function withoutPause(ask: (index: number) => Promise<Reply>): Promise<Reply[]> {
  const replies: Reply[] = [];
  let sent = 0;
  const askInTurn = async (): Promise<void> => {
    while (sent < workRequests) {
      sent += 1;
      replies.push(await ask(sent));
    }
  };
  await Promise.all(Array.from({ length: workAtOnce }, askInTurn));
  return replies;
}

async function showConsole(url: string, password: string): Promise<void> {
  const tab = await openTab();
  try {
    await tab.send('Security.setIgnoreCertificateErrors', { ignore: true });
    await new Person(tab, 'mouse').signIn(url, { email: admin.email, password });
    await tab.open(`${url}/console#/orders`);
    await tab.until('document.querySelectorAll("tbody tr").length > 5');
  } finally {
    await tab.close();
  }
}

/** Runs a command to its end, and returns what it prints. */
async function run(command: readonly string[]): Promise<string> {
  const { ended, output, written } = runProgram(command);
  const { code } = await ended;
  assert.equal(code, 0, `${command.join(' ')}: ${written()}`);
  return output.stdout;
}

/** What is its own, and with the files that it has in memory. */
function memoryOf(pid: number): string {
  if (!existsSync(`/proc/${pid}/status`)) return 'ended';
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const [own, withFiles, most] = ['RssAnon', 'VmRSS', 'VmHWM'].map((name) =>
    (Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024).toFixed(0),
  );
  return `${own} MB of its own, ${withFiles} with files, ${most} at most`;
}
