// The process that starts the others of its machine: etcd, the mirror, and, where etcd's lease says so, the
// service with its address. A shop has drbd-reactor or Pacemaker for that. What keeps orders from being lost or
// doubled is not its timing but the disk:
//
// - `primary` is the machine that may serve, as long as its lease lives. `current` names the halves of the disk
//   that have everything that was acknowledged; only a machine with such a half may become primary, and it
//   becomes the only one with a current half in the same transaction, before it writes anything.
// - While both halves are current a write needs both. So before it mounts its own half, a machine ends what offered
//   that to the other: a primary that slept through the end of its lease can't complete a write.
// - A primary whose mirror is gone may go on alone only after a transaction in which it is still primary has
//   made its half the only current one. From then on the other machine can't become primary.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runCommand, spawnService } from '../../support/child-service.ts';
import { createLoadClient } from '../../support/load-client.ts';
import { grantLease, keepLease, putIf, read, type Condition } from './etcd.ts';
import { MirroredDisk } from './mirrored-disk.ts';
import { addresses, movingAddress, servicePort } from './network.ts';

const leaseSeconds = 3;
/** A primary stops this long before its lease may end. */
const marginSeconds = 0.5;
const renewMilliseconds = 500;
const failedProbesMax = 3;
const settings = {
  host: '0.0.0.0',
  port: String(servicePort),
  tls: 'self-signed',
  'public-url': `https://${movingAddress}:${servicePort}`,
  log: 'warn',
  'webhook-allow': addresses.c,
};
const prober = createLoadClient(servicePort, {
  tls: { rejectUnauthorized: false },
  headers: { host: `${movingAddress}:${servicePort}` },
  replyMillisecondsMax: 1_000,
});

export type Step = 'primary' | 'served' | 'mirrored' | 'ended' | 'stopped' | 'checked';
/** Of the keeper to the check. */
export type Report = {
  readonly machine: 'a' | 'b';
  readonly at: number;
  readonly step: Step;
  readonly detail: string;
};

export type KeeperOptions = {
  readonly name: 'a' | 'b';
  readonly folder: string;
  readonly loopDevice: string;
};

const [, , optionsText = ''] = process.argv;
const { name: own, folder, loopDevice } = JSON.parse(optionsText) as KeeperOptions; // of the check
const other = own === 'a' ? 'b' : 'a';
const disk = new MirroredDisk({ folder, loopDevice, own: addresses[own], other: addresses[other] });
const data = join(disk.folder, 'data');

/** The right to serve. */
type Term = {
  readonly lease: string;
  readonly id: string;
  isOver: boolean;
  renewedAt: number;
};

const bothCurrent = [{ key: 'current', value: 'a b' }];
let service: ChildProcess | undefined;

process.on('message', () => void check());
process.on('disconnect', () => process.exit()); // the check was killed
for (;;) {
  const term = await elected();
  report('primary', term.id);
  const renewing = renew(term);
  try {
    await serveDuring(term);
  } catch (error) {
    report('stopped', String(error));
  }
  term.isOver = true;
  await renewing;
}

async function elected(): Promise<Term> {
  let offered = '';
  for (;;) {
    await pause(200);
    try {
      const primary = await read('primary');
      if (primary === undefined) {
        const term = await standForElection();
        if (term !== undefined) return term;
      } else if (primary.value === other && primary.createdAt !== offered) {
        await disk.close();
        disk.offer(primary.createdAt);
        offered = primary.createdAt;
        await putIf([], [{ key: 'offered', value: `${own} ${offered}` }]);
      }
    } catch {
      // without a majority there is neither a primary to follow nor an election
    }
  }
}

async function standForElection(): Promise<Term | undefined> {
  const current = await read('current');
  if (current !== undefined && !current.value.includes(own)) return undefined;
  const renewedAt = performance.now();
  const lease = await grantLease(leaseSeconds);
  const id = await putIf(
    [
      { key: 'primary', createdAt: undefined },
      { key: 'current', changedAt: current?.changedAt },
    ],
    [
      { key: 'primary', value: own, lease },
      { key: 'current', value: own },
    ],
  );
  return id === undefined ? undefined : { lease, id, isOver: false, renewedAt };
}

async function renew(term: Term): Promise<void> {
  while (!term.isOver) {
    const at = performance.now();
    const isAlive = await keepLease(term.lease).catch(() => undefined);
    if (isAlive === true) term.renewedAt = at;
    if (isAlive === false || isOverdue(term)) return stop(term);
    await pause(renewMilliseconds);
    if (isOverdue(term)) return stop(term);
  }
}

function isOverdue(term: Term): boolean {
  return performance.now() - term.renewedAt > (leaseSeconds - marginSeconds) * 1_000;
}

/** At once, as the other machine may be about to start. */
function stop(term: Term): void {
  term.isOver = true;
  service?.kill('SIGKILL');
}

async function serveDuring(term: Term): Promise<void> {
  await disk.close(); // the other machine can't write this half any more
  try {
    for (let isMirrored = false; !term.isOver;) {
      await disk.mount(isMirrored ? term.id : undefined);
      await serveOnce(term, isMirrored);
      const mirroring = !isMirrored && service?.exitCode === 0;
      if (mirroring) await disk.unmount();
      else await disk.close();
      isMirrored = await changeHalves(term, mirroring);
    }
  } finally {
    dropAddress();
    await disk.close();
    report('stopped', '');
  }
}

/** Returns whether both halves are current, so that the next writes need both. */
async function changeHalves(term: Term, mirroring: boolean): Promise<boolean> {
  const isPrimary: Condition = { key: 'primary', createdAt: term.id };
  if (mirroring && (await disk.copyTo(term.id))) {
    const isChanged = await read('current')
      .then((before) => putIf([isPrimary, { key: 'current', changedAt: before?.changedAt }], bothCurrent))
      .catch(() => undefined);
    if (isChanged !== undefined) return true;
  }
  while (!term.isOver) {
    // even if the result of the one above is unknown: it fails if it comes after this one
    const isChanged = await putIf([isPrimary], [{ key: 'current', value: own }]).catch(() => null);
    if (isChanged === undefined) stop(term);
    if (isChanged !== null) break;
  }
  return false;
}

/** Until the service ends, however it ends: it is stopped once the other half can be had. */
async function serveOnce(term: Term, isMirrored: boolean): Promise<void> {
  const { child, ended } = spawnService({ folder: data, settings });
  service = child;
  let failedProbes = 0;
  let wasReady = false;
  while (child.exitCode === null && child.signalCode === null) {
    if (term.isOver) child.kill('SIGKILL');
    if (await isReady()) {
      failedProbes = 0;
      if (!wasReady) {
        takeAddress();
        report(isMirrored ? 'mirrored' : 'served', authority());
      }
      wasReady = true;
    } else if (wasReady && (failedProbes += 1) >= failedProbesMax) child.kill('SIGKILL');
    if (!isMirrored && wasReady && (await isOffered(term))) child.kill('SIGTERM');
    await Promise.race([ended, pause(wasReady ? 200 : 20)]);
  }
  report('ended', String(child.signalCode ?? child.exitCode));
}

async function isOffered(term: Term): Promise<boolean> {
  const offer = await read('offered').catch(() => undefined);
  return offer?.value === `${other} ${term.id}` && (await disk.otherListens());
}

function isReady(): Promise<boolean> {
  return prober.ask({ method: 'GET', path: '/health/ready' }).then(
    ({ status }) => status === 200,
    () => false,
  );
}

/** Clients trust it, whichever machine shows it. */
function authority(): string {
  return readFileSync(join(data, 'tls', 'ca.pem'), 'utf8');
}

/** Clients and the switch learn where it is now. */
function takeAddress(): void {
  spawnSync('ip', ['addr', 'add', `${movingAddress}/24`, 'dev', 'eth0'], { stdio: 'ignore' });
  const args = ['-U', '-c', '3', '-I', 'eth0', '-s', movingAddress, movingAddress];
  spawn('arping', args, { stdio: 'ignore' });
}

function dropAddress(): void {
  spawnSync('ip', ['addr', 'del', `${movingAddress}/24`, 'dev', 'eth0'], { stdio: 'ignore' });
}

async function check(): Promise<void> {
  const { code, output } = await runCommand(data, ['check']);
  report('checked', code === 0 ? '' : output);
}

function report(step: Step, detail: string): void {
  const sent: Report = { machine: own, at: Date.now(), step, detail };
  process.send?.(sent);
}
