// The files of the data folder: readable by its account only, and synced to disk where a function says so.
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { StorageError } from './storage-error.ts';

/** Node's permission model rejects fsync. It doesn't control SQLite, which then syncs each commit itself. */
export const maySync = !('permission' in process);

/**
 * Creates a file that only this account may read. Opens the file only if it doesn't exist: closing a
 * descriptor of a file that SQLite has open would drop SQLite's locks (POSIX).
 */
export function makePrivate(file: string): void {
  if (existsSync(file)) chmodSync(file, 0o600);
  else createPrivate(file);
}

/** Returns the length of a file; 0 if it is missing. */
export function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Makes an existing file of a secret private. Throws if it belongs to another account. */
export function keepPrivate(file: string): void {
  if (existsSync(file) && isOpenToOthers(file)) chmodSync(file, 0o600);
}

/** Throws if every account may write the folder: another one may have placed a secret there. */
export function rejectOpenFolder(folder: string): void {
  if (process.platform === 'win32') return; // its modes say nothing
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o002) === 0) return;
  throw new StorageError(
    `Every account may write the folder ${folder}: "chmod 700 ${folder}" makes it private, or on exFAT and FAT ` +
      'mounting with "umask=077"; delete files in it that are not its own.',
  );
}

/** Whether other accounts may read or write a file: exFAT and FAT keep no modes, and don't report that. */
export function isOpenToOthers(file: string): boolean {
  return process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0;
}

/** Creates a private file. Throws if the file exists, even as a link. */
export function createPrivate(file: string): void {
  closeSync(openSync(file, 'wx', 0o600));
}

/**
 * If root runs the process, takes the rights of the folder's owner instead, before anything in the folder is
 * opened: with links and journals the owner could otherwise make root read, change and delete any file. If
 * the folder is missing, the folder above it counts. Returns the id of the owner's account; undefined if
 * nothing has changed.
 */
export function takeOwnerRights(folder: string): number | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = ownerOf(resolve(folder));
  if (uid === 0) return undefined;
  try {
    process.setgroups?.([]);
    process.setgid?.(gid === 0 ? uid : gid);
    process.setuid?.(uid);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StorageError(`${folder} belongs to account ${uid}: run this as that account (${why}).`);
  }
  return uid;
}

function ownerOf(folder: string): { readonly uid: number; readonly gid: number } {
  return statSync(folder, { throwIfNoEntry: false }) ?? ownerOf(dirname(folder));
}

/**
 * Throws if root would use a file that another account could replace, by another file or a link, or put a journal
 * beside, with which SQLite would change the file: in its folder, or by renaming a folder above. The folders
 * count both as they are named and as links resolve.
 */
export function rejectForeignFolder(file: string): void {
  if (process.getuid?.() !== 0) return;
  const named = resolve(file);
  const real = existsSync(named) ? realpathSync(named) : join(realpathSync(dirname(named)), basename(named));
  for (const path of [named, real]) rejectForeignPath(dirname(path));
}

function rejectForeignPath(folder: string): void {
  for (let path = folder, isAbove = false; ; path = dirname(path), isAbove = true) {
    if (mayOthersChange(path, isAbove)) {
      throw new StorageError(`Another account may change files of ${path}: root uses a folder of its own.`);
    }
    if (path === dirname(path)) return;
  }
}

function mayOthersChange(path: string, isAbove: boolean): boolean {
  const stats = lstatSync(path);
  if (stats.uid !== 0) return true;
  if (stats.isSymbolicLink()) return false; // its mode says nothing
  const isOpen = (stats.mode & 0o002) !== 0 || ((stats.mode & 0o020) !== 0 && stats.gid !== 0);
  const isSticky = (stats.mode & 0o1000) !== 0; // others can't rename root's folders in it, but add files
  return isOpen && !(isAbove && isSticky);
}

/**
 * Creates a folder that only this account may use, and missing folders above it. (`mkdir` with `recursive`
 * never returns in /proc.)
 */
export function createFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  if (!existsSync(dirname(folder))) createFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

/** Writes a file for this account only: completely or not at all. Returns once the file is on disk. */
export function replacePrivate(file: string, text: string): void {
  const partial = `${file}.partial`;
  rmSync(partial, { force: true });
  writeFileSync(partial, text, { flag: 'wx', mode: 0o600, flush: maySync });
  renameSync(partial, file);
  syncFolder(dirname(file));
}

/** Makes a file's bytes survive a power cut. Windows syncs only files that are open for writing. */
export function syncFile(file: string): void {
  if (maySync) syncDescriptor(openSync(file, 'r+'));
}

/** Like `syncFile`, off the event loop. */
export async function syncFileAside(file: string): Promise<void> {
  if (!maySync) return;
  await using handle = await open(file, 'r+');
  await handle.sync();
}

/** Makes new, renamed and removed names in a folder survive a power cut, which Windows can't do. */
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
