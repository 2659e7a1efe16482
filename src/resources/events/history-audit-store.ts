// Compares objects with their events: for `orderly check`.
import { rowsById } from '../../storage/audit.ts';
import type { Connection, Row, SqlValue } from '../../storage/connection.ts';
import type { Changes, Topic } from './event.ts';
import { feedBounds } from './event-store.ts';

/** A table whose rows have histories, and the members whose values events show. */
export type AuditedHistory = {
  readonly topic: Topic;
  readonly table: 'orders' | 'customers' | 'users' | 'webhooks';
  readonly members: readonly ('status' | 'currency' | 'total' | 'role')[];
};

export const auditedHistories: readonly AuditedHistory[] = [
  { topic: 'user', table: 'users', members: ['role'] },
  { topic: 'customer', table: 'customers', members: [] },
  { topic: 'order', table: 'orders', members: ['status', 'currency', 'total'] },
  { topic: 'webhook', table: 'webhooks', members: ['status'] },
];

export type AuditListeners = {
  readonly report: (issue: string) => void;
  readonly progress: (share: number) => void;
};

/** Reports each issue as a sentence, and returns how many objects there are. */
export function auditHistories(
  db: Connection,
  { topic, table, members }: AuditedHistory,
  { report, progress }: AuditListeners,
): number {
  const [idMax] = db.get<[number | null]>(`SELECT max(id) FROM ${table}`) ?? [];
  const areAllKept = feedBounds(db).removed === 0;
  const sql = `SELECT ${['id', ...members].join(', ')} FROM ${table} WHERE id > ? ORDER BY id LIMIT +?`;
  let count = 0;
  for (const [id, ...values] of rowsById(db, sql)) {
    const history = replay(db, topic, id);
    if (history === undefined && areAllKept) report(`${topic} ${id} has no events.`);
    for (const [index, name] of members.entries()) {
      const shown = history?.get(name);
      const differs = shown !== undefined && shown !== values[index];
      if (differs && stillDiffers(db, { topic, table, name, id }))
        report(`${topic} ${id} at /${name}: is ${values[index]}, but its events say ${String(shown)}.`);
    }
    count += 1;
    progress(id / (idMax ?? id));
  }
  reportMissing(db, topic, table, report);
  return count;
}

type Member = Pick<AuditedHistory, 'topic' | 'table'> & { readonly name: string; readonly id: number };

/** In one snapshot: beside a running service a change may have come between the row and its events. */
function stillDiffers(db: Connection, { topic, table, name, id }: Member): boolean {
  db.run('BEGIN');
  const [value] = db.get<readonly [SqlValue]>(`SELECT ${name} FROM ${table} WHERE id = ?`, id) ?? [];
  const shown = replay(db, topic, id)?.get(name);
  db.run('COMMIT');
  return shown !== value;
}

/** The last value of each member whose values the object's events show; undefined without any event. */
function replay(db: Connection, topic: Topic, id: number): ReadonlyMap<string, unknown> | undefined {
  const sql = 'SELECT changes FROM events WHERE topic = ? AND topicId = ? ORDER BY id';
  const rows = db.all<readonly [string | null]>(sql, topic, id);
  if (rows.length === 0) return undefined;
  const values = new Map<string, unknown>();
  for (const [text] of rows) {
    const changes: Changes = text === null ? {} : JSON.parse(text); // written by recordEvent
    for (const [name, pair] of Object.entries(changes)) if (pair !== null) values.set(name, pair[1]);
  }
  return values;
}

/** Reports objects that have events, but are gone without an event of their deletion. */
function reportMissing(
  db: Connection,
  topic: Topic,
  table: AuditedHistory['table'],
  report: (issue: string) => void,
): void {
  const sql =
    'SELECT DISTINCT topicId FROM events AS event WHERE topic = ? ' +
    `AND NOT EXISTS (SELECT 1 FROM ${table} WHERE id = event.topicId) ` +
    'AND NOT EXISTS (SELECT 1 FROM events AS last WHERE topic = event.topic AND topicId = event.topicId ' +
    'AND type = ?)';
  for (const [id] of db.all<Row & readonly [number]>(sql, topic, `${topic}.deleted`))
    report(`${topic} ${id} has events, but does not exist.`);
}
