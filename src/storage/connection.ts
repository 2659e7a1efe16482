// A connection to the database that caches its prepared statements; rows are arrays.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { BoundedMap } from '../bounded-map.ts';
import type { Invalidation } from '../invalidation.ts';

const statementsMax = 500;

export type SqlValue = null | number | string | Uint8Array;
export type Row = readonly SqlValue[];
/** What changes the database in one go: synchronous, or other requests' changes would slip in between. */
export type Work<T> = (db: Connection) => T extends PromiseLike<unknown> ? never : T;

/** Over a `DatabaseSync` opened with `returnArrays`. `before` is called ahead of every statement. */
export class Connection {
  readonly #sqlite: DatabaseSync;
  readonly #before: () => void;
  readonly #statements = new BoundedMap<string, StatementSync>(2 * statementsMax);
  /** What this transaction has made stale so far. */
  readonly invalidations: Invalidation[] = [];

  constructor(sqlite: DatabaseSync, before: () => void = () => {}) {
    this.#sqlite = sqlite;
    this.#before = before;
  }

  /** The first row; R is the caller's knowledge of the columns it named. */
  get<R extends Row>(sql: string, ...params: SqlValue[]): R | undefined {
    this.#before();
    // an array, as the connection was opened
    return this.#prepare(sql).get(...params) as unknown as R | undefined;
  }

  all<R extends Row>(sql: string, ...params: SqlValue[]): R[] {
    this.#before();
    return this.#prepare(sql).all(...params) as unknown as R[];
  }

  run(sql: string, ...params: SqlValue[]): { changes: number; lastId: number } {
    this.#before();
    const { changes, lastInsertRowid } = this.#prepare(sql).run(...params);
    return { changes: Number(changes), lastId: Number(lastInsertRowid) };
  }

  /** Records something that may be cached and that this transaction makes stale. */
  invalidate(invalidation: Invalidation): void {
    this.invalidations.push(invalidation);
  }

  #prepare(sql: string): StatementSync {
    const prepared = this.#statements.get(sql);
    if (prepared !== undefined) return prepared;
    const statement = this.#sqlite.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}
