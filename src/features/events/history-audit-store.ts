// Compares objects with their events, for `orderly check`.
import { inSnapshot, visitRows, type AuditListeners } from '../../storage/audit.ts';
import type { Connection, Row, SqlValue } from '../../storage/connection.ts';
import { receivedBy, type EventType, type Topic } from './event.ts';
import { feedBounds } from './feed-store.ts';

/** A table whose rows have histories, and the members whose values events show. */
export type AuditedHistory = {
  readonly topic: Topic;
  readonly table: string;
  readonly members: readonly string[];
  /** The type of the event of a deletion, if it isn't named after the topic. */
  readonly deletion?: string;
};

/** The id of an object and the values of its members. */
type AuditedRow = readonly [id: number, ...values: SqlValue[]];

/** Reports each issue as a sentence, and returns how many objects there are. */
export function auditHistories(
  db: Connection,
  history: AuditedHistory,
  { report, progress }: AuditListeners,
): number {
  const { topic, table, members } = history;
  const columns = ['id', ...members].join(', ');
  const count = visitRows<AuditedRow>(db, { table, key: 'id', columns, progress }, (row) => {
    if (historyIssues(db, history, row).length === 0) return;
    const [id] = row;
    const issues = inSnapshot(db, () => {
      const now = db.get<AuditedRow>(`SELECT ${columns} FROM ${table} WHERE id = ?`, id);
      return now === undefined ? [] : historyIssues(db, history, now);
    });
    for (const issue of issues) report(`${topic} ${id}${issue}`);
  });
  reportMissing(db, history, report);
  return count;
}

function historyIssues(db: Connection, { topic, members }: AuditedHistory, row: AuditedRow): string[] {
  const [id, ...values] = row;
  const issues: string[] = [];
  const shown = replay(db, { topic, id }, issues);
  if (shown === undefined) return feedBounds(db).removedUpTo === 0 ? [' has no events.'] : [];
  for (const [index, name] of members.entries()) {
    const text = textOf(shown.get(name));
    if (text === undefined || text === String(values[index])) continue;
    if (name === 'items')
      issues.push(' at /items: is not what its events say.'); // both values may be long
    else issues.push(` at /${name}: is ${values[index]}, but its events say ${text}.`);
  }
  return issues;
}

/** Converts a value of an event to the form of the member's column. */
function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

type ReplayedEvent = readonly [
  id: number,
  type: EventType,
  currency: string | null,
  received: number | null,
  changes: string | null,
];

/**
 * Returns the last value of each member that the object's events show, except members that a later event
 * names without a value. Returns undefined if the object has no event. Adds the issues of single events.
 */
function replay(
  db: Connection,
  { topic, id }: { readonly topic: Topic; readonly id: number },
  issues: string[],
): ReadonlyMap<string, unknown> | undefined {
  const sql =
    'SELECT id, type, currency, received, changes FROM events WHERE topic = ? AND topicId = ? ORDER BY id';
  const rows = db.all<ReplayedEvent>(sql, topic, id);
  if (rows.length === 0) return undefined;
  const values = new Map<string, unknown>();
  for (const row of rows) {
    const changes = changesIn(row[4] ?? '{}');
    if (changes === undefined) values.clear(); // the event may have changed any member
    for (const [name, pair] of Object.entries(changes ?? {})) {
      if (Array.isArray(pair)) values.set(name, pair[1]);
      else values.delete(name);
    }
    if (!isMoneyRight(row, values)) issues.push(`: event ${row[0]} has not the money that its order had.`);
  }
  return values;
}

/** Whether the money of an event fits the order at that time, as far as the remaining events show it. */
function isMoneyRight(
  [, type, currency, received]: ReplayedEvent,
  values: ReadonlyMap<string, unknown>,
): boolean {
  const total = values.get('total');
  if (typeof total !== 'number') return true;
  const expected = receivedBy(type, values.get('status'), total);
  const isRightCurrency = currency === (expected === null ? null : (values.get('currency') ?? currency));
  return received === expected && isRightCurrency;
}

/** Parses changes. Returns undefined for text that `recordEvent` didn't write; another audit reports it. */
function changesIn(text: string): object | undefined {
  try {
    const changes: unknown = JSON.parse(text);
    return typeof changes === 'object' && changes !== null ? changes : undefined;
  } catch {
    return undefined;
  }
}

/** Reports objects that have events but no longer exist, without an event of their deletion. */
function reportMissing(
  db: Connection,
  { topic, table, deletion = `${topic}.deleted` }: AuditedHistory,
  report: AuditListeners['report'],
): void {
  const sql =
    'SELECT DISTINCT topicId FROM events AS event WHERE topic = ? ' +
    `AND NOT EXISTS (SELECT 1 FROM ${table} WHERE id = event.topicId) ` +
    'AND NOT EXISTS (SELECT 1 FROM events AS last WHERE topic = event.topic AND topicId = event.topicId ' +
    'AND type = ?)';
  for (const [id] of db.all<Row & readonly [number]>(sql, topic, deletion))
    report(`${topic} ${id} has events, but does not exist.`);
}

/**
 * Reports gaps between the ids of events. Ids are consecutive and only the oldest events are ever removed, so
 * a gap is a loss. (A loss of the newest events can only show in their objects.)
 */
export function auditEventIds(db: Connection, report: (issue: string) => void): void {
  const sql =
    'SELECT id FROM events AS event WHERE id > (SELECT min(id) FROM events) ' +
    'AND NOT EXISTS (SELECT 1 FROM events WHERE id = event.id - 1)';
  for (const [id] of db.all<[number]>(sql)) report(`event ${id - 1} is missing.`);
}
