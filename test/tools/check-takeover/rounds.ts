// What happens to the machines in a round, from a moment in which orders are placed until both halves of the
// disk are current again.
import { setTimeout as pause } from 'node:timers/promises';
import type { Step } from './keeper.ts';
import type { Machine } from './machine.ts';
import type { Network } from './network.ts';

export type Site = {
  readonly network: Network;
  readonly witness: Machine;
  readonly primary: Machine;
  readonly second: Machine;
  /** The next report of this step, or the one that has come since the round began. */
  reached(machine: Machine | undefined, step: Step): Promise<unknown>;
};

/** Longer than a lease. */
const longMilliseconds = 5_000;

export const rounds: Readonly<Record<string, (site: Site) => Promise<unknown>>> = {
  'the machine is killed': async ({ primary, second, reached }) => {
    await primary.powerOff();
    await reached(second, 'served');
    primary.powerOn();
    await reached(second, 'mirrored');
  },
  'its cable is pulled': async ({ primary, second, network, reached }) => {
    network.setCable(primary.name, 'down');
    await reached(second, 'served');
    network.setCable(primary.name, 'up');
    await reached(second, 'mirrored');
  },
  'it is cut off from both others, not from clients': async ({
    primary,
    second,
    witness,
    network,
    reached,
  }) => {
    network.cut(primary.name, second.name);
    network.cut(primary.name, witness.name);
    await reached(second, 'served');
    await pause(1_000);
    network.mend(primary.name, second.name);
    network.mend(primary.name, witness.name);
    await reached(second, 'mirrored');
  },
  'it is cut off from the second machine': async ({ primary, second, network, reached }) => {
    network.cut(primary.name, second.name);
    await reached(primary, 'served');
    await pause(1_000);
    network.mend(primary.name, second.name);
    await reached(primary, 'mirrored');
  },
  'it is cut off from the witness': async ({ primary, witness, network }) => {
    network.cut(primary.name, witness.name);
    await pause(longMilliseconds);
    network.mend(primary.name, witness.name);
  },
  'it is cut off from the witness, which leads etcd': async ({ primary, witness, network }) => {
    witness.leadEtcd();
    network.cut(primary.name, witness.name);
    await pause(longMilliseconds);
    network.mend(primary.name, witness.name);
  },
  'it is cut off from the client': async ({ primary, network }) => {
    network.cut(primary.name, 'c');
    await pause(longMilliseconds);
    network.mend(primary.name, 'c');
  },
  'the witness is gone': async ({ witness }) => {
    await witness.powerOff();
    await pause(longMilliseconds);
    witness.powerOn();
  },
  'the second machine is gone and back': async ({ primary, second, reached }) => {
    await second.powerOff();
    await reached(primary, 'served');
    second.powerOn();
    await reached(primary, 'mirrored');
  },
  'all its processes are frozen, and woken later': async ({ primary, second, reached }) => {
    primary.signal('SIGSTOP');
    await reached(second, 'served');
    await pause(1_000);
    primary.signal('SIGCONT');
    await reached(second, 'mirrored');
  },
  'its keeper alone is frozen, and woken later': async ({ primary, second, reached }) => {
    primary.signal('SIGSTOP', 'keeper.ts');
    await reached(second, 'served');
    await pause(1_000);
    primary.signal('SIGCONT', 'keeper.ts');
    await reached(second, 'mirrored');
  },
  'the service alone is frozen': async ({ primary, reached }) => {
    primary.signal('SIGSTOP', 'start.js');
    await reached(primary, 'ended');
    await reached(primary, 'mirrored');
  },
  'both lose power': async ({ primary, second, reached }) => {
    await Promise.all([primary.powerOff(), second.powerOff()]);
    primary.powerOn();
    second.powerOn();
    await reached(undefined, 'mirrored');
  },
  'all three lose power': async ({ primary, second, witness, reached }) => {
    await Promise.all([primary, second, witness].map((machine) => machine.powerOff()));
    for (const machine of [witness, second, primary]) machine.powerOn();
    await reached(undefined, 'mirrored');
  },
};
