// The service in a process of its own, as it runs in production: to be killed, traced, slowed down and
// observed from outside.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { admin, executable } from '../support/service.ts';

export type ChildOptions = {
  readonly folder: string;
  /** Flags without dashes. All rates are off unless named. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  /** A program that runs the service, and its arguments, such as strace. */
  readonly wrapper?: readonly string[];
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
  kill(signal: NodeJS.Signals): Promise<Ended>;
};

const startMillisecondsMax = 20_000;
const writtenCharsMax = 2 ** 20;

/** Resolves once it listens. Throws with its output if it ends before that. */
export async function startChild(options: ChildOptions): Promise<ChildService> {
  const { child, ended, written } = spawnService(options);
  const late = setTimeout(() => child.kill('SIGKILL'), startMillisecondsMax);
  const listening = new Promise<number>((resolve) =>
    child.stdout?.on('data', () => {
      const url = /"url":"https?:\/\/[^"]+:(\d+)"/.exec(written());
      if (url !== null) resolve(Number(url[1]));
    }),
  );
  const early = ended.then(({ code, signal }) => {
    throw new Error(`the service ended with ${signal ?? code} before it listened: ${written()}`);
  });
  const port = await Promise.race([listening, early]).finally(() => clearTimeout(late));
  early.catch(() => {
    /* it may end once it has listened */
  });
  // it listens, so it has a pid
  const pid = options.wrapper === undefined ? (child.pid ?? Number.NaN) : childOf(child.pid);
  const kill = (signal: NodeJS.Signals): Promise<Ended> => {
    if (child.exitCode === null && child.signalCode === null) process.kill(pid, signal);
    return ended;
  };
  return { child, ended, written, port, kill };
}

/** strace doesn't pass signals on, and ends with the process it runs. */
function childOf(pid: number | undefined): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
}

/** Doesn't wait until it listens: for a start that fails or is killed. */
export function spawnService({
  folder,
  settings = {},
  environment = {},
  wrapper = [],
}: ChildOptions): Spawned {
  const flags = Object.entries({ port: '0', tls: 'off', data: folder, ...ratesOff, ...settings }).map(
    ([flag, value]) => `--${flag}=${value}`,
  );
  const [program = '', ...args] = [...wrapper, ...serviceProgram, ...flags];
  const child = spawn(program, args, {
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'], ...adminEnvironment, ...environment },
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
    ? [process.execPath, join(import.meta.dirname, '../../src/start.js')]
    : [executable];
const ratesOff = {
  'rate-default': 'off',
  'rate-anonymous': 'off',
  'rate-login-account': 'off',
  'rate-login-address': 'off',
};
const adminEnvironment = { ORDERLY_ADMIN_EMAIL: admin.email, ORDERLY_ADMIN_PASSWORD: admin.password };
