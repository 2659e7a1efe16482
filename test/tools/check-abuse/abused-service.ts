// The service under attack: a process of its own on loopback, with default settings and a temporary folder.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Program } from './attack.ts';

export const administrator = { email: 'admin@example.com', password: 'the first administrator' };

/** The same at each start, so that tokens stay valid after a restart on another port. */
const publicUrl = 'https://orders.example.com';
const startMillisecondsMax = 30_000;
const stopMillisecondsMax = 15_000;
const writtenCharsMax = 2 ** 20;

export type AbusedOptions = {
  /** By default a copy of the prepared data. */
  readonly folder?: string;
  /** Flags without dashes. By default plain HTTP. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A program that becomes the service, and its arguments, such as prlimit. */
  readonly inside?: readonly string[];
};

export type Ending = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

export type Spawned = {
  readonly child: ChildProcess;
  readonly folder: string;
  readonly ended: Promise<Ending>;
  /** Whether it has ended. */
  isOver(): boolean;
  /** The end of its output. */
  written(): string;
};

export type AbusedService = Spawned & {
  readonly port: number;
  readonly pid: number;
  /** The most memory it has had so far; 0 once it has ended. */
  rssMegabytesMax(): number;
  /** SIGTERM, and SIGKILL for one that doesn't end. */
  stop(): Promise<Ending>;
};

export function preparedFolder({ scratch, prepared }: Program): string {
  const folder = join(mkdtempSync(join(scratch, 'service-')), 'data');
  cpSync(prepared, folder, { recursive: true });
  return folder;
}

function spawnAbused(target: Program, options: AbusedOptions = {}): Spawned {
  const { folder = preparedFolder(target), settings = {}, inside = [] } = options;
  const flags = Object.entries({
    port: '0',
    tls: 'off',
    data: folder,
    'public-url': publicUrl,
    ...settings,
  }).map(([flag, value]) => `--${flag}=${value}`);
  const [program = '', ...args] = [...inside, ...target.program, ...flags];
  const child = spawn(program, args, {
    cwd: target.scratch,
    env: {
      PATH: process.env['PATH'],
      ORDERLY_ADMIN_EMAIL: administrator.email,
      ORDERLY_ADMIN_PASSWORD: administrator.password,
      ...target.environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (more: string) => {
      text = (text + more).slice(-writtenCharsMax);
    });
  const killWithThis = (): unknown => child.kill('SIGKILL');
  process.on('exit', killWithThis);
  let isOver = false;
  const ended = once(child, 'close').then(([code, signal]): Ending => {
    isOver = true;
    process.off('exit', killWithThis);
    return { code, signal };
  });
  return { child, folder, ended, isOver: () => isOver, written: () => text };
}

/** Resolves once it listens. Throws with its output if it ends before that. */
export async function startAbused(target: Program, options: AbusedOptions = {}): Promise<AbusedService> {
  const spawned = spawnAbused(target, options);
  const { child, ended, written, isOver } = spawned;
  const late = setTimeout(() => child.kill('SIGKILL'), startMillisecondsMax);
  const listening = new Promise<number>((resolve) =>
    child.stdout?.on('data', () => {
      const port = portIn(written());
      if (port !== undefined) resolve(port);
    }),
  );
  const early = ended.then(({ code, signal }) => {
    throw new Error(`the service ended with ${signal ?? code} before it listened: ${written().slice(-500)}`);
  });
  const port = await Promise.race([listening, early]).finally(() => clearTimeout(late));
  early.catch(() => {
    /* it may end later on */
  });
  const pid = child.pid ?? Number.NaN; // it listens, so it has a pid
  let rssMegabytes = 0;
  const rssMegabytesMax = (): number => {
    rssMegabytes = Math.max(rssMegabytes, isOver() ? 0 : peakMegabytes(pid));
    return rssMegabytes;
  };
  return { ...spawned, port, pid, rssMegabytesMax, stop: () => stop(spawned) };
}

async function stop({ child, ended, isOver }: Spawned): Promise<Ending> {
  if (!isOver()) child.kill('SIGTERM');
  const cut = setTimeout(() => child.kill('SIGKILL'), stopMillisecondsMax);
  return await ended.finally(() => clearTimeout(cut));
}

function portIn(written: string): number | undefined {
  const port = /https?:\/\/localhost:(\d+)/.exec(written)?.[1];
  return port === undefined ? undefined : Number(port);
}

function peakMegabytes(pid: number): number {
  try {
    const kilobytes = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Math.round(Number(kilobytes ?? 0) / 1000);
  } catch {
    return 0; // it has just ended, or this isn't Linux
  }
}
