// A machine of the check: its processes end, stop and go on together, as if it had power of its own.
import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Report } from './keeper.ts';
import { addresses, type Host, type Network } from './network.ts';

/** What waits for a disk that is gone can't be killed. */
const endMillisecondsMax = 30_000;

export type MachineOptions = {
  readonly name: 'a' | 'b' | 'w';
  readonly folder: string;
  readonly network: Network;
  /** For its disk; the witness has none. */
  readonly loopDevice: string;
  readonly isVerbose: boolean;
  readonly onReport: (report: Report) => void;
};

export class Machine {
  readonly name: 'a' | 'b' | 'w';
  readonly #options: MachineOptions;
  #process: ChildProcess | undefined;

  constructor(options: MachineOptions) {
    this.name = options.name;
    this.#options = options;
    mkdirSync(join(options.folder, 'mounted'), { recursive: true });
  }

  /** Gives it its half of the disk. */
  insert(disk: string): void {
    spawnSync('cp', ['--sparse=always', disk, join(this.#options.folder, 'half')]);
  }

  powerOn(): void {
    const { network, isVerbose, onReport } = this.#options;
    network.dropMovingAddress(this.name);
    network.setCable(this.name, 'up');
    const words = [process.execPath, join(import.meta.dirname, 'keeper.ts'), this.#keeperOptions()];
    const keeper = `exec ${words.map((word) => `'${word}'`).join(' ')}`;
    const script = this.name === 'w' ? `exec ${this.#etcd()}` : `${this.#etcd()} & ${keeper}`;
    const alone = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc', 'sh', '-c', script];
    // it ends with the check, even if that is killed
    const bound = ['setpriv', '--pdeathsig', 'KILL', ...alone];
    const args = ['netns', 'exec', network.namespaceOf(this.name), ...bound];
    const child = spawn('ip', args, {
      stdio: ['ignore', 'inherit', isVerbose ? 'inherit' : 'ignore', 'ipc'],
    });
    child.on('message', (report) => onReport(report as Report)); // a keeper sends nothing else
    this.#process = child;
  }

  /** As if somebody had pulled its plug. */
  async powerOff(): Promise<void> {
    const pids = this.#pids();
    this.#options.network.setCable(this.name, 'down');
    this.#process?.kill('SIGKILL');
    this.#process = undefined;
    const end = performance.now() + endMillisecondsMax;
    for (;;) {
      const running = pids.filter((pid) => existsSync(`/proc/${pid}`));
      if (running.length === 0) return;
      const names = running.map((pid) => `${pid} ${commandOf(pid)}`);
      assert(performance.now() < end, `killed, but still there: ${names.join(', ')}`);
      await pause(10);
    }
  }

  /** All its processes, or those whose command line has this text. */
  signal(signal: 'SIGSTOP' | 'SIGCONT', text = ''): void {
    const pids = this.#pids().filter((pid) => commandOf(pid).includes(text));
    assert(pids.length > 0, `nothing runs whose command has ${text}`);
    for (const pid of pids) process.kill(pid, signal);
  }

  /** Its member of etcd becomes the leader. Only the leader hands that over, so each is asked to. */
  leadEtcd(): void {
    const members = this.#etcdctl(this.name, 'member', 'list').split('\n'); // `id, started, name, …`
    const [id = ''] = members.find((member) => member.includes(`, ${this.name}, `))?.split(',') ?? [];
    for (const name of ['a', 'b', 'w'] as const) this.#etcdctl(name, 'move-leader', id);
  }

  /** Reports whether the database is sound. */
  check(): void {
    this.#process?.send('check');
  }

  #keeperOptions(): string {
    const { name, folder, loopDevice } = this.#options;
    return JSON.stringify({ name, folder, loopDevice });
  }

  #etcd(): string {
    const own = addresses[this.name];
    const members = (['a', 'b', 'w'] satisfies Host[]).map(
      (name) => `${name}=http://${addresses[name]}:2380`,
    );
    const flags = {
      name: this.name,
      'data-dir': `'${join(this.#options.folder, 'etcd')}'`,
      'listen-peer-urls': `http://${own}:2380`,
      'initial-advertise-peer-urls': `http://${own}:2380`,
      'listen-client-urls': 'http://127.0.0.1:2379',
      'advertise-client-urls': 'http://127.0.0.1:2379',
      'initial-cluster': members.join(','),
      'pre-vote': 'true',
      logger: 'zap',
      'log-level': 'fatal',
    };
    const args = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
    return `etcd ${args.join(' ')}`;
  }

  #etcdctl(host: Host, ...args: readonly string[]): string {
    const namespace = this.#options.network.namespaceOf(host);
    return spawnSync('ip', ['netns', 'exec', namespace, 'etcdctl', ...args], { encoding: 'utf8' }).stdout;
  }

  /** Without the process outside of the machine that holds it. */
  #pids(): number[] {
    const found: number[] = [];
    const open = childrenOf(this.#process?.pid);
    for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
      found.push(pid);
      open.push(...childrenOf(pid));
    }
    return found;
  }
}

function childrenOf(pid: number | undefined): number[] {
  if (pid === undefined) return [];
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  } catch {
    return []; // it has ended
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
