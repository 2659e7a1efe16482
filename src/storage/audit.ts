// Reads all rows of a table and reports the issues of each, for `orderly check`.
import type { Issue } from '../schema/schema.ts';
import type { Connection, Row, SqlValue } from './connection.ts';

const rowsPerQuery = 2_000;

/** Checks each row of a table; `columns` begins with the id. `issues` may throw if it can't read a row. */
export type Audit<R extends Row = Row> = {
  readonly thing: string;
  readonly table: string;
  readonly columns: string;
  issues(row: R): Issue[];
};

export type AuditListeners = {
  readonly report: (issue: string) => void;
  /** Called with the share of the work that is done. */
  readonly progress: (share: number) => void;
};

/** Reports each issue as a sentence, and returns the number of rows. */
export function auditRows(
  db: Connection,
  { thing, table, columns, issues }: Audit,
  { report, progress }: AuditListeners,
): number {
  return visitRows<RowWithId>(db, { table, columns, progress }, (row) => {
    for (const text of issueTexts(() => issues(row))) report(`${thing} ${row[0]}${text}`);
  });
}

type RowWithId = readonly [id: number, ...values: SqlValue[]];

type AuditedTable = {
  readonly table: string;
  /** The columns to read, of which the first is the id. */
  readonly columns: string;
  readonly progress: AuditListeners['progress'];
};

/** Visits each row of a table, and returns the number of rows. */
export function visitRows<R extends RowWithId>(
  db: Connection,
  { table, columns, progress }: AuditedTable,
  visit: (row: R) => void,
): number {
  const [idMax] = db.get<[number | null]>(`SELECT max(id) FROM ${table}`) ?? [];
  const sql = `SELECT ${columns} FROM ${table} WHERE id > ? ORDER BY id LIMIT +?`;
  let count = 0;
  for (const row of rowsById<R>(db, sql)) {
    visit(row);
    count += 1;
    progress(row[0] / (idMax ?? row[0]));
  }
  return count;
}

/** Yields all rows of a SELECT that begins with the id and ends with `WHERE id > ? ORDER BY id LIMIT +?`. */
export function* rowsById<R extends readonly [number, ...SqlValue[]]>(
  db: Connection,
  sql: string,
): Generator<R> {
  let last = 0;
  for (;;) {
    const rows = db.all<R>(sql, last, rowsPerQuery);
    yield* rows;
    last = rows.at(-1)?.[0] ?? last;
    if (rows.length < rowsPerQuery) return;
  }
}

/**
 * Runs `read` in one snapshot. Beside a running service, changes may come between two statements, so a
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
