// The benchmark's child processes: each on its core, and measured through /proc.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { runProgram, type RunningProgram } from '../support/running-program.ts';

export type Launch = {
  readonly command: readonly string[];
  readonly cores: keyof typeof coreOf;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
};
export type Memory = { readonly rssMb: number; readonly anonymousMb: number };

const coreOf = { server: '0', load: '1', any: '0,1' } as const;
const ticksPerSecond = 100;
const endSeconds = 15;

/** A server's standard output goes to /dev/null, its errors to the terminal. */
export function launchServer(launch: Launch): RunningProgram {
  return runProgram(wordsOf(launch), { ...optionsOf(launch), stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Runs a command to its end and returns its output; throws with its errors if it fails. */
export async function runOnCore(launch: Launch, secondsMax: number): Promise<string> {
  const limits = { timeout: secondsMax * 1000, killSignal: 'SIGKILL' } as const;
  const { ended, output, written } = runProgram(wordsOf(launch), { ...optionsOf(launch), ...limits });
  const { code } = await ended;
  if (code === 0) return output.stdout;
  throw new Error(`${launch.command.join(' ')} ended with status ${code}:\n${written()}`);
}

function wordsOf({ command, cores }: Launch): string[] {
  return ['taskset', '-c', coreOf[cores], ...command];
}

function optionsOf({ cwd, env }: Launch) {
  return { cwd, env: { ...process.env, ...env } };
}

export async function endServer(running: RunningProgram): Promise<void> {
  const timer = setTimeout(() => running.child.kill('SIGKILL'), endSeconds * 1000);
  await running.end();
  clearTimeout(timer);
}

/** A sentence for each thing this machine lacks. */
export function missingHere(tools: readonly string[]): string[] {
  const packages: Readonly<Record<string, string>> = { taskset: 'util-linux' };
  const missing = tools
    .filter((tool) => spawnSync('which', [tool]).status !== 0)
    .map((tool) => `${tool} is not installed (Debian: apt-get install ${packages[tool] ?? tool}).`);
  if (process.platform !== 'linux') missing.push('The benchmark reads /proc and needs Linux.');
  if (availableParallelism() < 2)
    missing.push('The benchmark needs two cores, one for the server and one for the load.');
  return missing;
}

/** CPU microseconds that all threads of a process and of its ended children have used so far. */
export function cpuUs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ticksToUs(fields.slice(11, 15));
}

/**
 * CPU microseconds of all cores that were not free so far: spent on processes and interrupts, or stolen by
 * other guests of the host.
 */
export function busyUs(): number {
  const fields = readFileSync('/proc/stat', 'utf8').split(/ +/);
  const [, user, nice, system, _idle, _waiting, interrupts, softInterrupts, stolen] = fields;
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
