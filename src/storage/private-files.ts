// The files of the data folder: readable by its account only, and synced to disk where a function says so.
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isLack, syncPath } from './file-systems.ts';
import { StorageError } from './storage-error.ts';

/** Node's permission model rejects fsync. It doesn't control SQLite, which then syncs each commit itself. */
export const maySync = !('permission' in process);

/** Files with these names must belong to the account that runs the service and its commands. */
const databaseNames = ['lock.db', 'orderly.db', 'orderly.db-wal', 'orderly.db-shm', 'orderly.db-journal'];

/**
 * Creates a file that only this account may read, or makes it private. Opens the file only if it doesn't exist:
 * closing a descriptor of a file that SQLite has open would drop SQLite's locks (POSIX).
 */
export function makePrivate(file: string): void {
  if (!exists(file)) createPrivate(file);
  keepPrivate(file);
}

/** Unlike `existsSync`, also true for a link that leads nowhere. */
function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Returns the length of a file; 0 if it is missing. */
export function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Makes an existing file private. Throws if it is another account's or no plain file: whoever wrote a secret knows
 * it, and a link leads to files elsewhere.
 */
export function keepPrivate(file: string): void {
  const stats = lstatSync(file);
  if (stats.isSymbolicLink()) throw new StorageError(`${file} is a link: link its folder instead.`);
  if (!stats.isFile())
    throw new StorageError(
      `${file} is not a file. (A container makes a folder of a mounted file that is missing: mount the data folder.)`,
    );
  if (!isOfThisAccount(stats))
    throw new StorageError(
      `${file} belongs to account ${stats.uid}: give it to this one, or delete it. If its file system gives all new ` +
        'files to that account, run orderly as it, or mount the file system with the uid of this one.',
    );
  if (isOpenToOthers(file)) chmodIfKept(file, 0o600);
}

/** Whether the process's account owns a file. Windows has no such numbers. */
function isOfThisAccount({ uid }: { readonly uid: number }): boolean {
  const account = process.geteuid?.();
  return account === undefined || account === uid;
}

/**
 * Makes the data folder and the database private, or throws if another account could place a secret, a link or a
 * journal there. Root uses only folders of its own. While the folder is missing, the one above it counts.
 */
export function claimFolder(folder: string): void {
  if (process.platform === 'win32') return; // its modes say nothing
  const stats = statSync(existingPart(resolve(folder)));
  if (isRoot() && !isOfThisAccount(stats))
    throw new StorageError(
      `${folder} belongs to account ${stats.uid}, and root uses only its own: run this as that account ` +
        '("runuser -u NAME -- orderly …", or the user of the container), or give the folder to root.',
    );
  if (!existsSync(folder)) return;
  if (isOfThisAccount(stats) && isOpenToOthers(folder) && isDataFolder(folder))
    chmodIfKept(folder, stats.mode & 0o700);
  if (mayOthersWrite(folder))
    throw new StorageError(
      `Other accounts may write the folder ${folder}: name a folder in it that is still missing, which is made ` +
        'private. A file system that keeps no modes needs options of its mount ("umask=077" for exFAT and FAT, ' +
        '"dir_mode=0700,file_mode=0600,uid=…" for SMB); under WSL use a folder of Linux.',
    );
  for (const file of databaseNames.map((name) => join(folder, name))) if (exists(file)) keepPrivate(file);
}

/** Throws if root would use a file in a folder where another account may put a link or a journal beside it. */
export function rejectForeignFile(file: string): void {
  const folder = dirname(resolve(file));
  if (!isRoot() || (isOfThisAccount(statSync(folder)) && !mayOthersWrite(folder))) return;
  throw new StorageError(`Another account may change files of ${folder}: root uses a folder of its own.`);
}

function isRoot(): boolean {
  return process.geteuid?.() === 0;
}

/** Whether other accounts may write a folder; if this process is root, also whether a group may. */
function mayOthersWrite(folder: string): boolean {
  return (statSync(folder).mode & (isRoot() ? 0o022 : 0o002)) !== 0;
}

function existingPart(folder: string): string {
  return existsSync(folder) ? folder : existingPart(dirname(folder));
}

/** Whether a folder has a database or is empty. Others, named by mistake, keep their modes. */
function isDataFolder(folder: string): boolean {
  return existsSync(join(folder, 'orderly.db')) || readdirSync(folder).length === 0;
}

/** Some file systems ignore a mode, and others reject it. */
function chmodIfKept(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch {
    // what others may do is judged afterwards
  }
}

/** Whether other accounts may read or write a path: exFAT and FAT keep no modes, and don't report that. */
export function isOpenToOthers(file: string): boolean {
  return process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0;
}

/** Creates a private file. Throws if the file exists, even as a link. */
export function createPrivate(file: string): void {
  closeSync(openSync(file, 'wx', 0o600));
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
  writeFileSync(partial, text, { flag: 'wx', mode: 0o600 });
  syncFile(partial);
  renameSync(partial, file);
  syncFolder(dirname(file));
}

/** Makes a file's bytes survive a power cut. Windows syncs only files that are open for writing. */
export function syncFile(file: string): void {
  if (maySync) syncPath(file, 'r+');
}

/** Like `syncFile`, off the event loop. */
export async function syncFileAside(file: string): Promise<void> {
  if (!maySync) return;
  await using handle = await open(file, 'r+');
  await handle.sync().catch((error: unknown) => {
    if (!isLack(error)) throw error;
  });
}

/** Makes new, renamed and removed names in a folder survive a power cut, which Windows can't do. */
export function syncFolder(folder: string): void {
  if (maySync && process.platform !== 'win32') syncPath(folder, 'r');
}
