// The rows of events: written in the transaction of the change that each is about, and never changed.
import { feedRowsExaminedMax } from '../../limits.ts';
import { timestampOf } from '../../schema/members.ts';
import { schemaIssues } from '../../schema/schema-check.ts';
import type { Audit } from '../../storage/audit.ts';
import type { Connection, SqlValue } from '../../storage/connection.ts';
import type { IndexedSelection } from '../../storage/keyset.ts';
import type { Permit } from '../../storage/permit.ts';
import {
  Event,
  subjectOf,
  topicOf,
  type Changes,
  type EventType,
  type FeedBounds,
  type Topic,
} from './event.ts';

type NewEvent = {
  readonly type: EventType;
  /** Null for all sessions of a user. */
  readonly subjectId: number | null;
  /** The user who may see it, in addition to staff or administrators. */
  readonly ownerId: number | null;
  /** May also see it, and so learns that the object has another owner now. */
  readonly formerOwnerId?: number | null;
  readonly changes?: Changes;
  readonly reason?: string | undefined;
  /** Set if the time isn't that of the permit. */
  readonly createdAt?: number;
  /** Set if the actor isn't the caller of the permit, as at sign-up. */
  readonly actorId?: number;
};

/**
 * Called once for each change that clients can see, by the function of the store that makes it. Objects that
 * end with another change, such as a suspended user's sessions and keys, are part of that change's event.
 * These changes have no event:
 * - of sessions, the renewal of tokens, the expiry, and the end of the oldest beyond `sessionsPerUserMax`;
 * - of one-time codes, a set-up before it is confirmed, and the use of a code or recovery code;
 * - of sign-ins, another hash of the same password, and the addresses that an account was used from;
 * - of keys, the time of the last use;
 * - of webhooks, the progress of deliveries, and a PATCH that only brings a retry forward;
 * - responses stored for an `Idempotency-Key`, and the cleanup, which removes, clears and re-encrypts.
 */
export function recordEvent({ writer, origin }: Permit, event: NewEvent): void {
  const { type, subjectId, ownerId, changes, reason = null } = event;
  const topic = topicOf(type);
  const sql =
    'INSERT INTO events (createdAt, type, topic, topicId, subjectId, ownerId, formerOwnerId, actorId, ' +
    'keyId, requestId, reason, changes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';
  writer.run(
    sql,
    event.createdAt ?? origin.now,
    type,
    topic,
    topic === 'user' ? ownerId : subjectId,
    subjectId,
    ownerId,
    event.formerOwnerId ?? null,
    event.actorId ?? origin.actor?.userId ?? null,
    origin.actor?.keyId ?? null,
    origin.requestId,
    reason,
    changes === undefined ? null : JSON.stringify(changes),
  );
}

type EventRow = readonly [
  id: number,
  createdAt: number,
  type: EventType,
  topicId: number,
  subjectId: number | null,
  actorId: number | null,
  keyId: number | null,
  requestId: string | null,
  reason: string | null,
  changes: string | null,
];
const columns = 'id, createdAt, type, topicId, subjectId, actorId, keyId, requestId, reason, changes';

function eventOf([
  id,
  createdAt,
  type,
  topicId,
  subjectId,
  actorId,
  keyId,
  requestId,
  reason,
  changes,
]: readonly [...EventRow, ...SqlValue[]]): Event {
  return {
    id,
    type,
    createdAt: timestampOf(createdAt),
    subject: subjectOf(type, subjectId, topicId),
    actor: actorId === null ? null : { userId: actorId, keyId },
    requestId,
    reason,
    changes: changes === null ? {} : JSON.parse(changes), // written by recordEvent
  };
}

export function findEvent(db: Connection, id: number): Event | undefined {
  const row = db.get<EventRow>(`SELECT ${columns} FROM events WHERE id = ?`, id);
  return row === undefined ? undefined : eventOf(row);
}

/** The history of one object, newest first. The route checks whether the caller may see the object. */
export function historySelection(topic: Topic, topicId: number): IndexedSelection {
  return {
    table: 'events',
    key: 'id',
    isDescending: true,
    ranges: [{ sql: 'topic = ? AND topicId = ?', params: [topic, topicId] }],
    residual: undefined,
    owners: [],
  };
}

/** The events that a caller may see: all of these topics and types, of the others only the caller's own. */
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
  readonly rows: number;
};

/**
 * Reads the next events in the order of their ids, which is that of their commits. At most
 * `feedRowsExaminedMax` are examined; `end` is the id of the last of them, and the next page begins after it.
 */
export function readFeed(db: Connection, request: FeedRequest): { events: Event[]; end: number } {
  const { after, latest, access, types, rows } = request;
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
  const sql = `SELECT ${columns} FROM events WHERE ${conditions.join(' AND ')} ORDER BY id LIMIT +?`;
  const events = db.all<EventRow>(sql, ...params, rows).map(eventOf);
  const last = events.at(-1);
  return { events, end: events.length === rows && last !== undefined ? last.id : end };
}

function placesFor(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}

/** An event, with the values that decide who may see it. */
export type FeedEvent = {
  readonly event: Event;
  readonly topic: Topic;
  readonly ownerId: number | null;
  readonly formerOwnerId: number | null;
};

/** Reads the next events for all readers; each reader gets those for which `isVisible` is true. */
export function readWholeFeed(db: Connection, after: number, rows: number): FeedEvent[] {
  type Seers = [topic: Topic, ownerId: number | null, formerOwnerId: number | null];
  const selected = `${columns}, topic, ownerId, formerOwnerId`;
  const sql = `SELECT ${selected} FROM events WHERE id > ? ORDER BY id LIMIT +?`;
  return db.all<readonly [...EventRow, ...Seers]>(sql, after, rows).map((row) => {
    const [topic, ownerId, formerOwnerId] = row.slice(-3) as Seers; // the last selected columns
    return { event: eventOf(row), topic, ownerId, formerOwnerId };
  });
}

/** Tests the condition of `readFeed` on an event that was read for all readers. */
export function isVisible({ event, topic, ownerId, formerOwnerId }: FeedEvent, access: FeedAccess): boolean {
  if (access === 'all') return true;
  const { userId, topics, types } = access;
  const isOwn = ownerId === userId || formerOwnerId === userId;
  return isOwn || topics.includes(topic) || types.includes(event.type);
}

export function feedBounds(db: Connection): FeedBounds {
  const sql = 'SELECT (SELECT min(id) FROM events), (SELECT max(id) FROM events)';
  const [oldest, latest] = db.get<[number | null, number | null]>(sql) ?? [null, null];
  return { removedUpTo: (oldest ?? 1) - 1, latest: latest ?? 0 };
}

/** Changes when the database is restored or copied: cursors of another epoch name other events. */
export function feedEpoch(db: Connection): string {
  const [epoch = ''] = db.get<[string]>('SELECT epoch FROM feed') ?? [];
  return epoch;
}

/** Begins a new epoch, since the database was restored. */
export function beginFeedEpoch(db: Connection): void {
  db.run('UPDATE feed SET epoch = lower(hex(randomblob(8)))');
}

/** Marks a copy, so that a service that starts on it begins a new epoch, whatever the copy's path. */
export function markFeedCopied(db: Connection): void {
  db.run("UPDATE feed SET file = 'copied'");
}

/** The identity of the database's file at the last start; empty before the first one. */
export function feedFile(db: Connection): string {
  const [file = ''] = db.get<[string]>('SELECT file FROM feed') ?? [];
  return file;
}

/** Called when the file isn't that of the last start: such a copy may lack events that readers saw. */
export function claimFeed(db: Connection, file: string): void {
  if (feedFile(db) !== '') beginFeedEpoch(db);
  db.run('UPDATE feed SET file = ?', file);
}

/**
 * A step of the cleanup: removes events older than `before`, the oldest first, so that no gap arises. The
 * newest event stays, since the id of the next event is one more than its id.
 */
export function removeOldEvents(db: Connection, rowsMax: number, before: number): number {
  const oldest = db.all<[id: number, createdAt: number]>(
    'SELECT id, createdAt FROM events ORDER BY id LIMIT +?',
    rowsMax + 1,
  );
  const young = oldest.findIndex(([, createdAt]) => createdAt >= before);
  const firstKept = oldest[young === -1 ? oldest.length - 1 : young]?.[0];
  return firstKept === undefined ? 0 : db.run('DELETE FROM events WHERE id < ?', firstKept).rowsChanged;
}

export const eventAudit: Audit<EventRow> = {
  thing: 'event',
  table: 'events',
  columns,
  issues: (row) => schemaIssues(Event, eventOf(row)),
};
