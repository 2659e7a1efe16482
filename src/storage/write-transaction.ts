// The transaction of a group of writes, in which each write can be undone alone.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Invalidation } from '../invalidation.ts';
import { Connection, prepareForRun } from './connection.ts';

export class WriteTransaction {
  readonly #sqlite: DatabaseSync;
  readonly #connection: Connection;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #rollback: StatementSync;
  readonly #setSavepoint: StatementSync;
  readonly #releaseSavepoint: StatementSync;
  readonly #rollbackToSavepoint: StatementSync;
  #isWorking = false;
  #hasSavepoint = false;

  constructor(sqlite: DatabaseSync) {
    this.#sqlite = sqlite;
    this.#connection = new Connection(sqlite, (kind) => {
      if (kind === 'change') this.#markChange();
    });
    this.#begin = prepareForRun(sqlite, 'BEGIN IMMEDIATE');
    this.#commit = prepareForRun(sqlite, 'COMMIT');
    this.#rollback = prepareForRun(sqlite, 'ROLLBACK');
    this.#setSavepoint = prepareForRun(sqlite, 'SAVEPOINT work');
    this.#releaseSavepoint = prepareForRun(sqlite, 'RELEASE work');
    this.#rollbackToSavepoint = prepareForRun(sqlite, 'ROLLBACK TO work');
  }

  /** While a work runs. */
  get isWorking(): boolean {
    return this.#isWorking;
  }

  /** False as well after SQLite has rolled the transaction back by itself, as it does on a full disk. */
  get isOpen(): boolean {
    return this.#sqlite.isOpen && this.#sqlite.isTransaction; // a turn may end after the database was closed
  }

  begin(): void {
    this.#begin.run();
  }

  /**
   * Returns what the work returns. Where it throws, its changes are undone, and where `isOpen` is false then,
   * those of the whole transaction.
   */
  run<T>(work: (db: Connection) => T): T {
    const { length: invalidationsBefore } = this.#connection.invalidations;
    this.#isWorking = true;
    try {
      const result = work(this.#connection);
      if (this.#hasSavepoint) this.#releaseSavepoint.run();
      return result;
    } catch (error) {
      this.#connection.invalidations.length = invalidationsBefore;
      if (this.#hasSavepoint) this.#undo();
      throw error;
    } finally {
      this.#isWorking = false;
      this.#hasSavepoint = false;
    }
  }

  /** Returns what the transaction made stale. */
  commit(): Invalidation[] {
    this.#commit.run();
    return this.#connection.invalidations.splice(0);
  }

  rollback(): void {
    this.#connection.invalidations.length = 0;
    if (this.isOpen) this.#rollback.run();
  }

  /** A work that is rejected before its first change needs no savepoint: it has nothing to undo. */
  #markChange(): void {
    if (this.#hasSavepoint) return;
    this.#setSavepoint.run();
    this.#hasSavepoint = true;
  }

  #undo(): void {
    try {
      this.#rollbackToSavepoint.run();
      this.#releaseSavepoint.run();
    } catch {
      this.rollback();
    }
  }
}
