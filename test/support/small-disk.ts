// A disk of a few megabytes that a test can fill: a tmpfs, if this account may mount one.
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

export type SmallDisk = {
  readonly folder: string;
  /** Calls `end` before the disk is unmounted, the latest one first. */
  after(end: () => unknown): void;
  /** Fills the disk to its last byte. */
  fill(): void;
  makeRoom(): void;
};

/** Skips the test if nothing may be mounted. */
export async function withSmallDisk(
  t: Pick<TestContext, 'skip'>,
  megabytes: number,
  use: (disk: SmallDisk) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-disk-'));
  const ends: (() => unknown)[] = [() => rmdirSync(folder)];
  try {
    const options = `size=${megabytes}m,mode=0700`; // root accepts no folder that others may change
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
    if (status !== 0) return t.skip('this account may not mount a tmpfs');
    ends.push(() => spawnSync('umount', [folder]));
    const filling = join(folder, 'filling');
    await use({
      folder,
      after: (end) => void ends.push(end),
      fill: () => fill(filling),
      makeRoom: () => rmSync(filling),
    });
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

function fill(file: string): void {
  const descriptor = openSync(file, 'a');
  try {
    for (const bytes of [2 ** 20, 4096]) writeAll(descriptor, Buffer.alloc(bytes));
  } finally {
    closeSync(descriptor);
  }
}

function writeAll(descriptor: number, bytes: Buffer): void {
  try {
    for (;;) writeSync(descriptor, bytes);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}
