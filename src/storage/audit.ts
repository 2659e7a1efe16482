// Reads all rows of a table and tells what is wrong with each: for `orderly check`.
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

/** Tells each fault as a sentence, and returns how many rows there are. */
export function auditRows(
  { thing, table, columns, issues }: Audit,
  db: Connection,
  tell: (fault: string) => void,
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
      for (const fault of faultsOf(() => issues(row))) tell(`${thing} ${row[0]}${fault}`);
    count += rows.length;
    progress((rows.at(-1)?.[0] ?? 0) / (idMax ?? 1));
  }
  return count;
}

function faultsOf(issues: () => Issue[]): string[] {
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
