// The database as one request uses it: its long queries share the SQL worker fairly with those of
// other callers.
import type { Caller } from '../auth/access.ts';
import type { Connection } from '../storage/connection.ts';
import type { Database } from '../storage/database.ts';
import type { HandlerDatabase } from './route.ts';

type RequestClient = { readonly caller: Caller | undefined; readonly address: string };

export class RequestDatabase implements HandlerDatabase {
  readonly #database: Database;
  readonly #client: RequestClient;

  constructor(database: Database, client: RequestClient) {
    this.#database = database;
    this.#client = client;
  }

  get read(): Connection {
    return this.#database.read;
  }

  get write(): Database['write'] {
    return this.#database.write;
  }

  get readInWorker(): Database['readInWorker'] {
    const { caller, address } = this.#client;
    const client = caller === undefined ? address : `user ${caller.userId}`;
    return (sql, params, options) => this.#database.readInWorker(sql, params, { ...options, client });
  }
}
