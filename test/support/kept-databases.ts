// The databases that are kept of released versions, and what is needed to use them.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';

export const keptDatabases = join(import.meta.dirname, '../data/databases');

/** The service that made them had this secret, so theirs can be decrypted. */
export const keptSecret = 'the secret of the kept databases';

export function keptVersions(): string[] {
  return readdirSync(keptDatabases).map((name) => name.replace('.db.br', ''));
}

/** Writes the database of a version into a folder, as its service left it. */
export function placeKeptDatabase(version: string, folder: string): string {
  const file = join(folder, 'orderly.db');
  writeFileSync(file, brotliDecompressSync(readFileSync(join(keptDatabases, `${version}.db.br`))));
  return file;
}
