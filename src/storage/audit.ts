// Reads all rows of a table and reports the issues of each, for `orderly check`.
import type { Issue } from '../schema/schema.ts';
import type { Connection, Row, SqlValue } from './connection.ts';

const rowsPerQuery = 2_000;

/** A table whose rows are read in the order of their numbers. */
type NumberedTable = {
  readonly table: string;
  /** The primary key: the number that a report names. */
  readonly key: string;
  /** The columns to read; the first one is the key. */
  readonly columns: string;
};

/** Checks each row of a table. `issues` may throw if it can't read a row. */
export type Audit = NumberedTable & {
  readonly thing: string;
  issues(row: Row): Issue[];
};

export type AuditListeners = {
  readonly report: (issue: string) => void;
  /** Called with the finished share of the work. */
  readonly progress: (share: number) => void;
};

/** Reports each issue as a sentence, and returns the number of rows. */
export function auditRows(db: Connection, audit: Audit, { report, progress }: AuditListeners): number {
  return visitRows<NumberedRow>(db, { ...audit, progress }, (row) => {
    for (const text of issueTexts(() => audit.issues(row))) report(`${audit.thing} ${row[0]}${text}`);
  });
}

type NumberedRow = readonly [key: number, ...values: SqlValue[]];

/** Visits each row of a table, and returns the number of rows. */
export function visitRows<R extends NumberedRow>(
  db: Connection,
  { table, key, columns, progress }: NumberedTable & Pick<AuditListeners, 'progress'>,
  visit: (row: R) => void,
): number {
  const [keyMax] = db.get<[number | null]>(`SELECT max(${key}) FROM ${table}`) ?? [];
  const sql = `SELECT ${columns} FROM ${table} WHERE ${key} > ? ORDER BY ${key} LIMIT +?`;
  let count = 0;
  for (const row of rowsByKey<R>(db, sql)) {
    visit(row);
    count += 1;
    progress(row[0] / (keyMax ?? row[0]));
  }
  return count;
}

/** Yields all rows of a SELECT that begins with a key and ends with `WHERE key > ? ORDER BY key LIMIT +?`. */
export function* rowsByKey<R extends NumberedRow>(db: Connection, sql: string): Generator<R> {
  let last = 0;
  for (;;) {
    const rows = db.all<R>(sql, last, rowsPerQuery);
    yield* rows;
    last = rows.at(-1)?.[0] ?? last;
    if (rows.length < rowsPerQuery) return;
  }
}

/**
 * Runs `read` in one snapshot. While a service runs, changes may come between two statements, so a
 * difference between their results is an issue only if it also exists in one snapshot.
 */
export function inSnapshot<T>(db: Connection, read: () => T): T {
  db.get('BEGIN');
  try {
    return read();
  } finally {
    db.get('COMMIT');
  }
}

function issueTexts(issues: () => Issue[]): string[] {
  try {
    return issues().map(({ pointer = '', detail }) => ` at ${pointer.replace('#', '')}: ${detail}`);
  } catch (error) {
    return [` can't be read: ${error instanceof Error ? error.message : String(error)}.`];
  }
}

/** Returns an issue unless the claim holds. */
export function issueUnless(holds: boolean, pointer: string, detail: string): Issue[] {
  return holds ? [] : [{ pointer, code: 'audit', detail }];
}
