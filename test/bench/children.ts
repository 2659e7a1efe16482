// The benchmark's child processes: each on its core, measured through /proc, ended by its id.
import { spawn, spawnSync, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

export type Cores = 'server' | 'load' | 'any';
export type Launch = {
  readonly command: readonly string[];
  readonly cores: Cores;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
};
export type Children = ReturnType<typeof keepChildren>;
export type Memory = { readonly rssMb: number; readonly anonymousMb: number };

const coreOf = { server: '0', load: '1', any: '0,1' } as const;
const ticksPerSecond = 100;
const endSeconds = 15;

/** Every child is started here, so that none outlives the benchmark. */
export function keepChildren() {
  const running = new Set<ChildProcess>();

  /** A server's standard output goes to /dev/null, its errors to the terminal. */
  function start(
    { command, cores, env, cwd }: Launch,
    output: 'discarded' | 'collected' = 'discarded',
  ): ChildProcess {
    const stdio: StdioOptions =
      output === 'collected' ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'ignore', 'inherit'];
    const child = spawn('taskset', ['-c', coreOf[cores], ...command], {
      env: { ...process.env, ...env },
      cwd,
      stdio,
    });
    running.add(child);
    child.once('exit', () => running.delete(child));
    return child;
  }

  /** Runs a command to its end and returns its output; throws with its errors if it fails. */
  async function run(launch: Launch, secondsMax: number): Promise<string> {
    const child = start(launch, 'collected');
    const timer = setTimeout(() => child.kill('SIGKILL'), secondsMax * 1000);
    const [printed, complaint, [status]] = await Promise.all([
      collect(child.stdout),
      collect(child.stderr),
      once(child, 'close'),
    ]);
    clearTimeout(timer);
    if (status === 0) return printed;
    throw new Error(`${launch.command.join(' ')} ended with status ${status}:\n${complaint || printed}`);
  }

  async function end(child: ChildProcess): Promise<void> {
    if (!running.has(child)) return;
    const timer = setTimeout(() => child.kill('SIGKILL'), endSeconds * 1000);
    child.kill('SIGTERM');
    await once(child, 'exit');
    clearTimeout(timer);
  }

  return {
    start,
    run,
    end,
    endAll: () => Promise.all([...running].map(end)),
    killAll: () => running.forEach((child) => child.kill('SIGKILL')),
  };
}

/** A sentence for each thing this machine lacks. */
export function missingHere(tools: readonly string[]): string[] {
  const missing = tools
    .filter((tool) => spawnSync('which', [tool]).status !== 0)
    .map(
      (tool) =>
        `${tool} is not installed (Debian: ` +
        `apt-get install ${tool === 'taskset' ? 'util-linux' : tool === 'cc' ? 'gcc' : tool}).`,
    );
  if (process.platform !== 'linux') missing.push('The benchmark reads /proc and needs Linux.');
  if (availableParallelism() < 2)
    missing.push('The benchmark needs two cores, one for the server and one for the load.');
  return missing;
}

/** CPU microseconds that all threads of a process and of its ended children have used so far. */
export function cpuUs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return ticksToUs(
    stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 15),
  );
}

/**
 * CPU microseconds of all cores that were not free so far: spent on processes and interrupts, or stolen by
 * other guests of the host.
 */
export function busyUs(): number {
  const [, user, nice, system, _idle, _waiting, interrupts, softInterrupts, stolen] = readFileSync(
    '/proc/stat',
    'utf8',
  ).split(/ +/);
  return ticksToUs([user, nice, system, interrupts, softInterrupts, stolen]);
}

function ticksToUs(ticks: readonly (string | undefined)[]): number {
  return (ticks.reduce((sum, count) => sum + Number(count), 0) * 1_000_000) / ticksPerSecond;
}

export function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string) => Number(status.match(new RegExp(`${name}:\\s+(\\d+)`))?.[1]) / 1024;
  return { rssMb: megabytes('VmRSS'), anonymousMb: megabytes('RssAnon') };
}

async function collect(stream: NodeJS.ReadableStream | null): Promise<string> {
  let all = '';
  for await (const chunk of stream ?? []) all += String(chunk);
  return all;
}
