// Lets a test act before each query in the worker, such as to withdraw a right, or make reads fail.
import type { Connection, Row, SqlValue } from '../../src/storage/connection.ts';
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

/** From now on reads of this table fail, as those of a damaged file do; the returned function ends that. */
export function failReads(connection: Connection, table: string): () => void {
  const { get, all } = connection;
  const check = (sql: string): void => {
    if (sql.includes(`FROM ${table}`)) throw new Error('database disk image is malformed');
  };
  connection.get = <R extends Row>(sql: string, ...params: SqlValue[]): R | undefined => {
    check(sql);
    return get.call(connection, sql, ...params) as R | undefined; // `call` forgets R
  };
  connection.all = <R extends Row>(sql: string, ...params: SqlValue[]): R[] => {
    check(sql);
    return all.call(connection, sql, ...params) as unknown as R[]; // likewise
  };
  return () => Object.assign(connection, { get, all });
}
