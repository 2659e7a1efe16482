// The files of the data folder: only for this account, and on disk when a function here says so.
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

/**
 * Node's permission model rejects every kind of fsync: then SQLite, which it can't stop, syncs each commit
 * itself.
 */
export const maySync = !('permission' in process);

/**
 * Only this account may read the service's files. A file must not be opened here while SQLite has it open:
 * closing any descriptor of it would drop SQLite's locks (POSIX), so it is opened only if it doesn't exist.
 */
export function makePrivate(file: string): void {
  if (existsSync(file)) chmodSync(file, 0o600);
  else closeSync(openSync(file, 'wx', 0o600));
}

/** What root makes in the folder of another account is that account's, or its service couldn't open it. */
export function giveToFolderOwner(file: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(file));
  chownSync(file, uid, gid);
}

/**
 * Makes a folder only for this account unless it exists, and those above it. (`mkdir` with `recursive`
 * never returns in /proc.)
 */
export function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  if (!existsSync(dirname(folder))) makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

/** Writes a file only for this account: whole or not at all, and on disk when it returns. */
export function replacePrivate(file: string, text: string): void {
  const partial = `${file}.partial`;
  rmSync(partial, { force: true });
  writeFileSync(partial, text, { mode: 0o600, flush: maySync });
  renameSync(partial, file);
  syncFolder(dirname(file));
}

/** Makes a file's bytes last through a power cut. Windows syncs only what is open for writing. */
export function syncFile(file: string): void {
  if (maySync) syncDescriptor(openSync(file, 'r+'));
}

/** Makes new, renamed and removed names in a folder last. Windows has no way to do that. */
export function syncFolder(folder: string): void {
  if (maySync && process.platform !== 'win32') syncDescriptor(openSync(folder, 'r'));
}

function syncDescriptor(descriptor: number): void {
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
