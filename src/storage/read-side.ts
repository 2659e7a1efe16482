// The read-only connection. It sees only changes on disk, and one snapshot in each turn of the event loop.
import assert from 'node:assert';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Connection } from './connection.ts';
import { isDamage } from './storage-error.ts';

type Options = {
  /** Whether a callback given to `database.write` is running. */
  isInWriteCallback(): boolean;
  /** Requests a call of `endTurn` when this turn is over. */
  scheduleEndOfTurn(): void;
  /** A query has found damage. */
  onDamage(): void;
};

export class ReadSide {
  readonly connection: Connection;
  readonly #sqlite: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #read: StatementSync;
  readonly #commit: StatementSync;
  readonly #options: Options;
  #isInTransaction = false;
  #isPinned = false;

  constructor(sqlite: DatabaseSync, options: Options) {
    this.#sqlite = sqlite;
    this.#options = options;
    this.connection = new Connection(sqlite, () => this.#beforeRead());
    this.#begin = sqlite.prepare('BEGIN');
    this.#read = sqlite.prepare('SELECT 1 FROM sqlite_schema');
    this.#commit = sqlite.prepare('COMMIT');
    // opens the file: the writing connection must not be the only one when it closes
    this.#read.get();
  }

  /**
   * Called before a commit without a sync, when all earlier commits are on disk. Until `unpinSnapshot`, reads
   * see the snapshot of this moment. Throws SQLite's error if no snapshot can be taken.
   */
  pinSnapshot(): void {
    this.#beginTransaction();
    this.#read.get(); // BEGIN alone takes no snapshot
    this.#isPinned = true;
  }

  /** Called when the commits since `pinSnapshot` are on disk. The next read sees them. */
  unpinSnapshot(): void {
    this.#isPinned = false;
    this.endTurn();
  }

  /** Ends the turn's snapshot. The next read takes a new snapshot, unless this one is pinned. */
  endTurn(): void {
    if (this.#isInTransaction && !this.#isPinned) this.#endTransaction();
  }

  close(): void {
    if (this.#isInTransaction) this.#endTransaction();
    this.#sqlite.close();
  }

  #beforeRead(): void {
    assert(
      !this.#options.isInWriteCallback(),
      'A write reads through its own connection: this one would show the state before it.',
    );
    if (this.#isInTransaction) return;
    this.#beginTransaction();
    this.#options.scheduleEndOfTurn();
  }

  #beginTransaction(): void {
    if (this.#isInTransaction) return;
    this.#begin.run();
    this.#isInTransaction = true;
  }

  /** A query that failed, on damage or for lack of memory, has ended the transaction, or makes the commit fail. */
  #endTransaction(): void {
    this.#isInTransaction = false;
    try {
      this.#commit.run();
    } catch (error) {
      if (this.#sqlite.isTransaction) throw error; // otherwise the request of the query has had its error
      if (isDamage(error)) this.#options.onDamage();
    }
  }
}
