// Identifies the file of a database. A copy and a restored backup are other files.
import { statSync } from 'node:fs';

/** Returns a text that stays the same while the file exists, regardless of its content. */
export function databaseIdentity(file: string): string {
  const { ino, birthtimeNs } = statSync(file, { bigint: true });
  return `${ino}-${birthtimeNs}`;
}
