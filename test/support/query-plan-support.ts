// SQLite's plans for the pages of a list, and what is cheap among them.
import assert from 'node:assert/strict';
import { migratedInMemory } from './memory-database.ts';
import { Connection, type SqlValue } from '../../src/storage/connection.ts';
import { findPage, type KeysetPosition, type IndexedSelection } from '../../src/storage/keyset.ts';

const sqlite = migratedInMemory();
export const explaining = new Connection(sqlite);

type Asked = { readonly where: 'main thread' | 'read worker'; readonly plan: readonly string[] };

/**
 * The plans of all statements of a page. They find nothing among many rows, so that every fallback runs; rows
 * that are gathered first are counted as few.
 */
async function plansOf(selection: IndexedSelection, after: KeysetPosition | undefined): Promise<Asked[]> {
  const asked: Asked[] = [];
  const explain = (where: Asked['where'], sql: string, params: readonly SqlValue[]): [] => {
    const rows = explaining.all<[number, number, number, string]>(`EXPLAIN QUERY PLAN ${sql}`, ...params);
    asked.push({ where, plan: rows.map(([, , , detail]) => detail) });
    return [];
  };
  const read = {
    all: (sql: string, ...params: SqlValue[]) => explain('main thread', sql, params),
    get: (sql: string, ...params: SqlValue[]) => {
      explain('main thread', sql, params);
      return selection.sortsInMemory === true ? undefined : [1];
    },
  } as unknown as Connection; // keyset.ts calls nothing else
  const db = {
    read,
    readInWorker: (sql: string, params: readonly SqlValue[]) =>
      Promise.resolve(explain('read worker', sql, params)),
  };
  const bounds = { after, rows: 50, rowsExaminedMax: 2000, whenSparse: 'ask the worker' } as const;
  await findPage(db, selection, bounds);
  return asked;
}

/**
 * `SCAN near` walks the result of a subquery, at most rowsExaminedMax rows; a covering index is walked in the
 * order of the list.
 */
const isCheap = (step: string): boolean =>
  !/^SCAN (?!near$|\w+ USING COVERING INDEX )|TEMP B-TREE|AUTOMATIC/.test(step);
/**
 * An index has everything that the query needs: no row is read to be tested or sorted, except for the one
 * with an e-mail address.
 */
const isCovered = (step: string): boolean =>
  !/ (orders|customers|users) USING /.test(step) || covering.test(step);
const covering = / USING (COVERING INDEX|INTEGER PRIMARY KEY|INDEX sqlite_autoindex_users_1 \(emailKey=\?\))/;

export async function assertCheap(
  selection: IndexedSelection,
  deep: KeysetPosition,
  how: 'by indexes alone' | 'tests rows' = 'by indexes alone',
): Promise<void> {
  for (const position of [undefined, deep]) {
    const asked = await plansOf(selection, position);
    const { sortsInMemory: isGathered = false, residual: rest } = selection;
    // Gathered rows are counted first, and are then few enough to be sorted.
    const walked = asked.filter(
      ({ where }, index) => where === 'main thread' && !(isGathered && index === 1),
    );
    for (const { plan } of walked) assert.ok(plan.length > 0 && plan.every(isCheap), plan.join('\n'));
    if (how === 'by indexes alone')
      for (const { plan } of asked) assert.ok(plan.every(isCovered), plan.join('\n'));
    assert.deepEqual(
      asked.map(({ where }) => where),
      isGathered
        ? ['main thread', 'main thread']
        : rest === undefined
          ? ['main thread']
          : ['main thread', 'main thread', 'read worker'],
    );
  }
}

/** Every combination of these filters. */
export function choices<Filter extends object>(filters: readonly Filter[]): Filter[] {
  return filters.reduce<Filter[]>(
    (sets, filter) => [...sets, ...sets.map((set) => ({ ...set, ...filter }))],
    [{} as Filter],
  ); // all members are optional
}
