// The feed: all events in order, who may see them, and the epoch that cursors belong to.
import { isAdmin, isStaff, type Caller } from '../../auth/access.ts';
import type { Connection, Row } from '../../storage/connection.ts';
import { and, isOneOf, matchNone, not, type Condition } from '../../storage/keyset.ts';
import { eventOf, eventRows } from './event-store.ts';
import { topicsForAdmins, type Event, type EventType, type FeedBounds, type Topic } from './event.ts';

/** The events that one page of the feed may examine in search of events that the caller may see. */
const feedRowsExaminedMax = 1_000;

/**
 * The events that a caller may see: all events, or the caller's own and all of some topics and types.
 */
export type FeedAccess =
  | 'all'
  | {
      readonly userId: number;
      /** The topics of which the caller sees only own events, and all events of others; null: only own events of all. */
      readonly allBut: readonly Topic[] | null;
      readonly types: readonly EventType[];
    };

/**
 * Users see the events of their own objects, staff see the events of the shop's objects, and administrators
 * see all events. Staff also see that a user was deleted: the orders and customers of the user lose their
 * owner, without events, since there may be a million of them.
 */
export function feedAccessOf(caller: Caller): FeedAccess {
  if (isAdmin(caller)) return 'all';
  const { userId } = caller;
  if (isStaff(caller)) return { userId, allBut: topicsForAdmins, types: ['user.deleted'] };
  return { userId, allBut: null, types: [] };
}

/** Which events a page may show, and how many. */
type FeedPage = {
  readonly access: FeedAccess;
  /** Undefined for events of all types. */
  readonly types: readonly EventType[] | undefined;
  /** The most rows and characters that one read returns, unless one event alone is longer. */
  readonly rows: number;
  readonly charsMax?: number;
};

export type FeedRequest = FeedPage & {
  /** The id of the event before the page. */
  readonly after: number;
  /** The id of the newest event, or of the last event to read. */
  readonly latest: number;
};

/**
 * Reads the next events in the order of their ids, which is the order of their commits. Examines at most
 * `feedRowsExaminedMax` events; `end` is the id of the last one examined, and the next page begins after it.
 */
export function readFeed(db: Connection, request: FeedRequest): { events: Event[]; end: number } {
  const { after, latest } = request;
  const end = Math.min(after + feedRowsExaminedMax, Math.max(after, latest));
  const { events, isWhole } = readRange(db, request, { after, end, direction: 'ASC' });
  return { events, end: isWhole ? end : (events.at(-1)?.id ?? end) };
}

type NewestRequest = FeedPage & {
  /** The page has the events older than this id. */
  readonly before: number;
  readonly removedUpTo: number;
};

/**
 * Reads the events before this one, the newest first. Examines at most `feedRowsExaminedMax` events; `end` is the
 * id of the last one examined, and the next page has the events before it; undefined if there are none.
 */
export function readNewest(
  db: Connection,
  request: NewestRequest,
): { events: Event[]; end: number | undefined } {
  const { before, removedUpTo } = request;
  const after = Math.max(before - 1 - feedRowsExaminedMax, removedUpTo);
  const { events, isWhole } = readRange(db, request, { after, end: before - 1, direction: 'DESC' });
  const end = isWhole ? after + 1 : (events.at(-1)?.id ?? after + 1);
  return { events, end: end > removedUpTo + 1 ? end : undefined };
}

type IdRange = { readonly after: number; readonly end: number; readonly direction: 'ASC' | 'DESC' };

/** Reads the shown events of the range; `isWhole` says whether the page has room for all of them. */
function readRange(
  db: Connection,
  { access, types, rows, charsMax = Infinity }: FeedPage,
  { after, end, direction }: IdRange,
): { events: Event[]; isWhole: boolean } {
  const { sql: condition, params } = and([
    { sql: 'id > ? AND id <= ?', params: [after, end] },
    ...shownEvents(access),
    ...(types === undefined ? [] : [isOneOf('type', types)]),
  ]);
  const sql = `SELECT ${eventRows.columns} FROM events WHERE ${condition} ORDER BY id ${direction} LIMIT +?`;
  let chars = 0;
  let isFull = false;
  // no more rows than needed, since the texts of a hundred rows may be a megabyte
  const found = db.allWhile(sql, [...params, rows], (row) => {
    isFull = chars > 0 && chars + rowCharsOf(row) > charsMax;
    chars += rowCharsOf(row);
    return !isFull;
  });
  const events = found.map((row) => eventOf(eventRows.objectOf(row)));
  return { events, isWhole: !isFull && events.length < rows };
}

/** The condition of the events that may be seen; none if all may. */
function shownEvents(access: FeedAccess): Condition[] {
  if (access === 'all') return [];
  const { userId, allBut, types } = access;
  const ofTopics = allBut === null ? matchNone : not(isOneOf('topic', allBut));
  const ofTypes = isOneOf('type', types);
  return [
    {
      sql: `(ownerId = ? OR formerOwnerId = ? OR ${ofTopics.sql} OR ${ofTypes.sql})`,
      params: [userId, userId, ...ofTopics.params, ...ofTypes.params],
    },
  ];
}

/** Returns the number of characters of an event's texts; the other members have fewer than 200. */
function rowCharsOf(row: Row): number {
  let chars = 200;
  for (const value of row) if (typeof value === 'string') chars += value.length;
  return chars;
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
  db.run('UPDATE feed SET file = ?', copiedFile);
}

/** Stand for the identity of a file: if it is a copy, and if its file system keeps no identities. */
export const copiedFile = 'copied';
export const unknownFile = 'unknown';

/** Returns the identity of the database's file at the last start; empty before the first start. */
export function feedFile(db: Connection): string {
  const [file = ''] = db.get<[string]>('SELECT file FROM feed') ?? [];
  return file;
}

/** Keeps the identity of the file. A copy begins a new epoch, since it may lack events that readers saw. */
export function claimFeed(db: Connection, file: string, isCopy: boolean): void {
  if (isCopy) beginFeedEpoch(db);
  db.run('UPDATE feed SET file = ?', file);
}
