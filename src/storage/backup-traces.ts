// What backups leave behind: when the last one was made, and copies that were cut short.
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hourMilliseconds } from '../durations.ts';
import { giveToFolderOwner, replacePrivate } from './private-files.ts';

/** A copy under way is written to all the time. */
const staleMilliseconds = hourMilliseconds;

function traceFile(folder: string): string {
  return join(folder, 'last-backup');
}

/** Records when, unless this account may not write to the data folder: its backup is one all the same. */
export function recordBackup(folder: string): void {
  try {
    replacePrivate(traceFile(folder), `${new Date().toISOString()}\n`);
    giveToFolderOwner(traceFile(folder));
  } catch {
    // then it isn't known
  }
}

/** When the last backup of this folder ended, in milliseconds since 1970; undefined if it isn't known. */
export function lastBackup(folder: string): number | undefined {
  return statSync(traceFile(folder), { throwIfNoEntry: false })?.mtimeMs;
}

/**
 * Removes what killed backups left in a folder: copies with an SQLite journal beside them that have not been
 * written to for long. The backup succeeds even if this fails.
 */
export function removeStalePartials(folder: string): void {
  try {
    const names = new Set(readdirSync(folder));
    for (const name of names)
      if (name.endsWith('.partial') && names.has(`${name}-journal`)) removeIfStale(join(folder, name));
  } catch {
    // then they stay
  }
}

function removeIfStale(file: string): void {
  if (statSync(file).mtimeMs > Date.now() - staleMilliseconds) return;
  for (const end of ['', '-journal']) rmSync(`${file}${end}`, { force: true });
}
