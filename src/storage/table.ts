// Tables, each declared once: SELECT, INSERT, UPDATE, objects and audit follow from a table's columns.
//
// A store declares a table as a record of its columns, in the order in which objects show them:
//
//   const shown = { id: assignedColumn, name: textColumn(), createdAt: timeColumn };
//   const nameKeyColumn = derivedColumn('name', nameKey);
//   const people = table('people', { ...shown, nameKey: nameKeyColumn, version: counterColumn });
//
// A record of columns is a plain value, and can be spread into others. All SQL is written when the module is
// loaded: a statement has the same text each time, so a connection prepares it once.
//
//   const rows = people.select(shown);
//     rows.columns               id, name, createdAt
//     rows.objectOf(row)         the object of a row of these columns
//     rows.written(values)       the object of a row that was just written, as `find` would read it
//     rows.find(db, 7)           SELECT id, name, createdAt FROM people WHERE id = ?
//   people.insert(db, { … })     INSERT INTO people (name, createdAt, nameKey) VALUES (?, ?, ?)
//   const rename = people.update(['name', 'version']);
//     rename(db, { name }, 7)    UPDATE people SET name = ?, nameKey = ?, version = version + 1 WHERE id = ?
//   people.remove(db, 7)         DELETE FROM people WHERE id = ?
//   people.audit({ … })          what `orderly check` reads, and verifies of each row
//
// A value has a given, a stored and a shown form. A `timeColumn` is given and stored as milliseconds since
// 1970, and shown as a timestamp. A `jsonColumn` is given and shown as a value, and stored as text. NULL is
// null in all forms; only a `nullableColumn` may have it. Some columns are never given: SQLite assigns an
// `assignedColumn`; a `counterColumn` adds 1 in each update that names it; a `derivedColumn` is written with
// the column that it derives from; and a `computedColumn` is an expression, which can only be selected.
//
// The first column of a table is its primary key. Tables have no joins and no conditions: a statement that
// needs one is written out in its store, with `rows.columns` if it reads these objects.
import assert from 'node:assert';
import { timestampOf } from '../base/timestamp.ts';
import type { Issue } from '../schema/schema.ts';
import { issueUnless, type Audit } from './audit.ts';
import type { Connection, Row, SqlValue } from './connection.ts';

export type Column<Shown, Given = Shown> = {
  /** Never called for NULL, which is shown as null. */
  readonly show: (stored: never) => Shown;
  /** Never called for null, which is stored as NULL. */
  readonly store: (given: Given) => SqlValue;
  /** Shows a given value, if that takes less than to store it and to show what was stored. */
  readonly showGiven?: (given: never) => Shown;
  /** Whether rows are inserted with a value of the column. */
  readonly isInserted: boolean;
  /** The value that an UPDATE sets, if it isn't just a parameter. */
  readonly set?: (name: string) => string;
  /** The column whose given value is stored, if it isn't this column. */
  readonly source?: string;
  /** The expression that is selected, if it isn't the column itself. */
  readonly expression?: string;
  /** Another value that a row of an older version may have (`storage/unique-keys.ts`). */
  readonly storeLegacy?: (given: never) => SqlValue;
  /** What an audit reports if the stored value isn't the one that `store` makes. */
  readonly mismatch?: string;
};

export const integerColumn: Column<number> = { show: asIs, store: asIs, isInserted: true };
export const blobColumn: Column<Uint8Array> = { show: asIs, store: asIs, isInserted: true };

/** `T` is the type of all stored texts. */
export function textColumn<T extends string = string>(): Column<NoInfer<T>> {
  return { show: asIs, store: asIs, isInserted: true };
}

/** Stored as 0 or 1. */
export const booleanColumn: Column<boolean> = {
  show: (stored) => stored === 1,
  store: Number,
  isInserted: true,
};

/** Given as milliseconds since 1970, and shown as a timestamp. */
export const timeColumn: Column<string, number> = { show: timestampOf, store: asIs, isInserted: true };

/** A time that clients send: given and shown as a timestamp. */
export const sentTimeColumn: Column<string> = { show: timestampOf, store: Date.parse, isInserted: true };

/** The time of a change: later than the one before, even if the clock went back, since ETags depend on it. */
export function changeTime(before: { readonly updatedAt: string }, now: number): number {
  return Math.max(now, Date.parse(before.updatedAt) + 1);
}

/** A list of words, stored with spaces between them. */
export function wordsColumn<T extends string>(): Column<T[], readonly T[]> {
  const show = (stored: string): T[] => stored.split(' ') as T[]; // `store` wrote it
  return { show, store: (list) => list.join(' '), isInserted: true };
}

/** `T` is the type of all stored values. */
export function jsonColumn<T extends object>(): Column<T> {
  const show = (stored: string): T => JSON.parse(stored); // `store` wrote it
  const mismatch = 'The JSON is not as the service writes it.';
  return { show, store: (value) => JSON.stringify(value), showGiven: asIs<T>, isInserted: true, mismatch };
}

/** A column that may be NULL. An INSERT may leave it out. */
export function nullableColumn<Shown, Given>(
  column: Column<Shown, Given>,
): Column<Shown | null, Given | null> {
  return column as Column<Shown | null, Given | null>; // neither function is called for null
}

/** A number that SQLite assigns to a new row: its id. */
export const assignedColumn: Column<number, never> = { show: asIs, store: asIs, isInserted: false };

/** A number that begins with the column's DEFAULT, and counts the updates that name it. */
export const counterColumn: Column<number, never> = { ...assignedColumn, set: (name) => `${name} + 1` };

/** The result of `derive` for the text that is given for `source`. */
export function derivedColumn(source: string, derive: (given: string) => string): Column<string, never> {
  const mismatch = `does not match the ${source}.`;
  return { show: asIs, store: derive, isInserted: true, source, mismatch };
}

/** An expression. Its values are shown like values of `column`. */
export function computedColumn<Shown>(
  expression: string,
  column: Column<Shown, never>,
): Column<Shown, never> {
  return { ...column, isInserted: false, expression };
}

type Columns = Readonly<Record<string, Column<unknown, never>>>;
type Shown<C> = C extends Column<infer S, never> ? S : never;
type Given<C> = C extends Column<unknown, infer G> ? G : never;

/** The object of a row of these columns. */
export type RowObject<C extends Columns> = { readonly [Name in keyof C]: Shown<C[Name]> };

type GivenNames<C extends Columns> = {
  [Name in keyof C]: [Given<C[Name]>] extends [never] ? never : Name;
}[keyof C];
type NullableNames<C extends Columns> = {
  [Name in GivenNames<C>]: null extends Given<C[Name]> ? Name : never;
}[GivenNames<C>];
type Updated<C extends Columns> = { readonly [Name in GivenNames<C>]: Given<C[Name]> };
type Inserted<C extends Columns> = Omit<Updated<C>, NullableNames<C>> & {
  readonly [Name in NullableNames<C>]?: Given<C[Name]> | undefined;
};

/** Values as they are given, or as they are shown where the service or SQLite makes them. */
type Written<C extends Columns> = {
  readonly [Name in keyof C]: [Given<C[Name]>] extends [never] ? Shown<C[Name]> : Given<C[Name]>;
};

type Rows<C extends Columns> = {
  /** The list of columns for a SELECT that the store writes out. */
  readonly columns: string;
  readonly objectOf: (row: Row) => RowObject<C>;
  /** Returns the object of a row with these values, which were just written, without reading it. */
  readonly written: (values: Written<C>) => RowObject<C>;
  /** Finds the row with this primary key. */
  readonly find: (db: Connection, key: SqlValue) => RowObject<C> | undefined;
};

/** Returns the number of changed rows. `params` are the parameters of the condition. */
type Update<C extends Columns> = (db: Connection, values: Updated<C>, ...params: SqlValue[]) => number;

type TableAudit<C extends Columns> = {
  /** What the report calls a row. */
  readonly thing: string;
  /** The columns to read; the first one is the primary key. */
  readonly columns: C;
  /** Returns the issues of a row, except issues of single columns: an audit reports these by their `mismatch`. */
  issues(object: RowObject<C>): Issue[];
};

type Table<C extends Columns> = {
  /** Returns the id of the new row. */
  insert(db: Connection, values: Inserted<C>): number;
  /** Sets these columns of the row with a primary key, or of the rows for which the condition holds. */
  update<N extends keyof C>(names: readonly N[], condition?: string): Update<Pick<C, N>>;
  remove(db: Connection, key: SqlValue): void;
  hasRows(db: Connection): boolean;
  select<S extends Columns>(columns: S): Rows<S>;
  audit<S extends Columns>(audit: TableAudit<S>): Audit;
};

export function table<C extends Columns>(name: string, columns: C): Table<C> {
  const all = namedColumns(columns);
  const key = all[0]?.name ?? assert.fail(`the table ${name} has no columns`);
  const inserted = all.filter(({ isInserted }) => isInserted);
  const names = inserted.map((column) => column.name).join(', ');
  const placeholders = inserted.map(() => '?').join(', ');
  // not INSERT SELECT: before a statement that may insert several rows, SQLite copies pages
  const insertSql = `INSERT INTO ${name} (${names}) VALUES (${placeholders})`;
  const insertParams = paramsFor(inserted);
  const removeSql = `DELETE FROM ${name} WHERE ${key} = ?`;
  const anySql = `SELECT 1 FROM ${name} LIMIT 1`;
  return {
    insert: (db, values) => db.run(insertSql, ...insertParams(values)).lastId,
    update(chosen: readonly PropertyKey[], condition = `${key} = ?`) {
      const updated = all.filter(({ source }) => chosen.includes(source));
      const sets = updated.map((column) => `${column.name} = ${column.set(column.name)}`);
      const sql = `UPDATE ${name} SET ${sets.join(', ')} WHERE ${condition}`;
      const paramsOf = paramsFor(updated.filter(({ isInserted }) => isInserted));
      return (db, values, ...params) => db.run(sql, ...paramsOf(values), ...params).rowsChanged;
    },
    remove: (db, key) => void db.run(removeSql, key),
    hasRows: (db) => db.get(anySql) !== undefined,
    select: (selected) => rowsOf(selected, `${name} WHERE ${key} = ?`),
    audit: (audit) => auditOf(audit, { table: name, key }),
  };
}

type NamedColumn = Column<unknown, never> & {
  readonly name: string;
  readonly set: (name: string) => string;
  readonly source: string;
  readonly expression: string;
};

function namedColumns(columns: Columns): NamedColumn[] {
  return Object.entries(columns).map(([name, column]) => {
    return { name, set: () => '?', source: name, expression: name, ...column };
  });
}

type ColumnValues = Readonly<Record<string, unknown>>;

/** Returns a function that converts the given values of these columns to a statement's parameters. */
function paramsFor(columns: readonly NamedColumn[]): (values: ColumnValues) => SqlValue[] {
  return (values) =>
    columns.map(({ source, store }) => {
      const given = values[source] ?? null;
      return given === null ? null : store(given as never); // in the form of the column
    });
}

function rowsOf<C extends Columns>(columns: C, from: string): Rows<C> {
  const all = namedColumns(columns);
  const list = all.map(({ expression }) => expression).join(', ');
  const sql = `SELECT ${list} FROM ${from}`;
  const objectOf = (row: Row): RowObject<C> => {
    const object: Record<string, unknown> = {};
    for (const [index, { name, show }] of all.entries()) {
      const stored = row[index] ?? null;
      object[name] = stored === null ? null : show(stored as never); // in the form of the column
    }
    return object as RowObject<C>; // each column's value was just shown
  };
  return {
    columns: list,
    objectOf,
    written(values: ColumnValues) {
      const object: Record<string, unknown> = {};
      for (const { name, store, show, showGiven } of all) {
        const given = (values[name] ?? null) as never; // in the form of the column
        object[name] = given === null ? null : (showGiven?.(given) ?? show(store(given) as never));
      }
      return object as RowObject<C>; // each column's value was just shown
    },
    find(db, key) {
      const row = db.get(sql, key);
      return row === undefined ? undefined : objectOf(row);
    },
  };
}

/** Reports the issues of an object, and then the issues of its columns. */
function auditOf<C extends Columns>(
  { thing, columns, issues }: TableAudit<C>,
  { table, key }: Pick<Audit, 'table' | 'key'>,
): Audit {
  const { columns: list, objectOf } = rowsOf(columns, table);
  const all = namedColumns(columns);
  return {
    thing,
    table,
    key,
    columns: list,
    issues(row) {
      const object: ColumnValues = objectOf(row);
      const mismatches = all.flatMap(({ name, source, store, storeLegacy = store, mismatch }, index) => {
        const shown = object[source] ?? null;
        if (mismatch === undefined) return [];
        const expected = (made: typeof store): SqlValue => (shown === null ? null : made(shown as never)); // in its form
        const isAsExpected = [store, storeLegacy].some((each) => expected(each) === row[index]);
        return issueUnless(isAsExpected, `/${name}`, mismatch);
      });
      return [...issues(object as RowObject<C>), ...mismatches];
    },
  };
}

export function asIs<T>(value: T): T {
  return value;
}
