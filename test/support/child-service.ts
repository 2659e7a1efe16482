// The service in a process of its own, as it runs in production: to be killed, traced, slowed down and
// observed from outside.
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram, type Ended, type RunningProgram } from './running-program.ts';
import { admin, executable } from './service.ts';

export type ChildOptions = {
  readonly folder: string;
  /** Flags without dashes. All rates are off unless named. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  /** A program that runs the service, and its arguments, such as strace. */
  readonly wrapper?: readonly string[];
  /** Runs the command line of orderly, in place of the one under test. */
  readonly program?: readonly string[];
  readonly startMillisecondsMax?: number;
};

export type ChildService = RunningProgram & {
  readonly port: number;
  readonly pid: number;
  /** Sends a signal to the service itself, whatever wraps it, unless it has ended. */
  kill(signal: NodeJS.Signals): Promise<Ended>;
};

const serviceProgram =
  executable === undefined
    ? [process.execPath, '--max-semi-space-size=8', join(import.meta.dirname, '../../src/start.js')]
    : [executable];
const ratesOff = {
  'rate-default': 'off',
  'rate-anonymous': 'off',
  'rate-login-account': 'off',
  'rate-login-address': 'off',
};
const adminEnvironment = { ORDERLY_ADMIN_EMAIL: admin.email, ORDERLY_ADMIN_PASSWORD: admin.password };

/** Resolves once it listens. Throws with its output if it ends before that. */
export async function startChild(options: ChildOptions): Promise<ChildService> {
  const running = spawnService(options);
  const { child, ended } = running;
  const [, port] = await running.writes(/"url":"https?:\/\/[^"]+:(\d+)"/, options.startMillisecondsMax);
  // it listens, so it has a pid
  const pid = options.wrapper === undefined ? (child.pid ?? Number.NaN) : childOf(child.pid);
  const kill = (signal: NodeJS.Signals): Promise<Ended> => {
    if (child.exitCode === null && child.signalCode === null) process.kill(pid, signal);
    return ended;
  };
  return { ...running, port: Number(port), pid, kill };
}

/** strace doesn't pass signals on, and ends with the process it runs; other wrappers become the service. */
function childOf(pid = Number.NaN): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children === '' ? pid : Number(children);
}

/** Doesn't wait until it listens: for a start that fails or is killed. */
export function spawnService({
  folder,
  settings = {},
  environment = {},
  wrapper = [],
  program = serviceProgram,
}: ChildOptions): RunningProgram {
  const flags = Object.entries({ port: '0', tls: 'off', data: folder, ...ratesOff, ...settings }).map(
    ([flag, value]) => `--${flag}=${value}`,
  );
  return runProgram([...wrapper, ...program, ...flags], {
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'], MALLOC_ARENA_MAX: '1', ...adminEnvironment, ...environment },
  });
}

/** Another command on the folder, such as `check`. */
export async function runCommand(
  folder: string,
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly output: string }> {
  const command = runProgram([...serviceProgram, ...args, '--data', folder], {
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'] },
  });
  const { code } = await command.ended;
  return { code, output: command.written().trim() };
}
