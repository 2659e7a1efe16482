// Disks for the tests of faults: small ones that fill up, read-only ones, and ones whose syncs fail.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** `after` is a test's, or that of a suite. */
export function newFolder(t: { after(end: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-fault-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Unmounted after the test. */
export function newDisk(t: Pick<TestContext, 'after'>, megabytes: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-disk-'));
  mount(['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  t.after(() => {
    execFileSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true });
  });
  return folder;
}

export function makeReadOnly(disk: string): void {
  mount(['-o', 'remount,ro', disk]);
}

/** Why small disks can't be made here, or false. */
export function noDisks(): string | false {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-disk-'));
  try {
    mount(['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
    execFileSync('umount', [folder]);
    return false;
  } catch {
    return 'mounting is not permitted here';
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function mount(args: readonly string[]): void {
  execFileSync('mount', args, { stdio: 'ignore' });
}

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
