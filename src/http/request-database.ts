// The database as one request uses it: its long queries share the SQL worker fairly with those of
// other callers.
import { clientOf, type RequestSource } from '../auth/access.ts';
import type { Connection } from '../storage/connection.ts';
import type { Database } from '../storage/database.ts';
import type { HandlerDatabase } from './route.ts';

export class RequestDatabase implements HandlerDatabase {
  readonly #database: Database;
  readonly #request: RequestSource;

  constructor(database: Database, request: RequestSource) {
    this.#database = database;
    this.#request = request;
  }

  get read(): Connection {
    return this.#database.read;
  }

  get write(): Database['write'] {
    return this.#database.write;
  }

  get readInWorker(): Database['readInWorker'] {
    const client = clientOf(this.#request);
    return (sql, params, options) => this.#database.readInWorker(sql, params, { ...options, client });
  }
}
