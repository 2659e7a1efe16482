// The transaction of a group of writes. No write has a savepoint, since SQLite would copy each changed page
// for it. So a callback that throws has to throw before its first change, or the whole group is rolled back.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Invalidation } from './invalidation.ts';
import { Connection, prepareForRun } from './connection.ts';
import { isDamage } from './storage-error.ts';

export class WriteTransaction {
  readonly #sqlite: DatabaseSync;
  readonly #connection: Connection;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #rollback: StatementSync;
  #isInCallback = false;
  #isHalfDone = false;
  #hasChanges = false;

  constructor(sqlite: DatabaseSync) {
    this.#sqlite = sqlite;
    this.#connection = new Connection(sqlite);
    this.#begin = prepareForRun(sqlite, 'BEGIN IMMEDIATE');
    this.#commit = prepareForRun(sqlite, 'COMMIT');
    this.#rollback = prepareForRun(sqlite, 'ROLLBACK');
  }

  /** Whether the callback of a write is running. */
  get isInCallback(): boolean {
    return this.#isInCallback;
  }

  /** Whether a transaction is open. SQLite itself may have rolled it back, for example on a full disk. */
  get isOpen(): boolean {
    return this.#sqlite.isOpen && this.#sqlite.isTransaction; // a turn may end after the database is closed
  }

  /**
   * Whether a callback threw after a change: the change can't be undone alone. Or it found damage: SQLite changes
   * nothing more in that transaction, and doesn't commit it.
   */
  get isHalfDone(): boolean {
    return this.#isHalfDone;
  }

  /** Whether another callback may run in the transaction; otherwise it must be rolled back. */
  get isIntact(): boolean {
    return this.isOpen && !this.#isHalfDone;
  }

  /** Whether a callback has changed a row or made an object stale. Otherwise there is nothing to commit. */
  get hasChanges(): boolean {
    return this.#hasChanges;
  }

  /** Whether no other callback should run before the commit. */
  get isFull(): boolean {
    return this.isOpen && this.#connection.isFull;
  }

  begin(): void {
    this.#begin.run();
    this.#connection.resetCommitWork();
    this.#hasChanges = false;
  }

  /**
   * Returns the callback's result. If the callback throws, it has changed nothing, unless `isHalfDone` is true
   * afterwards. If `isOpen` is false afterwards, the changes of the whole transaction were undone.
   */
  run<T>(callback: (db: Connection) => T): T {
    const { rowsChanged: rowsBefore } = this.#connection;
    const { length: invalidationsBefore } = this.#connection.invalidations;
    this.#isInCallback = true;
    try {
      const result = callback(this.#connection);
      const { rowsChanged, invalidations } = this.#connection;
      this.#hasChanges ||= rowsChanged > rowsBefore || invalidations.length > invalidationsBefore;
      return result;
    } catch (error) {
      this.#connection.invalidations.length = invalidationsBefore;
      this.#isHalfDone = this.#connection.rowsChanged > rowsBefore || isDamage(error);
      throw error;
    } finally {
      this.#isInCallback = false;
    }
  }

  /** Returns the invalidations of the whole transaction. */
  commit(): Invalidation[] {
    this.#commit.run();
    return this.#connection.invalidations.splice(0);
  }

  rollback(): void {
    this.#connection.invalidations.length = 0;
    this.#isHalfDone = false;
    if (this.isOpen) this.#rollback.run();
  }
}
