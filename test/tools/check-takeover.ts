// Two machines and a witness in namespaces of this one: whatever happens to them, the service goes on where
// etcd's lease and a mirrored disk allow it, and what it acknowledged is there once: `npm run check:takeover`, as
// root, with `-- --rounds 100` for more. Debian has the programs: iproute2, iputils-arping, etcd-server,
// etcd-client, qemu-utils, qemu-system-common, e2fsprogs.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Answer, Command, Outcome } from './check-takeover/client.ts';
import type { Report, Step } from './check-takeover/keeper.ts';
import { Machine } from './check-takeover/machine.ts';
import { Network } from './check-takeover/network.ts';
import { rounds } from './check-takeover/rounds.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: String(Object.keys(rounds).length) },
    only: { type: 'string', default: '' },
    verbose: { type: 'boolean', default: false },
  },
});
const roundsCount = Number(values.rounds);
assert(roundsCount >= 1 && roundsCount <= 1_000, '--rounds must be 1 to 1000');
const names = Object.keys(rounds).filter((name) => name.includes(values.only));
assert(names.length > 0, `--only must be a part of one of: ${Object.keys(rounds).join(', ')}`);

const diskMegabytes = 1_024;
const stepMillisecondsMax = 60_000;
const detachMillisecondsMax = 10_000;
const programs =
  'ip arping etcd etcdctl qemu-storage-daemon qemu-img mkfs.ext4 unshare setpriv losetup sysctl'.split(' ');
requireMeans();

const folder = mkdtempSync(join(tmpdir(), 'orderly-takeover-'));
const endings: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
let ending: Promise<void> | undefined;
const reports: Report[] = [];
const listeners = new Set<() => void>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    console.error(`ended by ${signal}`);
    void end().then(() => process.exit(1));
  });
try {
  await check();
} finally {
  await end();
}

function requireMeans(): void {
  assert.equal(process.getuid?.(), 0, 'this check makes namespaces and mounts disks: run it as root');
  process.env['PATH'] = `${process.env['PATH']}:/usr/sbin:/sbin`;
  const missing = programs.filter((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0);
  assert.equal(missing.join(', '), '', 'programs are missing');
}

/** Once, whoever asks for it: a signal, and then also the check that it interrupts. */
function end(): Promise<void> {
  ending ??= undoAll();
  return ending;
}

/** One that fails keeps none of the others from being undone. */
async function undoAll(): Promise<void> {
  for (const undo of endings.splice(0).reverse())
    try {
      await undo();
    } catch (error) {
      console.error('left behind:', error);
      process.exitCode = 1;
    }
}

type Machines = { readonly a: Machine; readonly b: Machine; readonly witness: Machine };
type Totals = {
  acknowledged: number;
  faults: number;
  bothSeconds: number;
  /** The longest of each round. */
  readonly secondsByName: Map<string, number[]>;
};

async function check(): Promise<void> {
  const network = new Network();
  network.claim();
  endings.push(() => network.remove());
  network.create();
  const machines = startMachines(network);
  const { detail: authority } = await reached(undefined, 'mirrored', 0);
  const client = startClient(network);
  const totals: Totals = { acknowledged: 0, faults: 0, bothSeconds: 0, secondsByName: new Map() };
  for (let index = 0; index < roundsCount; index += 1) {
    const name = names[index % names.length] ?? '';
    await ask(client, { do: 'begin', authority });
    const first = reports.length;
    await playRound(name, network, machines);
    const { outcome = assert.fail('the client has no outcome') } = await ask(client, { do: 'end' });
    await note(name, outcome, { first, machines, totals });
  }
  printTotals(totals);
  const { webhooks = assert.fail('nothing was compared') } = await ask(client, { do: 'compare webhooks' });
  console.log(`webhooks: ${webhooks.missing} events missing, ${webhooks.repeated} delivered again`);
  assert.equal(totals.faults + webhooks.missing, 0);
}

function startMachines(network: Network): Machines {
  const disk = join(folder, 'disk');
  writeFileSync(disk, '');
  truncateSync(disk, diskMegabytes * 2 ** 20);
  execFileSync('mkfs.ext4', ['-q', '-F', disk]);
  const [one = '', other = assert.fail('two loop devices are needed')] = freeLoopDevices();
  endings.push(() => [one, other].forEach(detach));
  const machine = (name: 'a' | 'b' | 'w', loopDevice = ''): Machine => {
    const own = { name, folder: join(folder, name), loopDevice };
    const made = new Machine({ ...own, network, isVerbose: values.verbose, onReport });
    endings.push(() => made.powerOff());
    if (name !== 'w') made.insert(disk);
    made.powerOn();
    return made;
  };
  return { a: machine('a', one), b: machine('b', other), witness: machine('w') };
}

/** The last of them, since others take the first. */
function freeLoopDevices(): string[] {
  const devices = readdirSync('/dev').filter((name) => /^loop\d+$/.test(name));
  const free = devices.filter((name) => !existsSync(`/sys/block/${name}/loop/backing_file`));
  return free.slice(-2).map((name) => `/dev/${name}`);
}

/** A keeper that was killed before its mount had the device, left it. */
function detach(loopDevice: string): void {
  const backingFile = `/sys/block/${basename(loopDevice)}/loop/backing_file`;
  if (!existsSync(backingFile) || !readFileSync(backingFile, 'utf8').startsWith(folder)) return;
  execFileSync('losetup', ['-d', loopDevice], { timeout: detachMillisecondsMax });
}

async function playRound(name: string, network: Network, { a, b, witness }: Machines): Promise<void> {
  const first = reports.length;
  const [primary, second] = primaryNow() === 'a' ? [a, b] : [b, a];
  await pause(1_000 + Math.random() * 1_000);
  await rounds[name]?.({
    network,
    primary,
    second,
    witness,
    reached: (machine, step) => reached(machine, step, first),
  });
  await settled();
  await pause(1_000);
}

type Context = { readonly first: number; readonly machines: Machines; readonly totals: Totals };

async function note(name: string, outcome: Outcome, { first, machines, totals }: Context): Promise<void> {
  const { acknowledged, missing, doubled, secondsWithoutService, unexpected, eventsMissing } = outcome;
  const unsound = await issuesFound(machines);
  const bothSeconds = bothAcknowledgedSeconds(outcome, first);
  const odd = Object.entries(unexpected).map(([what, count]) => `, ${count} × ${what}`);
  const gaps = secondsWithoutService.map((seconds) => seconds.toFixed(1)).join(' + ');
  const endings = reports.slice(first).flatMap(({ step, detail }) => (step === 'ended' ? [detail] : []));
  console.log(
    `${name}: ${acknowledged} acknowledged, ${missing} missing, ${doubled} doubled, without service ` +
      `${gaps || '0'} s, both acknowledged ${bothSeconds.toFixed(3)} s, ${eventsMissing} events missing in the ` +
      `stream, the service ended with ${endings.join(', ') || 'nothing'}${odd.join('')}; ${unsound || 'sound'}`,
  );
  totals.acknowledged += acknowledged;
  totals.bothSeconds = Math.max(totals.bothSeconds, bothSeconds);
  totals.faults += missing + doubled + eventsMissing + odd.length;
  totals.faults += bothSeconds > 0 || unsound !== '' ? 1 : 0;
  const longest = Math.max(0, ...secondsWithoutService);
  totals.secondsByName.set(name, [...(totals.secondsByName.get(name) ?? []), longest]);
}

/**
 * What `orderly check` reports. What is read while the disk is taken away looks damaged, so it is asked again if
 * anything moved meanwhile.
 */
async function issuesFound(machines: Machines): Promise<string> {
  for (;;) {
    await settled();
    const first = reports.length;
    const now = machines[primaryNow()];
    now.check();
    const { detail } = await reached(now, 'checked', first);
    const hasMoved = reports.slice(first).some(({ step }) => step !== 'checked');
    if (detail === '' || !hasMoved) return detail;
    console.log(`checked again, as the disk moved meanwhile: ${detail}`);
  }
}

/** How long the machine that was primary still acknowledged orders once the next one had begun to. */
function bothAcknowledgedSeconds({ direct }: Outcome, first: number): number {
  const terms = reports.slice(first).filter(({ step }) => step === 'primary');
  let longest = 0;
  for (const [index, { machine, at }] of terms.entries()) {
    const other = machine === 'a' ? 'b' : 'a';
    const next = terms.slice(index + 1).find((later) => later.machine === other);
    const begun = direct[machine].find((time) => time >= at);
    const late = direct[other].findLast(
      (time) => time >= at && time < (next?.at ?? Number.POSITIVE_INFINITY),
    );
    if (begun !== undefined && late !== undefined) longest = Math.max(longest, (late - begun) / 1_000);
  }
  return longest;
}

function printTotals({ acknowledged, bothSeconds, secondsByName }: Totals): void {
  for (const [name, seconds] of secondsByName) console.log(`${name}: ${distributionOf(seconds)}`);
  console.log(`from election to the first response: ${distributionOf(startSeconds())}`);
  console.log(`${acknowledged} acknowledged orders, both acknowledged ${bothSeconds.toFixed(3)} s at most`);
}

function startSeconds(): number[] {
  return reports.flatMap(({ step, machine, at }, index) => {
    if (step !== 'primary') return [];
    const next = reports.slice(index + 1).find((later) => later.machine === machine);
    return next?.step === 'served' ? [(next.at - at) / 1_000] : [];
  });
}

function distributionOf(seconds: readonly number[]): string {
  const sorted = seconds.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const most = sorted.at(-1) ?? 0;
  return `${seconds.length} times, ${median.toFixed(1)} s (median), ${most.toFixed(1)} s at most`;
}

function primaryNow(): 'a' | 'b' {
  return reports.findLast(({ step }) => step === 'primary')?.machine ?? 'a';
}

function onReport(report: Report): void {
  reports.push(report);
  if (values.verbose) console.error(report.machine, report.step, report.detail);
  for (const look of listeners) look();
}

/** The latest report of this step, of those since the first one; waits for one. */
function reached(machine: Machine | undefined, step: Step, first: number): Promise<Report> {
  const isIt = (report: Report): boolean =>
    report.step === step && (machine === undefined || report.machine === machine.name);
  return reported(`${machine?.name ?? 'one'} ${step}`, () => reports.slice(first).findLast(isIt));
}

/** The machine that serves has its mirror: nothing is about to be stopped, or copied. */
function settled(): Promise<Report> {
  return reported('both halves are current', () => {
    const latest = reports.findLast(({ machine, step }) => machine === primaryNow() && step !== 'checked');
    return latest?.step === 'mirrored' ? latest : undefined;
  });
}

function reported(what: string, find: () => Report | undefined): Promise<Report> {
  const { promise, resolve, reject } = Promise.withResolvers<Report>();
  const look = (): void => {
    const found = find();
    if (found !== undefined) resolve(found);
  };
  const late = setTimeout(() => {
    const seen = reports.slice(-20).map(({ machine, step, detail }) => `${machine} ${step} ${detail}`);
    reject(new Error(`not within a minute: ${what}. Reported: ${seen.join(', ')}`));
  }, stepMillisecondsMax);
  listeners.add(look);
  look();
  return promise.finally(() => {
    clearTimeout(late);
    listeners.delete(look);
  });
}

function startClient(network: Network): ChildProcess {
  const program = join(import.meta.dirname, 'check-takeover/client.ts');
  const args = ['netns', 'exec', network.namespaceOf('c'), process.execPath, program];
  const client = spawn('ip', args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  endings.push(() => client.kill('SIGKILL'));
  return client;
}

async function ask(client: ChildProcess, command: Command): Promise<Answer> {
  client.send(command);
  const over = new AbortController();
  const [answer] = (await Promise.race([
    once(client, 'message', over),
    once(client, 'exit', over).then(() => assert.fail('the client ended')),
  ]).finally(() => over.abort())) as [Answer]; // the client sends nothing else
  return answer;
}
