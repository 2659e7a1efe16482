// Reads all rows of a table and reports what is wrong with each: for `orderly check`.
import type { Issue } from '../schema/schema.ts';
import type { Connection, Row } from './connection.ts';

const rowsAtOnce = 2_000;

/**
 * What must hold of each row of a table; `columns` begins with the id. `issues` may throw on what it can't
 * read.
 */
export type Audit<R extends Row = Row> = {
  readonly thing: string;
  readonly table: string;
  readonly columns: string;
  issues(row: R): Issue[];
};

/** Reports each issue as a sentence, and returns how many rows there are. */
export function auditRows(
  { thing, table, columns, issues }: Audit,
  db: Connection,
  report: (issue: string) => void,
  progress: (share: number) => void,
): number {
  const [idMax] = db.get<[number | null]>(`SELECT max(id) FROM ${table}`) ?? [];
  const sql = `SELECT ${columns} FROM ${table} WHERE id > ? ORDER BY id LIMIT ${rowsAtOnce}`;
  let count = 0;
  for (
    let rows = db.all<[number]>(sql, 0);
    rows.length > 0;
    rows = db.all(sql, rows.at(-1)?.[0] ?? Infinity)
  ) {
    for (const row of rows)
      for (const text of issueTexts(() => issues(row))) report(`${thing} ${row[0]}${text}`);
    count += rows.length;
    progress((rows.at(-1)?.[0] ?? 0) / (idMax ?? 1));
  }
  return count;
}

function issueTexts(issues: () => Issue[]): string[] {
  try {
    return issues().map(({ pointer = '', detail }) => ` at ${pointer.replace('#', '')}: ${detail}`);
  } catch (error) {
    return [` can't be read: ${error instanceof Error ? error.message : String(error)}.`];
  }
}

/** An issue unless the claim holds. */
export function unless(holds: boolean, pointer: string, detail: string): Issue[] {
  return holds ? [] : [{ pointer, code: 'audit', detail }];
}
