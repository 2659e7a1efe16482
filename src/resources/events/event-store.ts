// The rows of events: written in the transaction of the change that each is about, and never changed.
import { timestampOf } from '../../schema/timestamp.ts';
import { schemaIssues } from '../../schema/schema-check.ts';
import type { Audit } from '../../storage/audit.ts';
import type { Connection, SqlValue } from '../../storage/connection.ts';
import type { IndexedSelection } from '../../storage/keyset.ts';
import type { Permit } from '../../storage/permit.ts';
import { Event, subjectOf, topicOf, type Changes, type EventType, type Topic } from './event.ts';

type NewEvent = {
  readonly type: EventType;
  /** Null for all sessions of a user. */
  readonly subjectId: number | null;
  /** The user who may see it, in addition to staff or administrators. */
  readonly ownerId: number | null;
  /** The owner before this change, who may also see the event: it shows that the object changed hands. */
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

export type EventRow = readonly [
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
export const eventColumns =
  'id, createdAt, type, topicId, subjectId, actorId, keyId, requestId, reason, changes';

export function eventOf([
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
  const row = db.get<EventRow>(`SELECT ${eventColumns} FROM events WHERE id = ?`, id);
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
  columns: eventColumns,
  issues: (row) => schemaIssues(Event, eventOf(row)),
};
