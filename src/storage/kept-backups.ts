// The backups that an installation keeps beside its database: the newest seven, at most three of a day, in
// `backups/` of the data folder. They help after a mistake or a damaged file, not after the loss of the disk.
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { freeDiskBytes } from '../base/capacity.ts';
import { hourMilliseconds } from '../base/durations.ts';
import { backup, type BackupOptions } from './backup.ts';
import { databaseFile } from './database-file.ts';
import { bytesOf, createFolder } from './private-files.ts';
import { StorageError } from './storage-error.ts';

export const keptBackupsMax = 7;
/** The backups kept of one day (UTC): many backups in a row must not replace the backups of earlier days. */
export const keptBackupsOfDayMax = 3;

type KeptBackup = { readonly name: string; readonly createdAt: number; readonly bytes: number };

/** The free space that a backup leaves, so that the service can go on writing. */
const roomLeftBytes = 16 * 1024 ** 2;

/** Makes a backup, and removes the oldest ones. Returns its file. Throws StorageError. */
export async function keepBackup(folder: string, now: number, options: BackupOptions = {}): Promise<string> {
  const kept = backupsFolder(folder);
  createFolder(kept);
  removeAbandoned(kept);
  rejectLackOfRoom(folder, kept);
  const name = nameAt(now);
  await backup(folder, join(kept, name), options);
  for (const surplus of surplusBeside(name, keptBackups(folder)))
    rmSync(join(kept, surplus.name), { force: true });
  return join(kept, name);
}

/** Removes the copies that killed backups left, which nobody has written to for an hour. */
function removeAbandoned(kept: string): void {
  for (const name of readdirSync(kept).filter((each) => each.includes('.db.partial'))) {
    const file = join(kept, name);
    const { mtimeMs = Infinity } = statSync(file, { throwIfNoEntry: false }) ?? {};
    if (mtimeMs < Date.now() - hourMilliseconds) rmSync(file);
  }
}

/** Returns the backups to remove once this one is made. `newestFirst` has all of them. */
function surplusBeside(name: string, newestFirst: readonly KeptBackup[]): KeptBackup[] {
  const others = newestFirst.filter((each) => each.name !== name);
  const day = name.slice(0, 'yyyymmdd'.length);
  const surplusOfDay = others.filter((each) => each.name.startsWith(day)).slice(keptBackupsOfDayMax - 1);
  const rest = others.filter((each) => !surplusOfDay.includes(each));
  return [...surplusOfDay, ...rest.slice(keptBackupsMax - 1)];
}

/** Returns the backups that are kept, newest first. */
export function keptBackups(folder: string): KeptBackup[] {
  const kept = backupsFolder(folder);
  if (statSync(kept, { throwIfNoEntry: false }) === undefined) return [];
  const names = readdirSync(kept).filter((name) => namePattern.test(name) && !Number.isNaN(timeIn(name)));
  return names
    .sort()
    .reverse()
    .map((name) => ({ name, createdAt: timeIn(name), bytes: bytesOf(join(kept, name)) }));
}

function backupsFolder(folder: string): string {
  return join(folder, 'backups');
}

const namePattern = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z\.db$/;

function nameAt(now: number): string {
  return `${new Date(now).toISOString().replaceAll(/[-:.]/g, '')}.db`;
}

function timeIn(name: string): number {
  return Date.parse(name.replace(namePattern, '$1-$2-$3T$4:$5:$6.$7Z'));
}

function rejectLackOfRoom(folder: string, kept: string): void {
  const file = databaseFile(folder);
  const neededBytes = bytesOf(file) + bytesOf(`${file}-wal`) + roomLeftBytes;
  if (freeDiskBytes(kept) < neededBytes)
    throw new StorageError('The disk has too little free space for a backup.');
}
