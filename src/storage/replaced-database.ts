// Takes the database that a restore replaces out of the way: it stays beside the new one, under another name.
import { existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openSqlite } from './database-file.ts';
import { bytesOf, makePrivate, syncFile, syncFolder } from './private-files.ts';
import { StorageError } from './storage-error.ts';

/** The files of a database that hold its content, after their common name. */
const contentEnds = ['', '-wal', '-journal'];

/**
 * Keeps the database under a new name, removes its WAL, which SQLite would apply to the new file, and leaves
 * the database itself to be replaced by a rename. Returns the files that were kept, once they are on disk:
 * one, unless the WAL can't be checkpointed; none if there is no database.
 */
export function keepReplaced(file: string): string[] {
  if (bytesOf(file) > 0) checkpoint(file); // SQLite would delete the WAL of an empty database
  const time = new Date().toISOString().replaceAll(/[-:.]/g, '');
  const name = join(dirname(file), `orderly-replaced-${time}.db`);
  const kept: string[] = [];
  for (const end of contentEnds) {
    if (bytesOf(`${file}${end}`) === 0) continue;
    keep(`${file}${end}`, `${name}${end}`);
    kept.push(`${name}${end}`);
  }
  syncFolder(dirname(file));
  for (const end of ['-wal', '-shm', '-journal']) rmSync(`${file}${end}`, { force: true });
  syncFolder(dirname(file));
  return kept;
}

/** Moves the content of the WAL into the database, unless it is damaged or another program reads it. */
function checkpoint(file: string): void {
  try {
    using replaced = openSqlite(file);
    replaced.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    /* the WAL is kept as a file */
  }
}

/**
 * Gives the file a second name, so that a kill before the replacement leaves it under both. A file system
 * without links leaves it under the second one.
 */
function keep(file: string, name: string): void {
  if (existsSync(name)) throw new StorageError(`${name} exists; a restore does not overwrite files.`);
  try {
    linkSync(file, name);
  } catch {
    renameSync(file, name);
  }
  makePrivate(name);
  syncFile(name);
}
