// The id of the last event, in a file beside the database: written at the start, once a minute, at the end and by a
// restore. A database that lacks this event has replaced a newer database. It will reuse ids of events, so
// positions in the feed are invalid.
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../base/logger.ts';
import { claimFeed, copiedFile, feedBounds, feedFile, unknownFile } from '../features/events/feed-store.ts';
import type { Connection } from '../storage/connection.ts';
import { databaseFile } from '../storage/database-file.ts';
import type { Database } from '../storage/database.ts';
import { databaseIdentity } from '../storage/file-systems.ts';
import { isDatabase } from '../storage/migrations.ts';
import { bytesOf, replacePrivate } from '../storage/private-files.ts';
import { StorageError } from '../storage/storage-error.ts';

/** The text of an id; a truncated file counts as missing. */
const form = /^([1-9]\d{0,15})\n$/;

/**
 * Throws StorageError if the folder had a database that is now missing or empty: a new database would hide
 * the loss, and SQLite would delete the old one's WAL.
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
    return false; // the file exists; opening it under the lock reports what is wrong
  }
}

export class LastEventFile {
  readonly folder: string;
  readonly #file: string;
  readonly #db: Connection;
  #written: number;

  constructor(folder: string, db: Connection) {
    this.folder = folder;
    this.#file = lastEventFile(folder);
    this.#db = db;
    this.#written = readLastEvent(this.#file);
  }

  /** Returns the id in the file, if the database lacks the event. */
  get missingEvent(): number | undefined {
    return feedBounds(this.#db).latest < this.#written ? this.#written : undefined;
  }

  /**
   * Writes the file without a sync, and never fails: after a loss of this file the next start only detects
   * less.
   */
  async write(): Promise<void> {
    const { latest } = feedBounds(this.#db);
    if (latest === this.#written) return;
    this.#written = latest;
    await writeFile(this.#file, `${latest}\n`, { mode: 0o600 }).catch(() => {});
  }
}

/** A copied or restored database begins a new epoch of the feed, which invalidates existing cursors. */
export async function claimDatabase(
  database: Pick<Database, 'read' | 'write'>,
  { folder, missingEvent }: LastEventFile,
  log: Logger,
): Promise<void> {
  const last = feedFile(database.read);
  const identity = databaseIdentity(databaseFile(folder)) ?? unknownFile;
  const isOther = identity !== unknownFile && last !== unknownFile && last !== identity;
  const isCopy = last !== '' && (isOther || last === copiedFile || missingEvent !== undefined);
  if (missingEvent !== undefined) {
    const { latest } = feedBounds(database.read);
    const what = `the database ends at event ${latest}, but had events up to ${missingEvent}`;
    log.write('warn', `${what}: it is an older copy, or its write-ahead log was lost`);
  }
  if (isCopy)
    log.write('info', 'the database is a copy: readers of events have to begin again (410 events-gone)');
  const isKnown = last === identity || (identity === unknownFile && last !== '');
  if (isCopy || !isKnown) await database.write((writer) => claimFeed(writer, identity, isCopy));
}

/**
 * Writes the file for a database that was restored on purpose: the next start does not report its newer events
 * as lost. Never fails: without it that start warns.
 */
export function replaceLastEvent(folder: string, latest: number): void {
  try {
    replacePrivate(lastEventFile(folder), `${latest}\n`);
  } catch {
    // the next start warns
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
