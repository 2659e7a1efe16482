// A disk in a file: ext4 on a loop device, which counts what is written to it. Needs root.
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

export type LoopDisk = {
  readonly folder: string;
  /** What the device was told to write so far, after everything in memory is written. */
  writtenBytes(): number;
  remove(): void;
};

/** As Linux has it by default. */
const readAheadKilobytes = 128;
/** The unit of the counters, whatever the device's own is. */
const sectorBytes = 512;

export function makeLoopDisk(bytes: number): LoopDisk {
  const scratch = mkdtempSync(join(tmpdir(), 'orderly-loop-'));
  const image = join(scratch, 'disk');
  const folder = join(scratch, 'mounted');
  mkdirSync(folder);
  closeSync(openSync(image, 'w'));
  truncateSync(image, bytes);
  // otherwise the kernel would still write tables of the new file system in the background
  execFileSync('mkfs.ext4', ['-q', '-E', 'lazy_itable_init=0,lazy_journal_init=0', image]);
  const device = execFileSync('losetup', ['--find', '--show', '--direct-io=on', image], {
    encoding: 'utf8',
  }).trim();
  execFileSync('mount', [device, folder]);
  const counters = `/sys/block/${basename(device)}`;
  writeFileSync(`${counters}/queue/read_ahead_kb`, String(readAheadKilobytes));
  return {
    folder,
    writtenBytes() {
      execFileSync('sync', ['-f', folder]);
      const [, , , , , , sectors = 0] = readFileSync(`${counters}/stat`, 'latin1')
        .trim()
        .split(/\s+/)
        .map(Number);
      return sectors * sectorBytes;
    },
    remove() {
      execFileSync('umount', [folder]);
      execFileSync('losetup', ['--detach', device]);
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}
