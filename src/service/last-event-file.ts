// The id of the last event that was shown, in a file beside the database. A database without that event has
// replaced a newer one: it will reuse ids of events, so positions in the feed are invalid.
import { readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { feedBounds } from '../features/events/feed-store.ts';
import type { Connection } from '../storage/connection.ts';
import { isDatabase } from '../storage/applied-migrations.ts';
import { databaseFile } from '../storage/database-file.ts';
import { StorageError } from '../storage/storage-error.ts';

/** The text of an id; a truncated file counts as missing. */
const form = /^([1-9]\d{0,15})\n$/;

/**
 * Throws StorageError if the folder's database is missing or empty, but there was one: a new one in its place
 * would hide that, and SQLite would delete the log of the old one.
 */
export function rejectLostDatabase(folder: string): void {
  const file = databaseFile(folder);
  if (!isMissing(file)) return;
  const lastEvent = lastEventFile(folder);
  const latest = readLastEvent(lastEvent);
  if (latest > 0)
    throw new StorageError(
      `${file} is missing or empty, but had events up to ${latest}. Restore a backup; ` +
        `or, to begin with an empty database, delete ${lastEvent}.`,
    );
  if (bytesOf(file) === 0 && bytesOf(`${file}-wal`) > 0)
    throw new StorageError(
      `${file} is missing or empty, but its write-ahead log is there: ` +
        'put the file back, or restore a backup.',
    );
}

/** Whether the file is missing, or has no tables. */
function isMissing(file: string): boolean {
  try {
    return !isDatabase(file);
  } catch {
    return false; // it is there; opening it, once the folder is locked, reports what is wrong
  }
}

export class LastEventFile {
  readonly #file: string;
  readonly #db: Connection;
  #written: number;

  constructor(folder: string, db: Connection) {
    this.#file = lastEventFile(folder);
    this.#db = db;
    this.#written = readLastEvent(this.#file);
  }

  /** Returns the last event that was shown from this folder if the database lacks it; otherwise undefined. */
  get missingEvent(): number | undefined {
    return feedBounds(this.#db).latest < this.#written ? this.#written : undefined;
  }

  /** Neither syncs nor fails: with an older id, or none, the next start only detects less. */
  async write(): Promise<void> {
    const { latest } = feedBounds(this.#db);
    if (latest === this.#written) return;
    this.#written = latest;
    await writeFile(this.#file, `${latest}\n`, { mode: 0o600 }).catch(() => {});
  }
}

function lastEventFile(folder: string): string {
  return join(folder, 'last-event');
}

/** Returns 0 if no event is known. */
function readLastEvent(file: string): number {
  try {
    return Number(form.exec(readFileSync(file, 'latin1'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Returns 0 for a missing file. */
function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
