// SQLite's plans for the pages of a list, and what is cheap among them.
import assert from 'node:assert/strict';
import { migratedInMemory } from './memory-database.ts';
import { Connection, type SqlValue } from '../../src/storage/connection.ts';
import { findPage, type KeysetPosition, type RowSelection } from '../../src/storage/keyset.ts';

const sqlite = migratedInMemory();
export const explaining = new Connection(sqlite);

type Asked = { readonly where: 'main thread' | 'read worker'; readonly plan: string };

/** The plan of a page, and the thread that reads it. */
async function planOf(selection: RowSelection, after: KeysetPosition | undefined): Promise<Asked> {
  const asked: Asked[] = [];
  const explain = (where: Asked['where'], sql: string, params: readonly SqlValue[]): [] => {
    const rows = explaining.all<[number, number, number, string]>(`EXPLAIN QUERY PLAN ${sql}`, ...params);
    asked.push({ where, plan: rows.map(([, , , detail]) => detail).join('\n') });
    return [];
  };
  const read = {
    all: (sql: string, ...params: SqlValue[]) => explain('main thread', sql, params),
  } as unknown as Connection; // keyset.ts calls nothing else
  const readInWorker = async (sql: string, params: readonly SqlValue[]) =>
    explain('read worker', sql, params);
  await findPage({ read, readInWorker }, selection, { after, rowsMax: 50 });
  const [only, ...others] = asked;
  assert(only !== undefined && others.length === 0, 'a page is one statement');
  return only;
}

const sorting = /TEMP B-TREE|AUTOMATIC/;
/** Rows that are read one by one, each from a page of its own; of one e-mail address there is one. */
const rowByRow =
  /(?:SCAN|SEARCH) (?:orders|customers|users|products)(?! USING (?:COVERING INDEX|INTEGER PRIMARY KEY|INDEX \S+ \(emailKey=\?\)))/;

/** Asserts that an index has the order of the list. The event loop then reads a page and no more. */
export async function assertInOrder(selection: RowSelection, deep: KeysetPosition): Promise<void> {
  for (const position of [undefined, deep]) {
    const { where, plan } = await planOf(selection, position);
    assert.equal(where, 'main thread', JSON.stringify(selection));
    assert.doesNotMatch(plan, sorting);
  }
}

/** Asserts that the page is read in order, or else in the read worker, from an index that has all it needs. */
export async function assertCheap(selection: RowSelection, deep: KeysetPosition): Promise<void> {
  if (selection.ranges !== undefined) return assertInOrder(selection, deep);
  for (const position of [undefined, deep]) {
    const { where, plan } = await planOf(selection, position);
    assert.equal(where, 'read worker');
    assert.doesNotMatch(plan, rowByRow, `${JSON.stringify(selection)}\n${plan}`);
  }
}

/** None of these filters, each, any two, and all. */
export function choices(filters: readonly object[]): object[] {
  const pairs = filters.flatMap((one, index) => filters.slice(index).map((other) => ({ ...one, ...other })));
  return [{}, ...pairs, Object.assign({}, ...filters)];
}
