// A program in a process of its own, which ends with this one; what it writes is kept.
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';

export type Ended = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

export type RunningProgram = {
  readonly child: ChildProcess;
  /** Resolves once the program has ended, and all that it wrote has arrived. */
  readonly ended: Promise<Ended>;
  /** The end of each output. */
  readonly output: { stdout: string; stderr: string };
  /** Both outputs. */
  written(): string;
  /** Resolves once it has written what the pattern finds. Throws with its output if it ends before, or is late. */
  writes(pattern: RegExp, millisecondsMax?: number): Promise<RegExpExecArray>;
  /** Sends a signal, unless it has ended. */
  end(signal?: NodeJS.Signals): Promise<Ended>;
};

const writtenCharsMax = 2 ** 20;
/** An executable may be emulated for another processor, where all takes many times as long. */
export const programMillisecondsMax = process.env['ORDERLY_EXECUTABLE'] === undefined ? 60_000 : 600_000;

export function runProgram(
  [file = '', ...args]: readonly string[],
  options: SpawnOptions = {},
): RunningProgram {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] = (output[name] + text).slice(-writtenCharsMax);
    });
  const written = (): string => output.stdout + output.stderr;
  const killWithThis = (): unknown => child.kill('SIGKILL');
  process.on('exit', killWithThis);
  const ended = once(child, 'close').then(([code, signal]): Ended => {
    process.off('exit', killWithThis);
    return { code, signal };
  });

  async function writes(pattern: RegExp, millisecondsMax = programMillisecondsMax): Promise<RegExpExecArray> {
    const { promise: found, resolve } = Promise.withResolvers<RegExpExecArray>();
    const look = (): void => {
      const match = pattern.exec(written());
      if (match !== null) resolve(match);
    };
    const early = ended.then(({ code, signal }) => {
      throw new Error(`${file} ended with ${signal ?? code} before it wrote ${pattern}: ${written()}`);
    });
    const late = setTimeout(() => child.kill('SIGKILL'), millisecondsMax);
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', look);
    look();
    try {
      return await Promise.race([found, early]);
    } finally {
      clearTimeout(late);
      for (const stream of [child.stdout, child.stderr]) stream?.off('data', look);
      early.catch(() => {}); // it may end later
    }
  }

  function end(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    child.kill(signal);
    return ended;
  }

  return { child, ended, output, written, writes, end };
}
