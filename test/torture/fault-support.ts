// Disks whose reads and syncs fail, for the tests of faults: libraries for LD_PRELOAD.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Why libraries for LD_PRELOAD can't be built here, or false. */
export function noCompiler(): string | false {
  if (process.platform !== 'linux') return 'only Linux has LD_PRELOAD';
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' });
    return false;
  } catch {
    return 'there is no C compiler';
  }
}

/** A library for LD_PRELOAD. */
export function buildLibrary(source: string, folder: string): string {
  const library = join(folder, 'library.so');
  execFileSync('cc', ['-O2', '-shared', '-fPIC', '-o', library, join(import.meta.dirname, source), '-ldl'], {
    stdio: 'ignore',
  });
  return library;
}
