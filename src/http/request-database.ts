// The database as one request uses it: its long queries take turns with those of other callers.
import type { Caller } from '../auth/access.ts';
import type { Connection } from '../storage/connection.ts';
import type { Database } from '../storage/database.ts';
import type { HandlerDatabase } from './route.ts';

type Asker = { readonly caller: Caller | undefined; readonly address: string };

export class RequestDatabase implements HandlerDatabase {
  readonly #database: Database;
  readonly #asker: Asker;

  constructor(database: Database, asker: Asker) {
    this.#database = database;
    this.#asker = asker;
  }

  get read(): Connection {
    return this.#database.read;
  }

  get write(): Database['write'] {
    return this.#database.write;
  }

  get readInWorker(): Database['readInWorker'] {
    const { caller, address } = this.#asker;
    const client = caller === undefined ? address : `user ${caller.userId}`;
    return (sql, params, options) => this.#database.readInWorker(sql, params, { ...options, client });
  }
}
