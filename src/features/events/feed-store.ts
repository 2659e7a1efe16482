// The feed: all events in order, who may see them, and the epoch that cursors belong to.
import type { Connection, Row, SqlValue } from '../../storage/connection.ts';
import type { Event, EventType, FeedBounds, Topic } from './event.ts';
import { eventOf, eventRows } from './event-store.ts';

/** The events that one page of the feed may examine to find those that the caller may see. */
export const feedRowsExaminedMax = 1_000;

/**
 * The events that a caller may see: all events of these topics and types, otherwise only the caller's own.
 */
export type FeedAccess =
  | 'all'
  | {
      readonly userId: number;
      readonly topics: readonly Topic[];
      readonly types: readonly EventType[];
    };

export type FeedRequest = {
  /** The id of the event before the page. */
  readonly after: number;
  /** The id of the newest event, or of the last event to read. */
  readonly latest: number;
  readonly access: FeedAccess;
  /** Undefined for events of all types. */
  readonly types: readonly EventType[] | undefined;
  /** The most rows and characters that one read returns, unless one event alone is longer. */
  readonly rows: number;
  readonly charsMax?: number;
};

/**
 * Reads the next events in the order of their ids, which is the order of their commits. Examines at most
 * `feedRowsExaminedMax` events; `end` is the id of the last one examined, and the next page begins after it.
 */
export function readFeed(db: Connection, request: FeedRequest): { events: Event[]; end: number } {
  const { after, latest, access, types, rows, charsMax = Infinity } = request;
  const end = Math.min(after + feedRowsExaminedMax, Math.max(after, latest));
  const conditions = ['id > ?', 'id <= ?'];
  const params: SqlValue[] = [after, end];
  if (access !== 'all') {
    const { userId, topics, types: always } = access;
    const isShown = `topic IN (${placesFor(topics)}) OR type IN (${placesFor(always)})`;
    conditions.push(`(ownerId = ? OR formerOwnerId = ? OR ${isShown})`);
    params.push(userId, userId, ...topics, ...always);
  }
  if (types !== undefined) {
    conditions.push(`type IN (${placesFor(types)})`);
    params.push(...types);
  }
  const sql = `SELECT ${eventRows.columns} FROM events WHERE ${conditions.join(' AND ')} ORDER BY id LIMIT +?`;
  let chars = 0;
  let isFull = false;
  // no more rows than needed, since the texts of a hundred rows may be a megabyte
  const found = db.allWhile(sql, [...params, rows], (row) => {
    isFull = chars > 0 && chars + rowCharsOf(row) > charsMax;
    chars += rowCharsOf(row);
    return !isFull;
  });
  const events = found.map((row) => eventOf(eventRows.objectOf(row)));
  const last = events.at(-1);
  const isAll = !isFull && events.length < rows;
  return { events, end: isAll || last === undefined ? end : last.id };
}

/** Returns the number of characters of an event's texts; the other members have fewer than 200. */
function rowCharsOf(row: Row): number {
  let chars = 200;
  for (const value of row) if (typeof value === 'string') chars += value.length;
  return chars;
}

function placesFor(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}

export function feedBounds(db: Connection): FeedBounds {
  const sql = 'SELECT (SELECT min(id) FROM events), (SELECT max(id) FROM events)';
  const [oldest, latest] = db.get<[number | null, number | null]>(sql) ?? [null, null];
  return { removedUpTo: (oldest ?? 1) - 1, latest: latest ?? 0 };
}

/**
 * Returns the time from which all events are still there, in milliseconds since 1970; null if none was
 * removed.
 */
export function feedCompleteFrom(db: Connection): number | null {
  const [id, createdAt] = db.get<[number, number]>(
    'SELECT id, createdAt FROM events ORDER BY id LIMIT 1',
  ) ?? [1, 0];
  return id === 1 ? null : createdAt;
}

/**
 * Returns the epoch. It changes when the database is restored or copied, since old cursors would name other
 * events.
 */
export function feedEpoch(db: Connection): string {
  const [epoch = ''] = db.get<[string]>('SELECT epoch FROM feed') ?? [];
  return epoch;
}

/** Begins a new epoch, since the database was restored. */
export function beginFeedEpoch(db: Connection): void {
  db.run('UPDATE feed SET epoch = lower(hex(randomblob(8)))');
}

/**
 * Marks a copy, so that the next start of a service on the copy begins a new epoch, even under the old path.
 */
export function markFeedCopied(db: Connection): void {
  db.run("UPDATE feed SET file = 'copied'");
}

/** Returns the identity of the database's file at the last start; empty before the first start. */
export function feedFile(db: Connection): string {
  const [file = ''] = db.get<[string]>('SELECT file FROM feed') ?? [];
  return file;
}

/** Called when the file isn't the last start's: a copy may lack events that readers saw. */
export function claimFeed(db: Connection, file: string): void {
  if (feedFile(db) !== '') beginFeedEpoch(db);
  db.run('UPDATE feed SET file = ?', file);
}
