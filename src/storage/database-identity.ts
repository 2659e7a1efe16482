// Which file a database is in: a copy of it is another file, and so is one put back from a backup.
import { statSync } from 'node:fs';

/** The same for as long as the file exists, whatever is written to it. */
export function databaseIdentity(file: string): string {
  const { ino, birthtimeNs } = statSync(file, { bigint: true });
  return `${ino}-${birthtimeNs}`;
}
