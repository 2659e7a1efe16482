// Takes the database that a restore replaces out of the way: it stays beside the new one, under another name.
import { renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openSqlite } from './database-file.ts';
import { bytesOf, makePrivate, syncFile, syncFolder } from './private-files.ts';

/** The files of a database that hold its content, after their common name. */
const contentEnds = ['', '-wal', '-journal'];

/**
 * Gives the files of the database another name, so that SQLite applies no old WAL to the new one. Returns those that
 * were kept, once they are on disk: one, unless the WAL can't be checkpointed; none if there is no database. If the
 * process is killed before the new database is in place, the next start says that there is none.
 */
export function keepReplaced(file: string): string[] {
  if (bytesOf(file) > 0) checkpoint(file); // SQLite would delete the WAL of an empty database
  const time = new Date().toISOString().replaceAll(/[-:.]/g, '');
  const name = join(dirname(file), `orderly-replaced-${time}.db`);
  const ends = contentEnds.filter((end) => bytesOf(`${file}${end}`) > 0);
  for (const end of ends) {
    renameSync(`${file}${end}`, `${name}${end}`);
    makePrivate(`${name}${end}`);
    syncFile(`${name}${end}`);
  }
  for (const end of [...contentEnds, '-shm']) rmSync(`${file}${end}`, { force: true });
  syncFolder(dirname(file));
  return ends.map((end) => `${name}${end}`);
}

/** Moves the content of the WAL into the database, unless it is damaged or another program reads it. */
function checkpoint(file: string): void {
  try {
    using replaced = openSqlite(file);
    replaced.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // the WAL is kept as a file
  }
}
