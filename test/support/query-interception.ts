// Lets a test act before each query in the worker, such as to withdraw a right.
import type { Row, SqlValue } from '../../src/storage/connection.ts';
import type { Database } from '../../src/storage/database.ts';
import type { StatementOptions } from '../../src/storage/sql-worker.ts';

/** From now on awaits `act` before each query; the returned function ends that. */
export function beforeQueries(database: Database, act: (options?: StatementOptions) => unknown): () => void {
  const original = database.readInWorker;
  database.readInWorker = async <R extends Row>(
    sql: string,
    params: readonly SqlValue[],
    options?: StatementOptions,
  ): Promise<R[]> => {
    await act(options);
    const rows = await original.call(database, sql, params, options);
    return rows as unknown as R[]; // `call` forgets R
  };
  return () => {
    database.readInWorker = original;
  };
}
