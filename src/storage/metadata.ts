// The metadata of an object: texts by name, which integrators keep beside it, such as the number of a till's receipt.
//
// The row has them as JSON. A table beside it, such as `ordersMetadata`, has a row for each name and value, in the order
// of an index, so that `?metadata=name=value` finds objects without reading others.
import type { CsvMember } from '../base/csv.ts';
import { optional, nullable, string, textMap, named } from '../schema/schema.ts';
import type { Connection, SqlValue } from './connection.ts';
import type { Condition } from './keyset.ts';
import { jsonColumn } from './table.ts';

export type Metadata = Readonly<Record<string, string>>;

const nameForm = '[A-Za-z0-9._-]{1,40}';
const metadata = named(
  'Metadata',
  textMap({
    maxProperties: 20,
    names: { pattern: `^${nameForm}$`, mustBe: 'of 1 to 40 letters, digits, dots, underscores and hyphens' },
    values: string({ minLength: 1, maxLength: 500 }),
    description:
      'Texts by name, for other programs: what they keep beside the object. No search finds them, and events name ' +
      'only the member. PATCH changes the names that it has, and null removes one.',
    examples: [{ receipt: 'A-1042' }],
  }),
);

const cell: CsvMember = {
  write: (value: Metadata) => [Object.keys(value).length === 0 ? null : JSON.stringify(value)],
  read(text) {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  },
  mustBe: () => 'a JSON object of texts, such as {"receipt":"A-1042"}',
};

/** The member of a resource (`resource/resource-members.ts`). */
export const metadataMember = {
  shown: metadata,
  sent: optional(nullable(metadata)),
  absent: {},
  normal: withoutNulls,
  column: jsonColumn<Metadata>(),
  cell,
  staysInPut: true,
} as const;

/** After a merge, a text that a PATCH removes is null. */
function withoutNulls(merged: Readonly<Record<string, string | null>>): Metadata {
  return Object.fromEntries(
    Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== null),
  );
}

/** The parameter of a list. */
const metadataParameter = optional(
  string({
    minLength: 3,
    maxLength: 541,
    pattern: `^${nameForm}=[\\s\\S]`, // some languages have no [^]
    mustBe: 'a name, = and a value, such as receipt=A-1042',
    description: 'Only elements whose `metadata` has this value under this name, exactly: `name=value`.',
    examples: ['receipt=A-1042'],
  }),
);

/** The filter of a list by that parameter. `further` is a condition that an entry of the index must meet, too. */
export function metadataFilter(table: string, further = '') {
  const sql = `id IN (SELECT id FROM ${table}Metadata WHERE name = ? AND value = ?${further})`;
  const matches = (_column: string, pair: SqlValue): Condition => {
    const text = String(pair);
    const end = text.indexOf('=');
    return { sql, params: [text.slice(0, end), text.slice(end + 1)] };
  };
  return { schema: metadataParameter, column: 'id', matches };
}

/** The statements of a released migration: never edited. */
export function metadataMigration(table: string): string {
  return `
ALTER TABLE ${table} ADD COLUMN metadata TEXT NOT NULL DEFAULT '{}';
CREATE TABLE ${table}Metadata (
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  id INTEGER NOT NULL,
  PRIMARY KEY (name, value, id)
) STRICT, WITHOUT ROWID;
`;
}

type Indexed = { readonly id: number; readonly before: Metadata; readonly after: Metadata };

/** Brings the index up to date with a row that is written; each function that writes metadata calls it. */
export function indexMetadata(db: Connection, table: string, { id, before, after }: Indexed): void {
  if (before === after) return;
  for (const [name, value] of Object.entries(before))
    if (after[name] !== value)
      db.run(`DELETE FROM ${table}Metadata WHERE name = ? AND value = ? AND id = ?`, name, value, id);
  for (const [name, value] of Object.entries(after))
    if (before[name] !== value)
      db.run(`INSERT INTO ${table}Metadata (name, value, id) VALUES (?, ?, ?)`, name, value, id);
}

export const noMetadata: Metadata = Object.freeze({});

/** For `orderly check`: whether the index has the metadata of all rows, and no others. */
export function metadataCheck(table: string) {
  return {
    title: `Metadata of ${table}`,
    run(db: Connection, report: (issue: string) => void): void {
      const ofRows = `SELECT each.key, each.value, row.id FROM ${table} AS row, json_each(row.metadata) AS each WHERE row.metadata <> '{}'`;
      const ofIndex = `SELECT name, value, id FROM ${table}Metadata`;
      const missing = db.all<[string, string, number]>(`${ofRows} EXCEPT ${ofIndex}`);
      const surplus = db.all<[string, string, number]>(`${ofIndex} EXCEPT ${ofRows}`);
      for (const [name, , id] of missing) report(`${table} ${id} is not found by its metadata ${name}.`);
      for (const [name, , id] of surplus)
        report(`${table} ${id} is found by a metadata ${name} that it lacks.`);
    },
  };
}
