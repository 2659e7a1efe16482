// A connection to the database that caches its prepared statements; rows are arrays.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { BoundedMap } from '../base/bounded-map.ts';

const statementsMax = 1_000;

export type SqlValue = null | number | string | Uint8Array;
export type Row = readonly SqlValue[];
/** A result that isn't a promise. */
export type Synchronous<T> = T extends PromiseLike<unknown> ? never : T;
/** Makes the changes of one write. Synchronous, so that no other request's changes come in between. */
export type WriteCallback<T> = (db: Connection) => Synchronous<T>;

/** The row that a change makes stale, or everything. Caches drop it once the write that names it is on disk. */
export type Invalidation = { readonly table: string; readonly id: number } | 'everything';

/** Runs each statement that returns rows. */
type Guard = <T>(run: () => T) => T;

/**
 * Wraps a `DatabaseSync` that was opened with `returnArrays`.
 * Prepared statements are reused. Write `LIMIT +?` in them: for `LIMIT ?` SQLite makes a new plan each time a
 * value is bound, which takes longer than reading a page.
 */
export class Connection {
  readonly #sqlite: DatabaseSync;
  readonly #guard: Guard;
  readonly #statements = new BoundedMap<string, StatementSync>(statementsMax);
  /** The invalidations of this transaction so far. */
  readonly invalidations: Invalidation[] = [];

  constructor(sqlite: DatabaseSync, guard: Guard = (run) => run()) {
    this.#sqlite = sqlite;
    this.#guard = guard;
  }

  /** Returns the first row; the caller knows that it has the columns of R. */
  get<R extends Row>(sql: string, ...params: SqlValue[]): R | undefined {
    // an array, as the connection was opened
    return this.#guard(() => this.#prepare(sql).get(...params)) as unknown as R | undefined;
  }

  all<R extends Row>(sql: string, ...params: SqlValue[]): R[] {
    return this.#guard(() => this.#prepare(sql).all(...params)) as unknown as R[];
  }

  /**
   * Like `all`, but ends before the first row that doesn't fit: for long rows, of which few may be needed.
   * For many short rows `all` is faster.
   */
  allWhile<R extends Row>(sql: string, params: readonly SqlValue[], fits: (row: R) => boolean): R[] {
    return this.#guard(() => {
      const rows: R[] = [];
      for (const row of this.#prepare(sql).iterate(...params) as unknown as Iterable<R>) {
        if (!fits(row)) break;
        rows.push(row);
      }
      return rows;
    });
  }

  run(sql: string, ...params: SqlValue[]): { rowsChanged: number; lastId: number } {
    // after a change of a full-text index, SQLite's last row id may exceed 2^53: node:sqlite would throw
    const { changes, lastInsertRowid } = this.#prepare(sql, { readBigInts: true }).run(...params);
    return { rowsChanged: Number(changes), lastId: Number(lastInsertRowid) };
  }

  /** Records that this transaction makes a cached object stale. */
  invalidate(invalidation: Invalidation): void {
    this.invalidations.push(invalidation);
  }

  #prepare(sql: string, options?: { readBigInts: true }): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#sqlite.prepare(sql, options);
    this.#statements.set(sql, statement);
    return statement;
  }
}
