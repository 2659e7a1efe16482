// The traces of backups: the time of the last one, and the copies that interrupted backups left.
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hourMilliseconds } from '../base/durations.ts';
import { replacePrivate } from './private-files.ts';

/** A backup writes to its copy all the time, so a copy without a write for this long is abandoned. */
const staleMilliseconds = hourMilliseconds;

function traceFile(folder: string): string {
  return join(folder, 'last-backup');
}

/** Records the time of a backup, unless this account may not write to the data folder. */
export function recordBackup(folder: string): void {
  try {
    replacePrivate(traceFile(folder), `${new Date().toISOString()}\n`);
  } catch {
    // the time of the last backup stays unknown
  }
}

/** Returns when the last backup of this folder ended, in milliseconds since 1970; undefined if unknown. */
export function lastBackupAt(folder: string): number | undefined {
  return statSync(traceFile(folder), { throwIfNoEntry: false })?.mtimeMs;
}

/**
 * Removes the copies that killed backups left in a folder: copies beside an SQLite journal without a recent
 * write. The backup succeeds even if this fails.
 */
export function removeStalePartials(folder: string): void {
  try {
    const names = new Set(readdirSync(folder));
    for (const name of names)
      if (name.endsWith('.partial') && names.has(`${name}-journal`)) removeIfStale(join(folder, name));
  } catch {
    // the copies stay until a later backup
  }
}

function removeIfStale(file: string): void {
  if (statSync(file).mtimeMs > Date.now() - staleMilliseconds) return;
  for (const end of ['', '-journal']) rmSync(`${file}${end}`, { force: true });
}
