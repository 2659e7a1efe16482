// Libraries in C that record or fail a process's calls to its disk, for LD_PRELOAD.
import { execFileSync } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';

/** Why such libraries can't be built here, or false. */
export function noCompiler(): string | false {
  if (process.platform !== 'linux') return 'only Linux has LD_PRELOAD';
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' });
    return false;
  } catch {
    return 'there is no C compiler';
  }
}

/** Builds a library of `native/` into the folder. */
export function buildLibrary(name: 'disk-record' | 'failing-disk', folder: string): string {
  const library = join(folder, `${name}.so`);
  const source = join(import.meta.dirname, `native/${name}.c`);
  execFileSync('cc', ['-O2', '-shared', '-fPIC', '-o', library, source, '-ldl'], { stdio: 'ignore' });
  return library;
}

export type Failure = {
  readonly call: 'read' | 'write' | 'fsync' | 'map' | 'statx' | '';
  readonly code: keyof typeof constants.errno;
  /** How the paths end, separated by commas. */
  readonly end: string;
  /** The file from whose appearance on the call fails. */
  readonly when?: string;
  /** The offset from which on reads fail. */
  readonly from?: number;
};

/** The environment of a process in which a call fails. `library` is of `failing-disk`. */
export function failing(library: string, { call, code, end, when, from }: Failure): Record<string, string> {
  return {
    LD_PRELOAD: library,
    FAIL_CALL: call,
    FAIL_ERRNO: String(constants.errno[code]),
    FAIL_END: end,
    ...(when === undefined ? {} : { FAIL_WHEN: when }),
    ...(from === undefined ? {} : { FAIL_FROM: String(from) }),
  };
}
