// The database as one request uses it: its long queries share the query worker fairly with those of
// other callers.
import { clientOf, isStaff, type Requester } from '../auth/access.ts';
import type { Connection, Row, SqlValue, WriteCallback } from '../storage/connection.ts';
import type { Database } from '../storage/database.ts';
import type { QueryOptions } from '../storage/sql-worker.ts';
import type { HandlerDatabase } from './route.ts';

export class RequestDatabase implements HandlerDatabase {
  readonly #database: Database;
  readonly #request: Requester;

  constructor(database: Database, request: Requester) {
    this.#database = database;
    this.#request = request;
  }

  get read(): Connection {
    return this.#database.read;
  }

  write<T>(callback: WriteCallback<T>): Promise<T> {
    return this.#database.write(callback);
  }

  readInWorker<R extends Row>(
    sql: string,
    params: readonly SqlValue[],
    options?: QueryOptions,
  ): Promise<R[]> {
    const { caller } = this.#request;
    const client = clientOf(this.#request);
    const isOfStaff = caller !== undefined && isStaff(caller);
    return this.#database.readInWorker<R>(sql, params, { ...options, client, isOfStaff });
  }
}
