// For the tests of commands: runs orderly as its own process, from the sources or as the executable under
// test.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { migrations } from '../../src/service/features.ts';
import { commandPermit } from '../../src/storage/permit.ts';
import { addUser } from '../../src/features/users/user-store.ts';
import { openCommandDatabase } from '../../src/storage/command-database.ts';
import { programMillisecondsMax, runProgram, type RunningProgram } from './running-program.ts';
import { executable } from './service.ts';

export const start = join(import.meta.dirname, '../../src/start.js');
/** Real costs would take most of the time of these tests. */
const cheapPasswords = `--import=${import.meta.resolve('./cheap-passwords.js')}`;
/** The program that runs orderly as in production, and its first arguments. */
export const realProgram: readonly string[] =
  executable === undefined ? [process.execPath, start] : [executable];
/** The same with cheap passwords. */
export const program: readonly string[] =
  executable === undefined ? [process.execPath, cheapPasswords, start] : [executable];

/** The first administrator, as the environment gives it. */
export const rootVariables = {
  ORDERLY_ADMIN_EMAIL: 'root@example.com',
  ORDERLY_ADMIN_PASSWORD: 'the first administrator',
};

export type Ended = { readonly status: number | null; readonly stdout: string; readonly stderr: string };
type Where = {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** As `program`, which is the default. */
  readonly runs?: readonly string[];
};

/**
 * Runs a command to its end, with only these environment variables. A program given by `runs` gets a process of its
 * own.
 */
export async function orderly(args: readonly string[], where: Where = {}): Promise<Ended> {
  if (where.runs === undefined && executable === undefined) return (host ??= commandHost())(args, where);
  const { ended, output } = launch(args, where);
  const { code: status } = await ended;
  return { status, ...output };
}

export type HostedCommand = {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
};

type Host = (args: readonly string[], where: Where) => Promise<Ended>;
let host: Host | undefined;

/**
 * Starting a process takes most of the time of a command, so one process runs all commands of the tests here, one
 * after the other.
 */
function commandHost(): Host {
  const child = fork(join(import.meta.dirname, 'command-host.ts'), { execArgv: [cheapPasswords] });
  process.once('exit', () => child.kill('SIGKILL'));
  let last: Promise<unknown> = Promise.resolve();
  async function run(command: HostedCommand): Promise<Ended> {
    child.ref();
    child.channel?.ref();
    child.send(command);
    const ended = new AbortController();
    const failure = once(child, 'exit', { signal: ended.signal }).then(() => {
      throw new Error(`the process ended while it ran "${command.args.join(' ')}"`);
    });
    const late = setTimeout(() => child.kill('SIGKILL'), programMillisecondsMax);
    try {
      const [message] = await Promise.race([once(child, 'message', { signal: ended.signal }), failure]);
      return message as Ended; // as command-host.ts sends it
    } finally {
      clearTimeout(late);
      failure.catch(() => {}); // it is aborted
      ended.abort();
      child.unref();
      child.channel?.unref();
    }
  }
  return (args, { env = {}, cwd = tmpdir() }) => {
    const command = { args, env: { PATH: process.env['PATH'] ?? '', ...env }, cwd };
    const next = last.then(() => run(command));
    last = next.catch(() => {});
    return next;
  };
}

function launch(
  args: readonly string[],
  { env = {}, cwd = tmpdir(), runs = program }: Where,
): RunningProgram {
  return runProgram([...runs, ...args], {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    timeout: programMillisecondsMax,
    killSignal: 'SIGKILL',
  });
}

export type Serving = Pick<RunningProgram, 'child' | 'output'> & {
  readonly url: string;
  readonly pid: number;
  end(signal?: NodeJS.Signals): Promise<Ended>;
};

/**
 * Starts `orderly serve` on a port of its own and waits until it says that it listens. Ends with the test.
 */
export async function serving(
  t: Pick<TestContext, 'after'>,
  args: readonly string[],
  where: Where = {},
): Promise<Serving> {
  const running = launch(['--port=0', ...args], where);
  const { child, output } = running;
  t.after(() => running.end('SIGKILL'));
  const [, url = ''] = await running.writes(/"message":"listening","url":"([^"]+)"/);
  return {
    child,
    output,
    url,
    pid: child.pid ?? 0,
    async end(signal) {
      const { code: status } = await running.end(signal);
      return { status, ...output };
    },
  };
}

/** `after` is a test's, or that of a suite. */
export function newFolder(t: { after(end: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-command-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A data folder with its first administrator: hashing their password would be most of a start's time. */
export async function dataFolder(t: Pick<TestContext, 'after'>): Promise<string> {
  const folder = newFolder(t);
  const db = await openCommandDatabase(folder, migrations);
  db.write((writer) => {
    addUser(
      commandPermit(writer),
      {
        name: 'Root',
        email: 'root@example.com',
        role: 'admin',
        passwordHash: '$scrypt$ln=4,r=1,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNo',
      },
      0,
    );
  });
  db.close();
  return folder;
}

/** The end of a start in a folder that can only be read. */
export const readOnlyFolder =
  /^orderly: .*lock\.db (can't be opened: check the folder's permissions|can only be read).*\n$/m;

/** What a command wrote to stderr, without the progress that it shows when it takes long. */
export function errorsIn({ stderr }: Ended): string {
  return stderr.replaceAll(/^.+: \d+ %\n/gm, '');
}

/** What `orderly check` says about a data folder: it ends with 0 if that is sound, and else with 1. */
export async function checked(folder: string, expected: 0 | 1): Promise<string> {
  const ended = await orderly(['check', `--data=${folder}`]);
  assert.deepEqual([ended.status, errorsIn(ended)], [expected, ''], ended.stdout);
  return ended.stdout;
}

/** A new API key of the administrator of `dataFolder` and `rootVariables`. */
export async function rootKey(folder: string, scopes: string): Promise<string> {
  const about = ['--email=root@example.com', '--name=test', `--scopes=${scopes}`, `--data=${folder}`];
  const { stdout } = await orderly(['keys', 'create', ...about]);
  const [key] = /ord_\S+/.exec(stdout) ?? assert.fail(stdout);
  return key;
}

/** The status of a request that creates a customer. */
export async function addCustomer(url: string, key: string): Promise<number> {
  const { status } = await fetch(`${url}/customers`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Ada Lovelace' }),
  });
  return status;
}

/** A pattern for each line, in order. */
export function assertAll(lines: readonly string[], patterns: readonly RegExp[]): void {
  assert.equal(lines.length, patterns.length, lines.join('\n'));
  patterns.forEach((pattern, index) => assert.match(lines[index] ?? '', pattern));
}
