// Tells what a file system doesn't support from what fails. No other file knows kinds of file systems.
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  openSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { systemErrorCode } from '../base/system-error.ts';

/**
 * The types of statfs(2) of what isn't an ordinary local disk. Over a network locks may not work, and none of these
 * keeps the numbers and birth times of files when it is mounted again.
 */
const fileSystems: Readonly<Record<number, { readonly name: string; readonly hasLocks: boolean }>> = {
  0x6969: { name: 'NFS', hasLocks: false },
  0x517b: { name: 'SMB', hasLocks: false },
  0xfe534d42: { name: 'SMB', hasLocks: false },
  0xff534d42: { name: 'CIFS', hasLocks: false },
  0x01021997: { name: '9p', hasLocks: false },
  0x65735546: { name: 'FUSE', hasLocks: false },
  0x00c36400: { name: 'Ceph', hasLocks: false },
  0x5346414f: { name: 'AFS', hasLocks: false },
  0x0bd00bd0: { name: 'Lustre', hasLocks: false },
  0x786f4256: { name: 'VirtualBox', hasLocks: false },
  0xbacbacbc: { name: 'VMware', hasLocks: false },
  0x4d44: { name: 'FAT', hasLocks: true },
  0x2011bab0: { name: 'exFAT', hasLocks: true },
};

function fileSystemOf(path: string) {
  try {
    return fileSystems[statfsSync(path).type];
  } catch {
    return undefined; // unknown to this system
  }
}

/** Returns the name of a file system on which locks may not work; undefined for others. */
export function unsafeFileSystemOf(folder: string): string | undefined {
  const found = fileSystemOf(folder);
  return found?.hasLocks === false ? found.name : undefined;
}

/**
 * Returns a text that stays the same while the file exists, regardless of its content; a copy and a restored backup
 * are other files. Undefined where the file system doesn't keep numbers and birth times, or doesn't say: libuv then
 * reports the time of the last change.
 */
export function databaseIdentity(file: string): string | undefined {
  if (fileSystemOf(dirname(file)) !== undefined) return undefined;
  const { ino, birthtimeNs, ctimeNs } = statSync(file, { bigint: true });
  if (birthtimeNs === ctimeNs) chmodSync(file, 0o600); // changes the time of the last change of a new file
  const isStable = birthtimeNs > 0n && birthtimeNs !== statSync(file, { bigint: true }).ctimeNs;
  return isStable ? `${ino}-${birthtimeNs}` : undefined;
}

/** The errors of fsync where there is nothing to sync; SQLite ignores them, too. */
const lackCodes: readonly string[] = ['EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'];

/** Syncs a file or a folder, unless its file system has no sync for it. */
export function syncPath(path: string, flags: 'r' | 'r+'): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } catch (error) {
    if (!isLack(error)) throw error;
  } finally {
    closeSync(descriptor);
  }
}

export function isLack(error: unknown): boolean {
  return lackCodes.includes(systemErrorCode(error));
}

/** Returns the errno with which the system refuses to write to a path; empty if it may be written. */
export function refusalToWrite(path: string): string {
  try {
    accessSync(path, constants.W_OK);
    return '';
  } catch (error) {
    return systemErrorCode(error);
  }
}
