// The rows of events. An event is written in the transaction of its change, and never changed.
import assert from 'node:assert';
import { allows, type RowAccess } from '../../auth/access.ts';
import { keptIssues } from '../../schema/schema-check.ts';
import type { Connection } from '../../storage/connection.ts';
import { newestFirst, type RowSelection } from '../../storage/keyset.ts';
import type { Visible } from '../../storage/object-access.ts';
import type { Permit } from '../../storage/permit.ts';
import * as column from '../../storage/table.ts';
import { table, type RowObject } from '../../storage/table.ts';
import { Event, subjectOf, topicOf, type Changes, type EventType, type Topic } from './event.ts';

const shown = {
  id: column.assignedColumn,
  createdAt: column.timeColumn,
  type: column.textColumn<EventType>(),
  topic: column.textColumn<Topic>(),
  topicId: column.integerColumn,
  subjectId: column.nullableColumn(column.integerColumn),
  actorId: column.nullableColumn(column.integerColumn),
  keyId: column.nullableColumn(column.integerColumn),
  requestId: column.nullableColumn(column.textColumn()),
  reason: column.nullableColumn(column.textColumn()),
  changes: column.nullableColumn(column.jsonColumn<Changes>()),
};
const events = table('events', {
  ...shown,
  ownerId: column.nullableColumn(column.integerColumn),
  formerOwnerId: column.nullableColumn(column.integerColumn),
  currency: column.nullableColumn(column.textColumn()),
  received: column.nullableColumn(column.integerColumn),
});
export const eventRows = events.select(shown);

type NewEvent = {
  readonly type: EventType;
  /** Of a declared resource: the name of its table. */
  readonly topic?: Topic;
  /** Null for all sessions of a user. */
  readonly subjectId: number | null;
  /** The user who may see the event, in addition to staff or administrators. */
  readonly ownerId: number | null;
  /**
   * The owner before this change. This user may also see the event, which shows that the object changed
   * hands.
   */
  readonly formerOwnerId?: number | null;
  readonly changes?: Changes;
  readonly reason?: string | undefined;
  /** By how much the change raises or lowers the money received, in the currency's minor unit. */
  readonly money?: { readonly currency: string; readonly received: number } | undefined;
  /** Set if the time isn't the permit's. */
  readonly createdAt?: number;
  /** Set if the actor isn't the permit's caller, for example at sign-up. */
  readonly actorId?: number;
};

/**
 * Records an event. Every function of a store that makes a change which clients can see calls this once, and
 * `addOrder` also for each step of an order that is placed as more than open. If a change also ends other
 * objects, such as a suspended user's sessions and keys, its event covers them. These changes have no event:
 * - of sessions, the renewal of tokens, the expiry, and the end of the oldest beyond `sessionsPerUserMax`;
 * - of one-time codes, a set-up before it is confirmed, and the use of a code or recovery code;
 * - of sign-ins, another hash of the same password, and the addresses that an account was used from;
 * - of keys, the time of the last use;
 * - of webhooks, the progress of deliveries, and a PATCH that does nothing but bring a retry forward;
 * - responses stored for an `Idempotency-Key`, and the cleanup, which removes, clears and re-encrypts.
 */
export function recordEvent({ writer, origin }: Permit, event: NewEvent): void {
  const topic = topicOf(event.type) ?? event.topic;
  const topicId = topic === 'user' ? event.ownerId : event.subjectId;
  assert(topic !== undefined && topicId !== null, 'an event is about an object');
  const { actor, requestId, now } = origin;
  const by = { actorId: actor?.userId, keyId: actor?.keyId, requestId, createdAt: now };
  events.insert(writer, { ...by, ...event, ...event.money, topic, topicId });
}

export function eventOf(row: RowObject<typeof shown>): Event {
  const { id, type, createdAt, actorId, keyId, requestId, reason, changes } = row;
  return {
    id,
    type,
    createdAt,
    subject: subjectOf(type, row),
    actor: actorId === null ? null : { userId: actorId, keyId },
    requestId,
    reason,
    changes: changes ?? {},
  };
}

export function findEvent(db: Connection, id: number): Event | undefined {
  const row = eventRows.find(db, id);
  return row && eventOf(row);
}

/** Selects the history of one object, newest first. Callers who may see the object may see its history. */
export function historySelection(topic: Topic, { id }: Visible<{ readonly id: number }>): RowSelection {
  return newestFirst('events', { sql: 'topic = ? AND topicId = ?', params: [topic, id] });
}

/** Finds the names of the accounts behind these events, in one statement, for all accounts that the access covers. */
export function findActorNames(
  db: Connection,
  eventIds: readonly number[],
  access: RowAccess,
): ReadonlyMap<number, string> {
  const rows = db.all<[eventId: number, userId: number, name: string]>(
    'SELECT events.id, users.id, users.name ' +
      'FROM json_each(?) AS ids CROSS JOIN events ON events.id = ids.value ' +
      'CROSS JOIN users ON users.id = events.actorId',
    JSON.stringify(eventIds),
  );
  const visible = rows.filter(([, userId]) => allows(access, userId));
  return new Map(visible.map(([eventId, , name]) => [eventId, name]));
}

/**
 * A step of the cleanup: removes events older than `before`, the oldest first, so that ids have no gap. The
 * newest event always stays, since the next event's id follows from it.
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

export const eventAudit = events.audit({
  thing: 'event',
  columns: shown,
  issues: (event) => keptIssues(Event, eventOf(event)),
});
