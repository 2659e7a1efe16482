// Keys by which texts are sorted and compared. A migration may make them anew, so that texts which had two keys have one.
//
// The oldest row gets the new key. Another row with the same key keeps its former key, after a mark that no key has, until
// its text is changed. It is still found by its text, and no row is merged or deleted. The start of the service and
// `orderly check` name such rows.
import { keyOfName } from '../schema/name-key.ts';
import { rowsByKey } from './audit.ts';
import type { Connection } from './connection.ts';
import { derivedColumn, type Column } from './table.ts';

const mark = '\u0001';

/** How a unique key is made. */
export type UniqueKey = {
  readonly table: string;
  readonly column: string;
  /** The column that the key is made of. */
  readonly source: string;
  readonly keyOf: (text: string) => string;
  /** The key that older versions made. */
  readonly formerKeyOf: (text: string) => string;
};

export function uniqueKeyColumn({ source, keyOf, formerKeyOf }: UniqueKey): Column<string, never> {
  return { ...derivedColumn(source, keyOf), storeLegacy: (text: string) => mark + formerKeyOf(text) };
}

/** The keys by which a row with this text is found: the former one, which old rows may keep, and the present one. */
export function keysOf({ keyOf, formerKeyOf }: UniqueKey, text: string): readonly [string, string] {
  return [mark + formerKeyOf(text), keyOf(text)];
}

/** For a migration: makes the keys by which names are sorted anew. */
export function remakeNameKeys(db: Connection, table: string): void {
  const sql = `SELECT id, name FROM ${table} WHERE id > ? ORDER BY id LIMIT +?`;
  for (const [id, name] of rowsByKey<[id: number, name: string]>(db, sql))
    db.run(`UPDATE ${table} SET nameKey = ? WHERE id = ?`, keyOfName(name), id);
}

/** For a migration: makes the keys of all rows anew. */
export function remakeKeys(db: Connection, { table, column, source, keyOf, formerKeyOf }: UniqueKey): void {
  const taken = new Set<string>();
  const changed: [key: string, id: number][] = [];
  const sql = `SELECT id, ${source}, ${column} FROM ${table} WHERE ${source} IS NOT NULL ORDER BY id`;
  for (const [id, text, current] of db.all<[number, string, string | null]>(sql)) {
    const key = keyOf(text);
    const own = taken.has(key) ? mark + formerKeyOf(text) : key;
    taken.add(key);
    if (own !== current) changed.push([own, id]);
  }
  const update = `UPDATE ${table} SET ${column} = ? WHERE id = ?`;
  for (const [, id] of changed) db.run(update, `${mark}${mark}${id}`, id); // another row may still have the key
  for (const [key, id] of changed) db.run(update, key, id);
}

/** Names the rows that share a key with an older one. */
export function sharedKeyTexts(
  db: Connection,
  thing: string,
  { table, column, source, keyOf }: UniqueKey,
): string[] {
  const sql = `SELECT id, ${source} FROM ${table} WHERE ${column} >= ? AND ${column} < ? ORDER BY id`;
  const other = `SELECT id FROM ${table} WHERE ${column} = ?`;
  return db.all<[number, string]>(sql, mark, '\u0002').map(([id, text]) => {
    const [otherId] = db.get<[number]>(other, keyOf(text)) ?? [];
    const same =
      otherId === undefined ? 'in a spelling of older versions' : `that ${thing} ${otherId} has, too`;
    return `${thing} ${id} has the ${source} ${JSON.stringify(text)}, ${same}; change one of them.`;
  });
}
