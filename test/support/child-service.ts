// The service in a process of its own, as it runs in production: to be killed, traced, slowed down and
// observed from outside.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

export type Ended = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

export type Spawned = {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** The end of what it wrote, errors included. */
  written(): string;
};

export type ChildService = Spawned & {
  readonly port: number;
  readonly pid: number;
  kill(signal: NodeJS.Signals): Promise<Ended>;
};

const startMillisecondsDefault = 60_000;
const writtenCharsMax = 2 ** 20;

/** Resolves once it listens. Throws with its output if it ends before that. */
export async function startChild(options: ChildOptions): Promise<ChildService> {
  const { child, ended, written } = spawnService(options);
  const { startMillisecondsMax = startMillisecondsDefault } = options;
  const late = setTimeout(() => child.kill('SIGKILL'), startMillisecondsMax);
  const { promise: listening, resolve } = Promise.withResolvers<number>();
  const look = (): void => {
    const url = /"url":"https?:\/\/[^"]+:(\d+)"/.exec(written());
    if (url !== null) resolve(Number(url[1]));
  };
  child.stdout?.on('data', look);
  const early = ended.then(({ code, signal }) => {
    throw new Error(`the service ended with ${signal ?? code} before it listened: ${written()}`);
  });
  const port = await Promise.race([listening, early]).finally(() => clearTimeout(late));
  child.stdout?.off('data', look);
  early.catch(() => {
    /* it may end once it has listened */
  });
  // it listens, so it has a pid
  const pid = options.wrapper === undefined ? (child.pid ?? Number.NaN) : childOf(child.pid);
  const kill = (signal: NodeJS.Signals): Promise<Ended> => {
    if (child.exitCode === null && child.signalCode === null) process.kill(pid, signal);
    return ended;
  };
  return { child, ended, written, port, pid, kill };
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
}: ChildOptions): Spawned {
  const flags = Object.entries({ port: '0', tls: 'off', data: folder, ...ratesOff, ...settings }).map(
    ([flag, value]) => `--${flag}=${value}`,
  );
  const [file = '', ...args] = [...wrapper, ...program, ...flags];
  const child = spawn(file, args, {
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'], MALLOC_ARENA_MAX: '1', ...adminEnvironment, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (more: string) => {
      text = (text + more).slice(-writtenCharsMax);
    });
  const killWithThis = (): unknown => child.kill('SIGKILL');
  process.on('exit', killWithThis);
  const ended = once(child, 'close').then(([code, signal]): Ended => {
    process.off('exit', killWithThis);
    return { code, signal };
  });
  return { child, ended, written: () => text };
}

/** Another command on the folder, such as `check`. */
export async function runCommand(
  folder: string,
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly output: string }> {
  const [program = '', ...first] = serviceProgram;
  const { promise, resolve } = Promise.withResolvers<string>();
  const child = execFile(
    program,
    [...first, ...args, '--data', folder],
    { cwd: tmpdir(), env: { PATH: process.env['PATH'] }, maxBuffer: 2 ** 26 },
    (_error, stdout, stderr) => resolve(`${stdout}${stderr}`.trim()),
  );
  const output = await promise;
  return { code: child.exitCode, output };
}

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
