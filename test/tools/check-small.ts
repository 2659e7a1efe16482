// `npm run check:small`: what a service does with little memory, over TLS, with 20,000 orders. For each size, in
// a control group without swap: 200 requests a second for a minute, twenty sign-ins in a row and four at once,
// 2,000 new orders and 2,000 lists as fast as they are answered, an export, an import, a backup, and the console in
// a browser, with a sign-in after each; below 96 MB 10 requests a second and the sign-ins alone. Needs root, for the group. Exits with status 1 if a goal was missed.
//
// The group runs a copy of the program, so that its pages are charged to the group, as on a machine of this size;
// on a loop device, which reads ahead as a small machine does.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort } from '../support/free-port.ts';
import { makeLoopDisk } from '../support/loop-disk.ts';
import { openTab } from '../support/browser.ts';
import { Person } from '../console/console-actions.ts';

const orders = 20_000;
const importedRows = 10_000;
/** One request in five changes something. */
const changesOneIn = 5;
const startMillisecondsMax = 60_000;
const diskBytes = 3 * 1024 ** 3;
const email = 'admin@example.com';
const scopes = 'customers:read,customers:write,orders:read,orders:write';
/** The goals: all that is checked works with so much memory, and the console with so much. With less, 503 is no failure. */
const readMillisecondsMax = 100;
const megabytesForAll = 96;
const megabytesForConsole = 128;
const requestsPerSecond = 200;
/** With less memory than for all. */
const requestsPerSecondMin = 10;
/** Of the work without a pause: more requests at once take more memory. */
const workOrders = 2_000;
const workLists = 2_000;
const workAtOnce = 32;

type AskOptions = { readonly body?: object | string; readonly type?: string };
type Answer = { readonly status: number; readonly text: string; readonly milliseconds: number };
type Ask = (method: string, path: string, options?: AskOptions) => Promise<Answer>;
type Report = (what: string, answers: readonly Answer[], goals?: readonly string[]) => void;
type Group = {
  readonly program: readonly string[];
  readonly peakMegabytes: () => number;
  readonly remove: () => void;
};

const { values: options } = parseArgs({
  options: {
    /** Sizes of memory. */
    megabytes: { type: 'string', default: '96,128,192' },
    seconds: { type: 'string', default: '60' },
    'no-browser': { type: 'boolean', default: false },
  },
});

const children: ChildProcess[] = [];

async function main(): Promise<void> {
  const { folder: scratch, remove } = makeLoopDisk(diskBytes);
  let missed = 0;
  try {
    const prepared = join(scratch, 'prepared');
    await output(program, ['sample', '--orders', String(orders), '--until', 'now', '--data', prepared]);
    for (const megabytes of options.megabytes.split(',').map(Number)) {
      console.log(`\n${megabytes} MB:`);
      const folder = join(scratch, String(megabytes));
      cpSync(prepared, folder, { recursive: true });
      const group = createGroup(megabytes, scratch);
      try {
        missed += await checkSize({ folder, group, megabytes });
      } finally {
        for (const child of children) if (!isOver(child)) await end(child, 'SIGKILL');
        group.remove();
      }
    }
  } catch (error) {
    missed += 1;
    console.error(error);
  } finally {
    remove();
  }
  process.exitCode = missed > 0 ? 1 : 0;
}

const program = [process.execPath, join(import.meta.dirname, '../../src/start.js')];

/** A control group of version 2 where its memory controller is there, otherwise of version 1. */
function createGroup(megabytes: number, scratch: string): Group {
  const root = '/sys/fs/cgroup';
  const isSecond = existsSync(join(root, 'cgroup.subtree_control'));
  const path = join(root, isSecond ? '' : 'memory', `orderly-small-${process.pid}`);
  const bytes = String(megabytes * 1024 ** 2);
  mkdirSync(path);
  writeFileSync(join(path, isSecond ? 'memory.max' : 'memory.limit_in_bytes'), bytes);
  const swap = join(path, isSecond ? 'memory.swap.max' : 'memory.memsw.limit_in_bytes');
  if (existsSync(swap)) writeFileSync(swap, isSecond ? '0' : bytes);
  console.log(`in a control group of version ${isSecond ? 2 : 1}; swap is off`);
  const project = join(import.meta.dirname, '../..');
  const copy = join(scratch, `program-${megabytes}`);
  const bin = join(copy, 'node_modules/node-here/bin');
  const files = `cp -r ${project}/src ${project}/package.json ${copy} && cp ${process.execPath} ${bin}`;
  mkdirSync(bin, { recursive: true });
  const once = `[ -e ${copy}/src ] || { ${files} && sync -f ${copy}; }`;
  return {
    program: [
      '/bin/sh',
      '-c',
      `echo $$ > ${path}/cgroup.procs; cd ${copy}; ${once}; exec sh src/start.sh "$@"`,
      'sh',
    ],
    peakMegabytes: () =>
      Number(readFileSync(join(path, isSecond ? 'memory.peak' : 'memory.max_usage_in_bytes'), 'utf8')) /
      1024 ** 2,
    remove: () => rmdirSync(path),
  };
}

type Size = {
  readonly folder: string;
  readonly group: Group;
  readonly megabytes: number;
};

/** Prints a line for each step, and returns the number of goals that were missed. */
async function checkSize({ folder, group, megabytes }: Size): Promise<number> {
  // outside the group: on the smallest machine the command may have no memory for the hash
  const made = await output(program, ['admin', 'create', '--email', email, '--data', folder]);
  const [, password = ''] = /^password: (\S+)$/m.exec(made) ?? [];
  const owner = ['--email', email, '--name', 'check', '--scopes', scopes, '--data', folder];
  const [key = ''] = /ord_\S+/.exec(await output(program, ['keys', 'create', ...owner])) ?? [];
  const port = await freePort();
  const rates = ['default', 'anonymous', 'login-account', 'login-account-total', 'login-address'];
  const flags = [
    '--data',
    folder,
    '--port',
    String(port),
    '--log',
    'warn',
    ...rates.map((rate) => `--rate-${rate}=off`),
  ];
  const ask = askerOf(port, key);
  // both fill the compile cache, which takes more memory than anything after it
  const first = start([...group.program, ...flags]);
  await untilReady(ask, first);
  await end(first);
  await output(group.program, ['backup', join(folder, 'first.db'), '--data', folder]);
  const child = start([...group.program, ...flags]);
  let missed = 0;
  const report: Report = (what, answers, goals = []) => {
    const failed = answers.filter(({ status }) => isMissed(status, megabytes)).length;
    const broken = answers.filter(({ status }) => status === 0).map(({ text }) => text); // no response at all
    const failures = failed > 0 ? [...goals, `${failed} failed`, ...new Set(broken)] : goals;
    missed += failures.length;
    const verdict = failures.length > 0 ? `  MISSED: ${failures.join(', ')}` : '';
    console.log(`  ${what}: ${statusesOf(answers)}; ${memoryOf(child)}${verdict}`);
  };
  try {
    await untilReady(ask, child);
    report('idle', []);
    const signInOnce = (): Promise<Answer> => ask('POST', '/api/sessions', { body: { email, password } });
    report('sign-in', [await signInOnce()]);
    const hasAll = megabytes >= megabytesForAll;
    await checkLoad(ask, report, hasAll ? requestsPerSecond : requestsPerSecondMin);
    const inRow: Answer[] = [];
    for (let index = 0; index < 20; index += 1) inRow.push(await signInOnce());
    report('20 sign-ins in a row', inRow);
    report('4 sign-ins at once', await Promise.all(Array.from({ length: 4 }, signInOnce)));
    if (hasAll) {
      const signInAfter = async (): Promise<void> => report('sign-in', [await signInOnce()]);
      await checkWork(ask, report, signInAfter);
      await checkTransfers(ask, report, signInAfter);
      const copy = join(folder, 'copy.db');
      const failure = await output(group.program, ['backup', copy, '--data', folder]).then(
        () => [],
        (error) => [String(error)],
      );
      report('backup', [], failure);
      await signInAfter();
      if (!options['no-browser'] && megabytes >= megabytesForConsole)
        report(
          'console',
          [],
          await showConsole(`https://localhost:${port}`, password).then(
            () => [],
            (error) => [String(error)],
          ),
        );
    }
    report('afterwards', [await ask('GET', '/orders?limit=5'), await signInOnce()]);
    console.log(`  peak of the group: ${group.peakMegabytes().toFixed(0)} MB, files in memory included`);
  } catch (error) {
    report(String(error), [], ['broken off']);
  }
  if (isOver(child)) report('the service', [], [`ended with ${child.signalCode ?? child.exitCode}`]);
  else await end(child);
  return missed;
}

async function checkLoad(ask: Ask, report: Report, perSecond: number): Promise<void> {
  const { reads, changes } = await load(ask, perSecond);
  const p99 = quantile(
    reads.map(({ milliseconds }) => milliseconds),
    0.99,
  );
  // with the least memory the program's pages come from the disk again and again
  const isLate = perSecond === requestsPerSecond && p99 > readMillisecondsMax;
  const goals = isLate ? ['p99 of reads'] : [];
  report(`${perSecond} requests/s: reads, p99 ${p99.toFixed(0)} ms`, reads, goals);
  report('changes', changes);
}

async function checkWork(ask: Ask, report: Report, signIn: () => Promise<void>): Promise<void> {
  const order = (index: number): Promise<Answer> =>
    ask('POST', '/orders', { body: newOrder(1 + (index % 5_000)) });
  const list = (index: number): Promise<Answer> =>
    ask('GET', `/orders?limit=200&status=${['open', 'paid', 'delivered'][index % 3]}`);
  report(`${workOrders} orders without a pause`, await withoutPause(workOrders, order));
  await signIn();
  report(`${workLists} lists without a pause`, await withoutPause(workLists, list));
  await signIn();
}

async function withoutPause(count: number, askOne: (index: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  let sent = 0;
  async function askInTurn(): Promise<void> {
    while (sent < count) {
      sent += 1;
      answers.push(await askOne(sent));
    }
  }
  await Promise.all(Array.from({ length: workAtOnce }, askInTurn));
  return answers;
}

async function checkTransfers(ask: Ask, report: Report, signIn: () => Promise<void>): Promise<void> {
  const exported = await ask('GET', '/orders', { type: 'text/csv' });
  const lines = exported.text.split('\n').length;
  report(`export of ${lines} lines`, [exported], lines < orders ? ['not whole'] : []);
  await signIn();
  report(`import of ${importedRows} rows`, [await importRows(ask)]);
  await signIn();
}

function isOver({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
  child.kill(signal);
  await once(child, 'exit');
}

function isMissed(status: number, megabytes: number): boolean {
  if (status === 503) return megabytes >= megabytesForAll;
  return status < 200 || status > 299;
}

/** Sends the requests on time, whether the earlier ones are answered or not. */
async function load(ask: Ask, perSecond: number): Promise<Record<'reads' | 'changes', Answer[]>> {
  const reads: Promise<Answer>[] = [];
  const changes: Promise<Answer>[] = [];
  const begin = performance.now();
  for (let index = 0; index < Number(options.seconds) * perSecond; index += 1) {
    const early = begin + (index * 1000) / perSecond - performance.now();
    if (early > 1) await wait(early);
    const id = 1 + ((index * 7919) % orders);
    if (index % changesOneIn === 0)
      changes.push(ask('POST', '/orders', { body: newOrder(1 + (id % 5_000)) }));
    else if (index % 10 === 1) reads.push(ask('GET', '/orders?status=open&sort=-createdAt&limit=20'));
    else if (index % 10 === 2) reads.push(ask('GET', `/customers/${1 + (id % 5_000)}`));
    else reads.push(ask('GET', `/orders/${id}`));
  }
  return { reads: await Promise.all(reads), changes: await Promise.all(changes) };
}

function newOrder(customerId: number): object {
  const items = [
    { sku: 'TEA-250', name: 'Green tea, 250 g', quantity: 2, unitPrice: 749 },
    { name: 'Teapot', quantity: 1, unitPrice: 3900 },
  ];
  return { customerId, currency: 'EUR', items };
}

function importRows(ask: Ask): Promise<Answer> {
  const rows = Array.from(
    { length: importedRows },
    (_, index) => `Customer ${index};customer${index}@example.com`,
  );
  const body = ['name;email', ...rows, ''].join('\r\n');
  return ask('POST', '/imports?of=customers', { body, type: 'text/csv' });
}

async function showConsole(url: string, password: string): Promise<void> {
  const tab = await openTab();
  try {
    await tab.send('Security.setIgnoreCertificateErrors', { ignore: true });
    await new Person(tab, 'mouse').signIn(url, { email, password });
    await tab.open(`${url}/console#/orders`);
    await tab.until('document.querySelectorAll("tbody tr").length > 5');
  } finally {
    await tab.close();
  }
}

function askerOf(port: number, key: string): Ask {
  const agent = new Agent({ keepAlive: true, maxSockets: 32, rejectUnauthorized: false });
  return async (method, path, { body, type = 'application/json' } = {}) => {
    const begin = performance.now();
    const payload = typeof body === 'object' ? JSON.stringify(body) : body;
    const headers = {
      'x-api-key': key,
      ...(payload === undefined
        ? { accept: type }
        : { 'content-type': type, 'content-length': Buffer.byteLength(payload) }),
    };
    const call = request({ agent, host: '127.0.0.1', port, method, path, headers });
    try {
      const answered = once(call, 'response');
      call.end(payload);
      const [response] = await answered;
      const text = await textOf(response);
      return { status: response.statusCode ?? 0, text, milliseconds: performance.now() - begin };
    } catch (error) {
      return { status: 0, text: String(error), milliseconds: performance.now() - begin };
    }
  };
}

function start([program = '', ...args]: readonly string[]): ChildProcess {
  const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  children.push(child);
  return child;
}

/** Runs a command to its end, and returns what it prints. */
async function output(program: readonly string[], args: readonly string[]): Promise<string> {
  const [file = '', ...rest] = [...program, ...args];
  const child = spawn(file, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed, [code, signal]] = await Promise.all([textOf(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error(`${args[0]} ended with ${signal ?? code}`);
  return printed;
}

async function untilReady(ask: Ask, child: ChildProcess): Promise<void> {
  const end = performance.now() + startMillisecondsMax;
  while ((await ask('GET', '/health/ready')).status !== 200) {
    if (performance.now() > end || isOver(child)) throw new Error('the service is not ready');
    await wait(100);
  }
}

/** Returns the memory of the process: what is its own, and with the files that it has in memory. */
function memoryOf({ pid }: ChildProcess): string {
  if (!existsSync(`/proc/${pid}/status`)) return 'ended';
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const megabytes = (name: string): string =>
    (Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024).toFixed(0);
  return `${megabytes('RssAnon')} MB of its own, ${megabytes('VmRSS')} with files, ${megabytes('VmHWM')} at most`;
}

function statusesOf(answers: readonly Answer[]): string {
  const counts = new Map<number, number>();
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} × ${status}`).join(', ') || 'done';
}

function quantile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * part) - 1] ?? 0;
}

await main();
